/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A new plan for the tasks that have not begun. */
#ifndef EQUANT_ENGINE_DAG_REPLAN_H
#define EQUANT_ENGINE_DAG_REPLAN_H

#include <stddef.h>

#include <equant/probe.h>

#include "engine/dag_run_internal.h"

/**
 * struct equant_dag_watch - this rank's share of its CPU
 * @share: that it wishes to be planned for
 * @planned: what the plan goes by
 * @changed_ns: since when they differ, or 0
 * @wishes: for long enough
 * @looked_ns: when, by CLOCK_MONOTONIC_COARSE
 * @before: counters at the last look
 * @task_ns: on-CPU time of the task that runs, or ran last
 * @ran_ns: on-CPU time since a share was measured
 * @waited_ns: the same, for the CPU
 * @changed_ran_ns: on-CPU time since it changed
 * @changed_waited_ns: the same, for the CPU
 * @units: planned costs of tasks that have ended here
 * @units_ns: what they took
 */
struct equant_dag_watch {
	double share;
	double planned;
	uint64_t changed_ns;
	bool wishes;
	uint64_t looked_ns;
	struct equant_counters before;
	uint64_t task_ns;
	uint64_t ran_ns;
	uint64_t waited_ns;
	uint64_t changed_ran_ns;
	uint64_t changed_waited_ns;
	double units;
	uint64_t units_ns;
};

/**
 * struct equant_dag_stand - how far a rank is
 * @share: that it has of its CPU
 * @left: time, as the plan counts it, until it has done what it has begun
 * @begun: tasks of the present order; those behind them may go elsewhere
 * @known: it is this rank's, not another's
 */
struct equant_dag_stand {
	double share;
	double left;
	int32_t begun;
	int32_t known;
};

/**
 * struct equant_dag_news - what ranks tell each other, at the beginning of one piece of memory
 * @stand: of each rank
 * @sent: by edge: its message has been begun
 * @steps: of the new order; -1: it stays as it is
 * @place: by task
 * @step: a task, or -1 - edge
 */
struct equant_dag_news {
	struct equant_dag_stand *stand;
	int32_t *steps;
	int32_t *place;
	int32_t *step;
	unsigned char *sent;
};

/* What a share has to stay changed for, of the planned makespan, and what a new plan must save. */
#define EQUANT_DAG_HOLD 0.12
#define EQUANT_DAG_GAIN 0.05
#define EQUANT_DAG_WORD 8 /* bytes before what is told */

/**
 * struct equant_dag_replan - what replanning needs
 * @scheduler: by which
 * @part: of the planned makespan for which a share must have changed
 * @hold: that time, as the plan counts it
 * @gain: part of the time left that a new plan must save
 * @watch: of this rank
 * @fixed: by task: it had begun when the order was made
 * @home: by edge: the rank that had its data then; -1: its task had not begun
 * @sender: by edge: the rank that sends its data to this one in the new order, or -1
 * @count: for each rank
 * @arrives: for an estimate, each edge
 * @line: the same, @lines ranks and channels
 * @stands: what this rank and those below it tell, as far as it goes
 * @stand_memory: that it is in, @stand_size bytes
 * @news: what rank 0 tells
 * @memory: that it is in, @size bytes, first the stands of all
 * @frozen: nothing is begun but what was promised
 * @orders: made in this run
 */
struct equant_dag_replan {
	char scheduler[32];
	double part;
	double hold;
	double gain;
	struct equant_dag_watch watch;
	unsigned char *fixed;
	int *home;
	int *sender;
	int *count;
	double *arrives;
	double *line;
	size_t lines;
	struct equant_dag_news stands;
	void *stand_memory;
	struct equant_dag_news news;
	void *memory;
	size_t size;
	size_t stand_size;
	bool frozen;
	int orders;
};

/* ---- dag_replan.c --------------------------------------------------------------------------- */

int equant_dag_replan_init(struct equant_dag_run *run,
			   const struct equant_dag_run_options *options);
void equant_dag_replan_free(struct equant_dag_run *run);
/* The schedule is carried out from its beginning. */
void equant_dag_replan_start(struct equant_dag_run *run);
/* Begin nothing more, and write down how far this rank is. */
void equant_dag_replan_freeze(struct equant_dag_run *run);
/* How far others are. */
void equant_dag_replan_merge(struct equant_dag_run *run, const char *bytes);
/* How far all are is news now. */
void equant_dag_replan_collect(struct equant_dag_run *run);
/* Of all ranks: add tasks that have begun, and where their data is. */
void equant_dag_replan_fix(const struct equant_dag_run *run, unsigned char *fixed, int *home);
/* Go on as rank 0 has decided.  0 or -errno. */
int equant_dag_replan_adopt(struct equant_dag_run *run);

/* ---- dag_rest.c: rank 0 decides --------------------------------------------------------------- */

void equant_dag_rest_plan(struct equant_dag_run *run);

/* ---- dag_estimate.c: how long the order in @news takes ------------------------------------------ */

double equant_dag_estimate(const struct equant_dag_run *run, const struct equant_dag_news *news,
			   const int *home);

/* ---- dag_watch.c -------------------------------------------------------------------------- */

void equant_dag_watch_start(struct equant_dag_run *run);
/* A task begins, goes on, ends. */
void equant_dag_watch_begin(struct equant_dag_run *run);
void equant_dag_watch_look(struct equant_dag_run *run);
void equant_dag_watch_end(struct equant_dag_run *run, int task);
/* How long the task that runs will still take with @share, as the plan counts time. */
double equant_dag_watch_left(const struct equant_dag_run *run, int task, double share);
/* The plan goes by this share. */
void equant_dag_watch_planned(struct equant_dag_run *run, double share);

#endif /* EQUANT_ENGINE_DAG_REPLAN_H */
