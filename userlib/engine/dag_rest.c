// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Rank 0 plans the tasks that have not begun, anew, from how far all ranks are and which shares of their
 * CPUs they have.
 *
 * What has begun becomes a task for each rank, which takes as long as that will still be busy, and
 * from which everything comes whose data is there.  The graph of these and the tasks left is one that any
 * scheduler can plan.  The new order is taken if it is to be over sooner than the old one, by the
 * same reckoning.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dag_replan.h"
#include "loop/loop_internal.h"

/**
 * struct rest - what is left
 * @fixed: by task: it has begun
 * @home: by edge of such a task: the rank that has its data
 * @node: by task left: its number in @dag, where 0 to p - 1 are the ranks
 * @task: the other way round
 * @edge: by edge of @dag: that of the graph, or -1: all from a rank to a task
 * @data: by rank: of edges to the same task
 * @machine: with the times that tasks take by the shares that there are
 */
struct rest {
	const struct equant_dag_run *run;
	struct equant_dag_news *news;
	const unsigned char *fixed;
	const int *home;
	int *node;
	int *task;
	int *edge;
	double *data;
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
};

/* ---- the graph ------------------------------------------------------------------------------- */

static int add_tasks(struct rest *rest)
{
	int ranks = rest->run->eq->ranks, node = 0;

	for (int k = 0; k < ranks && node >= 0; k++)
		node = equant_dag_add_task(rest->dag, NULL, 0);
	for (int i = 0; i < rest->run->dag->tasks && node >= 0; i++) {
		if (rest->fixed[i])
			continue;
		node = equant_dag_add_task(rest->dag, NULL, rest->run->dag->task[i].work);
		if (node < 0)
			break;
		rest->node[i] = node;
		rest->task[node] = i;
		equant_dag_task_memory(rest->dag, node, rest->run->dag->task[i].memory);
	}
	return node < 0 ? node : 0;
}

static int add_edge(struct rest *rest, int from, int to, double data, int edge)
{
	rest->edge[rest->dag->edges] = edge;
	return equant_dag_add_edge(rest->dag, from, to, data);
}

/* A task has one edge from each rank that has data for it, and those from tasks left. */
static int add_edges_to(struct rest *rest, int task)
{
	const struct equant_dag_edge *edges = rest->run->dag->edge;
	int ranks = rest->run->eq->ranks, error = 0;

	for (int k = 0; k < ranks; k++)
		rest->data[k] = -1;
	for_each_edge(e, &rest->run->paths.in, task) {
		int from = edges[*e].from, home = rest->home[*e];

		if (rest->fixed[from])
			rest->data[home] = fmax(rest->data[home], 0) + edges[*e].data;
		else if (!error)
			error = add_edge(rest, rest->node[from], rest->node[task], edges[*e].data,
					 *e);
	}
	for (int k = 0; k < ranks && !error; k++)
		if (rest->data[k] >= 0)
			error = add_edge(rest, k, rest->node[task], rest->data[k], -1);
	return error;
}

static int make_graph(struct rest *rest)
{
	int error;

	rest->dag = equant_dag_new();
	error = rest->dag ? add_tasks(rest) : -ENOMEM;
	for (int i = 0; i < rest->run->dag->tasks && !error; i++)
		if (!rest->fixed[i])
			error = add_edges_to(rest, i);
	return error;
}

/* ---- the machine ------------------------------------------------------------------------------ */

static double cost_of(const struct rest *rest, int task, int k)
{
	return dag_cost(rest->run->dag, rest->run->machine, task, k) / rest->news->stand[k].share;
}

static void fill_costs(const struct rest *rest, double *costs)
{
	int p = rest->run->eq->ranks;

	for (int node = 0; node < rest->dag->tasks; node++)
		for (int k = 0; k < p; k++)
			costs[(size_t)node * (size_t)p + (size_t)k] =
				node < p ? rest->news->stand[node].left :
					   cost_of(rest, rest->task[node], k);
}

/* What a rank is busy with stays there, and so do tasks that are pinned. */
static int pin(const struct rest *rest)
{
	const struct equant_dag_machine *from = rest->run->machine;
	int p = from->processors, error = 0;

	for (int node = 0; node < rest->dag->tasks && !error; node++) {
		int task = node < p ? -1 : rest->task[node], where = node < p ? node : -1;

		if (task >= 0 && task < from->pins)
			where = from->pin[task];
		error = equant_dag_machine_pin(rest->machine, node, where);
	}
	return error;
}

/* Memory of tasks that have begun is taken until the end. */
static int set_memory(const struct rest *rest)
{
	const struct equant_dag *dag = rest->run->dag;
	int p = rest->run->eq->ranks, error = 0;

	for (int k = 0; k < p && !error; k++) {
		uint64_t memory = rest->run->machine->memory[k];

		for (int i = 0; i < dag->tasks && memory != EQUANT_DAG_UNLIMITED; i++)
			if (rest->fixed[i] && rest->run->order.place[i] == k)
				memory -= dag->task[i].memory < memory ? dag->task[i].memory :
									 memory;
		error = equant_dag_machine_memory(rest->machine, k, memory);
	}
	return error;
}

static int copy_links(const struct rest *rest)
{
	const struct equant_dag_machine *from = rest->run->machine;
	int p = from->processors, error;

	for (int i = 0; i < p * p; i++) {
		error = i / p == i % p ?
				0 :
				equant_dag_machine_link(rest->machine, i / p, i % p,
							from->startup[i], from->data_rate[i]);
		if (error)
			return error;
	}
	error = equant_dag_machine_channels(rest->machine, from->channels);
	return error ? error : equant_dag_machine_overlap(rest->machine, from->overlap);
}

