// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * HEFT: Topcuoglu, Hariri and Wu 2002, section 5.1.  And all tasks on one processor.
 */
#include <errno.h>
#include <stdlib.h>

#include "dag_internal.h"

struct ranked {
	double rank;
	int position; /* in the order of the graph, which decides ties */
	int task;
};

static int by_falling_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return (x->position > y->position) - (x->position < y->position);
}

static void sort(const struct dag_model *model, const double *up, struct ranked *list)
{
	int n = model->dag->tasks;

	for (int i = 0; i < n; i++) {
		int task = model->paths.order[i];

		list[i] = (struct ranked){ up[task], i, task };
	}
	qsort(list, (size_t)n, sizeof(*list), by_falling_rank);
}

int equant_dag_heft(struct dag_state *state, const struct equant_dag_options *options)
{
	int n = state->model->dag->tasks, err = -ENOMEM;
	double *up = calloc((size_t)n, sizeof(*up));
	struct ranked *list = calloc((size_t)n, sizeof(*list));

	(void)options;
	if (up && list) {
		err = 0;
		equant_dag_rank_up(state->model, up);
		sort(state->model, up, list);
	}
	for (int i = 0; i < n && !err; i++) {
		int k = equant_dag_earliest_finish(state, list[i].task);

		equant_dag_places_take(&state->places, list[i].task, k);
		err = equant_dag_place(state, list[i].task, k, 0);
	}
	free(up);
	free(list);
	return err;
}

int equant_dag_single(struct dag_state *state, const struct equant_dag_options *options)
{
	const struct dag_model *model = state->model;
	struct equant_dag_bounds bounds;
	int err = equant_dag_bounds(model->dag, model->machine, &bounds, NULL, 0);

	(void)options;
	if (!err && bounds.processor < 0)
		return -ENOSPC;
	for (int i = 0; i < model->dag->tasks && !err; i++)
		err = equant_dag_place(state, model->paths.order[i], bounds.processor, 0);
	return err;
}
