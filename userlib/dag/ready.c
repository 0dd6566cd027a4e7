// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The ready tasks, and when each could start where.
 *
 * A placement on processor k changes start times on k, and, with contention, when data arrives
 * over the channels that its messages took: at k from their sources, and at the sources from k
 * where both directions share a channel.  Nothing else has to be computed again, but where tasks may
 * run if memory is limited.
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

/* Ties go to the lowest number. */
static int lowest(const double *time, int p)
{
	double least = time[0];
	int best = 0;

	for (int k = 1; k < p; k++) {
		if (time[k] < least) {
			least = time[k];
			best = k;
		}
	}
	return best;
}

/* Of what is finite, as something is. */
static int highest(const double *time, int p)
{
	double most = -1;
	int best = 0;

	for (int k = 0; k < p; k++) {
		if (time[k] > most && !isinf(time[k])) {
			most = time[k];
			best = k;
		}
	}
	return best;
}

static bool before(const double *time, int k, int l)
{
	return time[k] < time[l] || (time[k] == time[l] && k < l);
}

/* The first one, if it was @first until the time of @k changed, and was @was there. */
static int still_first(const double *time, int p, int first, int k, double was)
{
	if (k == first)
		return time[k] > was ? lowest(time, p) : k;
	return before(time, k, first) ? k : first;
}

static int still_last(const double *time, int p, int last, int k, double was)
{
	if (k == last)
		return time[k] < was || isinf(time[k]) ? highest(time, p) : k;
	if (isinf(time[k]))
		return last;
	/* Nothing may have been finite a moment ago. */
	if (isinf(time[last]) || time[k] > time[last] || (time[k] == time[last] && k < last))
		return k;
	return last;
}

static double start_on(const struct dag_ready *ready, const struct dag_ready_task *one, int k)
{
	if (!dag_may(ready->state, one->task, k))
		return INFINITY;
	return equant_dag_start(ready->state, one->task, k, one->arrival[k],
				dag_ready_floor(ready, k));
}

static double end_on(const struct dag_ready *ready, const struct dag_ready_task *one, int k)
{
	const struct dag_model *model = ready->state->model;

	return one->start[k] + dag_cost(model->dag, model->machine, one->task, k);
}

static void compute(const struct dag_ready *ready, struct dag_ready_task *one)
{
	for (int k = 0; k < processors(ready); k++) {
		one->arrival[k] = equant_dag_arrival(ready->state, one->task, k);
		one->start[k] = start_on(ready, one, k);
		one->end[k] = end_on(ready, one, k);
	}
	one->starts_first = lowest(one->start, processors(ready));
	one->ends_first = lowest(one->end, processors(ready));
	one->ends_last = highest(one->end, processors(ready));
}

static void compute_start(const struct dag_ready *ready, struct dag_ready_task *one, int k)
{
	double start = one->start[k], end = one->end[k];
	int p = processors(ready);

	one->start[k] = start_on(ready, one, k);
	if (one->start[k] == start)
		return;
	one->end[k] = end_on(ready, one, k);
	one->starts_first = still_first(one->start, p, one->starts_first, k, start);
	one->ends_first = still_first(one->end, p, one->ends_first, k, end);
	one->ends_last = still_last(one->end, p, one->ends_last, k, end);
}

/* Where memory is left, and where no longer. */
static void compute_places(const struct dag_ready *ready, struct dag_ready_task *one)
{
	for (int k = 0; k < processors(ready); k++)
		if (dag_may(ready->state, one->task, k) != !isinf(one->start[k]))
			compute_start(ready, one, k);
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

static void arrivals(const struct dag_ready *ready, struct dag_ready_task *one, int k)
{
	const struct equant_dag_machine *machine = ready->state->model->machine;

	if (needs(ready, one, -1))
		one->arrival[k] = equant_dag_arrival(ready->state, one->task, k);
	if (machine->channels != EQUANT_DAG_SHARED || !needs(ready, one, k))
		return;
	for (int l = 0; l < machine->processors; l++) {
		if (!ready->source[l])
			continue;
		one->arrival[l] = equant_dag_arrival(ready->state, one->task, l);
		compute_start(ready, one, l);
	}
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
		compute_start(ready, one, k);
		if (ready->state->places.left)
			compute_places(ready, one);
	}
}

static int add(struct dag_ready *ready, int task)
{
	size_t p = (size_t)processors(ready);
	struct dag_ready_task *one = &ready->list[ready->count];

	*one = (struct dag_ready_task){ .task = task };
	one->arrival = malloc(3 * p * sizeof(*one->arrival));
	if (!one->arrival)
		return -ENOMEM;
	one->start = one->arrival + p;
	one->end = one->start + p;
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

int equant_dag_ready_init(struct dag_ready *ready, struct dag_state *state, bool insertion)
{
	const struct dag_model *model = state->model;
	size_t n = (size_t)model->dag->tasks;
	const int *first = model->paths.in.first;
	int err = 0;

	*ready = (struct dag_ready){ .state = state, .insertion = insertion };
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
