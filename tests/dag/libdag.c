// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>

#include "libdag.h"

struct equant_dag *topcuoglu_graph(void)
{
	static const struct equant_dag_edge edges[] = {
		{ 1, 2, 18 }, { 1, 3, 12 }, { 1, 4, 9 },   { 1, 5, 11 },  { 1, 6, 14 },
		{ 2, 8, 19 }, { 2, 9, 16 }, { 3, 7, 23 },  { 4, 8, 27 },  { 4, 9, 23 },
		{ 5, 9, 13 }, { 6, 8, 15 }, { 7, 10, 17 }, { 8, 10, 11 }, { 9, 10, 13 },
	};
	struct equant_dag *dag = equant_dag_new();

	for (int i = 0; i < 10; i++)
		if (equant_dag_add_task(dag, NULL, 1) != i)
			abort();
	for (size_t e = 0; e < sizeof(edges) / sizeof(edges[0]); e++)
		if (equant_dag_add_edge(dag, edges[e].from - 1, edges[e].to - 1, edges[e].data))
			abort();
	return dag;
}

struct equant_dag_machine *topcuoglu_machine(void)
{
	static const double costs[10][3] = {
		{ 14, 16, 9 }, { 13, 19, 18 }, { 11, 13, 19 }, { 13, 8, 17 },  { 12, 13, 10 },
		{ 13, 16, 9 }, { 7, 15, 11 },  { 5, 11, 14 },  { 18, 12, 20 }, { 21, 7, 16 },
	};
	struct equant_dag_machine *machine = equant_dag_machine_new(3);

	if (equant_dag_machine_costs(machine, 10, costs[0]))
		abort();
	return machine;
}

const char *dag_line(const struct equant_dag_schedule *schedule, int processors,
		     char line[DAG_LINE])
{
	int at = 0, i = 0;

	for (int k = 0; k < processors && at < DAG_LINE; k++) {
		at += snprintf(line + at, DAG_LINE - (size_t)at, "%s%d:", k ? "\n" : "", k + 1);
		for (; i < schedule->slots && schedule->slot[i].processor == k && at < DAG_LINE;
		     i++)
			at += snprintf(line + at, DAG_LINE - (size_t)at, " %d@%g-%g",
				       schedule->slot[i].task + 1, schedule->slot[i].start,
				       schedule->slot[i].finish);
	}
	return line;
}

const char *numbers_line(const double *number, int count, int digits, char line[DAG_LINE])
{
	int at = 0;

	for (int i = 0; i < count && at < DAG_LINE; i++)
		at += snprintf(line + at, DAG_LINE - (size_t)at, "%s%.*f", i ? " " : "", digits,
			       number[i]);
	return line;
}

struct equant_dag *random_graph(struct random *random)
{
	struct equant_dag_shape shape = { .sz = sizeof(shape) };
	int family = (int)random_below(random, 7);
	struct equant_dag *dag;

	shape.size = family == 3 ? 1 << random_below(random, 5) :
				   2 + (int)random_below(random, family < 6 ? 6 : 60);
	shape.work = 10;
	shape.spread = random_below(random, 4) ? random_unit(random) : 0;
	if (random_below(random, 2))
		shape.comp_comm = 0.05 + random_unit(random);
	else
		shape.comm_comp = 0.05 + random_unit(random);
	shape.seed = random_next(random);
	dag = equant_dag_generate(equant_dag_family(family), &shape, NULL, 0);
	if (!dag)
		abort();
	for (int i = 0; i < dag->tasks; i++)
		if (equant_dag_task_memory(dag, i, (uint64_t)random_below(random, 10)))
			abort();
	return dag;
}

/*
 * Some tasks are pinned, and processors have memory for one way to share all of them out, and a
 * little more.
 */
static void random_places(struct random *random, const struct equant_dag *dag,
			  struct equant_dag_machine *machine)
{
	uint64_t memory[8] = { 0 };
	int p = machine->processors;

	for (int i = 0; i < dag->tasks; i++) {
		int k = (int)random_below(random, p);

		memory[k] += dag->task[i].memory + (uint64_t)random_below(random, 3);
		if (random_below(random, 8) == 0 && equant_dag_machine_pin(machine, i, k))
			abort();
	}
	for (int k = 0; k < p; k++)
		if (random_below(random, 5) && equant_dag_machine_memory(machine, k, memory[k]))
			abort();
}

static void random_costs(struct random *random, struct equant_dag_machine *machine, int tasks)
{
	size_t count = (size_t)machine->processors * (size_t)tasks;
	double *cost = calloc(count, sizeof(*cost));

	/* Whole numbers make ties, and now and then a task takes no time at all. */
	for (size_t i = 0; i < count; i++)
		cost[i] = (double)random_below(random, 20);
	if (equant_dag_machine_costs(machine, tasks, cost))
		abort();
	free(cost);
}

struct equant_dag_machine *random_machine(struct random *random, const struct equant_dag *dag)
{
	int p = 1 + (int)random_below(random, 8);
	struct equant_dag_machine *machine =
		equant_dag_machine_random(p, 10, 1 + 20 * random_unit(random),
					  0.9 * random_unit(random), random_next(random));

	if (!machine)
		abort();
	if (random_below(random, 3) == 0)
		random_costs(random, machine, dag->tasks);
	if (random_below(random, 3) == 0)
		for (int k = 0; k < p; k++)
			for (int l = 0; l < p; l++)
				if (k != l &&
				    equant_dag_machine_link(machine, k, l, random_unit(random),
							    1 + random_unit(random)))
					abort();
	if (equant_dag_machine_channels(machine, (enum equant_dag_channels)random_below(random, 3)))
		abort();
	if (equant_dag_machine_overlap(machine, (enum equant_dag_overlap)random_below(random, 3)))
		abort();
	if (random_below(random, 2))
		random_places(random, dag, machine);
	return machine;
}
