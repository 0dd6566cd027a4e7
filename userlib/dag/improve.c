// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule made shorter: by moving one task at a time to another processor, and placing all
 * tasks again in the order in which they started.
 *
 * A local search with first improvement.  It costs a placement of all tasks for each move that is
 * tried, which is why large graphs get few of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

#define PLACEMENTS 20000000.0 /* of tasks, in all moves together */

struct search {
	struct dag_model *model;
	const char *name;
	int *order; /* tasks as they started in @best */
	int *processor; /* by task, in @best */
	uint64_t *left; /* memory, by processor, in @best */
	struct equant_dag_schedule *best;
	double placements; /* left */
	struct dag_state state; /* for one schedule after the other */
};

/* The schedule that @search's order and processors make. */
static struct equant_dag_schedule *build(struct search *search)
{
	struct dag_state *state = &search->state;
	int n = search->model->dag->tasks, err = 0;

	/* The last schedule has taken the slots. */
	if (!state->slot)
		err = equant_dag_state_again(state);
	for (int i = 0; i < n && !err; i++)
		err = equant_dag_place(state, search->order[i], search->processor[search->order[i]],
				       0);
	if (err)
		return NULL;
	search->placements -= n;
	equant_dag_state_clear(state);
	return equant_dag_finish(state, search->name);
}

/* Order and processors of @best. */
static int look_at_best(struct search *search)
{
	struct equant_dag_schedule *best = search->best;
	struct dag_event *event = equant_dag_events(search->model, best);
	int count = 0;

	if (!event)
		return -ENOMEM;
	for (int i = 0; i < best->slots + best->messages; i++)
		if (event[i].task >= 0)
			search->order[count++] = event[i].task;
	memcpy(search->left, search->model->machine->memory,
	       (size_t)search->model->machine->processors * sizeof(*search->left));
	for (int i = 0; i < best->slots; i++) {
		int task = best->slot[i].task, k = best->slot[i].processor;

		search->processor[task] = k;
		dag_take(&search->left[k], search->model->dag->task[task].memory);
	}
	free(event);
	return 0;
}

/* 1: @schedule is shorter and has become the best; 0: it is not; or -errno. */
static int take_if_shorter(struct search *search, struct equant_dag_schedule *schedule)
{
	if (!schedule)
		return -ENOMEM;
	if (!(schedule->makespan < search->best->makespan)) {
		equant_dag_schedule_free(schedule);
		return 0;
	}
	equant_dag_schedule_free(search->best);
	search->best = schedule;
	return 1;
}

static bool may_move(const struct search *search, int task, int k)
{
	return k != search->processor[task] && dag_pin(search->model->machine, task) < 0 &&
	       dag_fits(search->left[k], search->model->dag->task[task].memory);
}

/* 1: a move of @task made it shorter. */
static int move(struct search *search, int task)
{
	int here = search->processor[task], taken = 0;

	for (int k = 0; k < search->model->machine->processors && !taken; k++) {
		if (search->placements < 0 || !may_move(search, task, k))
			continue;
		search->processor[task] = k;
		taken = take_if_shorter(search, build(search));
		if (!taken)
			search->processor[task] = here;
	}
	return taken;
}

static int search_on(struct search *search)
{
	int n = search->model->dag->tasks, err = look_at_best(search);

	/* All since the last move that was of use. */
	for (int idle = 0, i = 0; idle < n && !err && search->placements > 0; i = (i + 1) % n) {
		int taken = move(search, search->model->paths.order[i]);

		idle = taken ? 0 : idle + 1;
		err = taken > 0 ? look_at_best(search) : taken;
	}
	return err;
}

static int begin(struct search *search, const struct equant_dag_schedule *schedule)
{
	struct equant_dag_bounds bounds;
	int err = equant_dag_bounds(search->model->dag, search->model->machine, &bounds, NULL, 0);

	search->best = (struct equant_dag_schedule *)schedule;
	err = err ? err : look_at_best(search);
	search->best = err ? NULL : build(search);
	if (!search->best)
		return err ? err : -ENOMEM;
	if (bounds.processor < 0)
		return 0;
	for (int i = 0; i < schedule->slots; i++)
		search->processor[i] = bounds.processor;
	err = take_if_shorter(search, build(search));
	return err < 0 ? err : 0;
}

/* The given schedule itself, where nothing shorter was found. */
static struct equant_dag_schedule *same(const struct dag_model *model,
					const struct equant_dag_schedule *schedule, char *why,
					size_t why_size)
{
	return equant_dag_replay(model->dag, model->machine, schedule, model->machine, why,
				 why_size);
}

static struct equant_dag_schedule *improve(struct dag_model *model,
					   const struct equant_dag_schedule *schedule, char *why,
					   size_t why_size)
{
	struct search search = { .model = model, .name = schedule->scheduler };
	int err = -ENOMEM;

	search.placements = PLACEMENTS;
	search.order = calloc(2 * (size_t)schedule->slots, sizeof(*search.order));
	search.left = calloc((size_t)model->machine->processors, sizeof(*search.left));
	if (search.order && search.left && !equant_dag_state_init(&search.state, model)) {
		search.processor = search.order + schedule->slots;
		err = begin(&search, schedule);
	}
	err = err ? err : search_on(&search);
	equant_dag_state_free(&search.state);
	free(search.order);
	free(search.left);
	if (!err && search.best->makespan < schedule->makespan)
		return search.best;
	equant_dag_schedule_free(search.best);
	errno = -err;
	return err ? NULL : same(model, schedule, why, why_size);
}

struct equant_dag_schedule *equant_dag_improve(const struct equant_dag *dag,
					       const struct equant_dag_machine *machine,
					       const struct equant_dag_schedule *schedule,
					       char *why, size_t why_size)
{
	struct equant_dag_schedule *shorter;
	struct dag_model model;
	int err = equant_dag_verify(dag, machine, schedule, why, why_size);

	err = err ? err : equant_dag_model_init(&model, dag, machine, why, why_size);
	if (err) {
		errno = -err;
		return NULL;
	}
	shorter = improve(&model, schedule, why, why_size);
	err = errno;
	equant_dag_model_free(&model);
	errno = err;
	return shorter;
}
