// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule being made: what each processor and channel has been given so far.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "dag_internal.h"

int equant_dag_state_again(struct dag_state *state)
{
	const struct dag_model *model = state->model;
	size_t n = (size_t)model->dag->tasks, e = (size_t)model->dag->edges;

	state->slot = calloc(n, sizeof(*state->slot));
	state->message = calloc(e + 1, sizeof(*state->message));
	if (!state->slot || !state->message)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		state->slot[i].processor = -1;
	for (size_t i = 0; i < e; i++)
		state->message[i].from = -1;
	return equant_dag_places_init(&state->places, model->dag, model->machine, model->home);
}

int equant_dag_state_init(struct dag_state *state, struct dag_model *model)
{
	size_t p = (size_t)model->machine->processors;

	*state = (struct dag_state){ .model = model };
	state->lines = (int)(p + (model->machine->channels != EQUANT_DAG_FREE ? p * p : 0));
	state->line = calloc((size_t)state->lines, sizeof(*state->line));
	state->last = calloc(p, sizeof(*state->last));
	if (!state->line || !state->last || equant_dag_state_again(state)) {
		equant_dag_state_free(state);
		return -ENOMEM;
	}
	return 0;
}

void equant_dag_state_clear(struct dag_state *state)
{
	const struct dag_model *model = state->model;
	struct dag_need need[DAG_NEEDS];

	for (int i = 0; i < model->dag->tasks; i++) {
		int k = state->slot[i].processor;

		if (k < 0)
			continue;
		state->line[k].count = 0;
		state->last[k] = 0;
	}
	for (int e = 0; e < model->dag->edges; e++) {
		const struct equant_dag_message *message = &state->message[e];
		int needs = 0;

		if (message->from >= 0)
			needs = equant_dag_needs(model->machine, message->from, message->to, need);
		for (int i = 0; i < needs; i++)
			state->line[need[i].line].count = 0;
	}
	equant_dag_places_free(&state->places);
}

void equant_dag_state_free(struct dag_state *state)
{
	for (int i = 0; state->line && i < state->lines; i++)
		free(state->line[i].span);
	free(state->line);
	equant_dag_places_free(&state->places);
	free(state->last);
	free(state->slot);
	free(state->message);
	*state = (struct dag_state){ 0 };
}

/* The earliest time at which all that a message needs is free. */
static double earliest(const struct dag_state *state, const struct dag_need *need, int needs,
		       double from, double length)
{
	double before;

	do {
		before = from;
		for (int i = 0; i < needs; i++)
			from = equant_dag_line_earliest(&state->line[need[i].line], from,
							need[i].throughout ? length : 0);
	} while (from > before);
	return from;
}

static void take_back(const struct dag_state *state, const struct dag_need *need, int needs,
		      double start, double finish)
{
	for (int i = 0; i < needs; i++)
		equant_dag_line_remove(&state->line[need[i].line], start,
				       need[i].throughout ? finish : start);
}

static int take(const struct dag_state *state, const struct dag_need *need, int needs, double start,
		double finish)
{
	for (int i = 0; finish > start && i < needs; i++) {
		if (equant_dag_line_insert(&state->line[need[i].line], start,
					   need[i].throughout ? finish : start)) {
			take_back(state, need, i, start, finish);
			return -ENOMEM;
		}
	}
	return 0;
}

static double sent_from(const struct dag_state *state, int edge)
{
	return state->slot[state->model->dag->edge[edge].from].finish;
}

static int by_sending(const void *a, const void *b, void *state)
{
	int one = *(const int *)a, other = *(const int *)b;
	double from = sent_from(state, one), later = sent_from(state, other);

	return from != later ? (from > later) - (from < later) : (one > other) - (one < other);
}

/* The edges into @task in the order in which their data is there; mostly they are already. */
static void sort_in(struct dag_state *state, int task)
{
	struct dag_rows *in = &state->model->paths.in;
	int *edge = in->edge + in->first[task], count = in->first[task + 1] - in->first[task];

	for (int i = 1; i < count; i++) {
		if (by_sending(&edge[i - 1], &edge[i], state) <= 0)
			continue;
		qsort_r(edge, (size_t)count, sizeof(*edge), by_sending, state);
		return;
	}
}

