// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Before a schedule is carried out all ranks look at their own options and compare them: what differs is
 * an error on all of them and not a message that never comes.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/compare.h"
#include "core/message.h"
#include "core/mix.h"
#include "core/names.h"
#include "engine/dag_replan.h"
#include "loop/loop_internal.h"

/* ---- what is wrong here -------------------------------------------------------------------- */

#define refuse(eq, ...) (say_refused(eq, __VA_ARGS__), -EINVAL)

static void say_refused(const struct equant *eq, const char *what, int edge)
{
	if (edge < 0)
		equant_message("rank %d: equant_dag_run_new: %s", eq->rank, what);
	else
		equant_message("rank %d: equant_dag_run_new: edge %d: %s", eq->rank, edge, what);
}

static int check_data(const struct equant *eq, const struct equant_dag_run_options *options)
{
	for (int e = 0; e < options->dag->edges; e++) {
		const struct equant_dag_data *data = &options->data[e];

		if (data->count < 0)
			return refuse(eq, "fewer than 0 elements", e);
		if (data->type == MPI_DATATYPE_NULL)
			return refuse(eq, "MPI_DATATYPE_NULL is no datatype", e);
		/* Nothing is sent, but MPI looks at the datatype. */
		if (MPI_Send(NULL, 0, data->type, MPI_PROC_NULL, 0, eq->comm) != MPI_SUCCESS)
			return refuse(eq, "a datatype that is not committed", e);
	}
	return 0;
}

static int check_bytes(const struct equant *eq, const struct equant_dag *dag)
{
	for (int e = 0; e < dag->edges; e++)
		if (dag->edge[e].data > INT_MAX)
			return refuse(eq, "more bytes than MPI can count; it needs a datatype", e);
	return 0;
}

static int check_machine(const struct equant *eq, const struct equant_dag_run_options *options)
{
	const struct equant_dag_machine *machine = options->machine;

	if (machine->processors != eq->ranks) {
		equant_message("rank %d: equant_dag_run_new: %d processors, and %d ranks", eq->rank,
			       machine->processors, eq->ranks);
		return -EINVAL;
	}
	if (machine->cost && machine->tasks != options->dag->tasks) {
		equant_message("rank %d: equant_dag_run_new: costs of %d tasks for a graph of %d",
			       eq->rank, machine->tasks, options->dag->tasks);
		return -EINVAL;
	}
	return 0;
}

static int check_replan(const struct equant *eq, const struct equant_dag_run_options *options)
{
	const char *name = "dts";
	char names[EQUANT_NAMES];
	int i = 0;

	while (options->replan && name && strcmp(name, options->replan))
		name = equant_dag_scheduler(i++);
	if (!name) {
		equant_message("rank %d: equant_dag_run_new: no scheduler \"%.40s\"; there are%s",
			       eq->rank, options->replan,
			       equant_names(names, equant_dag_scheduler));
		return -EINVAL;
	}
	if (!(options->hold >= 0) || !(options->gain < 1))
		return refuse(eq, "hold must be 0 or more, and gain less than 1", -1);
	return 0;
}

static int check_tags(const struct equant *eq, const struct equant_dag *dag)
{
	int *most, found = 0;

	MPI_Comm_get_attr(eq->comm, MPI_TAG_UB, &most, &found);
	if (!found || dag->edges <= *most - EQUANT_DAG_TAG_EDGE)
		return 0;
	equant_message("rank %d: equant_dag_run_new: %d edges, and MPI has %d tags", eq->rank,
		       dag->edges, *most);
	return -E2BIG;
}

int equant_dag_run_check(const struct equant *eq, const struct equant_dag_run_options *options)
{
	char why[300] = "";
	int error;

	if (!options->dag || !options->machine || !options->schedule)
		return refuse(eq, "no graph, no machine or no schedule", -1);
	if (!options->body)
		return refuse(eq, "nothing that does the tasks", -1);
	error = equant_dag_check(options->dag, why, sizeof(why));
	if (error) {
		say_refused(eq, why, -1);
		return error;
	}
	error = check_machine(eq, options);
	if (!error)
		error = check_replan(eq, options);
	if (!error)
		error = check_tags(eq, options->dag);
	if (error)
		return error;
	return options->data ? check_data(eq, options) : check_bytes(eq, options->dag);
}

