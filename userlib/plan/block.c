// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The same number of contiguous iterations to every processor, one more to the
 * first n mod p of them: what does not know the machine.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 2.1 and 5.
 */
#include "plan/plan_internal.h"

static int plan_block(const struct equant_plan_program *program,
		      const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		      char *why, size_t why_size)
{
	long each = program->iterations / machine->count,
	     more = program->iterations % machine->count;
	long first = 0;

	(void)why;
	(void)why_size;
	for (int i = 0; i < machine->count; i++) {
		long count = each + (i < more);
		int error = equant_plan_give(draft, i, first, count, 1);

		if (error)
			return error;
		first += count;
	}
	return 0;
}

const struct equant_planner equant_planner_block = {
	.name = "block",
	.summary = "equal blocks, whatever the processors and iterations are",
	.plan = plan_block,
};
