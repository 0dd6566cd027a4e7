// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Times that no schedule can beat, and the one of a single processor.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dag_internal.h"

static double least_cost(const struct dag_model *model, int task)
{
	double least = INFINITY;

	int pin = dag_pin(model->machine, task);

	if (pin >= 0)
		return dag_cost(model->dag, model->machine, task, pin);
	for (int k = 0; k < model->machine->processors; k++)
		least = fmin(least, dag_cost(model->dag, model->machine, task, k));
	return least;
}

static double critical_path(const struct dag_model *model, double *finish)
{
	const struct equant_dag *dag = model->dag;
	double longest = 0;

	for (int i = 0; i < dag->tasks; i++) {
		int task = model->paths.order[i];
		double start = 0;

		for_each_edge(e, &model->paths.in, task)
			start = fmax(start, finish[dag->edge[*e].from]);
		finish[task] = start + least_cost(model, task);
		longest = fmax(longest, finish[task]);
	}
	return longest;
}

static double load(const struct dag_model *model)
{
	double sum = 0, speed = 0;

	for (int i = 0; i < model->dag->tasks; i++)
		sum += model->machine->cost ? least_cost(model, i) : model->dag->task[i].work;
	if (model->machine->cost)
		return sum / model->machine->processors;
	for (int k = 0; k < model->machine->processors; k++)
		speed += 1 / model->machine->rate[k];
	return sum / speed;
}

static bool may_run_all(const struct dag_model *model, int k)
{
	const struct equant_dag_machine *machine = model->machine;
	uint64_t left = machine->memory[k];

	for (int i = 0; i < model->dag->tasks; i++) {
		int pin = dag_pin(machine, i);

		if ((pin >= 0 && pin != k) || !dag_fits(left, model->dag->task[i].memory))
			return false;
		dag_take(&left, model->dag->task[i].memory);
	}
	return true;
}

static void single(const struct dag_model *model, struct equant_dag_bounds *bounds)
{
	bounds->single = INFINITY;
	bounds->processor = -1;
	for (int k = 0; k < model->machine->processors; k++) {
		double sum = 0;

		if (!may_run_all(model, k))
			continue;
		for (int i = 0; i < model->dag->tasks; i++)
			sum += dag_cost(model->dag, model->machine, model->paths.order[i], k);
		if (sum < bounds->single) {
			bounds->single = sum;
			bounds->processor = k;
		}
	}
}

int equant_dag_bounds(const struct equant_dag *dag, const struct equant_dag_machine *machine,
		      struct equant_dag_bounds *bounds, char *why, size_t why_size)
{
	struct dag_model model;
	double *finish;
	int err = equant_dag_model_init(&model, dag, machine, why, why_size);

	if (err)
		return err;
	finish = calloc((size_t)dag->tasks, sizeof(*finish));
	if (finish) {
		bounds->critical_path = critical_path(&model, finish);
		bounds->load = load(&model);
		/* Finish times along a path are rounded as a schedule's are; sums over processors are not. */
		bounds->lower =
			fmax(bounds->critical_path,
			     bounds->load *
				     (1 - DBL_EPSILON * (dag->tasks + machine->processors + 4.0)));
		single(&model, bounds);
	}
	free(finish);
	equant_dag_model_free(&model);
	return finish ? 0 : -ENOMEM;
}
