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
	uint64_t low = 0, most = to_bits(high);

	while (low < most) {
		uint64_t middle = low + (most - low) / 2;
		double next = from_bits(middle);

		if (enough(ctx, next, &next))
			most = to_bits(next);
		else
			low = next > from_bits(middle) ? to_bits(next) : middle + 1;
		if (low > most)
			low = most;
	}
	return from_bits(most);
}

double equant_plan_below(double time)
{
	return from_bits(to_bits(time) - 1);
}
