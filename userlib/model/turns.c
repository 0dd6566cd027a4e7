// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Machines of CPUs that are shared in turns, one rank on each: what is asked of
 * them, and what is left of them.  The turns themselves: balance/round.c.
 *
 * Reference: Siegell 1995, section 3.3.7; the available time is that of eq. 1.4.
 */
#include <errno.h>

#include "model/model_internal.h"

bool equant_machine_valid(const struct equant_machine *machine)
{
	int64_t round, all;

	if (machine->n < 1 || machine->quantum < 1)
		return false;
	for (int i = 0; i < machine->n; i++) {
		const struct equant_turns *turns = &machine->turns[i];

		if (turns->tasks < 1 ||
		    __builtin_mul_overflow(machine->quantum, (int64_t)turns->tasks, &round) ||
		    __builtin_mul_overflow(round, (int64_t)machine->n, &all) || turns->phase < 0 ||
		    turns->phase >= round)
			return false;
	}
	return true;
}

struct equant_round equant_turns_round(const struct equant_machine *machine, int rank)
{
	const struct equant_turns *turns = &machine->turns[rank];

	return (struct equant_round){
		.quantum = machine->quantum,
		.length = machine->quantum * turns->tasks,
		.phase = turns->phase,
	};
}

int64_t equant_turns_longest(const struct equant_machine *machine, int rank, int64_t work,
			     long pieces)
{
	int64_t longest;

	/* Each quantum of work takes a round, and the first and last of a piece may be parts. */
	if (__builtin_mul_overflow((int64_t)pieces, machine->quantum, &longest) ||
	    __builtin_mul_overflow(longest, 2, &longest) ||
	    __builtin_add_overflow(longest, work, &longest) ||
	    __builtin_mul_overflow(longest, (int64_t)machine->turns[rank].tasks, &longest))
		return -EOVERFLOW;
	return longest;
}

void equant_machine_account(const struct equant_machine *machine, int64_t elapsed,
			    int64_t productive, struct equant_efficiency *result)
{
	*result = (struct equant_efficiency){ .elapsed = elapsed, .productive = productive };
	for (int i = 0; i < machine->n; i++) {
		struct equant_round round = equant_turns_round(machine, i);

		result->available += equant_round_active(&round, elapsed);
	}
	result->efficiency = (double)productive / (double)result->available;
	result->conservative = (double)productive / ((double)machine->n * (double)elapsed);
}
