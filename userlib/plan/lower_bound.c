// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What no assignment can be faster than.
 *
 * The larger of two kinds of bounds:
 *
 * - iterations that can be split, without memory limits (compare.c);
 * - the k heaviest iterations as if all of them were as cheap as the cheapest of
 *   them, for which the optimum is known (equal.c).  k = 1 says that the longest
 *   iteration must be somewhere, k = p + 1 that somebody has two, k = n that memory is full.
 *
 * Both are made of sums that were rounded, and give that much away.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"

#define KINDS 256 /* values of k that are tried, fewer for many processors */
#define EFFORT 100000 /* values of k times processors */

/* What k iterations of @work and @bytes take. */
static double of_equal(const struct equant_plan_chain *chain, double work, double bytes, long k,
		       double *each, long *counts)
{
	struct equant_plan_equal equal = { k, chain->machine->count, chain->limits->startup, each,
					   chain->limits->room };

	for (int i = 0; i < chain->machine->count; i++) {
		const struct equant_plan_processor *processor = &chain->machine->processors[i];

		each[i] = processor->operation * work + processor->byte * bytes;
	}
	return equant_plan_equal_optimum(&equal, counts);
}

/* The next k to try: all of few, or those that need one more on some processor. */
static long after(long k, long n, int p)
{
	long tries = EFFORT / p < KINDS ? EFFORT / p : KINDS;

	if (k == n || n <= tries)
		return k + 1;
	return (k - 1) / p < tries - 2 && k + p < n ? k + p : n;
}

static int bound_heaviest(const struct equant_plan_chain *chain,
			  const struct equant_plan_item *heaviest, double *bound)
{
	const struct equant_plan_program *program = chain->program;
	double *each = reallocarray(NULL, (size_t)chain->machine->count, sizeof(*each));
	long *counts = reallocarray(NULL, (size_t)chain->machine->count, sizeof(*counts));
	double work = INFINITY, bytes = INFINITY;
	int error = each && counts ? 0 : -ENOMEM;
	long next = 1;

	for (long k = 1; k <= program->iterations && !error; k++) {
		work = fmin(work, heaviest[k - 1].work);
		bytes = fmin(bytes, heaviest[k - 1].bytes);
		if (k < next)
			continue;
		*bound = fmax(*bound, of_equal(chain, work, bytes, k, each, counts));
		next = after(k, program->iterations, chain->machine->count);
	}
	free(each);
	free(counts);
	return error;
}

int equant_plan_lower_bound(const struct equant_plan_chain *compared,
			    const struct equant_plan_item *heaviest, double *bound)
{
	int error;

	*bound = equant_plan_chain_fluid(compared);
	error = bound_heaviest(compared, heaviest, bound);
	/* A block's sum is a difference of sums as large as the whole, which may be p times as much. */
	*bound *= 1 - DBL_EPSILON * 8 * (compared->machine->count + 16.0);
	return error;
}
