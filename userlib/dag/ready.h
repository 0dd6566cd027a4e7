/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The ready tasks of DLS and DTS, and when each could start where. */
#ifndef EQUANT_DAG_READY_H
#define EQUANT_DAG_READY_H

#include "dag_internal.h"

/*
 * A ready task.  @arrival, @start and @end have a number for each processor; the others are
 * processors.  Where the task may not run, @start and @end are infinite.
 */
struct dag_ready_task {
	int task;
	int starts_first;
	int ends_first;
	int ends_last;
	double *arrival;
	double *start;
	double *end;
};

/*
 * @list is in the order in which the tasks became ready.
 */
struct dag_ready {
	struct dag_state *state;
	bool insertion;
	int count;
	struct dag_ready_task *list;
	int *missing; /* of each task: predecessors that are not placed yet */
	bool *source; /* of each processor: did it send a message to the last task placed? */
};

int equant_dag_ready_init(struct dag_ready *ready, struct dag_state *state, bool insertion);
void equant_dag_ready_free(struct dag_ready *ready);

/* Let number @index of the list run on @k, not before @floor. */
int equant_dag_ready_place(struct dag_ready *ready, int index, int k, double floor);

/* No task starts on @k before this. */
static inline double dag_ready_floor(const struct dag_ready *ready, int k)
{
	return ready->insertion ? 0 : ready->state->last[k];
}

#endif /* EQUANT_DAG_READY_H */
