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
	return dts->printed ? one->last : one->first;
}

/*
 * No later than this a task ends on its dominant processor: it ends there first, so not after it would where
 * it did before, nor where another task does now, on @like.
 */
static double at_most(const struct dts *dts, const struct dag_ready_task *one, int like)
{
	double end, other;

	if (dts->printed)
		return one->most;
	end = dag_ready_end(&dts->ready, one, one->first);
	other = dag_ready_end(&dts->ready, one, like);
	return end < other ? end : other;
}

/* When it does. */
static double dominant_end(const struct dts *dts, struct dag_ready_task *one)
{
	if (dts->printed)
		return one->most;
	equant_dag_ready_settle(&dts->ready, one);
	return one->least;
}

/* Line 4: n_a. */
static int dominant(const struct dts *dts)
{
	double longest = -INFINITY;
	int best = 0, like = 0;

	for (int i = 0; i < dts->ready.count; i++) {
		struct dag_ready_task *one = &dts->ready.list[i];
		double lct = dts->lct[one->task], length;

		if (at_most(dts, one, like) + lct <= longest)
			continue;
		length = dominant_end(dts, one) + lct;
		like = one->first;
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
		struct dag_ready_task *one = &dts->ready.list[i];
		double lct = dts->lct[one->task];

		if (lct - one->least <= highest)
			continue;
		equant_dag_ready_settle(&dts->ready, one);
		if (lct - one->least > highest) {
			highest = lct - one->least;
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

	if (nb->first != k)
		return b;
	return dag_ready_start(&dts->ready, nb, k) > dag_ready_start(&dts->ready, na, k) ? a : b;
}

/* Line 7: where the candidate goes.  Ties go to the lowest number. */
static int place_of(const struct dts *dts, const struct dag_ready_task *one)
{
	double least = INFINITY;
	int best = 0;

	if (!dts->printed)
		return one->first;
	for (int k = 0; k < dts->ready.state->model->machine->processors; k++) {
		double start = dag_ready_start(&dts->ready, one, k);

		if (start < least) {
			least = start;
			best = k;
		}
	}
	return best;
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
		double cost = dag_cost(model->dag, model->machine, one->task, k), start;

		if (from + cost > until || one->arrival[k] + cost > until ||
		    !dag_may(ready->state, one->task, k))
			continue;
		start = equant_dag_start(ready->state, one->task, k, one->arrival[k], from);
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
	int i = candidate(dts), task = ready->list[i].task, k = place_of(dts, &ready->list[i]);
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
	unsigned int asks = (printed ? DAG_READY_LAST : 0) |
			    (options->insertion ? DAG_READY_INSERTION : 0);
	int err = -ENOMEM;

	dts.lct = calloc((size_t)state->model->dag->tasks, sizeof(*dts.lct));
	if (dts.lct) {
		longest_to_the_end(state->model, dts.lct, printed);
		err = equant_dag_ready_init(&dts.ready, state, asks);
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
