// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The greedy schedule: whenever a sender becomes free it takes, of the receivers it still has
 * a message for, the one that is free first.  Senders that become free at once are served in the
 * order of their ranks, and of receivers that are free at once the lowest rank is taken: the
 * paper leaves both open.
 *
 * O(P K^2) at most: each of P K messages is the result of a look at no more than K receivers, and
 * of far fewer where K is near P.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 4.3.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/unsent.h"

/* A sender and the time of all that it has. */
struct load {
	double time;
	int sender;
};

/**
 * struct waiting - senders with messages left
 * @loads: all senders: of those that become free at once the first here is served first
 * @heap: places in @loads, of the first to be free on top
 * @count: of them
 */
struct waiting {
	struct load *loads;
	struct equant_redist_free *heap;
	int count;
};

static int busiest_first(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return x->sender - y->sender;
}

static void order_senders(struct waiting *waiting, const struct equant_redist_costs *costs,
			  bool by_load)
{
	for (int i = 0; i < costs->ranks; i++) {
		waiting->loads[i] = (struct load){ 0, i };
		for (int64_t k = costs->starts[i]; k < costs->starts[i + 1] && by_load; k++)
			waiting->loads[i].time += equant_redist_time(&costs->messages[k]);
	}
	if (by_load)
		qsort(waiting->loads, (size_t)costs->ranks, sizeof(*waiting->loads), busiest_first);
}

/* Who is on top is free later now, most often later than all others: down, and up again. */
static void sift(struct waiting *waiting)
{
	struct equant_redist_free *heap = waiting->heap, sender = heap[0];
	int at = 0, child;

	while ((child = 2 * at + 1) + 1 < waiting->count) {
		child += equant_redist_before(&heap[child + 1], &heap[child]);
		heap[at] = heap[child];
		at = child;
	}
	if (child < waiting->count) {
		heap[at] = heap[child];
		at = child;
	}
	while (at && equant_redist_before(&sender, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = sender;
}

static int serve(struct equant_redist_draft *draft, struct equant_redist_unsent *unsent,
		 struct waiting *waiting)
{
	int error = 0;

	for (int i = 0; i < draft->costs->ranks; i++)
		if (unsent->left[waiting->loads[i].sender])
			waiting->heap[waiting->count++] = equant_redist_free_at(0, i);
	while (waiting->count && !error) {
		int place = (int)waiting->heap[0].rank, sender = waiting->loads[place].sender;

		error = equant_redist_unsent_send(unsent, draft, sender);
		if (unsent->left[sender])
			waiting->heap[0] = equant_redist_free_at(draft->send[sender], place);
		else
			waiting->heap[0] = waiting->heap[--waiting->count];
		if (waiting->count)
			sift(waiting);
	}
	return error;
}

int equant_redist_list(struct equant_redist_draft *draft, const double *keys)
{
	struct waiting waiting = {
		.loads = calloc((size_t)draft->costs->ranks, sizeof(*waiting.loads)),
		.heap = calloc((size_t)draft->costs->ranks, sizeof(*waiting.heap)),
	};
	struct equant_redist_unsent unsent;
	int error = equant_redist_unsent_init(&unsent, draft->costs, keys);

	if (!error && !(waiting.loads && waiting.heap))
		error = -ENOMEM;
	if (!error) {
		order_senders(&waiting, draft->costs, keys);
		error = serve(draft, &unsent, &waiting);
	}
	equant_redist_unsent_release(&unsent);
	free(waiting.loads);
	free(waiting.heap);
	return error;
}

int equant_redist_greedy(struct equant_redist_draft *draft)
{
	return equant_redist_list(draft, NULL);
}
