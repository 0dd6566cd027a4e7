// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Iterations given out one by one, in any order, to any processor.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"

int equant_plan_deal_init(struct equant_plan_deal *deal, const struct equant_plan_program *program,
			  const struct equant_plan_machine *machine,
			  const struct equant_plan_limits *limits, char *why, size_t why_size)
{
	size_t n = (size_t)program->iterations, p = (size_t)machine->count;

	*deal = (struct equant_plan_deal){ program, machine, limits, NULL, NULL, NULL };
	if (program->iterations > EQUANT_PLAN_ITEMS) {
		equant_say(why, why_size, "%ld iterations are too many to be given out one by one",
			   program->iterations);
		return -EOPNOTSUPP;
	}
	deal->owner = reallocarray(NULL, n, sizeof(*deal->owner));
	deal->load = calloc(p, sizeof(*deal->load));
	deal->count = calloc(p, sizeof(*deal->count));
	if (!deal->owner || !deal->load || !deal->count)
		return -ENOMEM;
	for (size_t at = 0; at < n; at++)
		deal->owner[at] = -1;
	return 0;
}

void equant_plan_deal_release(struct equant_plan_deal *deal)
{
	free(deal->owner);
	free(deal->load);
	free(deal->count);
	*deal = (struct equant_plan_deal){ 0 };
}

static double iteration(const struct equant_plan_deal *deal, int i, long at)
{
	return equant_plan_iteration(deal->program, &deal->machine->processors[i], at);
}

double equant_plan_deal_with(const struct equant_plan_deal *deal, int i, long at)
{
	double load = deal->count[i] ? deal->load[i] : deal->limits->startup[i];

	return load + iteration(deal, i, at);
}

void equant_plan_deal_add(struct equant_plan_deal *deal, int i, long at)
{
	deal->load[i] = equant_plan_deal_with(deal, i, at);
	deal->count[i]++;
	deal->owner[at] = i;
}

void equant_plan_deal_remove(struct equant_plan_deal *deal, int i, long at)
{
	deal->load[i] = --deal->count[i] ? deal->load[i] - iteration(deal, i, at) : 0;
	deal->owner[at] = -1;
}

double equant_plan_deal_makespan(const struct equant_plan_deal *deal)
{
	double longest = 0;

	for (int i = 0; i < deal->machine->count; i++)
		longest = fmax(longest, deal->load[i]);
	return longest;
}

/* Iterations in the order of their owners, each owner's in ascending order. */
static void sort(const struct equant_plan_deal *deal, long *next, long *sorted)
{
	long first = 0;

	for (int i = 0; i < deal->machine->count; i++) {
		next[i] = first;
		first += deal->count[i];
	}
	for (long at = 0; at < deal->program->iterations; at++)
		sorted[next[deal->owner[at]]++] = at;
}

int equant_plan_deal_give(const struct equant_plan_deal *deal, struct equant_plan_draft *draft)
{
	long n = deal->program->iterations;
	long *next = reallocarray(NULL, (size_t)deal->machine->count, sizeof(*next));
	long *sorted = reallocarray(NULL, (size_t)n, sizeof(*sorted));
	int error = next && sorted ? 0 : -ENOMEM;

	if (!error)
		sort(deal, next, sorted);
	for (long k = 0; k < n && !error; k++)
		error = equant_plan_give(draft, deal->owner[sorted[k]], sorted[k], 1, 1);
	free(next);
	free(sorted);
	return error;
}
