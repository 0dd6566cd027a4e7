// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Work in proportion to what each CPU has left, and the amounts of work for
 * which that division fits the scheduler's rounds:
 *
 *	lcm     = least common multiple of the loads
 *	w_i     = lcm / load_i quanta
 *	w_total = sum w_i,  grain_peak = w_total / P
 *
 * Whole numbers throughout: the peaks are as narrow as a single tick.
 *
 * Reference: Siegell 1995, section 3.4.2 (which says "greatest common multiple"
 * and means the least: its own figures, 1.75, 2.50, 3.25 and 19.25, say so).
 */
#include <errno.h>
#include <stdlib.h>

#include "model/model_internal.h"

static int64_t greatest_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* lcm and the sum of lcm / load_i. */
static int common_multiple(const struct equant_machine *machine, int64_t *lcm, int64_t *sum)
{
	if (!equant_machine_valid(machine))
		return -EINVAL;
	*lcm = 1;
	for (int i = 0; i < machine->n; i++) {
		int64_t tasks = machine->turns[i].tasks;

		if (__builtin_mul_overflow(*lcm, tasks / greatest_divisor(*lcm, tasks), lcm))
			return -EOVERFLOW;
	}
	*sum = 0;
	for (int i = 0; i < machine->n; i++)
		if (__builtin_add_overflow(*sum, *lcm / machine->turns[i].tasks, sum))
			return -EOVERFLOW;
	return 0;
}

int equant_peak_work(const struct equant_machine *machine, int64_t *total)
{
	int64_t lcm, sum;
	int error = common_multiple(machine, &lcm, &sum);

	if (error)
		return error;
	return __builtin_mul_overflow(sum, machine->quantum, total) ? -EOVERFLOW : 0;
}

struct remainder {
	int64_t rest;
	int rank;
};

static int by_rest(const void *left, const void *right)
{
	const struct remainder *a = left, *b = right;

	if (a->rest != b->rest)
		return a->rest > b->rest ? -1 : 1;
	return a->rank - b->rank;
}

int equant_divide(const struct equant_machine *machine, int64_t total, int64_t *work)
{
	struct remainder *remainders;
	int64_t lcm, sum, left = total;
	int error = common_multiple(machine, &lcm, &sum);

	if (error || total < 0)
		return error ? error : -EINVAL;
	remainders = calloc(machine->n, sizeof(*remainders));
	if (!remainders)
		return -ENOMEM;
	for (int i = 0; i < machine->n; i++) {
		__int128 part = (__int128)total * (lcm / machine->turns[i].tasks);

		work[i] = (int64_t)(part / sum);
		remainders[i] = (struct remainder){ .rest = (int64_t)(part % sum), .rank = i };
		left -= work[i];
	}
	qsort(remainders, machine->n, sizeof(*remainders), by_rest);
	for (int64_t i = 0; i < left; i++)
		work[remainders[i].rank]++;
	free(remainders);
	return 0;
}