/* ---- what differs ---------------------------------------------------------------------------- */

static uint64_t add_doubles(uint64_t hash, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = equant_mix_double(hash, values[i]);
	return hash;
}

static uint64_t add_graph(uint64_t hash, const struct equant_dag *dag)
{
	hash = equant_mix_word(equant_mix_word(hash, (uint64_t)dag->tasks), (uint64_t)dag->edges);
	for (int i = 0; i < dag->tasks; i++)
		hash = equant_mix_word(equant_mix_double(hash, dag->task[i].work),
				       dag->task[i].memory);
	for (int e = 0; e < dag->edges; e++) {
		hash = equant_mix_word(equant_mix_word(hash, (uint64_t)dag->edge[e].from),
				       (uint64_t)dag->edge[e].to);
		hash = equant_mix_double(hash, dag->edge[e].data);
	}
	return hash;
}

/* Where tasks may run; of pins only those of the graph's tasks are ever looked at. */
static uint64_t add_limits(uint64_t hash, const struct equant_dag_machine *machine, int tasks)
{
	for (int k = 0; k < machine->processors; k++)
		hash = equant_mix_word(hash, machine->memory[k]);
	for (int i = 0; i < tasks; i++)
		hash = equant_mix_word(hash, (uint64_t)(int64_t)dag_pin(machine, i));
	return hash;
}

static uint64_t add_machine(uint64_t hash, const struct equant_dag_machine *machine, int tasks)
{
	size_t p = (size_t)machine->processors;

	hash = equant_mix_word(equant_mix_word(hash, machine->channels), machine->overlap);
	hash = add_doubles(add_doubles(hash, machine->startup, p * p), machine->data_rate, p * p);
	hash = add_limits(hash, machine, tasks);
	if (machine->cost)
		return add_doubles(hash, machine->cost, (size_t)machine->tasks * p);
	return add_doubles(hash, machine->rate, p);
}

static uint64_t add_order(uint64_t hash, const struct equant_dag_order *order, int tasks)
{
	for (int i = 0; i < tasks; i++)
		hash = equant_mix_word(hash, (uint64_t)order->place[i]);
	for (int s = 0; s < order->steps; s++)
		hash = equant_mix_word(equant_mix_word(hash, (uint64_t)order->step[s].task),
				       (uint64_t)order->step[s].edge);
	return hash;
}

/* Datatypes may differ between ranks, but not in size. */
static uint64_t add_data(uint64_t hash, const struct equant_dag_run *run)
{
	for (int e = 0; e < run->dag->edges; e++) {
		int size;

		MPI_Type_size(run->data[e].type, &size);
		hash = equant_mix_word(hash, (uint64_t)run->data[e].count * (uint64_t)size);
	}
	return hash;
}

static uint64_t add_replan(const struct equant_dag_replan *replan)
{
	return equant_mix_double(equant_mix_double(equant_mix_text(1, replan->scheduler),
						   replan->part),
				 replan->gain);
}

int equant_dag_run_agree(const struct equant_dag_run *run, int error)
{
	struct equant_alike things[] = {
		{ "the graph", 0 },	      { "the machine", 0 }, { "the schedule", 0 },
		{ "how it is replanned", 0 }, { "the data", 0 },
	};

	if (!error) {
		things[0].sum = add_graph(0, run->dag);
		things[1].sum = add_machine(0, run->machine, run->dag->tasks);
		things[2].sum = add_order(0, &run->given, run->dag->tasks);
		things[3].sum = run->replan ? add_replan(run->replan) : 0;
		things[4].sum = add_data(0, run);
	}
	return equant_compare(run->comm, "equant_dag_run_new", error, things, 5);
}
