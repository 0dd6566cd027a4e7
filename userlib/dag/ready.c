// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The ready tasks, and when each could start where.
 *
 * A placement on processor k changes start times on k, and, with contention, when data arrives
 * over the channels that its messages took: at k from their sources, and at the sources from k
 * where both directions share a channel.
 *
 * As processors are given away, start times grow.  So where a task starts first is only looked for
 * when somebody wants to know: until then what was the earliest time is a lower bound, and who looks
 * for the best of all tasks passes over most by that.  What may become earlier is looked at when it
 * does: data over channels in another order, and processors where memory is left again.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ready.h"

static int processors(const struct dag_ready *ready)
{
	return ready->state->model->machine->processors;
}

/* What is the least on the first processor. */
static inline double time_on(const struct dag_ready *ready, const struct dag_ready_task *one, int k)
{
	return ready->asks & DAG_READY_BY_START ? dag_ready_start(ready, one, k) :
						  dag_ready_end(ready, one, k);
}

/* Is @k the first one?  Ties go to the lowest number. */
static void try_first(const struct dag_ready *ready, struct dag_ready_task *one, int k)
{
	double time = time_on(ready, one, k);

	if (time < one->least || (time == one->least && k < one->first)) {
		one->least = time;
		one->first = k;
	}
}

static void find_first(const struct dag_ready *ready, struct dag_ready_task *one)
{
	double least = time_on(ready, one, 0), time;
	int first = 0;

	for (int k = 1; k < processors(ready); k++) {
		time = time_on(ready, one, k);
		if (time < least) {
			least = time;
			first = k;
		}
	}
	one->least = least;
	one->first = first;
}

/* All others are where they were, or later. */
void equant_dag_ready_settle(const struct dag_ready *ready, struct dag_ready_task *one)
{
	if (time_on(ready, one, one->first) > one->least)
		find_first(ready, one);
}

/* The same for the last one: of what is finite, as something is. */
static void try_last(const struct dag_ready *ready, struct dag_ready_task *one, int k)
{
	double end = dag_ready_end(ready, one, k);

	if (!isinf(end) && (end > one->most || (end == one->most && k < one->last))) {
		one->most = end;
		one->last = k;
	}
}

static void find_last(const struct dag_ready *ready, struct dag_ready_task *one)
{
	one->last = 0;
	one->most = -INFINITY;
	for (int k = 0; k < processors(ready); k++)
		try_last(ready, one, k);
}

static void find(const struct dag_ready *ready, struct dag_ready_task *one)
{
	find_first(ready, one);
	if (ready->asks & DAG_READY_LAST)
		find_last(ready, one);
}

/* The time of @one on @k has changed; with @earlier it may be earlier now. */
static void change(const struct dag_ready *ready, struct dag_ready_task *one, int k, bool earlier)
{
	if (earlier)
		try_first(ready, one, k);
	if (!(ready->asks & DAG_READY_LAST))
		return;
	if (earlier && k == one->last)
		find_last(ready, one);
	else
		try_last(ready, one, k);
}

static void compute(const struct dag_ready *ready, struct dag_ready_task *one)
{
	for (int k = 0; k < processors(ready); k++)
		one->arrival[k] = equant_dag_arrival(ready->state, one->task, k);
	find(ready, one);
}

/* Does @one need anything of processor @k, or, where that is -1, of a source? */
static bool needs(const struct dag_ready *ready, const struct dag_ready_task *one, int k)
{
	const struct dag_model *model = ready->state->model;

	for_each_edge(e, &model->paths.in, one->task) {
		int from = ready->state->slot[model->dag->edge[*e].from].processor;

		if (k < 0 ? ready->source[from] : from == k)
			return true;
	}
	return false;
}

/* Marks processors that sent to @task. */
static bool mark_sources(struct dag_ready *ready, int task)
{
	const struct dag_state *state = ready->state;
	bool any = false;

	memset(ready->source, 0, (size_t)processors(ready) * sizeof(*ready->source));
	for_each_edge(e, &state->model->paths.in, task) {
		if (state->message[*e].from < 0)
			continue;
		ready->source[state->message[*e].from] = true;
		any = true;
	}
	return any;
}

