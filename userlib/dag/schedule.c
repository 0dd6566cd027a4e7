// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The schedulers by name, and what they made in the order in which it happens.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"
#include "core/names.h"

static const struct {
	const char *name;
	dag_scheduler *run;
} schedulers[] = {
	{ "heft", equant_dag_heft },
	{ "cpop", equant_dag_cpop },
	{ "dls", equant_dag_dls },
	{ "dls-plain", equant_dag_dls_plain },
	{ "dts-printed", equant_dag_dts_printed },
	{ "dts-repaired", equant_dag_dts_repaired },
	{ "single", equant_dag_single },
};

#define SCHEDULERS ((int)(sizeof(schedulers) / sizeof(schedulers[0])))

const char *equant_dag_scheduler(int index)
{
	return index < 0 || index >= SCHEDULERS ? NULL : schedulers[index].name;
}

#define by(a, b) ((a) != (b) ? ((a) < (b) ? -1 : 1) : 0)

/* A task of no length comes before one that starts when it does. */
static int by_processor(const void *a, const void *b)
{
	const struct equant_dag_slot *x = a, *y = b;
	int order = by(x->processor, y->processor);

	order = order ? order : by(x->start, y->start);
	order = order ? order : by(x->finish, y->finish);
	return order ? order : by(x->task, y->task);
}

static int by_start(const void *a, const void *b)
{
	const struct equant_dag_message *x = a, *y = b;
	int order = by(x->start, y->start);

	order = order ? order : by(x->finish, y->finish);
	return order ? order : by(x->edge, y->edge);
}

/* Several tasks of no length at the same time must be in the order of the graph. */
static void number(struct dag_state *state, bool back)
{
	const int *order = state->model->paths.order;
	int n = state->model->dag->tasks;

	if (back) {
		for (int i = 0; i < n; i++)
			state->slot[i].task = order[state->slot[i].task];
		return;
	}
	for (int i = 0; i < n; i++)
		state->slot[order[i]].task = i;
}

struct equant_dag_schedule *equant_dag_finish(struct dag_state *state, const char *name)
{
	struct equant_dag_schedule *schedule = calloc(1, sizeof(*schedule));
	const struct equant_dag *dag = state->model->dag;

	if (!schedule)
		return NULL;
	schedule->scheduler = name;
	schedule->slots = dag->tasks;
	number(state, false);
	qsort(state->slot, (size_t)dag->tasks, sizeof(*state->slot), by_processor);
	number(state, true);
	for (int i = 0; i < dag->tasks; i++)
		schedule->makespan = fmax(schedule->makespan, state->slot[i].finish);
	for (int e = 0; e < dag->edges; e++)
		if (state->message[e].from >= 0)
			state->message[schedule->messages++] = state->message[e];
	qsort(state->message, (size_t)schedule->messages, sizeof(*state->message), by_start);
	schedule->slot = state->slot;
	schedule->message = state->message;
	state->slot = NULL;
	state->message = NULL;
	return schedule;
}

void equant_dag_schedule_free(struct equant_dag_schedule *schedule)
{
	if (!schedule)
		return;
	free(schedule->slot);
	free(schedule->message);
	free(schedule);
}

static struct equant_dag_schedule *run(int index, struct dag_model *model,
				       const struct equant_dag_options *options, char *why,
				       size_t why_size)
{
	struct equant_dag_schedule *schedule = NULL;
	struct dag_state state;
	int err = equant_dag_state_init(&state, model);

	if (err) {
		errno = -err;
		return NULL;
	}
	err = schedulers[index].run(&state, options);
	if (!err) {
		schedule = equant_dag_finish(&state, schedulers[index].name);
		err = schedule ? 0 : -ENOMEM;
	}
	if (err == -ENOSPC)
		equant_say(why, why_size, "%s: no processor may run all tasks",
			   schedulers[index].name);
	equant_dag_state_free(&state);
	errno = -err;
	return schedule;
}

static int find(const char *scheduler, const struct equant_dag_options *options, char *why,
		size_t why_size)
{
	char names[EQUANT_NAMES];

	if (options->sz != sizeof(*options))
		return equant_dag_say(why, why_size, -EINVAL,
				      "sz must be sizeof(struct equant_dag_options)");
	/* The reading that is better in most cells of the paper's experiments. */
	if (!strcmp(scheduler, "dts"))
		scheduler = "dts-repaired";
	for (int i = 0; i < SCHEDULERS; i++)
		if (!strcmp(scheduler, schedulers[i].name))
			return i;
	return equant_dag_say(why, why_size, -EINVAL, "no scheduler \"%.40s\"; there are%s",
			      scheduler, equant_names(names, equant_dag_scheduler));
}

struct equant_dag_schedule *equant_dag_schedule(const char *scheduler, const struct equant_dag *dag,
						const struct equant_dag_machine *machine,
						const struct equant_dag_options *options, char *why,
						size_t why_size)
{
	const struct equant_dag_options plain = { .sz = sizeof(plain) };
	struct equant_dag_schedule *schedule;
	struct dag_model model;
	int index, err;

	options = options ? options : &plain;
	index = find(scheduler, options, why, why_size);
	err = index < 0 ? index : equant_dag_model_init(&model, dag, machine, why, why_size);
	if (err) {
		errno = -err;
		return NULL;
	}
	schedule = run(index, &model, options, why, why_size);
	err = errno;
	equant_dag_model_free(&model);
	errno = err;
	return schedule;
}
