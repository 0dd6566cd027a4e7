// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * All planners, found by name.  A new one is a file and a line here.
 */
#include <string.h>

#include "plan/plan_internal.h"

static const struct equant_planner *const planners[] = {
	&equant_planner_block, /* section 5 */
	&equant_planner_cyclic, /* 5.1.2 */
	&equant_planner_bitonic, /* 5.1, 5.2 */
	&equant_planner_speed, /* 6 */
	&equant_planner_memory, /* 7.2 */
	&equant_planner_memory_share,	 &equant_planner_network, /* 8 */
	&equant_planner_contention_free, /* 9 */
	&equant_planner_optimum, /* equal iterations */
	&equant_planner_optimum_blocks, /* any iterations, in order */
	&equant_planner_longest_first, /* any */
};

#define PLANNERS ((int)(sizeof(planners) / sizeof(planners[0])))

const struct equant_planner *equant_planner_find(const char *name)
{
	for (int i = 0; i < PLANNERS; i++)
		if (!strcmp(planners[i]->name, name))
			return planners[i];
	return NULL;
}

const char *equant_planner_name(int index)
{
	return index >= 0 && index < PLANNERS ? planners[index]->name : NULL;
}

const char *equant_planner_summary(int index)
{
	return index >= 0 && index < PLANNERS ? planners[index]->summary : NULL;
}
