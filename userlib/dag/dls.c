// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * DLS: Sih and Lee 1993, and as Sung and Lai print it in section 2.1.
 *
 * DL(i, k) = SL(i) - start(i, k) + delta(i, k), and delta(i, k) = median cost of i - its cost on
 * k: the best k of a task is the one where it ends first, and DL is SL + median - that end.
 * Without delta it is the one where it starts first.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ready.h"

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @costs is for as many numbers as processors. */
static double median_cost(const struct dag_model *model, int task, double *costs)
{
	int p = model->machine->processors;

	for (int k = 0; k < p; k++)
		costs[k] = dag_cost(model->dag, model->machine, task, k);
	qsort(costs, (size_t)p, sizeof(*costs), by_size);
	return (costs[(p - 1) / 2] + costs[p / 2]) / 2;
}

/* The longest path to the end by median costs and without messages. */
static void static_levels(const struct dag_model *model, double *level, double *median,
			  double *costs)
{
	const struct equant_dag *dag = model->dag;

	for (int i = dag->tasks - 1; i >= 0; i--) {
		int task = model->paths.order[i];
		double longest = 0;

		for_each_edge(e, &model->paths.out, task)
			longest = fmax(longest, level[dag->edge[*e].to]);
		median[task] = median_cost(model, task, costs);
		level[task] = median[task] + longest;
	}
}

/* DL of a task that starts, or with @delta ends, at @time. */
static double dynamic_level(double level, double median, double time, bool delta)
{
	return delta ? level + (median - time) : level - time;
}

static int choose(const struct dag_ready *ready, const double *level, const double *median,
		  bool delta)
{
	double highest = -INFINITY;
	int best = 0;

	for (int i = 0; i < ready->count; i++) {
		struct dag_ready_task *one = &ready->list[i];
		double sl = level[one->task], m = median[one->task];

		if (dynamic_level(sl, m, one->least, delta) <= highest)
			continue;
		equant_dag_ready_settle(ready, one);
		if (dynamic_level(sl, m, one->least, delta) > highest) {
			highest = dynamic_level(sl, m, one->least, delta);
			best = i;
		}
	}
	return best;
}

static int run(struct dag_ready *ready, const double *level, const double *median, bool delta)
{
	int err = 0;

	while (ready->count && !err) {
		int i = choose(ready, level, median, delta), k = ready->list[i].first;

		err = equant_dag_ready_place(ready, i, k, dag_ready_floor(ready, k));
	}
	return err;
}

static int dls(struct dag_state *state, bool delta)
{
	size_t n = (size_t)state->model->dag->tasks, p = (size_t)state->model->machine->processors;
	double *level = calloc(2 * n + p, sizeof(*level));
	unsigned int asks = delta ? 0 : DAG_READY_BY_START;
	struct dag_ready ready = { 0 };
	int err = level ? equant_dag_ready_init(&ready, state, asks) : -ENOMEM;

	if (!err) {
		static_levels(state->model, level, level + n, level + 2 * n);
		err = run(&ready, level, level + n, delta);
	}
	equant_dag_ready_free(&ready);
	free(level);
	return err;
}

int equant_dag_dls(struct dag_state *state, const struct equant_dag_options *options)
{
	(void)options;
	return dls(state, true);
}

int equant_dag_dls_plain(struct dag_state *state, const struct equant_dag_options *options)
{
	(void)options;
	return dls(state, false);
}
