// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Costs of the loops of section II, kept as sums over all iterations before one in both
 * directions: a rectangle is four of them.  All are whole numbers below 2^53.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section II, algorithms MSetLSM and MSetLevel; iteration
 * stops at x^2 + y^2 = 2 as printed there.
 */
#include <stdlib.h>

#include "../../apps/mandelbrot.h"
#include "workload.h"

const char *const workload_words[] = { "mandelbrot", "uniform",	    "increasing",
				       "decreasing", "conditional", NULL };

struct workload {
	long size;
	double sums[];
};

static double *at(struct workload *workload, long column, long row)
{
	return &workload->sums[column * (workload->size + 1) + row];
}

/* An orbit that comes back to exactly where it was never leaves: all steps, without taking them. */
static long level(double cx, double cy, long limit)
{
	struct set_orbit z = { 0 }, old = { 0 };
	long steps = 0, remember = 1;

	while (steps < limit && set_is_bound(&z)) {
		set_step(&z, cx, cy);
		steps++;
		if (z.x == old.x && z.y == old.y)
			return limit;
		if (steps == remember) {
			old = z;
			remember *= 2;
		}
	}
	return steps;
}

/* splitmix64's finaliser. */
static uint64_t hash(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static double steps_of(enum workload_kind kind, long column, long row, long size, long limit)
{
	switch (kind) {
	case WORKLOAD_UNIFORM:
		return 1;
	case WORKLOAD_INCREASING:
		return (double)column + 1;
	case WORKLOAD_DECREASING:
		return (double)(size - column);
	case WORKLOAD_CONDITIONAL:
		return hash((uint64_t)(column * size + row) + 1) % 2 ? 10 : 1;
	default:
		return (double)level(set_coordinate(column, size), set_coordinate(row, size),
				     limit);
	}
}

struct workload *workload_new(enum workload_kind kind, long size, long limit)
{
	size_t edge = (size_t)size + 1;
	struct workload *workload;

	workload = calloc(1, sizeof(*workload) + edge * edge * sizeof(workload->sums[0]));
	if (!workload)
		return NULL;
	workload->size = size;
	for (long column = 0; column < size; column++) {
		double sum = 0;

		for (long row = 0; row < size; row++) {
			sum += steps_of(kind, column, row, size, limit);
			*at(workload, column + 1, row + 1) = *at(workload, column, row + 1) + sum;
		}
	}
	return workload;
}

void workload_free(struct workload *workload)
{
	free(workload);
}

double workload_steps(const struct workload *workload, int64_t column, int64_t width, int64_t row,
		      int64_t height)
{
	const double *before = &workload->sums[column * (workload->size + 1)];
	const double *last = &workload->sums[(column + width) * (workload->size + 1)];

	if (!height)
		height = workload->size;
	return last[row + height] - last[row] - before[row + height] + before[row];
}
