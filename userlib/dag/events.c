// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What happens in a schedule, in order of time.
 */
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
	return order ? order : by(x->key, y->key);
}

struct dag_event *equant_dag_events(const struct dag_model *model,
				    const struct equant_dag_schedule *schedule)
{
	int n = schedule->slots, m = schedule->messages;
	struct dag_event *event = calloc((size_t)n + (size_t)m, sizeof(*event));
	int *place = calloc((size_t)n, sizeof(*place));

	for (int i = 0; place && i < n; i++)
		place[model->paths.order[i]] = i;
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
