// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A loop of affine costs as one of equal costs:
 *
 *	x_i + x_n-i+1 = a (n + 1) + 2 b
 *
 * so iteration i and iteration n - i + 1 are together one iteration of a loop half
 * as long, in which all are equal.  A processor's pairs are neighbours: what it
 * has is one block at the end of the loop and one at its beginning.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 5.1.1 and 5.2.
 */
#include <errno.h>

#include "plan/plan_internal.h"

int equant_plan_affine(const struct equant_plan_program *program, char *why, size_t why_size)
{
	if (!program->work.each && !program->bytes.each)
		return 0;
	equant_say(why, why_size, "%s is given for each iteration, and must be affine here",
		   program->work.each ? "work" : "what is sent");
	return -EOPNOTSUPP;
}

bool equant_plan_rises(const struct equant_plan_program *program,
		       const struct equant_plan_processor *processor)
{
	return processor->operation * program->work.slope + processor->byte * program->bytes.slope >
	       0;
}

int equant_plan_give_pairs(struct equant_plan_draft *draft, int processor, long first, long pairs,
			   long from, long count)
{
	int error = equant_plan_give(draft, processor, first + 2 * pairs - from - count, count, 1);

	return error ? error : equant_plan_give(draft, processor, first + from, count, 1);
}
