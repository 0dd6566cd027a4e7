// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Improvement of a schedule: as long as the processor that ends last would end earlier, one of
 * its iterations moves to another processor or is swapped for one of another's, without
 * making that one end as late.  Of all such exchanges the best is made.
 *
 * A fixed number of exchanges is looked at, so that a large loop takes no longer than
 * it may and the answer does not depend on the machine.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"

#define LOOKS 1000000L
#define GAIN 1e-12 /* of the makespan, and more than rounding can pretend */

/* What each processor owns, as lists; -1 ends one. */
struct lists {
	int *first; /* by processor */
	int *next; /* by iteration */
	int *before;
};

static int lists_init(struct lists *lists, const struct equant_plan_deal *deal)
{
	size_t n = (size_t)deal->program->iterations, p = (size_t)deal->machine->count;

	lists->first = reallocarray(NULL, p, sizeof(int));
	lists->next = reallocarray(NULL, n, sizeof(int));
	lists->before = reallocarray(NULL, n, sizeof(int));
	return lists->first && lists->next && lists->before ? 0 : -ENOMEM;
}

static void lists_release(struct lists *lists)
{
	free(lists->first);
	free(lists->next);
	free(lists->before);
}

static void link_in(struct lists *lists, int i, int at)
{
	lists->before[at] = -1;
	lists->next[at] = lists->first[i];
	if (lists->first[i] >= 0)
		lists->before[lists->first[i]] = at;
	lists->first[i] = at;
}

static void link_out(struct lists *lists, int i, int at)
{
	if (lists->before[at] >= 0)
		lists->next[lists->before[at]] = lists->next[at];
	else
		lists->first[i] = lists->next[at];
	if (lists->next[at] >= 0)
		lists->before[lists->next[at]] = lists->before[at];
}

/**
 * struct exchange - an iteration of the last processor goes, another may come for it
 * @goes: the iteration
 * @to: where it goes
 * @comes: what comes back, or -1
 * @time: when the later of the two processors ends
 */
struct exchange {
	int goes;
	int to;
	int comes;
	double time;
};

static void consider(struct exchange *best, int goes, int to, int comes, double time)
{
	if (time < best->time)
		*best = (struct exchange){ goes, to, comes, time };
}

/* What could go to @to for iteration @goes of processor @last. */
static void look(const struct equant_plan_deal *deal, const struct lists *lists, int last, int goes,
		 int to, struct exchange *best, long *looks)
{
	double left = deal->of[last].load - equant_plan_deal_time(deal, last, goes);
	double added = equant_plan_deal_time(deal, to, goes),
	       with = equant_plan_deal_base(deal, to) + added;
	bool alone = deal->of[last].count == 1;

	--*looks;
	if (deal->of[to].count < deal->of[to].room)
		consider(best, goes, to, -1, fmax(alone ? 0 : left, with));
	if (left >= best->time)
		return;
	for (int comes = lists->first[to]; comes >= 0 && *looks > 0; comes = lists->next[comes]) {
		double mine = left + equant_plan_deal_time(deal, last, comes);
		double other = deal->of[to].load - equant_plan_deal_time(deal, to, comes) + added;

		--*looks;
		consider(best, goes, to, comes, fmax(mine, other));
	}
}

static int last_of(const struct equant_plan_deal *deal)
{
	int last = 0;

	for (int i = 1; i < deal->machine->count; i++)
		if (deal->of[i].load > deal->of[last].load)
			last = i;
	return last;
}

static void carry_out(struct equant_plan_deal *deal, struct lists *lists, int last,
		      const struct exchange *exchange)
{
	int goes = exchange->goes, comes = exchange->comes, to = exchange->to;

	if (comes >= 0) {
		link_out(lists, to, comes);
		equant_plan_deal_remove(deal, to, comes);
	}
	link_out(lists, last, goes);
	equant_plan_deal_remove(deal, last, goes);
	link_in(lists, to, goes);
	equant_plan_deal_add(deal, to, goes, equant_plan_deal_time(deal, to, goes));
	if (comes >= 0) {
		link_in(lists, last, comes);
		equant_plan_deal_add(deal, last, comes, equant_plan_deal_time(deal, last, comes));
	}
}

/* Make the best exchange; false if there is none. */
static bool improve(struct equant_plan_deal *deal, struct lists *lists, long *looks)
{
	int last = last_of(deal);
	struct exchange best = { .goes = -1, .time = deal->of[last].load * (1 - GAIN) };

	for (int goes = lists->first[last]; goes >= 0 && *looks > 0; goes = lists->next[goes])
		for (int to = 0; *looks > 0 && to < deal->machine->count; to++)
			if (to != last)
				look(deal, lists, last, goes, to, &best, looks);
	if (best.goes < 0)
		return false;
	carry_out(deal, lists, last, &best);
	return true;
}

int equant_plan_deal_exchange(struct equant_plan_deal *deal)
{
	struct lists lists;
	long looks = LOOKS;
	int error = lists_init(&lists, deal);

	if (!error) {
		for (int i = 0; i < deal->machine->count; i++)
			lists.first[i] = -1;
		for (long at = 0; at < deal->program->iterations; at++)
			link_in(&lists, deal->owner[at], (int)at);
		while (looks > 0 && improve(deal, &lists, &looks))
			;
	}
	lists_release(&lists);
	return error;
}
