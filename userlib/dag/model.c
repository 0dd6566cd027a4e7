// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A graph on a machine: mean costs, ranks, bounds.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "dag_internal.h"

static void mean_link(struct dag_model *model)
{
	const struct equant_dag_machine *machine = model->machine;
	int p = machine->processors;
	double pairs = (double)p * (p - 1);

	for (int k = 0; k < p; k++) {
		for (int l = 0; l < p; l++) {
			if (k == l)
				continue;
			model->startup += machine->startup[(size_t)k * (size_t)p + (size_t)l];
			model->data_rate += machine->data_rate[(size_t)k * (size_t)p + (size_t)l];
		}
	}
	if (p > 1) {
		model->startup /= pairs;
		model->data_rate /= pairs;
	}
}

/* All tasks and messages one after the other, each at its slowest: no schedule is longer. */
static bool too_long(const struct dag_model *model)
{
	const struct equant_dag_machine *machine = model->machine;
	int p = machine->processors;
	double startup = 0, rate = 0, sum = 0;

	for (size_t link = 0; link < (size_t)p * (size_t)p; link++) {
		startup = fmax(startup, machine->startup[link]);
		rate = fmax(rate, machine->data_rate[link]);
	}
	for (int e = 0; e < model->dag->edges; e++)
		sum += startup + rate * model->dag->edge[e].data;
	for (int i = 0; i < model->dag->tasks; i++)
		for (int k = 0; k < p; k++)
			sum += dag_cost(model->dag, machine, i, k);
	/* Means of links count also where nothing goes by them. */
	return !isfinite(sum) || !isfinite(model->startup) || !isfinite(model->data_rate);
}

int equant_dag_model_init(struct dag_model *model, const struct equant_dag *dag,
			  const struct equant_dag_machine *machine, char *why, size_t why_size)
{
	int err = equant_dag_check(dag, why, why_size);

	if (err)
		return err;
	if (machine->cost && machine->tasks != dag->tasks)
		return equant_dag_say(why, why_size, -EINVAL,
				      "costs of %d tasks for a graph of %d tasks", machine->tasks,
				      dag->tasks);
	*model = (struct dag_model){ .dag = dag, .machine = machine };
	mean_link(model);
	if (too_long(model))
		return equant_dag_say(why, why_size, -EOVERFLOW,
				      "all tasks and messages take too long for a number");
	err = equant_dag_home(dag, machine, &model->home, why, why_size);
	err = err ? err : equant_dag_paths_init(&model->paths, dag);
	if (err)
		free(model->home);
	return err;
}

void equant_dag_model_free(struct dag_model *model)
{
	equant_dag_paths_free(&model->paths);
	free(model->home);
}

double equant_dag_mean_cost(const struct dag_model *model, int task)
{
	double sum = 0;

	for (int k = 0; k < model->machine->processors; k++)
		sum += dag_cost(model->dag, model->machine, task, k);
	return sum / model->machine->processors;
}

/* Topcuoglu, Hariri and Wu 2002, equations 7 and 8. */
void equant_dag_rank_up(const struct dag_model *model, double *up)
{
	const struct equant_dag *dag = model->dag;

	for (int i = dag->tasks - 1; i >= 0; i--) {
		int task = model->paths.order[i];
		double longest = 0;

		for_each_edge(e, &model->paths.out, task)
			longest = fmax(longest, dag_mean_message(model, *e) + up[dag->edge[*e].to]);
		up[task] = equant_dag_mean_cost(model, task) + longest;
	}
}

/* Same, equation 9. */
void equant_dag_rank_down(const struct dag_model *model, double *down)
{
	const struct equant_dag *dag = model->dag;

	for (int i = 0; i < dag->tasks; i++)
		down[i] = 0;
	for (int i = 0; i < dag->tasks; i++) {
		int task = model->paths.order[i];
		double so_far = down[task] + equant_dag_mean_cost(model, task);

		for_each_edge(e, &model->paths.out, task) {
			double *to = &down[dag->edge[*e].to];

			*to = fmax(*to, so_far + dag_mean_message(model, *e));
		}
	}
}

int equant_dag_ranks(const struct equant_dag *dag, const struct equant_dag_machine *machine,
		     double *up, double *down, char *why, size_t why_size)
{
	struct dag_model model;
	int err = equant_dag_model_init(&model, dag, machine, why, why_size);

	if (err)
		return err;
	if (up)
		equant_dag_rank_up(&model, up);
	if (down)
		equant_dag_rank_down(&model, down);
	equant_dag_model_free(&model);
	return 0;
}
