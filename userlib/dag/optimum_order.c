// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * All orders of tasks and messages whose processors are known.
 *
 * Some shortest schedule has everything as early as its order allows, and nothing that could be
 * moved into an idle time before it (B. Giffler, G. L. Thompson, Algorithms for Solving
 * Production-Scheduling Problems, Operations Research 8(4), 1960).  Told in the order of start
 * times it is a sequence of events, tasks and messages, so all such sequences are tried.
 */
#include <string.h>

#include "optimum.h"

static void keep(struct dag_optimum *optimum)
{
	if (!(optimum->makespan < optimum->best))
		return;
	optimum->found = true;
	optimum->best = optimum->makespan;
	memcpy(optimum->best_slot, optimum->slot, sizeof(optimum->slot));
	memcpy(optimum->best_message, optimum->message, sizeof(optimum->message));
}

static void go_on(struct dag_optimum *optimum, double start)
{
	double now = optimum->now;

	optimum->now = start;
	if (optimum->done == optimum->model->dag->tasks)
		keep(optimum);
	else if (equant_dag_optimum_bound(optimum) < optimum->best)
		equant_dag_optimum_orders(optimum);
	optimum->now = now;
}

/* ---- a task ------------------------------------------------------------------------------ */

/* When @task could start on @k; infinite if a message is missing. */
static double start_of(const struct dag_optimum *optimum, int task, int k)
{
	const struct dag_model *model = optimum->model;
	double start = optimum->free[k];

	for_each_edge(e, &model->paths.in, task) {
		int from = dag_edge_of(optimum, *e)->from;

		if (!dag_has_run(optimum, from))
			return INFINITY;
		if (dag_messages_contend(optimum->model->machine) &&
		    optimum->slot[from].processor != k && optimum->message[*e].from < 0)
			return INFINITY;
		start = fmax(start, equant_dag_optimum_arrival(optimum, *e, k,
							       optimum->slot[from].finish));
	}
	return start;
}

/* Messages that nothing gets in the way of leave at once. */
static void send_free(struct dag_optimum *optimum, int task, int k)
{
	for_each_edge(e, &optimum->model->paths.in, task) {
		const struct equant_dag_slot *from = &optimum->slot[dag_edge_of(optimum, *e)->from];

		if (from->processor == k || dag_messages_contend(optimum->model->machine))
			continue;
		optimum->message[*e] = (struct equant_dag_message){
			*e, from->processor, k, from->finish,
			equant_dag_optimum_arrival(optimum, *e, k, from->finish)
		};
	}
}

static void unsend_free(struct dag_optimum *optimum, int task)
{
	for_each_edge(e, &optimum->model->paths.in, task)
		if (!dag_messages_contend(optimum->model->machine))
			optimum->message[*e].from = -1;
}

static void try_task(struct dag_optimum *optimum, int task, int k, double start)
{
	struct equant_dag_slot before = optimum->slot[task];
	double was_free = optimum->free[k], makespan = optimum->makespan;
	double finish = start + dag_cost(optimum->model->dag, optimum->model->machine, task, k);

	send_free(optimum, task, k);
	optimum->slot[task] = (struct equant_dag_slot){ task, k, start, finish };
	optimum->free[k] = finish;
	optimum->makespan = fmax(makespan, finish);
	optimum->done++;
	go_on(optimum, start);
	optimum->done--;
	optimum->makespan = makespan;
	optimum->free[k] = was_free;
	optimum->slot[task] = before;
	unsend_free(optimum, task);
}

static double length_of(const struct dag_optimum *optimum, int edge)
{
	return dag_message(optimum->model->dag, optimum->model->machine, edge,
			   optimum->slot[dag_edge_of(optimum, edge)->from].processor,
			   optimum->slot[dag_edge_of(optimum, edge)->to].processor);
}

/* ---- a message ----------------------------------------------------------------------------- */

/* When the message of @edge could leave; infinite if there is none, or not now. */
static double message_start(const struct dag_optimum *optimum, int edge)
{
	const struct equant_dag_slot *from = &optimum->slot[dag_edge_of(optimum, edge)->from];
	int l = optimum->slot[dag_edge_of(optimum, edge)->to].processor, needs;
	struct dag_need need[DAG_NEEDS];
	double start = from->finish;

	if (isnan(start) || from->processor == l || optimum->message[edge].from >= 0)
		return INFINITY;
	if (!(length_of(optimum, edge) > 0))
		return fmax(start, optimum->now);
	needs = equant_dag_needs(optimum->model->machine, from->processor, l, need);
	for (int i = 0; i < needs; i++)
		start = fmax(start, optimum->free[need[i].line]);
	return start;
}

static void try_message(struct dag_optimum *optimum, int edge, double start)
{
	int k = optimum->slot[dag_edge_of(optimum, edge)->from].processor;
	int l = optimum->slot[dag_edge_of(optimum, edge)->to].processor;
	double length = length_of(optimum, edge), was_free[DAG_NEEDS];
	struct dag_need need[DAG_NEEDS];
	int needs = length > 0 ? equant_dag_needs(optimum->model->machine, k, l, need) : 0;

	optimum->message[edge] = (struct equant_dag_message){ edge, k, l, start, start + length };
	for (int i = 0; i < needs; i++) {
		was_free[i] = optimum->free[need[i].line];
		optimum->free[need[i].line] = need[i].throughout ? start + length : start;
	}
	go_on(optimum, start);
	for (int i = 0; i < needs; i++)
		optimum->free[need[i].line] = was_free[i];
	optimum->message[edge].from = -1;
}

/* ---- all orders ------------------------------------------------------------------------------ */

/*
 * The first end of what could come next.  What starts after it leaves an idle time that holds
 * that; it starts before, or has no length and starts then.
 */
static double first_end(const struct dag_optimum *optimum)
{
	const struct dag_model *model = optimum->model;
	double first = INFINITY;

	for (int i = 0; i < model->dag->tasks; i++) {
		int k = optimum->slot[i].processor;
		double start = dag_has_run(optimum, i) ? INFINITY : start_of(optimum, i, k);

		if (start >= optimum->now)
			first = fmin(first, start + dag_cost(model->dag, model->machine, i, k));
	}
	for (int e = 0; e < model->dag->edges && dag_messages_contend(optimum->model->machine);
	     e++) {
		double start = message_start(optimum, e);

		if (start >= optimum->now)
			first = fmin(first, start + length_of(optimum, e));
	}
	return first;
}

void equant_dag_optimum_orders(struct dag_optimum *optimum)
{
	const struct equant_dag *dag = optimum->model->dag;
	double until = first_end(optimum);

	for (int i = 0; i < dag->tasks; i++) {
		int task = optimum->model->paths.order[i], k = optimum->slot[task].processor;
		double start = dag_has_run(optimum, task) ? INFINITY : start_of(optimum, task, k);

		if (start >= optimum->now && start <= until && !isinf(start))
			try_task(optimum, task, k, start);
	}
	for (int e = 0; e < dag->edges && dag_messages_contend(optimum->model->machine); e++) {
		double start = message_start(optimum, e);

		if (start >= optimum->now && start <= until && !isinf(start))
			try_message(optimum, e, start);
	}
}
