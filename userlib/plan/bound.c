// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A time that no schedule can be faster than.
 *
 * If iterations could be split: for any weights u_j > 0 and the loads l_j <= T - alpha_j of a
 * schedule that takes T,
 *
 *	sum u_j max(0, T - alpha_j) >= sum u_j l_j >= sum over i of min over j of u_j g_ij
 *
 * (weak duality), and the least T that satisfies this is the bound.  With
 * u_j = 1 / (gamma_j X + beta_j Y), X and Y being all work and bytes, and s_j the part of
 * work in what the loop takes on processor j,
 *
 *	u_j g_ij = s_j x_i / X + (1 - s_j) y_i / Y
 *
 * so that only the smallest and the largest s_j matter, and the right side is
 *
 *	1 - (max s_j - min s_j) / 2 x sum |x_i / X - y_i / Y|.
 *
 * If work and bytes are in proportion, or one of them is all that takes time, that is 1.
 */
#include <stdlib.h>

#include "plan/plan_internal.h"

/* All work and bytes of a program, and whether it sends them. */
struct load {
	double work;
	double bytes;
	bool sends;
};

static struct load load_of(const struct equant_plan_program *program)
{
	struct equant_plan_span all = { .count = program->iterations, .step = 1 };

	return (struct load){
		.work = equant_plan_cost_sum(&program->work, all),
		.bytes = equant_plan_cost_sum(&program->bytes, all),
		.sends = equant_plan_sends(program),
	};
}

static double startup(const struct load *load, const struct equant_plan_processor *processor)
{
	return load->sends ? processor->startup : 0;
}

/* The whole loop on @processor, without the start-up. */
static double whole(const struct load *load, const struct equant_plan_processor *processor)
{
	return processor->operation * load->work + processor->byte * load->bytes;
}

/* ---- iterations that can be split ----------------------------------------------------- */

/**
 * struct weighted - a processor
 * @startup: alpha_j
 * @weight: u_j
 */
struct weighted {
	double startup;
	double weight;
};

static int by_startup(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return (x->startup > y->startup) - (x->startup < y->startup);
}

/* The least T with sum u_j max(0, T - alpha_j) >= @load. */
static double least_time(struct weighted *all, int p, double load)
{
	double weights = 0, startup = 0, time = 0;

	qsort(all, (size_t)p, sizeof(*all), by_startup);
	for (int j = 0; j < p; j++) {
		if (j > 0 && time <= all[j].startup)
			break;
		weights += all[j].weight;
		if (weights <= 0)
			continue;
		/* The mean so far: sums may be too large for a number where this is not. */
		startup += (all[j].startup - startup) * (all[j].weight / weights);
		time = load / weights + startup;
	}
	return time;
}

/* A cost's part of all of it that is in the first half of affine iterations. */
static double first_half(const struct equant_plan_cost *cost, long n, double all)
{
	struct equant_plan_span half = { .count = n / 2, .step = 1 };

	return n > 1 ? equant_plan_cost_sum(cost, half) / all : 0;
}

/* Half the sum of |x_i / X - y_i / Y|: how far work and bytes are from being in proportion. */
static double disproportion(const struct equant_plan_program *program, const struct load *load)
{
	const struct equant_plan_cost *work = &program->work, *bytes = &program->bytes;
	long n = program->iterations;
	double sum = 0;

	if (load->work <= 0 || load->bytes <= 0)
		return 0;
	/* Two affine parts, of the same sum, cross in the middle. */
	if (!work->each && !bytes->each)
		return fabs(first_half(work, n, load->work) - first_half(bytes, n, load->bytes));
	for (long i = 0; i < n; i++)
		sum += fabs(equant_plan_cost_at(work, i) / load->work -
			    equant_plan_cost_at(bytes, i) / load->bytes);
	return sum / 2;
}

/* Weights from 0 to 1, so that none is too small for a double; 0 out of memory. */
static double split(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine, const struct load *load)
{
	struct weighted *all = reallocarray(NULL, (size_t)machine->count, sizeof(*all));
	double least = INFINITY, low = 1, high = 0, time;

	for (int j = 0; j < machine->count; j++)
		least = fmin(least, whole(load, &machine->processors[j]));
	if (!all || least <= 0) {
		free(all);
		return 0;
	}
	for (int j = 0; j < machine->count; j++) {
		const struct equant_plan_processor *one = &machine->processors[j];
		double part = one->operation * load->work / whole(load, one);

		all[j].weight = least / whole(load, one);
		all[j].startup = startup(load, one);
		low = fmin(low, part);
		high = fmax(high, part);
	}
	time = least_time(all, machine->count,
			  least * (1 - (high - low) * disproportion(program, load)));
	free(all);
	return time;
}

/* ---- one iteration, all messages -------------------------------------------------------- */

static long dearest(const struct equant_plan_cost *cost, long n)
{
	long at = 0;

	if (!cost->each)
		return cost->slope > 0 ? n - 1 : 0;
	for (long i = 1; i < n; i++)
		if (cost->each[i] > cost->each[at])
			at = i;
	return at;
}

/* Iteration @at where it is done first. */
static double single(const struct equant_plan_program *program,
		     const struct equant_plan_machine *machine, const struct load *load, long at)
{
	double least = INFINITY;

	for (int j = 0; j < machine->count; j++) {
		const struct equant_plan_processor *one = &machine->processors[j];

		least = fmin(least, startup(load, one) + equant_plan_iteration(program, one, at));
	}
	return least;
}

static double messages(const struct equant_plan_machine *machine, const struct load *load)
{
	double least = INFINITY;

	if (!load->sends)
		return 0;
	for (int j = 0; j < machine->count; j++)
		least = fmin(least, machine->processors[j].startup);
	return least + machine->medium_startup + machine->medium_byte * load->bytes;
}

double equant_plan_bound(const struct equant_plan_program *program,
			 const struct equant_plan_machine *machine)
{
	struct load load = load_of(program);
	long n = program->iterations;
	double terms = program->work.each || program->bytes.each ? (double)n : 0;
	double bound = split(program, machine, &load);

	bound = fmax(bound, single(program, machine, &load, dearest(&program->work, n)));
	bound = fmax(bound, single(program, machine, &load, dearest(&program->bytes, n)));
	bound = fmax(bound, messages(machine, &load));
	/* Schedules and this are sums that were rounded, of so many terms. */
	return bound * (1 - DBL_EPSILON * (8 * (machine->count + 16.0) + 2 * terms));
}
