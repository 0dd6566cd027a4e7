// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Iterations dealt out in turn: round robin, the static interleaved scheme.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 2.1 and 5.1.2.
 */
#include "plan/plan_internal.h"

static int plan_cyclic(const struct equant_plan_program *program,
		       const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		       char *why, size_t why_size)
{
	int p = machine->count;

	(void)why;
	(void)why_size;
	for (int i = 0; i < p && i < program->iterations; i++) {
		int error = equant_plan_give(draft, i, i, (program->iterations - 1 - i) / p + 1, p);

		if (error)
			return error;
	}
	return 0;
}

const struct equant_planner equant_planner_cyclic = {
	.name = "cyclic",
	.summary = "one iteration after the other, round robin",
	.plan = plan_cyclic,
};
