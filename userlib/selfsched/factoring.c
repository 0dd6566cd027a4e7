// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Factoring: in rounds of p chunks, C = ceil(R / 2p) with R as the round begins.  The row
 * FSS of table I is what rounding to the nearest gives, a half to even; with the ceiling of the
 * text it is 125 63 31 16 8 4 2 1, four times each.
 *
 * Weighted factoring (Hummel, Schmidt, Uma, Wein, 1996) is the same for V workers, of whom
 * worker j stands for V_j.
 *
 * Steps: a round leaves at most half of R, and one with R <= 2p hands out single iterations.
 * So R <= 2p after ceil(log2(I / 2p)) rounds, and for I >= 2p
 *
 *	p <= N <= p (ceil(log2(I / p)) + 1)
 *
 * Rounding to even leaves at most R / 2 + p / 2, which costs one round more.  The paper's
 * 1.44 p ln(I / p) is below the N = 32 of its own example.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section III.
 */
#include "selfsched/selfsched_internal.h"

static int64_t divide_even(int64_t a, int64_t b)
{
	int64_t quotient = a / b, rest = a % b;

	if (rest > b - rest || (rest == b - rest && quotient % 2))
		quotient++;
	return quotient;
}

int64_t equant_factoring_size(struct equant_line *line)
{
	if (line->step % line->workers == 0)
		line->round = line->rounding == EQUANT_ROUNDING_EVEN ?
				      divide_even(line->left, 2 * line->workers) :
				      equant_divide_up(line->left, 2 * line->workers);
	return line->round;
}
