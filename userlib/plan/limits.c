// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a processor can hold, and what its message takes before the first byte.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 4.2 and 7.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/search.h"

/* The program needs resident + resident_each k bytes for k > 0. */
static bool fit(const struct equant_plan_program *program, double memory, long k)
{
	return program->resident + program->resident_each * (double)k <= memory;
}

/* How many do. */
static long room_of(const struct equant_plan_program *program, double memory)
{
	long good = 0, bad = program->iterations + 1;

	while (bad - good > 1) {
		long middle = good + (bad - good) / 2;

		if (fit(program, memory, middle))
			good = middle;
		else
			bad = middle;
	}
	return good;
}

static double largest_memory(const struct equant_plan_machine *machine)
{
	double largest = 0;

	for (int i = 0; i < machine->count; i++)
		if (machine->processors[i].memory > largest)
			largest = machine->processors[i].memory;
	return largest;
}

/* What one processor needs more for @missing iterations more, where that is least. */
static double least_shortfall(const struct equant_plan_program *program,
			      const struct equant_plan_machine *machine, long missing)
{
	double least = INFINITY;

	for (int i = 0; i < machine->count; i++) {
		double memory = machine->processors[i].memory;
		double iterations = (double)(room_of(program, memory) + missing);
		double needed = program->resident + iterations * program->resident_each;

		least = fmin(least, needed - memory);
	}
	return least;
}

int equant_plan_check_room(const struct equant_plan_program *program,
			   const struct equant_plan_machine *machine, char *why, size_t why_size)
{
	double first = program->resident + program->resident_each;
	long missing = program->iterations;

	for (int i = 0; i < machine->count && missing > 0; i++) {
		long room = room_of(program, machine->processors[i].memory);

		missing -= room < missing ? room : missing;
	}
	if (!missing)
		return 0;
	if (missing == program->iterations)
		equant_say(
			why, why_size,
			"memory too small for any schedule: one iteration needs %.0f bytes, %.0f more than the largest memory",
			first, first - largest_memory(machine));
	else
		equant_say(
			why, why_size,
			"memory too small for any schedule: %ld of %ld iterations fit, one processor needs %.0f bytes more for the other %ld",
			program->iterations - missing, program->iterations,
			least_shortfall(program, machine, missing), missing);
	return -ENOSPC;
}

int equant_plan_limits_none(struct equant_plan_limits *limits,
			    const struct equant_plan_program *program,
			    const struct equant_plan_machine *machine)
{
	size_t p = (size_t)machine->count;

	limits->startup = reallocarray(NULL, p, sizeof(*limits->startup));
	limits->room = reallocarray(NULL, p, sizeof(*limits->room));
	if (!limits->startup || !limits->room)
		return -ENOMEM;
	for (size_t i = 0; i < p; i++) {
		limits->startup[i] = 0;
		limits->room[i] = program->iterations;
	}
	return 0;
}

int equant_plan_limits_startups(struct equant_plan_limits *limits,
				const struct equant_plan_program *program,
				const struct equant_plan_machine *machine, char *why,
				size_t why_size)
{
	bool sends = equant_plan_sends(program);
	int error;

	*limits = (struct equant_plan_limits){ 0 };
	if (sends && equant_plan_has_medium(machine)) {
		equant_say(
			why, why_size,
			"messages that need a shared medium are not what this planner is made for");
		return -EOPNOTSUPP;
	}
	error = equant_plan_limits_none(limits, program, machine);
	for (int i = 0; !error && sends && i < machine->count; i++)
		limits->startup[i] = machine->processors[i].startup;
	return error;
}

int equant_plan_limits_init(struct equant_plan_limits *limits,
			    const struct equant_plan_program *program,
			    const struct equant_plan_machine *machine, char *why, size_t why_size)
{
	int error = equant_plan_limits_startups(limits, program, machine, why, why_size);

	if (error)
		return error;
	for (int i = 0; i < machine->count; i++)
		limits->room[i] = room_of(program, machine->processors[i].memory);
	return 0;
}

void equant_plan_limits_release(struct equant_plan_limits *limits)
{
	free(limits->startup);
	free(limits->room);
	*limits = (struct equant_plan_limits){ 0 };
}
