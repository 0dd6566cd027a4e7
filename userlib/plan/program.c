// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A program: n iterations with x_i operations and y_i bytes, each constant,
 * affine in i or given one by one.
 *
 * Reference: Cierniak, Zaki, Li 1997, section 3.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_internal.h"

struct equant_plan_program *equant_plan_program_new(long iterations)
{
	struct equant_plan_program *program;

	if (iterations < 1 || iterations > EQUANT_PLAN_ITERATIONS) {
		errno = iterations < 1 ? EINVAL : EOVERFLOW;
		return NULL;
	}
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->iterations = iterations;
	program->work.constant = 1;
	return program;
}

void equant_plan_program_free(struct equant_plan_program *program)
{
	if (!program)
		return;
	free(program->work.each);
	free(program->bytes.each);
	free(program);
}

/* ---- costs ------------------------------------------------------------------------ */

static bool is_cost(double value)
{
	return isfinite(value) && value >= 0;
}

static int set_affine(struct equant_plan_cost *cost, long n, double slope, double constant)
{
	struct equant_plan_cost wanted = { .slope = slope, .constant = constant };

	/* Affine: if both ends are costs, all between them are. */
	if (!is_cost(equant_plan_cost_at(&wanted, 0)) ||
	    !is_cost(equant_plan_cost_at(&wanted, n - 1)))
		return -EINVAL;
	free(cost->each);
	*cost = wanted;
	return 0;
}

static int set_each(struct equant_plan_cost *cost, long n, const double *each)
{
	double *copy;

	for (long i = 0; i < n; i++)
		if (!is_cost(each[i]))
			return -EINVAL;
	copy = reallocarray(NULL, (size_t)n, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, each, (size_t)n * sizeof(*copy));
	free(cost->each);
	*cost = (struct equant_plan_cost){ .each = copy };
	return 0;
}

int equant_plan_program_work(struct equant_plan_program *program, double slope, double constant)
{
	return set_affine(&program->work, program->iterations, slope, constant);
}

int equant_plan_program_bytes(struct equant_plan_program *program, double slope, double constant)
{
	return set_affine(&program->bytes, program->iterations, slope, constant);
}

int equant_plan_program_work_each(struct equant_plan_program *program, const double *each)
{
	return set_each(&program->work, program->iterations, each);
}

int equant_plan_program_bytes_each(struct equant_plan_program *program, const double *each)
{
	return set_each(&program->bytes, program->iterations, each);
}

int equant_plan_program_resident(struct equant_plan_program *program, double fixed, double each)
{
	if (!is_cost(fixed) || !is_cost(each))
		return -EINVAL;
	program->resident = fixed;
	program->resident_each = each;
	return 0;
}

/* ---- what planners ask ------------------------------------------------------------- */

/* Sum of the paper's iteration numbers of a span. */
static double sum_of_numbers(struct equant_plan_span span)
{
	__int128 first = span.first + 1, last = first + (__int128)(span.count - 1) * span.step;

	return (double)((first + last) * span.count / 2);
}

double equant_plan_cost_sum(const struct equant_plan_cost *cost, struct equant_plan_span span)
{
	double sum = 0;

	if (!cost->each)
		return cost->slope * sum_of_numbers(span) + cost->constant * (double)span.count;
	for (long i = 0; i < span.count; i++)
		sum += cost->each[span.first + i * span.step];
	return sum;
}

bool equant_plan_cost_uniform(const struct equant_plan_cost *cost, long n)
{
	if (!cost->each)
		return cost->slope == 0 || n == 1;
	for (long i = 1; i < n; i++)
		if (cost->each[i] != cost->each[0])
			return false;
	return true;
}

bool equant_plan_sends(const struct equant_plan_program *program)
{
	const struct equant_plan_cost *bytes = &program->bytes;

	if (!bytes->each)
		return bytes->slope != 0 || bytes->constant != 0;
	for (long i = 0; i < program->iterations; i++)
		if (bytes->each[i] != 0)
			return true;
	return false;
}
