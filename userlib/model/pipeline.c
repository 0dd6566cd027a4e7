// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A strip-mined DOACROSS loop on round-robin CPUs: rank i may begin block b when
 * it has sent block b - 1 on and rank i - 1 has sent it block b:
 *
 *	S_i,b = finish_i(max(S_i,b-1, S_i-1,b), w_i / M + t_shift)
 *
 * t_shift = t_fixed + t_incr x iterations of the block (eq. 3.8) is time of the
 * sender's CPU; the last rank sends nothing.  Buffers never fill.  On dedicated
 * CPUs with equal blocks this gives eq. 3.7,
 *
 *	t_total = (M + P - 1) t_block + (M + P - 2) t_shift,
 *
 * exactly.  (Printed, the first line of eq. 3.10 has t_sequential / M where
 * t_block = t_sequential / (P M) belongs; its second line is right.)
 *
 * Reference: Siegell 1995, sections 3.3.3, 3.3.4 and 3.3.7.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/model_internal.h"

static int check(const struct equant_machine *machine, const struct equant_pipeline *pipeline,
		 int64_t *productive)
{
	int64_t messages, longest = 0, bound;
	long blocks;

	if (!equant_machine_valid(machine) || pipeline->iterations < 1 || pipeline->block < 1 ||
	    pipeline->fixed < 0 || pipeline->per_iteration < 0)
		return -EINVAL;
	blocks = (pipeline->iterations - 1) / pipeline->block + 1;
	if (__builtin_mul_overflow(pipeline->fixed, (int64_t)blocks, &messages) ||
	    __builtin_mul_overflow(pipeline->per_iteration, (int64_t)pipeline->iterations,
				   &bound) ||
	    __builtin_add_overflow(messages, bound, &messages))
		return -EOVERFLOW;
	*productive = 0;
	for (int i = 0; i < machine->n; i++) {
		if (pipeline->work[i] < 0)
			return -EINVAL;
		if (__builtin_add_overflow(pipeline->work[i], messages, &bound) ||
		    __builtin_add_overflow(*productive, pipeline->work[i], productive))
			return -EOVERFLOW;
		bound = equant_turns_longest(machine, i, bound, blocks);
		if (bound < 0 || __builtin_add_overflow(longest, bound, &longest))
			return -EOVERFLOW;
	}
	/* The ranks' available times are added up, and a phase is added to each. */
	if (__builtin_mul_overflow(longest, (int64_t)machine->n + 1, &bound))
		return -EOVERFLOW;
	return *productive ? 0 : -EINVAL;
}

/* Work up to an iteration; differences of it add up to the whole. */
static int64_t work_until(int64_t work, long iteration, long iterations)
{
	return (int64_t)((__uint128_t)work * (unsigned long)iteration / (unsigned long)iterations);
}

/* One block through all ranks; @sent: when each rank had sent its last one. */
static void pass_block(const struct equant_machine *machine, const struct equant_pipeline *pipeline,
		       long first, long end, int64_t *sent)
{
	int64_t shift = pipeline->fixed + pipeline->per_iteration * (end - first);
	int64_t arrived = 0;

	for (int i = 0; i < machine->n; i++) {
		struct equant_round round = equant_turns_round(machine, i);
		int64_t begin = sent[i] > arrived ? sent[i] : arrived;
		int64_t work = work_until(pipeline->work[i], end, pipeline->iterations) -
			       work_until(pipeline->work[i], first, pipeline->iterations);

		if (i < machine->n - 1)
			work += shift;
		sent[i] = equant_round_finish(&round, begin, work);
		arrived = sent[i];
	}
}

int equant_simulate_pipeline(const struct equant_machine *machine,
			     const struct equant_pipeline *pipeline,
			     struct equant_efficiency *result)
{
	int64_t productive, *sent;
	int error = check(machine, pipeline, &productive);

	if (error)
		return error;
	sent = calloc(machine->n, sizeof(*sent));
	if (!sent)
		return -ENOMEM;
	for (long first = 0; first < pipeline->iterations;) {
		long left = pipeline->iterations - first;
		long end = first + (left < pipeline->block ? left : pipeline->block);

		pass_block(machine, pipeline, first, end, sent);
		first = end;
	}
	equant_machine_account(machine, sent[machine->n - 1], productive, result);
	free(sent);
	return 0;
}
