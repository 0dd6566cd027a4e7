/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The nested loops of Chronopoulos, Ni, Penmatsa, section II: what each iteration costs.
 */
#ifndef EQUANT_TOOL_WORKLOAD_H
#define EQUANT_TOOL_WORKLOAD_H

#include <stdint.h>

enum workload_kind {
	WORKLOAD_MANDELBROT, /* irregular: the steps of MSetLevel() on [-2,2] x [-2,2] */
	WORKLOAD_UNIFORM, /* 1 */
	WORKLOAD_INCREASING, /* K, from 1 */
	WORKLOAD_DECREASING, /* I - K + 1 */
	WORKLOAD_CONDITIONAL, /* 1 or 10, by a hash of the indices */
};

/* NULL-ended, in the order of enum workload_kind. */
extern const char *const workload_words[];

struct workload;

/**
 * workload_new() - a loop of size x size iterations, the columns outermost
 * @limit: maxiter of mandelbrot
 *
 * Return: NULL when there is no memory for 8 bytes per iteration.
 */
struct workload *workload_new(enum workload_kind kind, long size, long limit);
void workload_free(struct workload *workload);

/* Inner steps in a rectangle; all of the inner loop where @height is 0. */
double workload_steps(const struct workload *workload, int64_t column, int64_t width, int64_t row,
		      int64_t height);

#endif /* EQUANT_TOOL_WORKLOAD_H */
