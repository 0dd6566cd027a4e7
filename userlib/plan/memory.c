// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Equal iterations where memory is a limit: in proportion to speeds (NPS + RMS), or to
 * memories (MEM).  Who would get more than its memory holds gets as much as that; the
 * others share what is left in the same proportions, until nobody has too much.
 *
 * Reference: Cierniak, Zaki, Li 1997, section 7.2 and table 5.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/search.h"

/**
 * struct sharing - processors that still share
 * @who: their indices, @many of them
 * @time: for one iteration each; the inverse of the part they get
 * @counts: what they would get
 * @many: how many
 */
struct sharing {
	int *who;
	double *time;
	long *counts;
	int many;
};

static int sharing_init(struct sharing *sharing, int p)
{
	*sharing = (struct sharing){
		.who = reallocarray(NULL, (size_t)p, sizeof(int)),
		.time = reallocarray(NULL, (size_t)p, sizeof(double)),
		.counts = reallocarray(NULL, (size_t)p, sizeof(long)),
		.many = p,
	};
	return sharing->who && sharing->time && sharing->counts ? 0 : -ENOMEM;
}

static void sharing_release(struct sharing *sharing)
{
	free(sharing->who);
	free(sharing->time);
	free(sharing->counts);
}

/* Those who would get too much get what they can have; what they leave is in @n. */
static bool cut(struct sharing *sharing, const struct equant_plan_limits *limits, long *n,
		long *counts)
{
	int many = sharing->many, keep = 0;

	for (int k = 0; k < many; k++) {
		int i = sharing->who[k];

		if (sharing->counts[k] > limits->room[i]) {
			counts[i] = limits->room[i];
			*n -= counts[i];
			continue;
		}
		sharing->who[keep] = i;
		sharing->time[keep++] = sharing->time[k];
	}
	sharing->many = keep;
	return keep < many;
}

static void share(struct sharing *sharing, const struct equant_plan_limits *limits, long n,
		  long *counts)
{
	do
		equant_plan_share(sharing->time, sharing->many, n, sharing->counts);
	while (cut(sharing, limits, &n, counts) && sharing->many);
	for (int k = 0; k < sharing->many; k++)
		counts[sharing->who[k]] = sharing->counts[k];
}

static int solve(const struct equant_plan_program *program,
		 const struct equant_plan_machine *machine, const double *time,
		 struct equant_plan_draft *draft, char *why, size_t why_size)
{
	struct equant_plan_limits limits;
	struct sharing sharing = { 0 };
	long *counts = calloc((size_t)machine->count, sizeof(*counts));
	int error = equant_plan_limits_init(&limits, program, machine, why, why_size);

	if (!error)
		error = counts ? sharing_init(&sharing, machine->count) : -ENOMEM;
	if (!error) {
		for (int i = 0; i < machine->count; i++) {
			sharing.who[i] = i;
			sharing.time[i] = time[i];
		}
		share(&sharing, &limits, program->iterations, counts);
		error = equant_plan_give_blocks(draft, counts);
	}
	sharing_release(&sharing);
	equant_plan_limits_release(&limits);
	free(counts);
	return error;
}

static int check_equal(const struct equant_plan_program *program, char *why, size_t why_size)
{
	if (equant_plan_cost_uniform(&program->work, program->iterations) &&
	    equant_plan_cost_uniform(&program->bytes, program->iterations))
		return 0;
	equant_say(why, why_size, "iterations are not equal: optimum-blocks knows memory too");
	return -EOPNOTSUPP;
}

static int plan_memory(const struct equant_plan_program *program,
		       const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		       char *why, size_t why_size)
{
	double *time = reallocarray(NULL, (size_t)machine->count, sizeof(*time));
	int error = check_equal(program, why, why_size);

	if (!error && !time)
		error = -ENOMEM;
	for (int i = 0; !error && i < machine->count; i++)
		time[i] = fmax(equant_plan_iteration(program, &machine->processors[i], 0), DBL_MIN);
	if (!error)
		error = solve(program, machine, time, draft, why, why_size);
	free(time);
	return error;
}

const struct equant_planner equant_planner_memory = {
	.name = "memory",
	.summary = "equal iterations by speed, as far as memory goes (NPS + RMS)",
	.plan = plan_memory,
};

static int plan_memory_share(const struct equant_plan_program *program,
			     const struct equant_plan_machine *machine,
			     struct equant_plan_draft *draft, char *why, size_t why_size)
{
	double *time = reallocarray(NULL, (size_t)machine->count, sizeof(*time));
	int error = check_equal(program, why, why_size);

	if (!error && !time)
		error = -ENOMEM;
	for (int i = 0; !error && i < machine->count; i++) {
		double memory = machine->processors[i].memory;

		if (isinf(memory)) {
			equant_say(why, why_size,
				   "processor %d ('%s') has no memory limit to share by", i + 1,
				   machine->processors[i].name);
			error = -EOPNOTSUPP;
		}
		time[i] = 1 / fmax(memory, DBL_MIN);
	}
	if (!error)
		error = solve(program, machine, time, draft, why, why_size);
	free(time);
	return error;
}

const struct equant_planner equant_planner_memory_share = {
	.name = "memory-share",
	.summary = "equal iterations in proportion to memory (MEM)",
	.plan = plan_memory_share,
};
