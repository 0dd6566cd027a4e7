// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The shortest schedule there is, by branch and bound.
 *
 * First every task gets a processor, in all ways, then the order of what happens, in all ways
 * (optimum_order.c).  Either is left where a bound (optimum_bound.c) says that it cannot become
 * shorter than the best one known.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimum.h"

/* ---- all processors ---------------------------------------------------------------------------- */

static void try_processors(struct dag_optimum *optimum, int placed)
{
	const struct dag_model *model = optimum->model;
	struct equant_dag_slot *slot;
	uint64_t memory;
	int pin;

	if (!(equant_dag_optimum_bound(optimum) < optimum->best))
		return;
	if (placed == model->dag->tasks) {
		equant_dag_optimum_orders(optimum);
		return;
	}
	slot = &optimum->slot[model->paths.order[placed]];
	memory = model->dag->task[slot->task].memory;
	pin = dag_pin(model->machine, slot->task);
	for (slot->processor = 0; slot->processor < optimum->p; slot->processor++) {
		uint64_t *left = &optimum->left[slot->processor];

		if ((pin >= 0 && pin != slot->processor) || !dag_fits(*left, memory))
			continue;
		dag_take(left, memory);
		try_processors(optimum, placed + 1);
		dag_give(left, memory);
	}
	slot->processor = -1;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void begin(struct dag_optimum *optimum)
{
	const struct dag_model *model = optimum->model;
	const struct equant_dag *dag = model->dag;

	for (int i = dag->tasks - 1; i >= 0; i--) {
		int task = model->paths.order[i];

		optimum->slot[task] = (struct equant_dag_slot){ task, -1, NAN, NAN };
		optimum->least[task] = INFINITY;
		for (int k = 0; k < optimum->p; k++)
			optimum->least[task] =
				fmin(optimum->least[task], dag_cost(dag, model->machine, task, k));
		for_each_edge(e, &model->paths.out, task) {
			int to = dag->edge[*e].to;

			optimum->tail[task] =
				fmax(optimum->tail[task], optimum->least[to] + optimum->tail[to]);
		}
	}
	for (int e = 0; e < dag->edges; e++)
		optimum->message[e].from = -1;
}

/* The shortest of what the schedulers make, which the search has to beat. */
static struct equant_dag_schedule *start_with(const struct dag_model *model)
{
	struct equant_dag_schedule *best = NULL;

	for (int i = 0; equant_dag_scheduler(i); i++) {
		struct equant_dag_schedule *one = equant_dag_schedule(
			equant_dag_scheduler(i), model->dag, model->machine, NULL, NULL, 0);

		if (one && (!best || one->makespan < best->makespan)) {
			equant_dag_schedule_free(best);
			best = one;
		} else {
			equant_dag_schedule_free(one);
		}
	}
	return best;
}

static struct equant_dag_schedule *result(struct dag_optimum *optimum, struct dag_model *model)
{
	struct equant_dag_schedule *schedule;
	struct dag_state state;

	if (equant_dag_state_init(&state, model))
		return NULL;
	memcpy(state.slot, optimum->best_slot, (size_t)model->dag->tasks * sizeof(*state.slot));
	memcpy(state.message, optimum->best_message,
	       (size_t)model->dag->edges * sizeof(*state.message));
	schedule = equant_dag_finish(&state, "optimum");
	equant_dag_state_free(&state);
	return schedule;
}

static struct equant_dag_schedule *search(struct dag_model *model)
{
	size_t p = (size_t)model->machine->processors;
	struct equant_dag_schedule *best = start_with(model);
	struct dag_optimum *optimum = calloc(1, sizeof(*optimum));

	if (optimum)
		optimum->free = calloc(p + p * p, sizeof(*optimum->free));
	if (optimum)
		optimum->queue = calloc(p + p * p, sizeof(*optimum->queue));
	if (optimum)
		optimum->left = calloc(p, sizeof(*optimum->left));
	if (best && optimum && optimum->free && optimum->queue && optimum->left) {
		memcpy(optimum->left, model->machine->memory, p * sizeof(*optimum->left));
		optimum->lines = (int)(p + (model->machine->channels ? p * p : 0));
		optimum->model = model;
		optimum->p = model->machine->processors;
		optimum->best = best->makespan;
		begin(optimum);
		try_processors(optimum, 0);
		best->scheduler = "optimum";
		if (optimum->found) {
			equant_dag_schedule_free(best);
			best = result(optimum, model);
		}
	} else {
		equant_dag_schedule_free(best);
		best = NULL;
	}
	if (optimum) {
		free(optimum->free);
		free(optimum->queue);
		free(optimum->left);
	}
	free(optimum);
	return best;
}

struct equant_dag_schedule *equant_dag_optimum(const struct equant_dag *dag,
					       const struct equant_dag_machine *machine, char *why,
					       size_t why_size)
{
	struct equant_dag_schedule *best;
	struct dag_model model;
	int err = equant_dag_model_init(&model, dag, machine, why, why_size);

	if (!err && dag->tasks > EQUANT_DAG_OPTIMUM) {
		equant_dag_model_free(&model);
		err = equant_dag_say(why, why_size, -E2BIG, "%d tasks: at most %d for the optimum",
				     dag->tasks, EQUANT_DAG_OPTIMUM);
	}
	if (err) {
		errno = -err;
		return NULL;
	}
	best = search(&model);
	equant_dag_model_free(&model);
	errno = best ? 0 : ENOMEM;
	return best;
}
