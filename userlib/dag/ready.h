/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The ready tasks of DLS and DTS, and when each could start where. */
#ifndef EQUANT_DAG_READY_H
#define EQUANT_DAG_READY_H

#include <math.h>

#include "dag_internal.h"

/* What a scheduler asks for; sum of them. */
enum dag_ready_asks {
	DAG_READY_BY_START = 1, /* where tasks start first; without it: where they end first */
	DAG_READY_LAST = 2, /* where they end last */
	DAG_READY_INSERTION = 4, /* tasks start in any idle time */
};

/*
 * A ready task.  On no processor does it start, or end, before @least, and when it has been settled
 * it does then on @first, and on none before that one.  Where tasks end last is kept only for who
 * asks for it.
 */
struct dag_ready_task {
	int task;
	int first;
	int last;
	double least;
	double most;
	double *arrival; /* of its data, by processor */
};

/*
 * @list is in the order in which the tasks became ready.
 */
struct dag_ready {
	struct dag_state *state;
	unsigned int asks;
	bool behind; /* behind the last task of a processor nothing has been given away */
	int count;
	struct dag_ready_task *list;
	int *missing; /* of each task: predecessors that are not placed yet */
	bool *source; /* of each processor: did it send a message to the last task placed? */
};

int equant_dag_ready_init(struct dag_ready *ready, struct dag_state *state, unsigned int asks);
void equant_dag_ready_free(struct dag_ready *ready);

/* Let number @index of the list run on @k, not before @floor. */
int equant_dag_ready_place(struct dag_ready *ready, int index, int k, double floor);

/* Have @first and @least be as they are now. */
void equant_dag_ready_settle(const struct dag_ready *ready, struct dag_ready_task *one);

/* No task starts on @k before this. */
static inline double dag_ready_floor(const struct dag_ready *ready, int k)
{
	return ready->asks & DAG_READY_INSERTION ? 0 : ready->state->last[k];
}

/* When could a ready task start and end on @k?  Infinite where it may not run. */
static inline double dag_ready_start(const struct dag_ready *ready,
				     const struct dag_ready_task *one, int k)
{
	double arrival = one->arrival[k], last = ready->state->last[k];

	if (!dag_may(ready->state, one->task, k))
		return INFINITY;
	if (ready->behind)
		return arrival > last ? arrival : last;
	return equant_dag_start(ready->state, one->task, k, arrival, dag_ready_floor(ready, k));
}

static inline double dag_ready_end(const struct dag_ready *ready, const struct dag_ready_task *one,
				   int k)
{
	const struct dag_model *model = ready->state->model;

	return dag_ready_start(ready, one, k) + dag_cost(model->dag, model->machine, one->task, k);
}

#endif /* EQUANT_DAG_READY_H */
