/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The set on [-2, 2] x [-2, 2] (Chronopoulos, Ni, Penmatsa, section II): a point, and a part. */
#ifndef MANDELBROT_H
#define MANDELBROT_H

#include <stdint.h>

static inline double set_coordinate(long i, long n)
{
	return n > 1 ? -2 + (double)i * 4 / (double)(n - 1) : -2;
}

static inline uint32_t set_level(double cx, double cy, long limit)
{
	double x = 0, y = 0, x2 = 0, y2 = 0;
	long steps = 0;

	while (steps < limit && x2 + y2 < 2) {
		double next = x2 - y2 + cx;

		y = 2 * x * y + cy;
		x = next;
		x2 = x * x;
		y2 = y * y;
		steps++;
	}
	return (uint32_t)steps;
}

/* Columns first[0] on, rows first[1] on, of n x n @levels, column by column. */
static inline void set_compute(uint32_t *levels, long n, long limit, const int64_t *first,
			       const int64_t *extents)
{
	for (int64_t column = first[0]; column < first[0] + extents[0]; column++)
		for (int64_t row = first[1]; row < first[1] + extents[1]; row++)
			levels[column * n + row] =
				set_level(set_coordinate(column, n), set_coordinate(row, n), limit);
}

#endif /* MANDELBROT_H */
