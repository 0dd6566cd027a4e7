// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A CPU shared in turns: each of k tasks runs for a quantum q, in a fixed
 * order, for ever.  The application's rank is on it in
 *
 *	[n k q - phase, n k q - phase + q),  n = 0, 1, ...
 *
 * whether it works or waits: the model's tasks never give a turn away.
 *
 * Reference: Siegell 1995, section 3.3.7: "the operating system allocates equal
 * portions of the CPU time to all running processes in a round-robin fashion
 * with a fixed time quantum"; the available time is that of eq. 1.4.
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

/* From the begin of a turn of the application's. */
static int64_t active_since_turn(int64_t quantum, int64_t round, int64_t time)
{
	int64_t rest = time % round;

	return time / round * quantum + (rest < quantum ? rest : quantum);
}

int64_t equant_turns_active(const struct equant_machine *machine, int rank, int64_t time)
{
	const struct equant_turns *turns = &machine->turns[rank];
	int64_t round = machine->quantum * turns->tasks;

	return active_since_turn(machine->quantum, round, turns->phase + time) -
	       active_since_turn(machine->quantum, round, turns->phase);
}

int64_t equant_turns_finish(const struct equant_machine *machine, int rank, int64_t time,
			    int64_t work)
{
	const struct equant_turns *turns = &machine->turns[rank];
	int64_t quantum = machine->quantum, round = quantum * turns->tasks;
	int64_t since = turns->phase + time, active;

	if (!work)
		return since % round <= quantum ? time : time + round - since % round;
	active = active_since_turn(quantum, round, since) + work;
	return (active - 1) / quantum * round + (active - 1) % quantum + 1 - turns->phase;
}

int64_t equant_turns_longest(const struct equant_machine *machine, int rank, int64_t work,
			     long pieces)
{
	int64_t longest;

	/* Each quantum of work takes a round, and the first and last of a piece may be parts. */
	if (__builtin_mul_overflow(2 * (int64_t)pieces, machine->quantum, &longest) ||
	    __builtin_add_overflow(longest, work, &longest) ||
	    __builtin_mul_overflow(longest, (int64_t)machine->turns[rank].tasks, &longest))
		return -EOVERFLOW;
	return longest;
}

void equant_machine_account(const struct equant_machine *machine, int64_t elapsed,
			    int64_t productive, struct equant_efficiency *result)
{
	*result = (struct equant_efficiency){ .elapsed = elapsed, .productive = productive };
	for (int i = 0; i < machine->n; i++)
		result->available += equant_turns_active(machine, i, elapsed);
	result->efficiency = (double)productive / (double)result->available;
	result->conservative = (double)productive / ((double)machine->n * (double)elapsed);
}
