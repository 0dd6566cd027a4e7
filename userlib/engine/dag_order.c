// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The order of a schedule.  Times say what comes first, but what is needed always comes before who needs
 * it, and tasks of a rank in the order of their slots: then no rank waits for one that waits for it,
 * whatever the times are and however long everything really takes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dag_run_internal.h"

/**
 * struct sorter - tasks 0 to n - 1, and messages n to n + e - 1 by their edges
 * @slot: of each task
 * @after: the next task on the same rank, or -1
 * @message: of each edge, or NULL
 * @missing: what each has to wait for
 * @heap: what could be next, first the one that is
 * @heaped: how many
 */
struct sorter {
	const struct equant_dag *dag;
	const struct dag_paths *paths;
	const struct equant_dag_slot **slot;
	const struct equant_dag_message **message;
	int *after;
	int *missing;
	int *heap;
	int heaped;
	char *why;
	size_t why_size;
};

#define fault(sorter, ...) equant_dag_say((sorter)->why, (sorter)->why_size, -EINVAL, __VA_ARGS__)

/* ---- is it one of this graph? -------------------------------------------------------------- */

static int take_slots(struct sorter *sorter, const struct equant_dag_schedule *schedule, int ranks,
		      int *place)
{
	for (int s = 0; s < schedule->slots; s++) {
		const struct equant_dag_slot *slot = &schedule->slot[s];
		int i = slot->task, k = slot->processor;

		if (i < 0 || i >= sorter->dag->tasks)
			return fault(sorter, "the schedule has task %d of %d", i,
				     sorter->dag->tasks);
		if (k < 0 || k >= ranks)
			return fault(sorter, "the schedule has task %d on processor %d of %d", i, k,
				     ranks);
		if (sorter->slot[i])
			return fault(sorter, "the schedule has task %d twice", i);
		if (!(slot->start <= slot->finish))
			return fault(sorter, "the schedule has task %d from %g to %g", i,
				     slot->start, slot->finish);
		sorter->slot[i] = slot;
		place[i] = k;
	}
	for (int i = 0; i < sorter->dag->tasks; i++)
		if (!sorter->slot[i])
			return fault(sorter, "the schedule does not have task %d", i);
	return 0;
}

static int take_messages(struct sorter *sorter, const struct equant_dag_schedule *schedule,
			 const int *place)
{
	const struct equant_dag *dag = sorter->dag;

	for (int m = 0; m < schedule->messages; m++) {
		const struct equant_dag_message *message = &schedule->message[m];
		int e = message->edge;

		if (e < 0 || e >= dag->edges)
			return fault(sorter, "the schedule has a message of edge %d of %d", e,
				     dag->edges);
		if (sorter->message[e])
			return fault(sorter, "the schedule has the message of edge %d twice", e);
		if (message->from != place[dag->edge[e].from] ||
		    message->to != place[dag->edge[e].to] || message->from == message->to)
			return fault(
				sorter,
				"the schedule has a message of edge %d from %d to %d, its tasks on %d and %d",
				e, message->from, message->to, place[dag->edge[e].from],
				place[dag->edge[e].to]);
		if (!(message->start <= message->finish))
			return fault(sorter,
				     "the schedule has the message of edge %d from %g to %g", e,
				     message->start, message->finish);
		sorter->message[e] = message;
	}
	for (int e = 0; e < dag->edges; e++)
		if (!sorter->message[e] && place[dag->edge[e].from] != place[dag->edge[e].to])
			return fault(sorter, "the schedule does not have the message of edge %d",
				     e);
	return 0;
}

/* ---- what could be next, by time ------------------------------------------------------------ */

static double start_of(const struct sorter *sorter, int node)
{
	int n = sorter->dag->tasks;

	return node < n ? sorter->slot[node]->start : sorter->message[node - n]->start;
}

static double finish_of(const struct sorter *sorter, int node)
{
	int n = sorter->dag->tasks;

	return node < n ? sorter->slot[node]->finish : sorter->message[node - n]->finish;
}

static bool before(const struct sorter *sorter, int a, int b)
{
	if (start_of(sorter, a) != start_of(sorter, b))
		return start_of(sorter, a) < start_of(sorter, b);
	if (finish_of(sorter, a) != finish_of(sorter, b))
		return finish_of(sorter, a) < finish_of(sorter, b);
	return a < b;
}

