/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The search for the shortest schedule: see optimum.c. */
#ifndef EQUANT_DAG_OPTIMUM_H
#define EQUANT_DAG_OPTIMUM_H

#include <math.h>

#include "dag_internal.h"

#define DAG_MOST_EDGES (EQUANT_DAG_OPTIMUM * (EQUANT_DAG_OPTIMUM - 1) / 2)

/* When what is left could start at the earliest, how long it takes, and what comes after it. */
struct dag_queue {
	double head;
	double length;
	double tail;
};

/**
 * struct dag_optimum - the search: where it is, and the best it has seen
 * @model: graph and machine
 * @p: processors
 * @tail: length of the longest path after a task, at its fastest and without messages
 * @least: cost where a task is fastest
 * @left: memory of each processor
 * @free: when each processor, then each channel, is free from; lines as in struct dag_need
 * @slot: processor -1: open; finish is NAN until the task has run
 * @message: from -1: not sent
 * @done: tasks that have run
 * @now: start of the last event
 * @makespan: of what has run
 * @queue: of each of @free, for bounds
 * @lines: how many of them
 * @found: has anything shorter than the first @best been found?
 * @best: the shortest makespan known
 * @best_slot: of that
 * @best_message: of that
 */
struct dag_optimum {
	const struct dag_model *model;
	int p;
	double tail[EQUANT_DAG_OPTIMUM];
	double least[EQUANT_DAG_OPTIMUM];
	uint64_t *left;
	double *free;
	struct equant_dag_slot slot[EQUANT_DAG_OPTIMUM];
	struct equant_dag_message message[DAG_MOST_EDGES];
	int done;
	double now;
	double makespan;
	struct dag_queue *queue;
	int lines;
	bool found;
	double best;
	struct equant_dag_slot best_slot[EQUANT_DAG_OPTIMUM];
	struct equant_dag_message best_message[DAG_MOST_EDGES];
};

static inline bool dag_has_run(const struct dag_optimum *optimum, int task)
{
	return !isnan(optimum->slot[task].finish);
}

static inline const struct equant_dag_edge *dag_edge_of(const struct dag_optimum *optimum, int edge)
{
	return &optimum->model->dag->edge[edge];
}

/*
 * When the data of @edge is on processor @k, if it is ready at @ready; at least, if its message
 * has not been sent.
 */
double equant_dag_optimum_arrival(const struct dag_optimum *optimum, int edge, int k, double ready);

/* No schedule that begins like this is shorter: the longest path, and the longest queue. */
double equant_dag_optimum_bound(const struct dag_optimum *optimum);

/* Try all orders of tasks, which all have a processor, and messages; keep the best. */
void equant_dag_optimum_orders(struct dag_optimum *optimum);

#endif /* EQUANT_DAG_OPTIMUM_H */
