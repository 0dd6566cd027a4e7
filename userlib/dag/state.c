// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule being made: what each processor and channel has been given so far.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "dag_internal.h"

int equant_dag_state_init(struct dag_state *state, struct dag_model *model)
{
	size_t p = (size_t)model->machine->processors, n = (size_t)model->dag->tasks;
	size_t e = (size_t)model->dag->edges;

	*state = (struct dag_state){ .model = model };
	state->processor = calloc(p, sizeof(*state->processor));
	state->last = calloc(p, sizeof(*state->last));
	state->slot = calloc(n, sizeof(*state->slot));
	state->message = calloc(e + 1, sizeof(*state->message));
	if (model->machine->channels != EQUANT_DAG_FREE)
		state->channel = calloc(p * p, sizeof(*state->channel));
	if (!state->processor || !state->last || !state->slot || !state->message ||
	    (model->machine->channels != EQUANT_DAG_FREE && !state->channel)) {
		equant_dag_state_free(state);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		state->slot[i].processor = -1;
	for (size_t i = 0; i < e; i++)
		state->message[i].from = -1;
	return 0;
}

static void free_lines(struct dag_line *lines, size_t count)
{
	for (size_t i = 0; lines && i < count; i++)
		free(lines[i].span);
	free(lines);
}

void equant_dag_state_free(struct dag_state *state)
{
	size_t p = (size_t)state->model->machine->processors;

	free_lines(state->processor, p);
	free_lines(state->channel, p * p);
	free(state->last);
	free(state->slot);
	free(state->message);
}

/* What a message from @k to @l occupies: at most a channel and two processors. */
struct lines {
	int count;
	struct dag_line *line[3];
};

static struct lines lines_of(const struct dag_state *state, int k, int l)
{
	const struct equant_dag_machine *machine = state->model->machine;
	struct lines lines = { 0 };

	if (state->channel)
		lines.line[lines.count++] = &state->channel[dag_channel(machine, k, l)];
	if (!machine->overlap) {
		lines.line[lines.count++] = &state->processor[k];
		lines.line[lines.count++] = &state->processor[l];
	}
	return lines;
}

/* The earliest time at which all of them are free. */
static double earliest(const struct lines *lines, double from, double length)
{
	double before;

	do {
		before = from;
		for (int i = 0; i < lines->count; i++)
			from = equant_dag_line_earliest(lines->line[i], from, length);
	} while (from > before);
	return from;
}

static void take_back(const struct lines *lines, int count, double start, double finish)
{
	for (int i = 0; i < count; i++)
		equant_dag_line_remove(lines->line[i], start, finish);
}

static int take(const struct lines *lines, double start, double finish)
{
	for (int i = 0; finish > start && i < lines->count; i++) {
		if (equant_dag_line_insert(lines->line[i], start, finish)) {
			take_back(lines, i, start, finish);
			return -ENOMEM;
		}
	}
	return 0;
}

static double sent_from(const struct dag_state *state, int edge)
{
	return state->slot[state->model->dag->edge[edge].from].finish;
}

/* The edges into @task in the order in which their data is there: by insertion, mostly sorted. */
static void sort_in(struct dag_state *state, int task)
{
	struct dag_rows *in = &state->model->paths.in;
	int *edge = in->edge + in->first[task], count = in->first[task + 1] - in->first[task];

	for (int i = 1; i < count; i++) {
		int e = edge[i], j = i;

		for (; j > 0 &&
		       (sent_from(state, edge[j - 1]) > sent_from(state, e) ||
			(sent_from(state, edge[j - 1]) == sent_from(state, e) && edge[j - 1] > e));
		     j--)
			edge[j] = edge[j - 1];
		edge[j] = e;
	}
}

static int send(struct dag_state *state, int edge, int k)
{
	const struct dag_model *model = state->model;
	const struct equant_dag_slot *from = &state->slot[model->dag->edge[edge].from];
	struct lines lines = lines_of(state, from->processor, k);
	double length = dag_message(model->dag, model->machine, edge, from->processor, k);
	double start = earliest(&lines, from->finish, length);

	state->message[edge] = (struct equant_dag_message){
		.edge = edge, .from = from->processor, .to = k, start, start + length
	};
	if (take(&lines, start, start + length)) {
		state->message[edge].from = -1;
		return -ENOMEM;
	}
	return 0;
}

static void unsend(struct dag_state *state, int edge)
{
	struct equant_dag_message *message = &state->message[edge];
	struct lines lines = lines_of(state, message->from, message->to);

	if (message->finish > message->start)
		take_back(&lines, lines.count, message->start, message->finish);
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

	if (!state->channel && state->model->machine->overlap)
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

	return equant_dag_line_earliest(&state->processor[k], fmax(arrival, floor), cost);
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
	return equant_dag_line_insert(&state->processor[k], start, start + cost);
}

int equant_dag_earliest_finish(struct dag_state *state, int task)
{
	const struct dag_model *model = state->model;
	double least = INFINITY;
	int best = 0;

	for (int k = 0; k < model->machine->processors; k++) {
		double arrival = equant_dag_arrival(state, task, k);
		double finish = equant_dag_start(state, task, k, arrival, 0) +
				dag_cost(model->dag, model->machine, task, k);

		if (finish < least) {
			least = finish;
			best = k;
		}
	}
	return best;
}