static void push(struct sorter *sorter, int node)
{
	int *heap = sorter->heap, at = sorter->heaped++;

	for (; at && before(sorter, node, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = node;
}

static int pop(struct sorter *sorter)
{
	int *heap = sorter->heap, first = heap[0], last = heap[--sorter->heaped], at = 0, child;

	while ((child = 2 * at + 1) < sorter->heaped) {
		if (child + 1 < sorter->heaped && before(sorter, heap[child + 1], heap[child]))
			child++;
		if (!before(sorter, heap[child], last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return first;
}

/* ---- the order ------------------------------------------------------------------------------ */

static void chain(struct sorter *sorter, const struct equant_dag_schedule *schedule, int ranks,
		  int *last)
{
	for (int i = 0; i < sorter->dag->tasks; i++) {
		sorter->after[i] = -1;
		sorter->missing[i] = sorter->paths->in.first[i + 1] - sorter->paths->in.first[i];
	}
	for (int k = 0; k < ranks; k++)
		last[k] = -1;
	for (int s = 0; s < schedule->slots; s++) {
		const struct equant_dag_slot *slot = &schedule->slot[s];

		if (last[slot->processor] >= 0) {
			sorter->after[last[slot->processor]] = slot->task;
			sorter->missing[slot->task]++;
		}
		last[slot->processor] = slot->task;
	}
}

static void arrived(struct sorter *sorter, int task)
{
	if (!--sorter->missing[task])
		push(sorter, task);
}

static void sort(struct sorter *sorter, struct equant_dag_order *order)
{
	int n = sorter->dag->tasks;

	for (int i = 0; i < n; i++)
		if (!sorter->missing[i])
			push(sorter, i);
	while (sorter->heaped) {
		int node = pop(sorter);

		order->step[order->steps++] =
			(struct equant_dag_step){ node < n ? node : -1, node < n ? -1 : node - n };
		if (node >= n) {
			arrived(sorter, sorter->dag->edge[node - n].to);
			continue;
		}
		if (sorter->after[node] >= 0)
			arrived(sorter, sorter->after[node]);
		for_each_edge(e, &sorter->paths->out, node) {
			if (sorter->message[*e])
				push(sorter, n + *e);
			else
				arrived(sorter, sorter->dag->edge[*e].to);
		}
	}
}

static int find_stuck(struct sorter *sorter, const struct equant_dag_order *order,
		      const struct equant_dag_schedule *schedule)
{
	if (order->steps == sorter->dag->tasks + schedule->messages)
		return 0;
	for (int i = 0; i < sorter->dag->tasks; i++)
		if (sorter->missing[i])
			return fault(
				sorter,
				"the schedule has tasks in an order in which task %d waits for ever",
				i);
	return 0;
}

static int run(struct sorter *sorter, struct equant_dag_order *order, int ranks,
	       const struct equant_dag_schedule *schedule)
{
	int error = take_slots(sorter, schedule, ranks, order->place);

	if (!error)
		error = take_messages(sorter, schedule, order->place);
	if (error)
		return error;
	/* The heap is still empty. */
	chain(sorter, schedule, ranks, sorter->heap);
	sort(sorter, order);
	return find_stuck(sorter, order, schedule);
}

int equant_dag_order_init(struct equant_dag_order *order, const struct equant_dag *dag,
			  const struct dag_paths *paths, int ranks,
			  const struct equant_dag_schedule *schedule, char *why, size_t why_size)
{
	size_t n = (size_t)dag->tasks, e = (size_t)dag->edges, p = (size_t)ranks;
	struct sorter sorter = { .dag = dag, .paths = paths, .why = why, .why_size = why_size };
	int *numbers = calloc(3 * n + e + p, sizeof(*numbers)), error = -ENOMEM;

	sorter.slot = calloc(n, sizeof(*sorter.slot));
	sorter.message = calloc(e + 1, sizeof(*sorter.message));
	order->place = calloc(n, sizeof(*order->place));
	order->step = calloc(n + e, sizeof(*order->step));
	order->steps = 0;
	if (numbers && sorter.slot && sorter.message && order->place && order->step) {
		sorter.after = numbers;
		sorter.missing = numbers + n;
		sorter.heap = numbers + 2 * n;
		error = run(&sorter, order, ranks, schedule);
	}
	free(numbers);
	free(sorter.slot);
	free(sorter.message);
	if (error)
		equant_dag_order_free(order);
	return error;
}

void equant_dag_order_copy(struct equant_dag_order *to, const struct equant_dag_order *from,
			   int tasks)
{
	memcpy(to->place, from->place, (size_t)tasks * sizeof(*to->place));
	memcpy(to->step, from->step, (size_t)from->steps * sizeof(*to->step));
	to->steps = from->steps;
}

void equant_dag_order_free(struct equant_dag_order *order)
{
	free(order->place);
	free(order->step);
	*order = (struct equant_dag_order){ 0 };
}
