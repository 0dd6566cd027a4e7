// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The exact optimum for equal iterations: counts z_i of which
 *
 *	max over z_i > 0 of alpha_i + g_i z_i,  sum z_i = n,  z_i <= room_i
 *
 * is least.  In time T processor i ends floor((T - alpha_i) / g_i) iterations, so the
 * least T in which all together end n is the optimum; who does not end one in it is left
 * out.  O(p) per question of the search.
 *
 * Reference: the problem of Cierniak, Zaki, Li 1997, sections 6.1, 6.2 and 8.1; the
 * paper solves it nearly.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/search.h"

static double time_of(const struct equant_plan_equal *equal, int i, long z)
{
	return equal->startup[i] + equal->each[i] * (double)z;
}

static bool ends(const struct equant_plan_equal *equal, int i, long z, double time)
{
	return time_of(equal, i, z) <= time;
}

long equant_plan_equal_fit(const struct equant_plan_equal *equal, int i, double time)
{
	double most = (time - equal->startup[i]) / equal->each[i];
	long z, low = 0, high = equal->room[i];

	/* Not a number: no time left, and none needed. */
	if (time < equal->startup[i])
		return 0;
	z = most < (double)high ? (long)most : high;
	/* The quotient was rounded; what counts is the time as it is computed. */
	while (low < high) {
		if (ends(equal, i, z, time) && (z == high || !ends(equal, i, z + 1, time)))
			return z;
		if (ends(equal, i, z, time))
			low = z + 1;
		else
			high = z - 1;
		z = low + (high - low) / 2;
	}
	return low;
}

static bool enough(void *ctx, double time, double *next)
{
	const struct equant_plan_equal *equal = ctx;
	double last = 0, first = INFINITY;
	long left = equal->n;

	for (int i = 0; i < equal->p && left > 0; i++) {
		long z = equant_plan_equal_fit(equal, i, time);

		if (z)
			last = fmax(last, time_of(equal, i, z));
		if (z < equal->room[i])
			first = fmin(first, time_of(equal, i, z + 1));
		left -= z < left ? z : left;
	}
	*next = left ? first : last;
	return !left;
}

/* Anybody alone could have ended by then; memory may make it take all of them. */
static double long_enough(const struct equant_plan_equal *equal)
{
	double high = 0;

	for (int i = 0; i < equal->p; i++) {
		double time =
			time_of(equal, i, equal->n < equal->room[i] ? equal->n : equal->room[i]);

		if (time > high)
			high = time;
	}
	return high;
}

/*
 * In the least time more may be ended than there is to do, but not a moment
 * earlier: so it is those who end at that very moment that can do less.
 */
static void take_back(const struct equant_plan_equal *equal, double time, long surplus,
		      long *counts)
{
	double before = time > 0 ? equant_plan_below(time) : 0;

	for (int i = equal->p - 1; i >= 0 && surplus > 0; i--) {
		long spare = counts[i];

		if (time > 0)
			spare -= equant_plan_equal_fit(equal, i, before);
		if (spare > surplus)
			spare = surplus;
		counts[i] -= spare;
		surplus -= spare;
	}
}

double equant_plan_equal_optimum(const struct equant_plan_equal *equal, long *counts)
{
	double time = equant_plan_least(long_enough(equal), enough, (void *)equal);
	long surplus = -equal->n;
	int i;

	for (i = 0; i < equal->p && surplus < 0; i++) {
		counts[i] = equant_plan_equal_fit(equal, i, time);
		surplus += counts[i];
	}
	/* Sums of all may be too large for a number: stop at the first that is enough. */
	for (; i < equal->p; i++)
		counts[i] = 0;
	take_back(equal, time, surplus, counts);
	return time;
}