static int send(struct dag_state *state, int edge, int k)
{
	const struct dag_model *model = state->model;
	const struct equant_dag_slot *from = &state->slot[model->dag->edge[edge].from];
	struct dag_need need[DAG_NEEDS];
	int needs = equant_dag_needs(model->machine, from->processor, k, need);
	double length = dag_message(model->dag, model->machine, edge, from->processor, k);
	double start = length > 0 ? earliest(state, need, needs, from->finish, length) :
				    from->finish;

	state->message[edge] = (struct equant_dag_message){
		.edge = edge, .from = from->processor, .to = k, start, start + length
	};
	if (take(state, need, needs, start, start + length)) {
		state->message[edge].from = -1;
		return -ENOMEM;
	}
	return 0;
}

static void unsend(struct dag_state *state, int edge)
{
	struct equant_dag_message *message = &state->message[edge];
	struct dag_need need[DAG_NEEDS];
	int needs = equant_dag_needs(state->model->machine, message->from, message->to, need);

	if (message->finish > message->start)
		take_back(state, need, needs, message->start, message->finish);
	message->from = -1;
}

/* Send all that @task needs to @k; when the last of it is there, infinite for no memory. */
static double send_all(struct dag_state *state, int task, int k)
{
	const struct equant_dag *dag = state->model->dag;
	double arrival = 0;

	for_each_edge(e, &state->model->paths.in, task) {
		const struct equant_dag_slot *from = &state->slot[dag->edge[*e].from];

		if (from->processor == k) {
			arrival = fmax(arrival, from->finish);
			continue;
		}
		if (send(state, *e, k))
			return INFINITY;
		arrival = fmax(arrival, state->message[*e].finish);
	}
	return arrival;
}

/* Messages that nothing gets in the way of need not be tried out. */
static double arrival_free(const struct dag_state *state, int task, int k)
{
	const struct dag_model *model = state->model;
	double arrival = 0;

	for_each_edge(e, &model->paths.in, task) {
		const struct equant_dag_slot *from = &state->slot[model->dag->edge[*e].from];
		double there = from->finish;

		if (from->processor != k)
			there += dag_message(model->dag, model->machine, *e, from->processor, k);
		arrival = fmax(arrival, there);
	}
	return arrival;
}

double equant_dag_arrival(struct dag_state *state, int task, int k)
{
	double arrival;

	if (!dag_messages_contend(state->model->machine))
		return arrival_free(state, task, k);
	sort_in(state, task);
	arrival = send_all(state, task, k);
	for_each_edge(e, &state->model->paths.in, task) {
		if (state->message[*e].from >= 0)
			unsend(state, *e);
	}
	return arrival;
}

double equant_dag_start(const struct dag_state *state, int task, int k, double arrival,
			double floor)
{
	double cost = dag_cost(state->model->dag, state->model->machine, task, k);

	return equant_dag_line_earliest(&state->line[k], fmax(arrival, floor), cost);
}

int equant_dag_place(struct dag_state *state, int task, int k, double floor)
{
	double cost = dag_cost(state->model->dag, state->model->machine, task, k);
	double arrival, start;

	sort_in(state, task);
	arrival = send_all(state, task, k);
	if (isinf(arrival))
		return -ENOMEM;
	start = equant_dag_start(state, task, k, arrival, floor);
	state->slot[task] = (struct equant_dag_slot){ task, k, start, start + cost };
	state->last[k] = fmax(state->last[k], start + cost);
	return equant_dag_line_insert(&state->line[k], start, start + cost);
}

int equant_dag_earliest_finish(struct dag_state *state, int task)
{
	const struct dag_model *model = state->model;
	double least = INFINITY;
	int best = -1;

	for (int k = 0; k < model->machine->processors; k++) {
		double arrival, finish;

		if (!dag_may(state, task, k))
			continue;
		arrival = equant_dag_arrival(state, task, k);
		finish = equant_dag_start(state, task, k, arrival, 0) +
			 dag_cost(model->dag, model->machine, task, k);
		if (best < 0 || finish < least) {
			least = finish;
			best = k;
		}
	}
	return best;
}