static int make_machine(struct rest *rest)
{
	size_t p = (size_t)(unsigned int)rest->run->eq->ranks, n = (size_t)rest->dag->tasks;
	double *costs = calloc(n * p, sizeof(*costs));
	int error = -ENOMEM;

	rest->machine = equant_dag_machine_new((int)p);
	if (costs && rest->machine) {
		fill_costs(rest, costs);
		error = equant_dag_machine_costs(rest->machine, (int)n, costs);
	}
	free(costs);
	if (!error)
		error = pin(rest);
	if (!error)
		error = set_memory(rest);
	return error ? error : copy_links(rest);
}

/* ---- orders ------------------------------------------------------------------------------------- */

/* Data of tasks that have begun travels from where it is now, unless it is there. */
static bool has_to_travel(const struct rest *rest, int edge)
{
	const struct equant_dag_edge *ends = &rest->run->dag->edge[edge];
	int from = rest->fixed[ends->from] ? rest->home[edge] : rest->news->place[ends->from];

	return !rest->fixed[ends->to] && from != rest->news->place[ends->to];
}

static void add_step(const struct rest *rest, int step)
{
	rest->news->step[(*rest->news->steps)++] = step;
}

static void write_old(const struct rest *rest)
{
	const struct equant_dag_order *order = &rest->run->order;

	*rest->news->steps = 0;
	for (int i = 0; i < rest->run->dag->tasks; i++)
		rest->news->place[i] = order->place[i];
	for (int s = 0; s < order->steps; s++) {
		int task = order->step[s].task, edge = order->step[s].edge;

		if (task >= 0 && !rest->fixed[task])
			add_step(rest, task);
		else if (task < 0 && has_to_travel(rest, edge))
			add_step(rest, -1 - edge);
	}
}

/* All that @to gets from rank @home. */
static void write_message(const struct rest *rest, int home, int to)
{
	for_each_edge(e, &rest->run->paths.in, to)
		if (rest->fixed[rest->run->dag->edge[*e].from] && rest->home[*e] == home)
			add_step(rest, -1 - *e);
}

static void write_new(const struct rest *rest, const struct equant_dag_order *order)
{
	int ranks = rest->run->eq->ranks;

	*rest->news->steps = 0;
	for (int node = ranks; node < rest->dag->tasks; node++)
		rest->news->place[rest->task[node]] = order->place[node];
	for (int s = 0; s < order->steps; s++) {
		const struct equant_dag_step *step = &order->step[s];

		if (step->task >= ranks)
			add_step(rest, rest->task[step->task]);
		else if (step->task < 0 && rest->edge[step->edge] >= 0)
			add_step(rest, -1 - rest->edge[step->edge]);
		else if (step->task < 0)
			write_message(rest, rest->dag->edge[step->edge].from,
				      rest->task[rest->dag->edge[step->edge].to]);
	}
}

static int plan(struct rest *rest)
{
	struct equant_dag_order order = { 0 };
	struct equant_dag_schedule *schedule;
	struct dag_paths paths = { 0 };
	int error;

	schedule = equant_dag_schedule(rest->run->replan->scheduler, rest->dag, rest->machine, NULL,
				       NULL, 0);
	error = schedule ? equant_dag_paths_init(&paths, rest->dag) : -errno;
	if (!error)
		error = equant_dag_order_init(&order, rest->dag, &paths, rest->run->eq->ranks,
					      schedule, NULL, 0);
	if (!error)
		write_new(rest, &order);
	equant_dag_order_free(&order);
	equant_dag_paths_free(&paths);
	equant_dag_schedule_free(schedule);
	return error;
}

static void decide(struct rest *rest)
{
	struct equant_dag_replan *replan = rest->run->replan;
	double old, new;
	int error;

	write_old(rest);
	old = equant_dag_estimate(rest->run, rest->news, rest->home);
	error = make_graph(rest);
	if (!error)
		error = make_machine(rest);
	if (!error)
		error = plan(rest);
	if (!error)
		new = equant_dag_estimate(rest->run, rest->news, rest->home);
	if (error || new > (1 - replan->gain) * old)
		*rest->news->steps = -1;
}

void equant_dag_rest_plan(struct equant_dag_run *run)
{
	struct equant_dag_replan *replan = run->replan;
	size_t n = (size_t)run->dag->tasks, e = (size_t)run->dag->edges;
	size_t p = (size_t)(unsigned int)run->eq->ranks;
	unsigned char *fixed = malloc(n);
	int *numbers = calloc(2 * n + p + 2 * e + 1, sizeof(*numbers));
	struct rest rest = { .run = run, .news = &replan->news, .fixed = fixed };

	rest.data = calloc(p, sizeof(*rest.data));
	*rest.news->steps = -1;
	/* Without memory there is no new plan, and the old one goes on. */
	if (fixed && numbers && rest.data) {
		memcpy(fixed, replan->fixed, n);
		memcpy(numbers, replan->home, e * sizeof(*numbers));
		equant_dag_replan_fix(run, fixed, numbers);
		rest.home = numbers;
		rest.edge = numbers + e;
		rest.node = numbers + 2 * e;
		rest.task = rest.node + n;
		decide(&rest);
	}
	equant_dag_machine_free(rest.machine);
	equant_dag_free(rest.dag);
	free(rest.data);
	free(numbers);
	free(fixed);
}
