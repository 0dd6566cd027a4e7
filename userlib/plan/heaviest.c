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

struct equant_plan_weighed *equant_plan_heaviest(const struct equant_plan_program *program,
						 const struct equant_plan_machine *machine,
						 const int *owner, long *many)
{
	struct equant_plan_processor mean = equant_plan_mean(machine);
	struct equant_plan_weighed *weighed;
	long n = program->iterations, k = 0;

	weighed = reallocarray(NULL, (size_t)n, sizeof(*weighed));
	if (!weighed)
		return NULL;
	for (long at = 0; at < n; at++)
		if (!owner || owner[at] < 0)
			weighed[k++] = (struct equant_plan_weighed){
				equant_plan_iteration(program, &mean, at), at
			};
	*many = k;
	if (!equant_plan_sort(weighed, k))
		return weighed;
	free(weighed);
	return NULL;
}