/* Is data there at another time? */
static bool arrives(const struct dag_ready *ready, struct dag_ready_task *one, int k)
{
	double before = one->arrival[k];

	one->arrival[k] = equant_dag_arrival(ready->state, one->task, k);
	return one->arrival[k] != before;
}

/* Messages to @k have been sent. */
static void arrivals(const struct dag_ready *ready, struct dag_ready_task *one, int k)
{
	const struct equant_dag_machine *machine = ready->state->model->machine;

	if (needs(ready, one, -1) && arrives(ready, one, k))
		change(ready, one, k, true);
	if (machine->channels != EQUANT_DAG_SHARED || !needs(ready, one, k))
		return;
	for (int l = 0; l < machine->processors; l++)
		if (ready->source[l] && arrives(ready, one, l))
			change(ready, one, l, true);
}

/* @task has been placed on @k. */
static void refresh(struct dag_ready *ready, int task, int k)
{
	const struct equant_dag_machine *machine = ready->state->model->machine;
	bool sent = mark_sources(ready, task) && machine->channels != EQUANT_DAG_FREE;

	for (int i = 0; i < ready->count; i++) {
		struct dag_ready_task *one = &ready->list[i];

		if (machine->overlap != EQUANT_DAG_OVERLAP) {
			compute(ready, one);
			continue;
		}
		if (sent)
			arrivals(ready, one, k);
		if (ready->state->places.left)
			find(ready, one);
		else
			change(ready, one, k, false);
	}
}

static int add(struct dag_ready *ready, int task)
{
	size_t p = (size_t)processors(ready);
	struct dag_ready_task *one = &ready->list[ready->count];

	*one = (struct dag_ready_task){ .task = task };
	one->arrival = malloc(p * sizeof(*one->arrival));
	if (!one->arrival)
		return -ENOMEM;
	ready->count++;
	compute(ready, one);
	return 0;
}

static void take_out(struct dag_ready *ready, int index)
{
	free(ready->list[index].arrival);
	ready->count--;
	memmove(&ready->list[index], &ready->list[index + 1],
		(size_t)(ready->count - index) * sizeof(*ready->list));
}

int equant_dag_ready_place(struct dag_ready *ready, int index, int k, double floor)
{
	const struct dag_model *model = ready->state->model;
	int task = ready->list[index].task, err;

	equant_dag_places_take(&ready->state->places, task, k);
	err = equant_dag_place(ready->state, task, k, floor);
	if (err)
		return err;
	take_out(ready, index);
	refresh(ready, task, k);
	for_each_edge(e, &model->paths.out, task) {
		int to = model->dag->edge[*e].to;

		if (!--ready->missing[to] && !err)
			err = add(ready, to);
	}
	return err;
}

int equant_dag_ready_init(struct dag_ready *ready, struct dag_state *state, unsigned int asks)
{
	const struct dag_model *model = state->model;
	size_t n = (size_t)model->dag->tasks;
	const int *first = model->paths.in.first;
	int err = 0;

	*ready = (struct dag_ready){ .state = state, .asks = asks };
	ready->behind = !(asks & DAG_READY_INSERTION) &&
			model->machine->overlap == EQUANT_DAG_OVERLAP;
	ready->list = calloc(n, sizeof(*ready->list));
	ready->missing = calloc(n, sizeof(*ready->missing));
	ready->source = calloc((size_t)processors(ready), sizeof(*ready->source));
	if (!ready->list || !ready->missing || !ready->source)
		return -ENOMEM;
	for (int i = 0; i < model->dag->tasks && !err; i++) {
		ready->missing[i] = first[i + 1] - first[i];
		if (!ready->missing[i])
			err = add(ready, i);
	}
	return err;
}

void equant_dag_ready_free(struct dag_ready *ready)
{
	for (int i = 0; i < ready->count; i++)
		free(ready->list[i].arrival);
	free(ready->list);
	free(ready->missing);
	free(ready->source);
}
