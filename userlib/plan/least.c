// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Parametric search: the least time in which something can be done, found by asking
 * whether it can be done in a given one.
 *
 * Non-negative doubles are in the order of their bits.  So bisection over the bits
 * ends at the least double itself, after at most 64 questions and without a tolerance:
 * what is found is the makespan of a schedule, and the double below it is too
 * little for any.  Only times at which some processor ends an iteration can be answers, and
 * whoever is asked knows the next of them: that saves half of the questions.
 */
#include <stdint.h>
#include <string.h>

#include "plan/search.h"

#define PRECISION (DBL_EPSILON * 64)
#define PATIENCE 16 /* questions, before bisection takes turns with interpolation */

static double from_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t to_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

double equant_plan_least(double high, bool (*enough)(void *ctx, double time, double *next),
			 void *ctx)
{
	uint64_t low = 0, most = to_bits(high), highest = most;
	double next;

	while (low < most) {
		uint64_t middle = low + (most - low) / 2;

		next = from_bits(middle);
		if (enough(ctx, next, &next))
			most = to_bits(next);
		else
			low = next > from_bits(middle) ? to_bits(next) : middle + 1;
		if (low > most)
			low = most;
	}
	/* Sums are rounded: where an iteration takes next to nothing, less time may seem to be needed with it than without. */
	for (uint64_t step = 1; most < highest && !enough(ctx, from_bits(most), &next); step *= 2)
		most = highest - most > step ? most + step : highest;
	return from_bits(most);
}

/* Where a straight line between the ends crosses zero, but never an end itself. */
static double interpolate(double low, double high, double at_low, double at_high)
{
	double time = low + (high - low) * (at_low / (at_low - at_high));
	double least = low * (1 + PRECISION / 2), most = high * (1 - PRECISION / 2);

	if (time < least)
		time = least;
	return time > most ? most : time;
}

double equant_plan_crossing(double high, double (*left)(void *ctx, double time), void *ctx)
{
	double low = 0, at_low = left(ctx, 0), at_high = left(ctx, high), stays;
	int side = -1;

	if (at_low <= 0)
		return 0;
	for (int asked = 1; low * (1 + PRECISION) < high; asked++) {
		double time = interpolate(low, high, at_low, at_high), at;

		/* Where the line leads nowhere, or is none. */
		if ((asked > PATIENCE && asked & 1) || !(time > low && time < high))
			time = from_bits(to_bits(low) + (to_bits(high) - to_bits(low)) / 2);
		if (time == low)
			break;
		at = left(ctx, time);
		/* An end that stays twice counts half, or it would stay for ever (Illinois). */
		stays = side == (at > 0) ? 0.5 : 1;
		side = at > 0;
		if (side) {
			low = time;
			at_low = at;
			at_high *= stays;
		} else {
			high = time;
			at_high = at;
			at_low *= stays;
		}
	}
	return high;
}

double equant_plan_below(double time)
{
	return from_bits(to_bits(time) - 1);
}
