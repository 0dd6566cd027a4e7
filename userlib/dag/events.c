// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What happens in a schedule, in order of time.
 */
#include <errno.h>
#include <stdlib.h>

#include "dag_internal.h"

#define by(a, b) ((a) != (b) ? ((a) < (b) ? -1 : 1) : 0)

/*
 * Of what begins at one time: first what has no length, as others may wait for it, and tasks last,
 * since a message may have to begin before one does.
 */
static int rank(const struct dag_event *event)
{
	return event->finish > event->start ? (event->task < 0 ? 1 : 2) : 0;
}

static int in_order(const void *a, const void *b)
{
	const struct dag_event *x = a, *y = b;
	int order = by(x->start, y->start);

	order = order ? order : by(rank(x), rank(y));
	order = order ? order : by(x->key, y->key);
	order = order ? order : by(x->finish, y->finish);
	order = order ? order : by(x->task, y->task);
	return order ? order : by(x->edge, y->edge);
}

/* Do tasks of no length follow each other on a processor, all at one time? */
static bool is_tied(const struct equant_dag_schedule *schedule, int i)
{
	const struct equant_dag_slot *a = &schedule->slot[i], *b = a + 1;

	return i + 1 < schedule->slots && a->processor == b->processor && a->start == b->start &&
	       a->finish == a->start && b->finish == b->start;
}

static bool keeps_slots(const int *place, const struct equant_dag_schedule *schedule)
{
	for (int i = 0; i < schedule->slots; i++)
		if (is_tied(schedule, i) &&
		    place[schedule->slot[i].task] > place[schedule->slot[i + 1].task])
			return false;
	return true;
}

/* ---- an order in which a tied task needs the one before it, too ---------------------------- */

/**
 * struct sorter - as order() of paths.c
 * @after: by task: the one that is tied to it, or -1
 * @missing: by task: how many it needs
 * @order: tasks whose turn has come
 * @ordered: how many
 */
struct sorter {
	int *after;
	int *missing;
	int *order;
	int ordered;
};

static void sorter_begin(struct sorter *sorter, const struct dag_model *model,
			 const struct equant_dag_schedule *schedule)
{
	const int *first = model->paths.in.first;

	for (int i = 0; i < schedule->slots; i++) {
		sorter->after[i] = -1;
		sorter->missing[i] = first[i + 1] - first[i];
	}
	for (int i = 0; i < schedule->slots; i++) {
		if (!is_tied(schedule, i))
			continue;
		sorter->after[schedule->slot[i].task] = schedule->slot[i + 1].task;
		sorter->missing[schedule->slot[i + 1].task]++;
	}
	for (int i = 0; i < schedule->slots; i++)
		if (!sorter->missing[i])
			sorter->order[sorter->ordered++] = i;
}

static void release(struct sorter *sorter, int task)
{
	if (!--sorter->missing[task])
		sorter->order[sorter->ordered++] = task;
}

/* The graph may not allow that: then @place stays what it was.  0 or -ENOMEM. */
static int sort_by_slots(int *place, const struct dag_model *model,
			 const struct equant_dag_schedule *schedule)
{
	size_t n = (size_t)schedule->slots;
	struct sorter sorter = { .after = calloc(3 * n, sizeof(*sorter.after)) };

	if (!sorter.after)
		return -ENOMEM;
	sorter.missing = sorter.after + n;
	sorter.order = sorter.missing + n;
	sorter_begin(&sorter, model, schedule);
	for (int i = 0; i < sorter.ordered; i++) {
		int task = sorter.order[i];

		for_each_edge(e, &model->paths.out, task)
			release(&sorter, model->dag->edge[*e].to);
		if (sorter.after[task] >= 0)
			release(&sorter, sorter.after[task]);
	}
	for (int i = 0; sorter.ordered == schedule->slots && i < sorter.ordered; i++)
		place[sorter.order[i]] = i;
	free(sorter.after);
	return 0;
}

/* By task: what decides between those of no length, NULL for no memory. */
static int *places(const struct dag_model *model, const struct equant_dag_schedule *schedule)
{
	int *place = calloc((size_t)schedule->slots, sizeof(*place));

	if (!place)
		return NULL;
	for (int i = 0; i < schedule->slots; i++)
		place[model->paths.order[i]] = i;
	if (keeps_slots(place, schedule) || !sort_by_slots(place, model, schedule))
		return place;
	free(place);
	return NULL;
}

struct dag_event *equant_dag_events(const struct dag_model *model,
				    const struct equant_dag_schedule *schedule)
{
	int n = schedule->slots, m = schedule->messages;
	struct dag_event *event = calloc((size_t)n + (size_t)m, sizeof(*event));
	int *place = places(model, schedule);

	for (int i = 0; place && event && i < n; i++) {
		const struct equant_dag_slot *slot = &schedule->slot[i];

		event[i] = (struct dag_event){ slot->start, slot->finish, 2 * place[slot->task],
					       slot->task, -1 };
	}
	for (int i = 0; place && event && i < m; i++) {
		const struct equant_dag_message *message = &schedule->message[i];
		int from = model->dag->edge[message->edge].from;

		event[n + i] = (struct dag_event){ message->start, message->finish,
						   2 * place[from] + 1, -1, message->edge };
	}
	if (place && event)
		qsort(event, (size_t)n + (size_t)m, sizeof(*event), in_order);
	else
		free(event);
	free(place);
	return place ? event : NULL;
}
