// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Iterations given out one by one, in any order, to any processor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/deal.h"

int equant_plan_deal_init(struct equant_plan_deal *deal, const struct equant_plan_program *program,
			  const struct equant_plan_machine *machine,
			  const struct equant_plan_limits *limits, char *why, size_t why_size)
{
	size_t n = (size_t)program->iterations, p = (size_t)machine->count;

	*deal = (struct equant_plan_deal){ program, machine, limits, NULL, NULL };
	if (program->iterations > EQUANT_PLAN_ITEMS) {
		equant_say(why, why_size, "%ld iterations are too many to be given out one by one",
			   program->iterations);
		return -EOPNOTSUPP;
	}
	deal->owner = reallocarray(NULL, n, sizeof(*deal->owner));
	deal->of = reallocarray(NULL, p, sizeof(*deal->of));
	if (!deal->owner || !deal->of)
		return -ENOMEM;
	for (size_t i = 0; i < p; i++) {
		const struct equant_plan_processor *one = &machine->processors[i];

		deal->of[i] = (struct equant_plan_dealt){ .operation = one->operation,
							  .byte = one->byte,
							  .startup = limits->startup[i],
							  .room = limits->room[i] };
	}
	for (size_t at = 0; at < n; at++)
		deal->owner[at] = -1;
	return 0;
}

void equant_plan_deal_release(struct equant_plan_deal *deal)
{
	free(deal->owner);
	free(deal->of);
	*deal = (struct equant_plan_deal){ 0 };
}

void equant_plan_deal_copy(struct equant_plan_deal *deal, const struct equant_plan_deal *from)
{
	size_t n = (size_t)from->program->iterations, p = (size_t)from->machine->count;

	memcpy(deal->owner, from->owner, n * sizeof(*from->owner));
	memcpy(deal->of, from->of, p * sizeof(*from->of));
}

void equant_plan_deal_add(struct equant_plan_deal *deal, int i, long at, double time)
{
	deal->of[i].load = equant_plan_deal_base(deal, i) + time;
	deal->of[i].count++;
	deal->owner[at] = i;
}

void equant_plan_deal_remove(struct equant_plan_deal *deal, int i, long at)
{
	struct equant_plan_dealt *one = &deal->of[i];

	one->load = --one->count ? one->load - equant_plan_deal_time(deal, i, at) : 0;
	deal->owner[at] = -1;
}

double equant_plan_deal_makespan(const struct equant_plan_deal *deal)
{
	double longest = 0;

	for (int i = 0; i < deal->machine->count; i++)
		longest = fmax(longest, deal->of[i].load);
	return longest;
}

/* Iterations in the order of their owners, each owner's in ascending order. */
static void sort(const struct equant_plan_deal *deal, long *next, long *sorted)
{
	long first = 0;

	for (int i = 0; i < deal->machine->count; i++) {
		next[i] = first;
		first += deal->of[i].count;
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
