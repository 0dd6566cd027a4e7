// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Unequal iterations in any assignment: which is best is NP-hard to find, so a good
 * one and a bound.
 *
 * Start with longest-first, or where processors differ in what they are good at
 * with the best blocks in the order of comparative advantage if those are better; then
 * exchange iterations.
 *
 * Reference: the problem of Cierniak, Zaki, Li 1997, sections 5, 6.3 and 8.2.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"

/* The iteration at place @k of the chain's order. */
static void deal_one(struct equant_plan_deal *deal, const struct equant_plan_chain *compared, int i,
		     long k)
{
	const long *items = compared->items;
	long at = items ? items[k] : k;

	if (items && k + EQUANT_PLAN_AHEAD < deal->program->iterations) {
		equant_plan_prefetch(deal->program, items[k + EQUANT_PLAN_AHEAD]);
		__builtin_prefetch(&deal->owner[items[k + EQUANT_PLAN_AHEAD]], 1);
	}
	equant_plan_deal_add(deal, i, at, equant_plan_deal_time(deal, i, at));
}

static int deal_blocks(struct equant_plan_deal *deal, const struct equant_plan_chain *compared)
{
	long *ends = reallocarray(NULL, (size_t)deal->machine->count, sizeof(*ends));
	long at = 0;

	if (!ends)
		return -ENOMEM;
	equant_plan_chain_optimum(compared, ends);
	for (int k = 0; k < deal->machine->count; k++)
		while (at < ends[k])
			deal_one(deal, compared, compared->order[k], at++);
	free(ends);
	return 0;
}

/* @compared: without an order if all processors are good at the same. */
static int start(struct equant_plan_deal *deal, const struct equant_plan_chain *compared,
		 const struct equant_plan_item *heaviest)
{
	int error = equant_plan_deal_longest(deal, heaviest);
	struct equant_plan_deal blocks;

	if (error || !compared->order)
		return error;
	error = equant_plan_deal_init(&blocks, deal->program, deal->machine, deal->limits, NULL, 0);
	if (!error)
		error = deal_blocks(&blocks, compared);
	if (!error && equant_plan_deal_makespan(&blocks) <= equant_plan_deal_makespan(deal))
		equant_plan_deal_copy(deal, &blocks);
	equant_plan_deal_release(&blocks);
	return error;
}

static int bound_and_start(struct equant_plan_deal *deal, const struct equant_plan_chain *compared,
			   double *bound)
{
	struct equant_plan_item *heaviest = equant_plan_heaviest(deal->program, deal->machine);
	int error = -ENOMEM;

	if (heaviest)
		error = equant_plan_lower_bound(compared, heaviest, bound);
	if (!error)
		error = start(deal, compared, heaviest);
	free(heaviest);
	return error;
}

static int solve(struct equant_plan_deal *deal, struct equant_plan_draft *draft)
{
	struct equant_plan_chain chain = { .program = deal->program,
					   .machine = deal->machine,
					   .limits = deal->limits };
	int *order;
	long *items;
	int error = equant_plan_compared(&chain, &order, &items);

	if (!error)
		error = bound_and_start(deal, &chain, &draft->plan->bound);
	equant_plan_chain_release(&chain);
	free(order);
	free(items);
	if (!error && equant_plan_deal_makespan(deal) > draft->plan->bound)
		error = equant_plan_deal_exchange(deal);
	return error ? error : equant_plan_deal_give(deal, draft);
}

static int plan_longest(const struct equant_plan_program *program,
			const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
			char *why, size_t why_size)
{
	struct equant_plan_limits limits;
	struct equant_plan_deal deal = { 0 };
	int error = equant_plan_limits_init(&limits, program, machine, why, why_size);

	if (!error)
		error = equant_plan_deal_init(&deal, program, machine, &limits, why, why_size);
	if (!error)
		error = solve(&deal, draft);
	equant_plan_deal_release(&deal);
	equant_plan_limits_release(&limits);
	return error;
}

const struct equant_planner equant_planner_longest_first = {
	.name = "longest-first",
	.summary =
		"any iterations to any processor, the longest first, then exchanges; with a bound",
	.plan = plan_longest,
};
