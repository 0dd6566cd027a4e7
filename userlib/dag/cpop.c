// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * CPOP: Topcuoglu, Hariri and Wu 2002, section 5.2.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dag_internal.h"

struct cpop {
	struct dag_state *state;
	double *up;
	double *priority; /* upward and downward rank */
	bool *critical;
	int *missing; /* predecessors that are not placed yet */
	int *since; /* when a task became ready, which decides ties */
	int *heap; /* ready tasks, the first one on top */
	int count;
	int turns;
};

static bool before(const struct cpop *cpop, int a, int b)
{
	if (cpop->priority[a] != cpop->priority[b])
		return cpop->priority[a] > cpop->priority[b];
	return cpop->since[a] < cpop->since[b];
}

static void push(struct cpop *cpop, int task)
{
	int at = cpop->count++;

	cpop->since[task] = cpop->turns++;
	for (; at > 0 && before(cpop, task, cpop->heap[(at - 1) / 2]); at = (at - 1) / 2)
		cpop->heap[at] = cpop->heap[(at - 1) / 2];
	cpop->heap[at] = task;
}

static int pop(struct cpop *cpop)
{
	int top = cpop->heap[0], task = cpop->heap[--cpop->count], at = 0, child;

	for (; (child = 2 * at + 1) < cpop->count; at = child) {
		if (child + 1 < cpop->count &&
		    before(cpop, cpop->heap[child + 1], cpop->heap[child]))
			child++;
		if (!before(cpop, cpop->heap[child], task))
			break;
		cpop->heap[at] = cpop->heap[child];
	}
	cpop->heap[at] = task;
	return top;
}

/*
 * The critical path: from the task without predecessors that has the largest upward rank, always
 * on to the successor that gives a task its rank.  The priorities along it are all the same but
 * for rounding, which is why they are not compared.
 */
static int next_critical(const struct cpop *cpop, int task)
{
	const struct dag_model *model = cpop->state->model;
	double longest = -1;
	int next = -1;

	for_each_edge(e, &model->paths.out, task) {
		int to = model->dag->edge[*e].to;

		if (dag_mean_message(model, *e) + cpop->up[to] > longest) {
			longest = dag_mean_message(model, *e) + cpop->up[to];
			next = to;
		}
	}
	return next;
}

static void mark_critical(struct cpop *cpop)
{
	const struct dag_model *model = cpop->state->model;
	int first = -1;

	for (int i = 0; i < model->dag->tasks; i++)
		if (!cpop->missing[i] && (first < 0 || cpop->up[i] > cpop->up[first]))
			first = i;
	for (int i = first; i >= 0; i = next_critical(cpop, i))
		cpop->critical[i] = true;
}

/* May all of the path run on @k that is not pinned? */
static bool may_run_path(const struct cpop *cpop, int k)
{
	const struct dag_model *model = cpop->state->model;
	uint64_t left = model->machine->memory[k];

	for (int i = 0; i < model->dag->tasks; i++) {
		int pin = dag_pin(model->machine, i);

		if (!cpop->critical[i] || (pin >= 0 && pin != k))
			continue;
		if (!dag_fits(left, model->dag->task[i].memory))
			return false;
		dag_take(&left, model->dag->task[i].memory);
	}
	return true;
}

static int critical_processor(const struct cpop *cpop)
{
	const struct dag_model *model = cpop->state->model;
	bool may, may_best = false;
	double least = INFINITY;
	int best = 0;

	for (int k = 0; k < model->machine->processors; k++) {
		double sum = 0;

		for (int i = 0; i < model->dag->tasks; i++)
			if (cpop->critical[i])
				sum += dag_cost(model->dag, model->machine, i, k);
		may = may_run_path(cpop, k);
		if (may > may_best || (may == may_best && sum < least)) {
			may_best = may;
			least = sum;
			best = k;
		}
	}
	return best;
}

static void begin(struct cpop *cpop)
{
	const struct dag_model *model = cpop->state->model;
	const int *first = model->paths.in.first;

	equant_dag_rank_up(model, cpop->up);
	equant_dag_rank_down(model, cpop->priority);
	for (int i = 0; i < model->dag->tasks; i++) {
		cpop->priority[i] += cpop->up[i];
		cpop->missing[i] = first[i + 1] - first[i];
	}
	mark_critical(cpop);
	for (int i = 0; i < model->dag->tasks; i++)
		if (!cpop->missing[i])
			push(cpop, i);
}

static int run(struct cpop *cpop)
{
	const struct dag_model *model = cpop->state->model;
	int of_path, err = 0;

	begin(cpop);
	of_path = critical_processor(cpop);
	while (cpop->count && !err) {
		int task = pop(cpop);
		bool there = cpop->critical[task] && dag_may(cpop->state, task, of_path);
		int k = there ? of_path : equant_dag_earliest_finish(cpop->state, task);

		equant_dag_places_take(&cpop->state->places, task, k);
		err = equant_dag_place(cpop->state, task, k, 0);
		for_each_edge(e, &model->paths.out, task) {
			if (!--cpop->missing[model->dag->edge[*e].to])
				push(cpop, model->dag->edge[*e].to);
		}
	}
	return err;
}

int equant_dag_cpop(struct dag_state *state, const struct equant_dag_options *options)
{
	size_t n = (size_t)state->model->dag->tasks;
	struct cpop cpop = { .state = state };
	int err = -ENOMEM;

	(void)options;
	cpop.up = calloc(n, sizeof(*cpop.up));
	cpop.priority = calloc(n, sizeof(*cpop.priority));
	cpop.critical = calloc(n, sizeof(*cpop.critical));
	cpop.missing = calloc(3 * n, sizeof(*cpop.missing));
	cpop.since = cpop.missing + n;
	cpop.heap = cpop.missing + 2 * n;
	if (cpop.up && cpop.priority && cpop.critical && cpop.missing)
		err = run(&cpop);
	free(cpop.up);
	free(cpop.priority);
	free(cpop.critical);
	free(cpop.missing);
	return err;
}
