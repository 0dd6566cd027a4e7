// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A program with a barrier after every computation phase, on round-robin CPUs:
 *
 *	B_0 = 0,  B_s+1 = max over i of finish_i(B_s, w_i)
 *
 * where finish_i(t, w) is when rank i, from time t on, has been on its CPU for
 * w.  A rank whose turn it is not when the barrier opens leaves it at the begin
 * of its next turn; one that is early waits on its CPU, and that is what is lost.
 *
 * Reference: Siegell 1995, section 3.4.2, figures 3.12 to 3.14.
 */
#include <errno.h>

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
	if (__builtin_mul_overflow(most, (int64_t)synchronizations + 1, &bound) ||
	    __builtin_mul_overflow(bound, (int64_t)machine->n + 1, &bound))
		return -EOVERFLOW;
	*productive *= synchronizations;
	return 0;
}

int equant_simulate_barrier(const struct equant_machine *machine, const int64_t *work,
			    long synchronizations, struct equant_efficiency *result)
{
	int64_t productive, time = 0;
	int error = check(machine, work, synchronizations, &productive);

	if (error)
		return error;
	for (long s = 0; s < synchronizations; s++) {
		int64_t last = time;

		for (int i = 0; i < machine->n; i++) {
			int64_t finish = equant_turns_finish(machine, i, time, work[i]);

			if (finish > last)
				last = finish;
		}
		time = last;
	}
	equant_machine_account(machine, time, productive, result);
	return 0;
}
