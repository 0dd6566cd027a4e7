// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Affine loops on equal processors.  The r = n mod 2p cheapest iterations are
 * taken out; the others are pairs of equal cost, the same number for everybody.
 * If r <= p, r processors get one more each.  Otherwise the first r - p get two,
 * the cheapest with the dearest of the 2 (r - p) cheapest, and the others get one
 * of the 2p - r that are left.
 *
 * The cheapest are the first r iterations if gamma a + beta c > 0, else the last.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 5.1 and 5.2, figure 4.
 */
#include <errno.h>

#include "plan/plan_internal.h"

/* Places of the @count cheapest iterations, the cheapest first. */
struct cheapest {
	bool rises;
	long n;
	long count;
};

static int give_cheapest(struct equant_plan_draft *draft, const struct cheapest *cheapest,
			 int processor, long at)
{
	return equant_plan_give(draft, processor, cheapest->rises ? at : cheapest->n - 1 - at, 1,
				1);
}

/* Processor @i's part of the r cheapest; none, one, or two that make a pair. */
static int give_rest(struct equant_plan_draft *draft, const struct cheapest *cheapest, int i)
{
	long r = cheapest->count, two = r - draft->plan->processors;
	int error;

	if (two <= 0)
		return i < r ? give_cheapest(draft, cheapest, i, i) : 0;
	if (i >= two)
		return give_cheapest(draft, cheapest, i, two + i);
	error = give_cheapest(draft, cheapest, i, i);
	return error ? error : give_cheapest(draft, cheapest, i, 2 * two - 1 - i);
}

static int plan_bitonic(const struct equant_plan_program *program,
			const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
			char *why, size_t why_size)
{
	long n = program->iterations, p = machine->count, each = n / (2 * p);
	struct cheapest cheapest = { .n = n, .count = n % (2 * p) };
	int error = equant_plan_affine(program, why, why_size);
	long first;

	if (!error && !equant_plan_equal_processors(machine)) {
		equant_say(why, why_size, "the processors are unequal");
		error = -EOPNOTSUPP;
	}
	cheapest.rises = equant_plan_rises(program, &machine->processors[0]);
	first = cheapest.rises ? cheapest.count : 0;
	for (int i = 0; !error && i < p; i++) {
		error = equant_plan_give_pairs(draft, i, first, p * each, i * each, each);
		if (!error)
			error = give_rest(draft, &cheapest, i);
	}
	return error;
}

const struct equant_planner equant_planner_bitonic = {
	.name = "bitonic",
	.summary = "affine iterations on equal processors: dear ones with cheap ones",
	.plan = plan_bitonic,
};
