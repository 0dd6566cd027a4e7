// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Unrestricted work movement: any rank may send to any other.
 *
 * Greedy: the sender that must part with the largest fraction of its work
 * meets the receiver that lacks the most units; whoever is not done goes back
 * into its queue.  Each instruction finishes at least one of the two and the
 * last one both, hence at most n - 1 of them; with two heaps O(P log P).
 *
 * "Fraction of its work" is of what the rank had when the phase began: the
 * thesis computes it once (step 2) and is silent about a sender that returns
 * to the queue.
 *
 * A receiver without a free port is dropped, and so is what its senders would
 * have given it; an instruction below the limit is left out as if it had been
 * generated.  Either way nobody else is given that work: it would have to
 * move again.
 *
 * Reference: Siegell 1995, section 5.5.1, algorithm 5.1.
 */
#include <errno.h>
#include <stdlib.h>

#include "balance/balance_internal.h"

static struct equant_heap_entry sender(int rank, long units, long current)
{
	return (struct equant_heap_entry){
		.key = (double)units / (double)current,
		.units = units,
		.rank = rank,
	};
}

static struct equant_heap_entry receiver(int rank, long units, int ports)
{
	return (struct equant_heap_entry){
		.key = (double)units,
		.units = units,
		.rank = rank,
		.ports = ports,
	};
}

/* Senders from the front of @room, receivers from its back. */
static void separate(const long *current, const long *target, int n, struct equant_heap *senders,
		     struct equant_heap *receivers, struct equant_heap_entry *room)
{
	struct equant_heap_entry *back = room + n;

	senders->entries = room;
	senders->count = 0;
	for (int i = 0; i < n; i++) {
		if (current[i] > target[i])
			room[senders->count++] = sender(i, current[i] - target[i], current[i]);
		else if (current[i] < target[i])
			*--back = receiver(i, target[i] - current[i], 0);
	}
	receivers->entries = back;
	receivers->count = (int)(room + n - back);
	equant_heap_make(senders);
	equant_heap_make(receivers);
}

int equant_instruct_in(const long *current, const long *target, int n, int ports, long omit,
		       struct equant_instruction *out, struct equant_heap_entry *room)
{
	struct equant_heap senders, receivers;
	int count = 0;

	separate(current, target, n, &senders, &receivers, room);
	while (receivers.count && senders.count) {
		struct equant_heap_entry to = equant_heap_pop(&receivers);
		struct equant_heap_entry from;
		long units;

		if (ports && to.ports == ports)
			continue;
		from = equant_heap_pop(&senders);
		units = to.units < from.units ? to.units : from.units;
		if (units >= omit) {
			out[count++] = (struct equant_instruction){ from.rank, to.rank, units };
			to.ports++;
		}
		if (to.units > units)
			equant_heap_push(&receivers, receiver(to.rank, to.units - units, to.ports));
		else if (from.units > units)
			equant_heap_push(&senders,
					 sender(from.rank, from.units - units, current[from.rank]));
	}
	return count;
}

bool equant_counts_agree(const long *current, const long *target, int n)
{
	long have = 0, want = 0;

	for (int i = 0; i < n; i++) {
		if (current[i] < 0 || target[i] < 0)
			return false;
		if (__builtin_add_overflow(have, current[i], &have) ||
		    __builtin_add_overflow(want, target[i], &want))
			return false;
	}
	return have == want;
}

int equant_instruct_unrestricted(const long *current, const long *target, int n, int ports,
				 long omit, struct equant_instruction *out)
{
	struct equant_heap_entry *room;
	int count;

	if (n < 1 || ports < 0 || omit < 0 || !equant_counts_agree(current, target, n))
		return -EINVAL;
	room = calloc(n, sizeof(*room));
	if (!room)
		return -ENOMEM;
	count = equant_instruct_in(current, target, n, ports, omit, out, room);
	free(room);
	return count;
}

void equant_apply(const struct equant_instruction *instructions, int count, long *units)
{
	for (int i = 0; i < count; i++) {
		units[instructions[i].from] -= instructions[i].units;
		units[instructions[i].to] += instructions[i].units;
	}
}
