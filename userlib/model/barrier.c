// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A program with a barrier after every computation phase, on round-robin CPUs:
 * the recurrence is that of balance/round.c, which decides by it, too.
 *
 * Reference: Siegell 1995, section 3.4.2, figures 3.12 to 3.14.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/model_internal.h"

static int check(const struct equant_machine *machine, const int64_t *work, long synchronizations,
		 int64_t *productive)
{
	int64_t most = 0, bound;

	if (!equant_machine_valid(machine) || synchronizations < 1)
		return -EINVAL;
	*productive = 0;
	for (int i = 0; i < machine->n; i++) {
		if (work[i] < 0)
			return -EINVAL;
		bound = equant_turns_longest(machine, i, work[i], 1);
		if (bound < 0 || __builtin_add_overflow(*productive, work[i], productive))
			return -EOVERFLOW;
		if (bound > most)
			most = bound;
	}
	if (!*productive)
		return -EINVAL;
	/* The ranks' available times are added up, and a phase is added to each. */
	if (__builtin_add_overflow((int64_t)synchronizations, 1, &bound) ||
	    __builtin_mul_overflow(most, bound, &bound) ||
	    __builtin_mul_overflow(bound, (int64_t)machine->n + 1, &bound))
		return -EOVERFLOW;
	*productive *= synchronizations;
	return 0;
}

int equant_simulate_barrier(const struct equant_machine *machine, const int64_t *work,
			    long synchronizations, struct equant_efficiency *result)
{
	struct equant_round *rounds;
	int64_t productive, elapsed;
	int error = check(machine, work, synchronizations, &productive);

	if (error)
		return error;
	rounds = calloc(machine->n, sizeof(*rounds));
	if (!rounds)
		return -ENOMEM;
	for (int i = 0; i < machine->n; i++)
		rounds[i] = equant_turns_round(machine, i);
	elapsed = equant_barrier_time(rounds, work, machine->n, synchronizations);
	free(rounds);
	equant_machine_account(machine, elapsed, productive, result);
	return 0;
}
