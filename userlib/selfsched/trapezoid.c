// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Trapezoid self-scheduling: from F down to L in equal steps,
 *
 *	C_i = C_{i-1} - D,  D = floor((F - L) / (N - 1)),  N = ceil(2 I / (F + L))
 *
 * with F = floor(I / 2p).  The paper leaves open I < 2p and N = 1: F is at least 1 (and at least
 * L), and D = 0 then.
 *
 * For DTSS p is V, and worker j gets the sum of the next V_j chunks.  That is what eqs. 3 and
 * 4 abbreviate.  Its N is rounded up, too, where the paper prints floor (IV.B): with V_j = 1 it is TSS.  As the chunks fall evenly, down to L and no further, the sum of the first s is
 *
 *	s F - D s (s - 1) / 2  for s <= k,  and L for each beyond
 *
 * k = floor((F - L) / D) + 1 being the chunks above or at L.  So a request needs a counter of
 * steps and no table.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, sections III, IV.B.
 */
#include "selfsched/selfsched_internal.h"

void equant_trapezoid_start(struct equant_line *line)
{
	int64_t first = line->total / (2 * line->workers);
	__int128 length, steps;

	if (line->first)
		first = line->first;
	else if (first < line->minimum)
		first = line->minimum;
	/* 2^62 rectangles are as many, too. */
	length = first + line->minimum;
	steps = (2 * (__int128)line->total + length - 1) / length;
	line->first = first;
	line->decrement = steps > 1 ? (int64_t)((first - line->minimum) / (steps - 1)) : 0;
	line->falling = INT64_MAX;
	if (line->decrement)
		line->falling = (first - line->minimum) / line->decrement + 1;
}

/* In 64 bits: no product of two numbers below 2^31 is too large, and D k <= F. */
static int64_t small_before(const struct equant_line *line, int64_t step, int64_t falling)
{
	int64_t sum = falling * line->first - line->decrement * (falling * (falling - 1) / 2) +
		      (step - falling) * line->minimum;

	return sum < line->total ? sum : line->total;
}

int64_t equant_trapezoid_before(const struct equant_line *line, int64_t step)
{
	int64_t falling = step < line->falling ? step : line->falling;
	__int128 sum;

	if (!((step | line->first | line->minimum) >> 31))
		return small_before(line, step, falling);
	/* The sum of 0 to falling - 1, one of whose ends is even. */
	sum = falling % 2 ? (__int128)falling * (falling / 2) :
			    (__int128)(falling / 2) * (falling - 1);
	sum = (__int128)falling * line->first - line->decrement * sum +
	      (__int128)(step - falling) * line->minimum;
	return sum < line->total ? (int64_t)sum : line->total;
}
