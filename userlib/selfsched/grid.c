// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Loops of several dimensions.  Each is cut by the scheme on its own; the chunks are the
 * products, handed out along diagonals, on which the numbers of the chunks in all dimensions
 * have the same sum.  Within a diagonal the first dimension's number falls up to the middle
 * diagonal and rises after it, as in table II.
 *
 * No rectangle is stored.  How many ways there are to reach a sum with the last dimensions
 * tells where a diagonal begins, and how many of its rectangles begin with a given number.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section V, table II, fig. 3.
 */
#include <errno.h>
#include <stdlib.h>

#include "selfsched/selfsched_internal.h"

#define STEPS_MOST (INT64_C(1) << 24)
#define RECTANGLES_MOST (INT64_C(1) << 62)

/**
 * struct dimension - one of them
 * @count: chunks
 * @edges: where each begins, and the end
 * @sums: sums that this dimension and the later ones can have, from 0
 * @upto: for each such sum s, the ways to have a sum of at most s
 */
struct dimension {
	int64_t count;
	int64_t *edges;
	int64_t sums;
	int64_t *upto;
};

struct equant_grid {
	int dimensions;
	int64_t count;
	struct dimension d[EQUANT_CHUNKS_DIMENSIONS + 1];
};

/* Ways for dimensions @n and later to have a sum of at most @sum. */
static int64_t ways_upto(const struct equant_grid *grid, int n, int64_t sum)
{
	const struct dimension *d = &grid->d[n];

	if (sum < 0)
		return 0;
	return d->upto[sum < d->sums ? sum : d->sums - 1];
}

/* p = p1 x p2 ...: each prime factor, the largest first, goes where most iterations are per part. */
static void factorise(int64_t workers, const struct equant_chunks_options *options,
		      int64_t parts[EQUANT_CHUNKS_DIMENSIONS])
{
	int64_t primes[64];
	int n = 0;

	for (int64_t f = 2; f * f <= workers; f++)
		for (; workers % f == 0; workers /= f)
			primes[n++] = f;
	if (workers > 1)
		primes[n++] = workers;
	for (int i = 0; i < options->dimensions; i++)
		parts[i] = 1;
	while (n-- > 0) {
		int most = 0;

		for (int i = 1; i < options->dimensions; i++)
			if (options->extents[i] / parts[i] > options->extents[most] / parts[most])
				most = i;
		parts[most] *= primes[n];
	}
}

static void divide_workers(int64_t workers, const struct equant_chunks_options *options,
			   int64_t parts[EQUANT_CHUNKS_DIMENSIONS])
{
	for (int i = 0; i < options->dimensions; i++) {
		parts[i] = workers;
		if (options->extents[i] < 4 * workers) {
			factorise(workers, options, parts);
			return;
		}
	}
}

static int cut(struct dimension *d, const struct equant_scheme *scheme, struct equant_line line)
{
	struct equant_line again = line;
	int64_t end = 0;

	while (again.left > 0) {
		equant_line_take(&again, scheme, 1);
		if (++d->count > STEPS_MOST)
			return -E2BIG;
	}
	d->edges = malloc((size_t)(d->count + 1) * sizeof(*d->edges));
	if (!d->edges)
		return -ENOMEM;
	d->edges[0] = 0;
	for (int64_t i = 1; i <= d->count; i++) {
		end += equant_line_take(&line, scheme, 1);
		d->edges[i] = end;
	}
	return 0;
}

/* From the last dimension back; beyond it there is one way, to have 0. */
static int count_ways(struct equant_grid *grid, int n)
{
	struct dimension *d = &grid->d[n];
	int64_t sum = 0;

	d->sums = n < grid->dimensions ? d[1].sums + d->count - 1 : 1;
	d->upto = malloc((size_t)d->sums * sizeof(*d->upto));
	if (!d->upto)
		return -ENOMEM;
	if (n == grid->dimensions) {
		d->upto[0] = 1;
		return 0;
	}
	for (int64_t s = 0; s < d->sums; s++) {
		sum += ways_upto(grid, n + 1, s) - ways_upto(grid, n + 1, s - d->count);
		d->upto[s] = sum;
	}
	return 0;
}

