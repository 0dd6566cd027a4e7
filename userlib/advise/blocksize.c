// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The block size of a strip-mined pipeline.  The loop of m iterations around
 * the distributed one is cut into M blocks of b; boundary values are shifted
 * to the next rank once per block.
 *
 *	t_total = (M + P - 1) t_block + (M + P - 2) t_shift	(eq. 3.7)
 *	t_block = b t_iteration, t_shift = t_fixed + t_incr b	(eqs. 3.5, 3.8, 3.9)
 *
 * The first line of eq. 3.10 as printed lacks a factor 1/P in t_block; its
 * expansion below has it.  With a last block of what is left over,
 * all phases but the last are as long as a whole block, and
 *
 *	t_total = t_iteration (m + (P - 1) b)
 *		+ t_fixed (M + P - 2) + t_incr (m + (P - 2) b),	M = ceil(m / b)
 *
 * which is eq. 3.10 where b divides m.  Its part that depends on b is
 *
 *	A b + t_fixed ceil(m / b),	A = (P - 1) t_iteration + (P - 2) t_incr
 *
 * and the minimum without the ceiling is eq. 3.12, M = sqrt(m A / t_fixed).
 * The ceiling adds less than one t_fixed, so that the search for the exact
 * minimum ends where A b + t_fixed m / b alone exceeds the best time found: after
 * about sqrt(M) steps.  Only sizes that are the smallest for their
 * number of blocks can be best.
 *
 * The thesis' model has no term for one rank alone, who shifts nothing.
 *
 * Reference: Siegell 1995, section 3.3.
 */
#include <errno.h>

#include "advise/advise_internal.h"

static long ceil_div(long a, long b)
{
	return a / b + (a % b != 0);
}

static const char *pipeline_fault(const struct equant_strips *pipeline)
{
	if (pipeline->ranks < 1)
		return "the number of ranks is less than 1";
	if (pipeline->iterations < 1)
		return "the number of iterations is less than 1";
	if (pipeline->units < 1)
		return "the number of units is less than 1";
	if (!equant_is_amount(pipeline->unit_time))
		return "the time of a unit is not between 0 and 1e18";
	if (!equant_is_amount(pipeline->shift_fixed))
		return "the time of an empty shift is not between 0 and 1e18";
	if (!equant_is_amount(pipeline->byte_time))
		return "the time of a byte is not between 0 and 1e18";
	if (!equant_is_amount(pipeline->bytes))
		return "the number of bytes is not between 0 and 1e18";
	return NULL;
}

static double iteration_time(const struct equant_strips *pipeline)
{
	return (double)pipeline->units * pipeline->unit_time;
}

static double total_time(const struct equant_strips *pipeline, long size)
{
	double m = (double)pipeline->iterations, p = pipeline->ranks, b = (double)size;
	double blocks = (double)ceil_div(pipeline->iterations, size);
	double compute = iteration_time(pipeline) * (m + (p - 1) * b);
	double increment = pipeline->bytes * pipeline->byte_time;

	if (pipeline->ranks == 1)
		return iteration_time(pipeline) * m;
	return compute + pipeline->shift_fixed * (blocks + p - 2) + increment * (m + (p - 2) * b);
}

double equant_strips_time(const struct equant_strips *pipeline, long size)
{
	if (pipeline_fault(pipeline) || size < 1 || size > pipeline->iterations)
		return NAN;
	return total_time(pipeline, size);
}

/* A: what each further iteration in a block costs. */
static double slope(const struct equant_strips *pipeline)
{
	return (pipeline->ranks - 1.0) * iteration_time(pipeline) +
	       (pipeline->ranks - 2.0) * pipeline->bytes * pipeline->byte_time;
}

/* Eq. 3.12, within 1 and m. */
static double ideal_blocks(const struct equant_strips *pipeline)
{
	double m = (double)pipeline->iterations;
	double blocks;

	if (pipeline->ranks == 1 || slope(pipeline) <= 0)
		return 1;
	if (pipeline->shift_fixed <= 0)
		return m;
	blocks = sqrt(m * (slope(pipeline) / pipeline->shift_fixed));
	return blocks < 1 ? 1 : blocks < m ? blocks : m;
}

/* Can no block of this size or farther from the ideal one be better than @best? */
static bool beyond(const struct equant_strips *pipeline, long size, double best)
{
	double m = (double)pipeline->iterations, p = pipeline->ranks, b = (double)size;
	double least =
		total_time(pipeline, size) -
		pipeline->shift_fixed * ((double)ceil_div(pipeline->iterations, size) - m / b);

	return p < 2 || least >= best;
}

static void consider(const struct equant_strips *pipeline, long size, long *best)
{
	if (total_time(pipeline, size) < total_time(pipeline, *best))
		*best = size;
}

/* From the smallest size for its number of blocks to that for the next smaller number. */
static long longer(long iterations, long size)
{
	return ceil_div(iterations, ceil_div(iterations, size) - 1);
}

/* And to that for the next larger number. */
static long shorter(long iterations, long size)
{
	return ceil_div(iterations, ceil_div(iterations, size - 1));
}

static long best_size(const struct equant_strips *pipeline, double ideal)
{
	long m = pipeline->iterations;
	long blocks = ideal < (double)m ? (long)ideal : m;
	long start = ceil_div(m, blocks);
	long best = start;

	/* The number of blocks was rounded down: start is at or above the ideal size. */
	for (long b = start; b < m;) {
		b = longer(m, b);
		if (beyond(pipeline, b, total_time(pipeline, best)))
			break;
		consider(pipeline, b, &best);
	}
	for (long b = start; b > 1;) {
		b = shorter(m, b);
		if ((double)m / (double)b >= ideal &&
		    beyond(pipeline, b, total_time(pipeline, best)))
			break;
		consider(pipeline, b, &best);
	}
	return best;
}

static int check(const struct equant_strips *pipeline, char *why, size_t why_size)
{
	const char *fault = pipeline_fault(pipeline);

	if (!fault)
		return 0;
	equant_say(why, why_size, "%s", fault);
	return -EINVAL;
}

int equant_block_size(const struct equant_strips *pipeline, struct equant_block *block, char *why,
		      size_t why_size)
{
	int error = check(pipeline, why, why_size);
	double parallel;

	if (error)
		return error;
	block->ideal = ideal_blocks(pipeline);
	block->size = best_size(pipeline, block->ideal);
	block->blocks = ceil_div(pipeline->iterations, block->size);
	block->time = total_time(pipeline, block->size);
	block->sequential =
		(double)pipeline->iterations * pipeline->ranks * iteration_time(pipeline);
	parallel = pipeline->ranks * block->time;
	block->efficiency = parallel > 0 ? block->sequential / parallel : 1;
	return 0;
}

long equant_block_for_grain(const struct equant_strips *pipeline, double grain, char *why,
			    size_t why_size)
{
	int error = check(pipeline, why, why_size);
	double m, size;

	if (error)
		return error;
	if (!(grain > 0) || !equant_is_amount(grain)) {
		equant_say(why, why_size, "the grain is not above 0 and at most 1e18 seconds");
		return -EINVAL;
	}
	m = (double)pipeline->iterations;
	size = iteration_time(pipeline) > 0 ? grain / iteration_time(pipeline) + 0.5 : m;
	if (size < 1)
		return 1;
	return size < m ? (long)size : pipeline->iterations;
}
