// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Schedules in steps without contention, which know nothing of how long messages take.
 *
 * Caterpillar: in step s rank i sends to rank i + s modulo the number of ranks.  It has as many
 * steps as there are distances.
 *
 * Direct: K steps where no rank has more than K messages to send or to receive.  The
 * schedules that the paper refers to (D. W. Walker, S. W. Otto, Redistribution of Block-Cyclic
 * Data Distributions Using MPI, 1995) are made for cyclic(x) to cyclic(K x).  That K steps
 * are enough for any x, y, P and Q is D. Koenig's theorem of 1916: the edges of a bipartite graph
 * have a colouring with as many colours as the largest degree.  A message whose sender has colour
 * a free and whose receiver colour b gets a, after a and b have been exchanged on the path from
 * the receiver on which they alternate; that path cannot reach the sender.
 *
 * Source: Bhat, Prasanna, Raghavendra, sections 2, 3 and 5.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/schedule.h"

int equant_redist_caterpillar(struct equant_redist_draft *draft)
{
	const struct equant_redist_costs *costs = draft->costs;
	int64_t *at = calloc((size_t)costs->ranks, sizeof(*at)), left = costs->count;
	int error = at ? 0 : -ENOMEM;

	/*
	 * Receivers i + s are in order but for one turn: each sender's next is found by going on.
	 */
	for (int i = 0; !error && i < costs->ranks; i++) {
		at[i] = costs->starts[i];
		while (at[i] < costs->starts[i + 1] && costs->messages[at[i]].to < i)
			at[i]++;
	}
	for (int s = 0; left && !error; s++) {
		for (int i = 0; i < costs->ranks && !error; i++) {
			int to = (i + s) % costs->ranks;

			if (to == 0 && s)
				at[i] = costs->starts[i];
			if (at[i] == costs->starts[i + 1] || costs->messages[at[i]].to != to)
				continue;
			error = equant_redist_send(draft, &costs->messages[at[i]++], 1, 0);
			left--;
		}
	}
	free(at);
	return error;
}

/**
 * struct colouring - steps of messages
 * @steps: K
 * @sends: the message that sender i sends in step s is at i K + s, or -1
 * @receives: the same for receivers
 */
struct colouring {
	int64_t steps;
	int64_t *sends;
	int64_t *receives;
};

static int64_t largest_degree(const struct equant_redist_costs *costs, int64_t *received)
{
	int64_t most = 1;

	for (int i = 0; i < costs->ranks; i++)
		most = equant_redist_max(most, costs->starts[i + 1] - costs->starts[i]);
	for (int64_t k = 0; k < costs->count; k++)
		most = equant_redist_max(most, ++received[costs->messages[k].to]);
	return most;
}

static int64_t free_step(const int64_t *steps)
{
	int64_t s = 0;

	while (steps[s] >= 0)
		s++;
	return s;
}

/*
 * Exchange steps @a and @b on the path from the receiver of @message on, which has @a now; step
 * @b is free at that receiver.
 */
static void exchange(const struct equant_redist_costs *costs, const struct colouring *colouring,
		     int64_t message, int64_t a, int64_t b)
{
	int64_t *sends = colouring->sends, *receives = colouring->receives, k = colouring->steps;
	bool at_receiver = true;

	while (message >= 0) {
		const struct equant_redist_message *m = &costs->messages[message];
		int64_t *near = at_receiver ? receives + m->to * k : sends + m->from * k;
		int64_t *far = at_receiver ? sends + m->from * k : receives + m->to * k;
		int64_t next = far[b], swap;

		if (near[a] == message)
			near[a] = -1;
		near[b] = message;
		far[b] = message;
		far[a] = -1;
		message = next;
		at_receiver = !at_receiver;
		swap = a;
		a = b;
		b = swap;
	}
}

static void colour(const struct equant_redist_costs *costs, const struct colouring *colouring)
{
	int64_t k = colouring->steps;

	for (int64_t i = 0; i < costs->count; i++) {
		const struct equant_redist_message *m = &costs->messages[i];
		int64_t a = free_step(colouring->sends + m->from * k);
		int64_t b = free_step(colouring->receives + m->to * k);

		if (colouring->receives[m->to * k + a] >= 0)
			exchange(costs, colouring, colouring->receives[m->to * k + a], a, b);
		colouring->sends[m->from * k + a] = i;
		colouring->receives[m->to * k + a] = i;
	}
}

static int send_steps(struct equant_redist_draft *draft, const struct colouring *colouring,
		      bool barrier)
{
	double earliest = 0;
	int error = 0;

	for (int64_t s = 0; s < colouring->steps && !error; s++) {
		for (int i = 0; i < draft->costs->ranks && !error; i++) {
			int64_t k = colouring->sends[i * colouring->steps + s];

			if (k >= 0)
				error = equant_redist_send(draft, &draft->costs->messages[k], 1,
							   earliest);
		}
		if (barrier)
			earliest = draft->schedule->makespan;
	}
	return error;
}

static int in_steps(struct equant_redist_draft *draft, bool barrier)
{
	int64_t *received = calloc((size_t)draft->costs->ranks, sizeof(*received));
	struct colouring colouring = { 0 };
	int error = -ENOMEM;
	size_t size;

	if (!received)
		return -ENOMEM;
	colouring.steps = largest_degree(draft->costs, received);
	free(received);
	size = (size_t)draft->costs->ranks * (size_t)colouring.steps;
	colouring.sends = reallocarray(NULL, size, sizeof(*colouring.sends));
	colouring.receives = reallocarray(NULL, size, sizeof(*colouring.receives));
	if (colouring.sends && colouring.receives) {
		for (size_t i = 0; i < size; i++)
			colouring.sends[i] = colouring.receives[i] = -1;
		colour(draft->costs, &colouring);
		error = send_steps(draft, &colouring, barrier);
	}
	free(colouring.sends);
	free(colouring.receives);
	return error;
}

int equant_redist_direct(struct equant_redist_draft *draft)
{
	return in_steps(draft, false);
}

int equant_redist_barrier(struct equant_redist_draft *draft)
{
	return in_steps(draft, true);
}
