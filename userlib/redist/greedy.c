// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The greedy schedule: whenever a sender becomes free it takes, of the receivers it still has
 * a message for, the one that is free first.  Senders that become free at once are served in the
 * order of their ranks, and of receivers that are free at once the lowest rank is taken: the
 * paper leaves both open.
 *
 * O(P K^2): each of P K messages is the result of a look at no more than K receivers.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 4.3.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/schedule.h"

/* A message that has not been sent: its receiver, and how far behind its sender's first it is. */
struct unsent {
	int to;
	int at;
};

/**
 * struct waiting - senders with messages left
 * @time: when each is free
 * @heap: the first to be free is on top
 * @count: of them
 * @left: messages that each has
 * @list: those messages in no order; those of sender i from starts[i] on
 */
struct waiting {
	const double *time;
	int *heap;
	int count;
	int64_t *left;
	struct unsent *list;
};

static bool before(const struct waiting *waiting, int a, int b)
{
	return waiting->time[a] < waiting->time[b] ||
	       (waiting->time[a] == waiting->time[b] && a < b);
}

static void sift_down(struct waiting *waiting)
{
	int at = 0, sender = waiting->heap[0];

	for (;;) {
		int child = 2 * at + 1;

		if (child >= waiting->count)
			break;
		if (child + 1 < waiting->count &&
		    before(waiting, waiting->heap[child + 1], waiting->heap[child]))
			child++;
		if (!before(waiting, waiting->heap[child], sender))
			break;
		waiting->heap[at] = waiting->heap[child];
		at = child;
	}
	waiting->heap[at] = sender;
}

/* Take out of @sender's list the message for the receiver that is free first. */
static const struct equant_redist_message *take(const struct equant_redist_draft *draft,
						struct waiting *waiting, int sender)
{
	int64_t first = draft->costs->starts[sender];
	struct unsent *list = waiting->list + first, *best = list, taken;
	double earliest = draft->receive[list[0].to];

	for (int64_t k = 1; k < waiting->left[sender]; k++) {
		double free_at = draft->receive[list[k].to];

		if (free_at < earliest || (free_at == earliest && list[k].to < best->to)) {
			earliest = free_at;
			best = &list[k];
		}
	}
	taken = *best;
	*best = list[--waiting->left[sender]];
	return &draft->costs->messages[first + taken.at];
}

static int serve(struct equant_redist_draft *draft, struct waiting *waiting)
{
	int error = 0;

	while (waiting->count && !error) {
		int sender = waiting->heap[0];

		error = equant_redist_send(draft, take(draft, waiting, sender), 1, 0);
		if (!waiting->left[sender])
			waiting->heap[0] = waiting->heap[--waiting->count];
		if (waiting->count)
			sift_down(waiting);
	}
	return error;
}

int equant_redist_greedy(struct equant_redist_draft *draft)
{
	const struct equant_redist_costs *costs = draft->costs;
	struct waiting waiting = {
		.time = draft->send,
		.heap = calloc((size_t)costs->ranks, sizeof(int)),
		.left = calloc((size_t)costs->ranks, sizeof(int64_t)),
		.list = calloc((size_t)costs->count + 1, sizeof(struct unsent)),
	};
	int error = -ENOMEM;

	if (waiting.heap && waiting.left && waiting.list) {
		for (int64_t k = 0; k < costs->count; k++) {
			const struct equant_redist_message *m = &costs->messages[k];

			waiting.list[k].to = m->to;
			waiting.list[k].at = (int)(k - costs->starts[m->from]);
		}
		for (int i = 0; i < costs->ranks; i++) {
			waiting.left[i] = costs->starts[i + 1] - costs->starts[i];
			if (waiting.left[i])
				waiting.heap[waiting.count++] = i;
		}
		error = serve(draft, &waiting);
	}
	free(waiting.heap);
	free(waiting.left);
	free(waiting.list);
	return error;
}
