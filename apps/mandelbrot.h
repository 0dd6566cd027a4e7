/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The set on [-2, 2] x [-2, 2] (Chronopoulos, Ni, Penmatsa, section II): a point, and a part. */
#ifndef MANDELBROT_H
#define MANDELBROT_H

#include <stdint.h>

static inline double set_coordinate(long i, long n)
{
	return n > 1 ? -2 + (double)i * 4 / (double)(n - 1) : -2;
}

/* z of z^2 + c, and its parts' squares; |z| < sqrt(2) as the paper prints it. */
struct set_orbit {
	double x, y, x2, y2;
};

static inline int set_is_bound(const struct set_orbit *z)
{
	return z->x2 + z->y2 < 2;
}

static inline void set_step(struct set_orbit *z, double cx, double cy)
{
	double next = z->x2 - z->y2 + cx;

	z->y = 2 * z->x * z->y + cy;
	z->x = next;
	z->x2 = z->x * z->x;
	z->y2 = z->y * z->y;
}

static inline uint32_t set_level(double cx, double cy, long limit)
{
	struct set_orbit z = { 0 };
	long steps = 0;

	for (; steps < limit && set_is_bound(&z); steps++)
		set_step(&z, cx, cy);
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
