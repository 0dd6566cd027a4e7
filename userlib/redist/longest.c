// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Longest message first: of all messages whose sender and receiver are free the longest begins, the
 * lower sender's and then the lower receiver's of equals; time goes on when there is none.
 *
 * As with the greedy schedule no sender is idle while its last receiver is, so the time is
 * at most a row and a column of C.  Only a rank that has just become free can make a message
 * possible, so only messages of such ranks are looked at.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "redist/schedule.h"

/**
 * struct queue - messages that have not begun
 * @begun: which have
 * @by_receiver: indices of messages, receiver by receiver
 * @starts: where each receiver's are
 * @found: those that can begin now
 * @founds: how many
 */
struct queue {
	bool *begun;
	int64_t *by_receiver;
	int64_t *starts;
	const struct equant_redist_message **found;
	int64_t founds;
};

/* By falling time; then as they are stored, which is by sender and receiver. */
static int longer(const void *a, const void *b)
{
	const struct equant_redist_message *x = *(const struct equant_redist_message *const *)a;
	const struct equant_redist_message *y = *(const struct equant_redist_message *const *)b;
	double first = equant_redist_time(x), second = equant_redist_time(y);

	if (first != second)
		return first > second ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool can_begin(const struct equant_redist_draft *draft, const struct queue *queue,
		      const struct equant_redist_message *message, double now)
{
	return !queue->begun[message - draft->costs->messages] &&
	       draft->send[message->from] <= now && draft->receive[message->to] <= now;
}

static void find(const struct equant_redist_draft *draft, struct queue *queue, int64_t k,
		 double now)
{
	const struct equant_redist_message *message = &draft->costs->messages[k];

	if (can_begin(draft, queue, message, now))
		queue->found[queue->founds++] = message;
}

/* All that can begin now that ranks have become free, each once or twice. */
static void find_all(const struct equant_redist_draft *draft, struct queue *queue, double now)
{
	const int64_t *starts = draft->costs->starts;

	queue->founds = 0;
	for (int i = 0; i < draft->costs->ranks; i++) {
		if (draft->send[i] == now)
			for (int64_t k = starts[i]; k < starts[i + 1]; k++)
				find(draft, queue, k, now);
		if (draft->receive[i] == now)
			for (int64_t k = queue->starts[i]; k < queue->starts[i + 1]; k++)
				find(draft, queue, queue->by_receiver[k], now);
	}
	if (queue->founds)
		qsort(queue->found, (size_t)queue->founds, sizeof(*queue->found), longer);
}

static double next_time(const struct equant_redist_draft *draft, double now)
{
	double next = INFINITY;

	for (int i = 0; i < draft->costs->ranks; i++) {
		if (draft->send[i] > now)
			next = fmin(next, draft->send[i]);
		if (draft->receive[i] > now)
			next = fmin(next, draft->receive[i]);
	}
	return next;
}

static int serve(struct equant_redist_draft *draft, struct queue *queue)
{
	int64_t left = draft->costs->count;
	double now = 0;
	int error = 0;

	while (left && !error) {
		int64_t before = left;

		find_all(draft, queue, now);
		for (int64_t k = 0; k < queue->founds && !error; k++) {
			if (!can_begin(draft, queue, queue->found[k], now))
				continue;
			queue->begun[queue->found[k] - draft->costs->messages] = true;
			error = equant_redist_send(draft, queue->found[k], 1, now);
			left--;
		}
		/* A message of no length leaves both sides free at once. */
		if (left == before)
			now = next_time(draft, now);
	}
	return error;
}

int equant_redist_longest(struct equant_redist_draft *draft)
{
	size_t count = (size_t)draft->costs->count + 1;
	struct queue queue = {
		.begun = calloc(count, sizeof(*queue.begun)),
		.by_receiver = calloc(count, sizeof(*queue.by_receiver)),
		.starts = calloc((size_t)draft->costs->ranks + 1, sizeof(*queue.starts)),
		.found = reallocarray(NULL, 2 * count, sizeof(*queue.found)),
	};
	int error = -ENOMEM;

	if (queue.begun && queue.by_receiver && queue.starts && queue.found) {
		equant_redist_by_receiver(draft->costs, queue.by_receiver, queue.starts);
		error = serve(draft, &queue);
	}
	free(queue.begun);
	free(queue.by_receiver);
	free(queue.starts);
	free(queue.found);
	return error;
}
