// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Iterations in the order of falling costs.
 */
#include <stdlib.h>

#include "plan/deal.h"

struct equant_plan_processor equant_plan_mean(const struct equant_plan_machine *machine)
{
	struct equant_plan_processor mean = { 0 };

	for (int i = 0; i < machine->count; i++) {
		mean.operation += machine->processors[i].operation / machine->count;
		mean.byte += machine->processors[i].byte / machine->count;
	}
	return mean;
}

/* They come in no order of memory: what is said of them is looked up once. */
static struct equant_plan_item *gather(const struct equant_plan_program *program,
				       const struct equant_plan_weighed *weighed)
{
	long n = program->iterations;
	struct equant_plan_item *items = reallocarray(NULL, (size_t)n, sizeof(*items));

	for (long k = 0; items && k < n; k++) {
		long at = weighed[k].at;

		if (k + EQUANT_PLAN_AHEAD < n)
			equant_plan_prefetch(program, weighed[k + EQUANT_PLAN_AHEAD].at);
		items[k] = (struct equant_plan_item){ weighed[k].weight,
						      equant_plan_cost_at(&program->work, at),
						      equant_plan_cost_at(&program->bytes, at),
						      at };
	}
	return items;
}

struct equant_plan_item *equant_plan_heaviest(const struct equant_plan_program *program,
					      const struct equant_plan_machine *machine)
{
	struct equant_plan_processor mean = equant_plan_mean(machine);
	long n = program->iterations;
	struct equant_plan_weighed *weighed = reallocarray(NULL, (size_t)n, sizeof(*weighed));
	struct equant_plan_item *items = NULL;

	for (long at = 0; weighed && at < n; at++)
		weighed[at] =
			(struct equant_plan_weighed){ equant_plan_iteration(program, &mean, at),
						      at };
	if (weighed && !equant_plan_sort(weighed, n))
		items = gather(program, weighed);
	free(weighed);
	return items;
}
