// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the search for the shortest schedule cannot beat from here on.
 */
#include <string.h>

#include "optimum.h"

double equant_dag_optimum_arrival(const struct dag_optimum *optimum, int edge, int k, double ready)
{
	int from = optimum->slot[dag_edge_of(optimum, edge)->from].processor;

	if (optimum->message[edge].from >= 0)
		return optimum->message[edge].finish;
	if (from < 0 || from == k)
		return ready;
	return ready + dag_message(optimum->model->dag, optimum->model->machine, edge, from, k);
}

static void enqueue(struct dag_queue *queue, double head, double length, double tail)
{
	if (queue->length == 0 || head < queue->head)
		queue->head = head;
	if (queue->length == 0 || tail < queue->tail)
		queue->tail = tail;
	queue->length += length;
}

/* The earliest end of @task, from those of the tasks that it needs. */
static double earliest_end(const struct dag_optimum *optimum, int task, const double *end)
{
	const struct dag_model *model = optimum->model;
	int there = optimum->slot[task].processor;
	double least = INFINITY;

	for (int k = 0; k < optimum->p; k++) {
		double start = fmax(optimum->now, optimum->free[k]);

		if (there >= 0 && there != k)
			continue;
		for_each_edge(e, &model->paths.in, task) {
			double ready = end[dag_edge_of(optimum, *e)->from];

			start = fmax(start, equant_dag_optimum_arrival(optimum, *e, k, ready));
		}
		least = fmin(least, start + dag_cost(model->dag, model->machine, task, k));
	}
	return least;
}

/* Messages that have to come yet, on all that they occupy as long as they last. */
static void enqueue_messages(const struct dag_optimum *optimum, const double *end)
{
	const struct dag_model *model = optimum->model;

	for (int e = 0; e < model->dag->edges; e++) {
		const struct equant_dag_edge *edge = dag_edge_of(optimum, e);
		int k = optimum->slot[edge->from].processor, l = optimum->slot[edge->to].processor;
		struct dag_need need[DAG_NEEDS];
		int needs;

		if (k < 0 || l < 0 || k == l || optimum->message[e].from >= 0)
			continue;
		needs = equant_dag_needs(model->machine, k, l, need);
		for (int i = 0; i < needs; i++)
			if (need[i].throughout)
				enqueue(&optimum->queue[need[i].line],
					fmax(end[edge->from], optimum->free[need[i].line]),
					dag_message(model->dag, model->machine, e, k, l),
					optimum->least[edge->to] + optimum->tail[edge->to]);
	}
}

static double longest_queue(const struct dag_optimum *optimum)
{
	double longest = 0;

	for (int i = 0; i < optimum->lines; i++) {
		const struct dag_queue *queue = &optimum->queue[i];

		if (queue->length > 0)
			longest = fmax(longest, queue->head + queue->length + queue->tail);
	}
	return longest;
}

double equant_dag_optimum_bound(const struct dag_optimum *optimum)
{
	const struct dag_model *model = optimum->model;
	double end[EQUANT_DAG_OPTIMUM], longest = optimum->makespan;

	memset(optimum->queue, 0, (size_t)optimum->lines * sizeof(*optimum->queue));
	for (int i = 0; i < model->dag->tasks; i++) {
		int task = model->paths.order[i], k = optimum->slot[task].processor;
		double cost;

		end[task] = optimum->slot[task].finish;
		if (dag_has_run(optimum, task))
			continue;
		end[task] = earliest_end(optimum, task, end);
		longest = fmax(longest, end[task] + optimum->tail[task]);
		if (k < 0)
			continue;
		cost = dag_cost(model->dag, model->machine, task, k);
		enqueue(&optimum->queue[k], end[task] - cost, cost, optimum->tail[task]);
	}
	enqueue_messages(optimum, end);
	/* Rounding must not take a bound above what it bounds. */
	return fmax(longest, longest_queue(optimum)) * (1 - 1e-12);
}
