/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared by the files of this room: see <equant/dag.h>. */
#ifndef EQUANT_DAG_INTERNAL_H
#define EQUANT_DAG_INTERNAL_H

#include <equant/dag.h>

#include "core/say.h"
#include "places.h"

/* One line about what is wrong; its value is @error. */
#define equant_dag_say(why, why_size, error, ...) (equant_say(why, why_size, __VA_ARGS__), (error))

/* A task as its user knows it: its name or, in @text, its number. */
const char *equant_dag_task_name(const struct equant_dag *dag, int task,
				 char text[EQUANT_DAG_NAME]);

/* Edges by task, compressed rows: those of task i are [first[i]] to below [first[i + 1]]. */
struct dag_rows {
	int *first;
	int *edge;
};

/*
 * A graph in an order to work through: @order has every task after those it needs; of two that
 * could come next, the one that could first.
 */
struct dag_paths {
	int *memory;
	struct dag_rows in;
	struct dag_rows out;
	int *order;
	int ordered; /* below n: there is a cycle among the others */
};

int equant_dag_paths_init(struct dag_paths *paths, const struct equant_dag *dag);
void equant_dag_paths_free(struct dag_paths *paths);

/* ---- what schedulers and bounds ask of a graph on a machine -------------------------- */

struct dag_model {
	const struct equant_dag *dag;
	const struct equant_dag_machine *machine;
	struct dag_paths paths;
	int *home; /* by task: a processor, so that all memory fits; NULL: memory limits nothing */
	double startup; /* means over pairs of different processors */
	double data_rate;
};

int equant_dag_model_init(struct dag_model *model, const struct equant_dag *dag,
			  const struct equant_dag_machine *machine, char *why, size_t why_size);
void equant_dag_model_free(struct dag_model *model);
double equant_dag_mean_cost(const struct dag_model *model, int task);
void equant_dag_rank_up(const struct dag_model *model, double *up);
void equant_dag_rank_down(const struct dag_model *model, double *down);

static inline double dag_cost(const struct equant_dag *dag,
			      const struct equant_dag_machine *machine, int task, int k)
{
	if (machine->cost)
		return machine->cost[(size_t)task * (size_t)machine->processors + (size_t)k];
	return dag->task[task].work * machine->rate[k];
}

static inline double dag_message(const struct equant_dag *dag,
				 const struct equant_dag_machine *machine, int edge, int k, int l)
{
	size_t link = (size_t)k * (size_t)machine->processors + (size_t)l;

	return machine->startup[link] + dag->edge[edge].data * machine->data_rate[link];
}

/* The number of the channel from @k to @l, of p x p; both directions share one, or not. */
static inline size_t dag_channel(const struct equant_dag_machine *machine, int k, int l)
{
	bool turn = machine->channels == EQUANT_DAG_SHARED && k > l;

	return (size_t)(turn ? l : k) * (size_t)machine->processors + (size_t)(turn ? k : l);
}

/* Do messages need anything that others might need? */
static inline bool dag_messages_contend(const struct equant_dag_machine *machine)
{
	return machine->channels != EQUANT_DAG_FREE || machine->overlap != EQUANT_DAG_OVERLAP;
}

/*
 * What a message needs: line 0 to p - 1 is a processor, one behind them a channel.  All the time,
 * or nothing but a moment at which nothing is going on there, when it begins.
 */
struct dag_need {
	size_t line;
	bool throughout;
};

#define DAG_NEEDS 3

/* What a message from @k to @l needs goes to @need; how many. */
int equant_dag_needs(const struct equant_dag_machine *machine, int k, int l,
		     struct dag_need need[DAG_NEEDS]);

static inline double dag_mean_message(const struct dag_model *model, int edge)
{
	return model->startup + model->dag->edge[edge].data * model->data_rate;
}

#define for_each_edge(e, rows, task)                                        \
	for (const int *e = (rows)->edge + (rows)->first[task],             \
		       *e##_end = (rows)->edge + (rows)->first[(task) + 1]; \
	     e < e##_end; e++)

/* ---- a line of time: what has been given away of a processor or channel --------------- */

struct dag_span {
	double start;
	double finish;
};

struct dag_line {
	struct dag_span *span;
	int count;
	int room;
};

/* The earliest time from @from on at which nothing happens for @length. */
double equant_dag_line_earliest(const struct dag_line *line, double from, double length);
int equant_dag_line_insert(struct dag_line *line, double start, double finish);
void equant_dag_line_remove(struct dag_line *line, double start, double finish);

/* ---- a schedule being made ------------------------------------------------------------ */

struct dag_state {
	struct dag_model *model;
	struct dag_line *line; /* p processors, and p x p channels unless these are free */
	int lines;
	struct dag_places places;
	double *last; /* p: when the last task so far ends */
	struct equant_dag_slot *slot; /* n, by task; processor is -1 where there is none yet */
	struct equant_dag_message *message; /* e, by edge; from is -1 where there is none */
};

int equant_dag_state_init(struct dag_state *state, struct dag_model *model);
void equant_dag_state_free(struct dag_state *state);

/*
 * For another schedule: give back all that tasks and messages have taken, then equant_dag_finish(),
 * which takes the slots, and begin again.  Only what was taken is looked at: of channels there are p x p.
 * 0 or -ENOMEM.
 */
void equant_dag_state_clear(struct dag_state *state);
int equant_dag_state_again(struct dag_state *state);

/*
 * When could @task, whose predecessors are all placed, have its data on processor @k?  Infinite
 * if there is no memory to say.
 */
double equant_dag_arrival(struct dag_state *state, int task, int k);

/* When could it start there, if its data is there at @arrival, and not before @floor? */
double equant_dag_start(const struct dag_state *state, int task, int k, double arrival,
			double floor);

/* May @task run there? */
static inline bool dag_may(const struct dag_state *state, int task, int k)
{
	int pin = dag_pin(state->model->machine, task);

	if (pin >= 0 && pin != k)
		return false;
	return !state->places.left || equant_dag_places_fit(&state->places, task, k);
}

/* Let @task run on @k, not before @floor, and send its messages.  0 or -ENOMEM. */
int equant_dag_place(struct dag_state *state, int task, int k, double floor);

/* What @state has goes to a schedule, if all tasks are placed.  NULL: no memory. */
struct equant_dag_schedule *equant_dag_finish(struct dag_state *state, const char *name);

/* Of the processors on which @task may run the one on which it ends first, with insertion. */
int equant_dag_earliest_finish(struct dag_state *state, int task);

/* ---- what happens in a schedule, in order ------------------------------------------------ */

/* A task, or the message of an edge. */
struct dag_event {
	double start;
	double finish;
	int key; /* between two of no length: by an order of the tasks, if possible that of slots */
	int task; /* -1: */
	int edge;
};

/* All of a schedule that passes the checker, so that what is needed comes before who needs it. */
struct dag_event *equant_dag_events(const struct dag_model *model,
				    const struct equant_dag_schedule *schedule);

/* ---- schedulers: 0 or -errno ----------------------------------------------------------- */

typedef int dag_scheduler(struct dag_state *state, const struct equant_dag_options *options);

dag_scheduler equant_dag_heft;
dag_scheduler equant_dag_cpop;
dag_scheduler equant_dag_single;
dag_scheduler equant_dag_dls;
dag_scheduler equant_dag_dls_plain;
dag_scheduler equant_dag_dts_printed;
dag_scheduler equant_dag_dts_repaired;

#endif /* EQUANT_DAG_INTERNAL_H */
