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
 * u_j = 1 / (gamma_j X + beta_j Y), X and Y being all work and bytes, the right side is 1 for
 * equal iterations, all u_j g_ij being equal; in general it is at least
 * X min(u_j gamma_j) + Y min(u_j beta_j).
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
	double weights = 0, startups = 0, time = 0;

	qsort(all, (size_t)p, sizeof(*all), by_startup);
	for (int j = 0; j < p; j++) {
		if (j > 0 && time <= all[j].startup)
			break;
		weights += all[j].weight;
		startups += all[j].weight * all[j].startup;
		time = (load + startups) / weights;
	}
	return time;
}

/* Weights from 0 to 1, so that none is too small for a double; 0 out of memory. */
static double split(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine, const struct load *load)
{
	struct weighted *all = reallocarray(NULL, (size_t)machine->count, sizeof(*all));
	double least = INFINITY, work = INFINITY, bytes = INFINITY, time = 0;

	for (int j = 0; j < machine->count; j++)
		least = fmin(least, whole(load, &machine->processors[j]));
	if (!all || least <= 0) {
		free(all);
		return 0;
	}
	for (int j = 0; j < machine->count; j++) {
		const struct equant_plan_processor *one = &machine->processors[j];

		all[j].weight = least / whole(load, one);
		all[j].startup = startup(load, one);
		work = fmin(work, all[j].weight * one->operation);
		bytes = fmin(bytes, all[j].weight * one->byte);
	}
	if (equant_plan_cost_uniform(&program->work, program->iterations) &&
	    equant_plan_cost_uniform(&program->bytes, program->iterations))
		time = least_time(all, machine->count, least);
	else
		time = least_time(all, machine->count, work * load->work + bytes * load->bytes);
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
	double bound = split(program, machine, &load);

	bound = fmax(bound, single(program, machine, &load, dearest(&program->work, n)));
	bound = fmax(bound, single(program, machine, &load, dearest(&program->bytes, n)));
	return fmax(bound, messages(machine, &load));
}
