// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Iterations in the order of falling weights, equal ones as they were.
 *
 * Radix sort from the lowest digit up: doubles are in the order of their bits if the sign
 * bit of positive and all bits of negative ones are flipped.  A million iterations are
 * compared twenty million times, mostly with a wrong guess at the outcome; they have eight digits.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/deal.h"

#define DIGITS 8
#define VALUES 256

/* Falls where @weight rises. */
static uint64_t key_of(double weight)
{
	uint64_t bits;

	weight += 0.0; /* -0 is 0 */
	memcpy(&bits, &weight, sizeof(bits));
	return bits >> 63 ? bits : ~(bits | UINT64_C(1) << 63);
}

static unsigned int digit(uint64_t key, int d)
{
	return key >> 8 * d & (VALUES - 1);
}

static void count(const struct equant_plan_weighed *weighed, long n, long counts[DIGITS][VALUES])
{
	memset(counts, 0, DIGITS * sizeof(counts[0]));
	for (long k = 0; k < n; k++) {
		uint64_t key = key_of(weighed[k].weight);

		for (int d = 0; d < DIGITS; d++)
			counts[d][digit(key, d)]++;
	}
}

/* @counts become where the next of each value goes; false if all have the same. */
static bool layout(long *counts, long n)
{
	long at = 0;

	for (int value = 0; value < VALUES; value++) {
		long many = counts[value];

		if (many == n)
			return false;
		counts[value] = at;
		at += many;
	}
	return true;
}

static void spread(const struct equant_plan_weighed *from, struct equant_plan_weighed *to, long n,
		   int d, long *places)
{
	for (long k = 0; k < n; k++)
		to[places[digit(key_of(from[k].weight), d)]++] = from[k];
}

int equant_plan_sort(struct equant_plan_weighed *weighed, long n)
{
	struct equant_plan_weighed *other = reallocarray(NULL, (size_t)n, sizeof(*other));
	struct equant_plan_weighed *from = weighed, *to = other, *kept;
	long counts[DIGITS][VALUES];

	if (!other)
		return n ? -ENOMEM : 0;
	count(weighed, n, counts);
	for (int d = 0; d < DIGITS; d++) {
		if (!layout(counts[d], n))
			continue;
		spread(from, to, n, d, counts[d]);
		kept = from;
		from = to;
		to = kept;
	}
	if (from != weighed)
		memcpy(weighed, from, (size_t)n * sizeof(*weighed));
	free(other);
	return 0;
}
