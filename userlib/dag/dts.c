// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * DTS: Sung and Lai, section 3, as printed and repaired.
 *
 * As printed est + w + lct counts w twice, its maximum over processors is on the slowest, and
 * line 7 takes the least est where condition A has the least ect; "est = est + w alpha" is a
 * misprint for ect in both.  What either does instead is in <equant/dag.h>.
 *
 * While a task is not placed, est and ect are those of a processor each, and lct goes by mean
 * rates: the processors of the tasks after it are not known yet.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ready.h"

struct dts {
	struct dag_ready ready;
	const struct equant_dag_options *options;
	bool printed;
	double *lct;
};

static void longest_to_the_end(const struct dag_model *model, double *lct, bool printed)
{
	const struct equant_dag *dag = model->dag;

	for (int i = dag->tasks - 1; i >= 0; i--) {
		int task = model->paths.order[i];

		lct[task] = 0;
		for_each_edge(e, &model->paths.out, task) {
			int to = dag->edge[*e].to;
			double work = equant_dag_mean_cost(model, printed ? task : to);

			lct[task] = fmax(lct[task], dag_mean_message(model, *e) + work + lct[to]);
		}
	}
}

/* P(n_a) */
static int dominant_processor(const struct dts *dts, const struct dag_ready_task *one)
{
	return dts->printed ? one->ends_last : one->ends_first;
}

/* Line 4: n_a. */
static int dominant(const struct dts *dts)
{
	double longest = -INFINITY;
	int best = 0;

	for (int i = 0; i < dts->ready.count; i++) {
		const struct dag_ready_task *one = &dts->ready.list[i];
		int k = dominant_processor(dts, one);
		double length = one->end[k] + dts->lct[one->task];

		if (length > longest) {
			longest = length;
			best = i;
		}
	}
	return best;
}

/* Line 5: n_b.  lct - w alpha - est is lct - ect, which is highest where the task ends first. */
static int first_in_priority(const struct dts *dts)
{
	double highest = -INFINITY;
	int best = 0;

	for (int i = 0; i < dts->ready.count; i++) {
		const struct dag_ready_task *one = &dts->ready.list[i];
		double end = one->end[one->ends_first];

		if (dts->lct[one->task] - end > highest) {
			highest = dts->lct[one->task] - end;
			best = i;
		}
	}
	return best;
}

/* Line 6 and figure 1: condition A. */
static int candidate(const struct dts *dts)
{
	int b = first_in_priority(dts), a = dts->options->without_a ? b : dominant(dts);
	const struct dag_ready_task *na = &dts->ready.list[a], *nb = &dts->ready.list[b];
	int k = dominant_processor(dts, na);

	return nb->ends_first == k && nb->start[k] > na->start[k] ? a : b;
}

/* Line 8: condition B.  The ready task that starts first of those that fit before @until. */
static int second(const struct dts *dts, int k, double from, double until)
{
	const struct dag_ready *ready = &dts->ready;
	const struct dag_model *model = ready->state->model;
	double earliest = INFINITY;
	int best = -1;

	for (int i = 0; i < ready->count; i++) {
		const struct dag_ready_task *one = &ready->list[i];
		double start = equant_dag_start(ready->state, one->task, k, one->arrival[k], from);
		double cost = dag_cost(model->dag, model->machine, one->task, k);

		if (isinf(one->start[k]))
			continue;
		if (start < earliest && start + cost <= until) {
			earliest = start;
			best = i;
		}
	}
	return best;
}

static int step(struct dts *dts)
{
	struct dag_ready *ready = &dts->ready;
	int i = candidate(dts), task = ready->list[i].task;
	int k = dts->printed ? ready->list[i].starts_first : ready->list[i].ends_first;
	double p_time = ready->state->last[k];
	int err = equant_dag_ready_place(ready, i, k, dag_ready_floor(ready, k));

	if (err || dts->options->without_b || dts->options->insertion)
		return err;
	i = second(dts, k, p_time, ready->state->slot[task].start);
	return i < 0 ? 0 : equant_dag_ready_place(ready, i, k, p_time);
}

static int run(struct dag_state *state, const struct equant_dag_options *options, bool printed)
{
	struct dts dts = { .options = options, .printed = printed };
	int err = -ENOMEM;

	dts.lct = calloc((size_t)state->model->dag->tasks, sizeof(*dts.lct));
	if (dts.lct) {
		longest_to_the_end(state->model, dts.lct, printed);
		err = equant_dag_ready_init(&dts.ready, state, options->insertion);
	}
	while (!err && dts.ready.count)
		err = step(&dts);
	equant_dag_ready_free(&dts.ready);
	free(dts.lct);
	return err;
}

int equant_dag_dts_printed(struct dag_state *state, const struct equant_dag_options *options)
{
	return run(state, options, true);
}

int equant_dag_dts_repaired(struct dag_state *state, const struct equant_dag_options *options)
{
	return run(state, options, false);
}
