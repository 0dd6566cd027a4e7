// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Planners that are exactly optimal: for equal iterations, and for blocks in the order of
 * the processors whatever the iterations are.  Both know memory limits and start-ups,
 * and leave processors out when that is faster.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/search.h"

/* ---- equal iterations ------------------------------------------------------------------ */

static int solve_equal(const struct equant_plan_program *program,
		       const struct equant_plan_machine *machine,
		       const struct equant_plan_limits *limits, struct equant_plan_draft *draft)
{
	double *each = reallocarray(NULL, (size_t)machine->count, sizeof(*each));
	long *counts = reallocarray(NULL, (size_t)machine->count, sizeof(*counts));
	struct equant_plan_equal equal = { program->iterations, machine->count, limits->startup,
					   each, limits->room };
	int error = -ENOMEM;

	if (each && counts) {
		for (int i = 0; i < machine->count; i++)
			each[i] = equant_plan_iteration(program, &machine->processors[i], 0);
		draft->plan->bound = equant_plan_equal_optimum(&equal, counts);
		error = equant_plan_give_blocks(draft, counts);
	}
	free(each);
	free(counts);
	return error;
}

static int plan_equal(const struct equant_plan_program *program,
		      const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		      char *why, size_t why_size)
{
	struct equant_plan_limits limits;
	int error;

	if (!equant_plan_cost_uniform(&program->work, program->iterations) ||
	    !equant_plan_cost_uniform(&program->bytes, program->iterations)) {
		equant_say(why, why_size,
			   "iterations are not equal: optimum-blocks or longest-first can do that");
		return -EOPNOTSUPP;
	}
	error = equant_plan_limits_init(&limits, program, machine, why, why_size);
	if (!error)
		error = solve_equal(program, machine, &limits, draft);
	equant_plan_limits_release(&limits);
	return error;
}

const struct equant_planner equant_planner_optimum = {
	.name = "optimum",
	.summary = "equal iterations: no assignment is faster",
	.plan = plan_equal,
};

/* ---- blocks --------------------------------------------------------------------------------- */

static int give_chain(struct equant_plan_draft *draft, const long *ends)
{
	long first = 0;

	for (int i = 0; i < draft->plan->processors; i++) {
		int error = equant_plan_give(draft, i, first, ends[i] - first, 1);

		if (error)
			return error;
		first = ends[i];
	}
	return 0;
}

static int plan_blocks(const struct equant_plan_program *program,
		       const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		       char *why, size_t why_size)
{
	struct equant_plan_limits limits;
	struct equant_plan_chain chain = { program, machine, &limits, NULL, NULL, NULL, NULL };
	long *ends = reallocarray(NULL, (size_t)machine->count, sizeof(*ends));
	int error = equant_plan_limits_init(&limits, program, machine, why, why_size);

	if (!error)
		error = ends ? equant_plan_chain_init(&chain) : -ENOMEM;
	if (!error) {
		draft->plan->bound = equant_plan_chain_optimum(&chain, ends);
		error = give_chain(draft, ends);
	}
	equant_plan_chain_release(&chain);
	equant_plan_limits_release(&limits);
	free(ends);
	return error;
}

const struct equant_planner equant_planner_optimum_blocks = {
	.name = "optimum-blocks",
	.summary = "blocks in the order of the processors: no other blocks are faster",
	.plan = plan_blocks,
};