static int fill(struct equant_grid *grid, const struct equant_scheme *scheme,
		const struct equant_chunks_options *options, int64_t workers)
{
	int64_t parts[EQUANT_CHUNKS_DIMENSIONS];
	struct equant_line line;
	int error = 0;

	divide_workers(workers, options, parts);
	grid->count = 1;
	for (int i = 0; i < grid->dimensions && !error; i++) {
		equant_line_init(&line, scheme, options, options->extents[i], parts[i]);
		error = cut(&grid->d[i], scheme, line);
	}
	/* Nothing at all is not too much. */
	for (int i = 0; i < grid->dimensions && !error; i++)
		if (!grid->d[i].count)
			grid->count = 0;
	for (int i = 0; i < grid->dimensions && !error; i++)
		if (__builtin_mul_overflow(grid->count, grid->d[i].count, &grid->count) ||
		    grid->count > RECTANGLES_MOST)
			error = -EOVERFLOW;
	for (int i = grid->dimensions; i >= 0 && !error && grid->count; i--)
		error = count_ways(grid, i);
	return error;
}

struct equant_grid *equant_grid_new(const struct equant_scheme *scheme,
				    const struct equant_chunks_options *options, int64_t workers,
				    char *why, size_t why_size)
{
	struct equant_grid *grid = calloc(1, sizeof(*grid));
	int error = -ENOMEM;

	if (grid) {
		grid->dimensions = options->dimensions;
		error = fill(grid, scheme, options, workers);
	}
	if (!error)
		return grid;
	if (error == -E2BIG)
		equant_say(why, why_size, "%s: more than %lld chunks in one of %d dimensions",
			   scheme->name, (long long)STEPS_MOST, options->dimensions);
	else if (error == -EOVERFLOW)
		equant_say(why, why_size, "%s: more than 2^62 rectangles", scheme->name);
	else
		equant_say(why, why_size, "no memory for the chunks");
	equant_grid_free(grid);
	errno = -error;
	return NULL;
}

void equant_grid_free(struct equant_grid *grid)
{
	if (!grid)
		return;
	for (int i = 0; i <= grid->dimensions; i++) {
		free(grid->d[i].edges);
		free(grid->d[i].upto);
	}
	free(grid);
}

int64_t equant_grid_count(const struct equant_grid *grid)
{
	return grid->count;
}

/* The least sum of which @n is below what is reached up to it. */
static int64_t find_diagonal(const struct dimension *d, int64_t n)
{
	int64_t low = 0, high = d->sums - 1;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (n < d->upto[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * The number that dimension @k has in the @n-th way to a sum, the ways being ordered by
 * that number, falling or rising.  @n becomes the place among the ways with this number.
 */
static int64_t find_number(const struct equant_grid *grid, int k, int64_t sum, bool falling,
			   int64_t *n)
{
	int64_t low = 0, high = grid->d[k].count - 1, all = ways_upto(grid, k + 1, sum);
	/* The last in falling order is the first in rising order. */
	int64_t whole = all - ways_upto(grid, k + 1, sum - grid->d[k].count);
	int64_t place = falling ? whole - 1 - *n : *n, before;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (place < all - ways_upto(grid, k + 1, sum - middle - 1))
			high = middle;
		else
			low = middle + 1;
	}
	before = all - ways_upto(grid, k + 1, sum - low);
	place -= before;
	whole = ways_upto(grid, k + 1, sum - low) - ways_upto(grid, k + 1, sum - low - 1);
	*n = falling ? whole - 1 - place : place;
	return low;
}

void equant_grid_box(const struct equant_grid *grid, int64_t n, int64_t *first, int64_t *extents)
{
	int64_t sum = find_diagonal(&grid->d[0], n);
	bool falling = sum <= (grid->d[0].sums - 1) / 2;

	if (sum)
		n -= grid->d[0].upto[sum - 1];
	for (int i = 0; i < grid->dimensions; i++) {
		int64_t number = find_number(grid, i, sum, falling, &n);

		first[i] = grid->d[i].edges[number];
		extents[i] = grid->d[i].edges[number + 1] - first[i];
		sum -= number;
	}
}
