// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule carried out on a machine that is not quite the one it was made for.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

struct replay {
	const struct dag_model *model; /* with the actual machine */
	double *line; /* when each processor is free, then each channel */
	int *place; /* by task: of its slot */
	int *message; /* by edge: its message, or -1 */
	struct equant_dag_schedule *done;
};

static void run_task(struct replay *replay, int task)
{
	const struct dag_model *model = replay->model;
	struct equant_dag_slot *slot = &replay->done->slot[replay->place[task]];
	double start = replay->line[slot->processor];

	for_each_edge(e, &model->paths.in, task) {
		int message = replay->message[*e];
		int from = model->dag->edge[*e].from;

		start = fmax(start, message < 0 ? replay->done->slot[replay->place[from]].finish :
						  replay->done->message[message].finish);
	}
	slot->start = start;
	slot->finish = start + dag_cost(model->dag, model->machine, task, slot->processor);
	replay->line[slot->processor] = slot->finish;
	replay->done->makespan = fmax(replay->done->makespan, slot->finish);
}

static void run_message(struct replay *replay, int edge)
{
	const struct dag_model *model = replay->model;
	struct equant_dag_message *message = &replay->done->message[replay->message[edge]];
	int k = message->from, l = message->to, needs;
	double length = dag_message(model->dag, model->machine, edge, k, l);
	double start = replay->done->slot[replay->place[model->dag->edge[edge].from]].finish;
	struct dag_need need[DAG_NEEDS];

	needs = length > 0 ? equant_dag_needs(model->machine, k, l, need) : 0;
	for (int i = 0; i < needs; i++)
		start = fmax(start, replay->line[need[i].line]);
	message->start = start;
	message->finish = start + length;
	for (int i = 0; i < needs; i++)
		replay->line[need[i].line] = need[i].throughout ? message->finish : start;
}

static struct equant_dag_schedule *copy(const struct equant_dag_schedule *schedule)
{
	struct equant_dag_schedule *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *schedule;
	copy->makespan = 0;
	copy->slot = calloc((size_t)copy->slots, sizeof(*copy->slot));
	copy->message = calloc((size_t)copy->messages + 1, sizeof(*copy->message));
	if (!copy->slot || !copy->message) {
		equant_dag_schedule_free(copy);
		return NULL;
	}
	memcpy(copy->slot, schedule->slot, (size_t)copy->slots * sizeof(*copy->slot));
	if (copy->messages)
		memcpy(copy->message, schedule->message,
		       (size_t)copy->messages * sizeof(*copy->message));
	return copy;
}

static int by_start(const void *a, const void *b)
{
	const struct equant_dag_message *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

static void run(struct replay *replay, const struct dag_event *event)
{
	struct equant_dag_schedule *done = replay->done;

	for (int e = 0; e < replay->model->dag->edges; e++)
		replay->message[e] = -1;
	for (int i = 0; i < done->messages; i++)
		replay->message[done->message[i].edge] = i;
	for (int i = 0; i < done->slots; i++)
		replay->place[done->slot[i].task] = i;
	for (int i = 0; i < done->slots + done->messages; i++) {
		if (event[i].task >= 0)
			run_task(replay, event[i].task);
		else
			run_message(replay, event[i].edge);
	}
	qsort(done->message, (size_t)done->messages, sizeof(*done->message), by_start);
}

static struct equant_dag_schedule *replay(const struct dag_model *model,
					  const struct equant_dag_schedule *schedule)
{
	size_t p = (size_t)model->machine->processors;
	struct replay replay = { .model = model, .done = copy(schedule) };
	struct dag_event *event = equant_dag_events(model, schedule);

	replay.line = calloc(p + p * p, sizeof(*replay.line));
	replay.place = calloc((size_t)model->dag->tasks + (size_t)model->dag->edges,
			      sizeof(*replay.place));
	if (event && replay.done && replay.line && replay.place) {
		replay.message = replay.place + model->dag->tasks;
		run(&replay, event);
	} else {
		equant_dag_schedule_free(replay.done);
		replay.done = NULL;
	}
	free(event);
	free(replay.line);
	free(replay.place);
	return replay.done;
}

struct equant_dag_schedule *equant_dag_replay(const struct equant_dag *dag,
					      const struct equant_dag_machine *machine,
					      const struct equant_dag_schedule *schedule,
					      const struct equant_dag_machine *actual, char *why,
					      size_t why_size)
{
	struct equant_dag_schedule *done;
	struct dag_model model;
	int err = equant_dag_verify(dag, machine, schedule, why, why_size);

	if (!err && actual->processors != machine->processors)
		err = equant_dag_say(why, why_size, -EINVAL, "%d processors instead of %d",
				     actual->processors, machine->processors);
	err = err ? err : equant_dag_model_init(&model, dag, actual, why, why_size);
	if (err) {
		errno = -err;
		return NULL;
	}
	done = replay(&model, schedule);
	equant_dag_model_free(&model);
	/* Tasks may be where they must not be on this machine. */
	err = done ? equant_dag_verify(dag, actual, done, why, why_size) : -ENOMEM;
	if (!err)
		return done;
	equant_dag_schedule_free(done);
	errno = -err;
	return NULL;
}
