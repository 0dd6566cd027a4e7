// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The greedy schedule: whenever a sender becomes free it takes, of the receivers it still has
 * a message for, the one that is free first.  Senders that become free at once are served in the
 * order of their ranks, and of receivers that are free at once the lowest rank is taken: the
 * paper leaves both open.
 *
 * O(P K^2) at most: each of P K messages is the result of a look at no more than K receivers, and of
 * far fewer where K is near P.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 4.3.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/unsent.h"

/**
 * struct waiting - senders with messages left
 * @heap: the first to be free is on top
 * @count: of them
 */
struct waiting {
	struct equant_redist_free *heap;
	int count;
};

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
		if (unsent->left[i])
			waiting->heap[waiting->count++] = equant_redist_free_at(0, i);
	while (waiting->count && !error) {
		int sender = (int)waiting->heap[0].rank;

		error = equant_redist_unsent_send(unsent, draft, sender);
		if (unsent->left[sender])
			waiting->heap[0] = equant_redist_free_at(draft->send[sender], sender);
		else
			waiting->heap[0] = waiting->heap[--waiting->count];
		if (waiting->count)
			sift(waiting);
	}
	return error;
}

int equant_redist_greedy(struct equant_redist_draft *draft)
{
	struct waiting waiting = {
		.heap = calloc((size_t)draft->costs->ranks, sizeof(*waiting.heap)),
	};
	struct equant_redist_unsent unsent;
	int error = equant_redist_unsent_init(&unsent, draft->costs);

	if (!error && !waiting.heap)
		error = -ENOMEM;
	if (!error)
		error = serve(draft, &unsent, &waiting);
	equant_redist_unsent_release(&unsent);
	free(waiting.heap);
	return error;
}
