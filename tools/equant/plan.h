/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_PLAN_H
#define EQUANT_TOOL_PLAN_H

#include <stdbool.h>

#include <equant/plan.h>

/**
 * struct plan_answer - what one planner says
 * @planner: its name
 * @plan: the schedule, or NULL
 * @used: processors that have an iteration
 * @over: a processor whose memory does not hold what it has, or -1
 * @why: why there is no schedule
 */
struct plan_answer {
	const char *planner;
	struct equant_plan *plan;
	int used;
	int over;
	char why[256];
};

/**
 * struct plan_report - all that is printed
 * @program: the loop
 * @machine: the processors
 * @bound: no schedule is faster
 * @alone: time of the whole loop on the processor that is best alone
 * @answers: of the planners that were asked
 * @count: how many
 * @fastest: the first with the smallest makespan of those that fit into memory, or of all if
 *	none does; its schedule is printed
 */
struct plan_report {
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
	double bound;
	double alone;
	struct plan_answer *answers;
	int count;
	const struct plan_answer *fastest;
};

/*
 * The distributed loop of the nest at @path becomes @report's program; if that has one, its memory.
 * 0, or -EINVAL, which has been said.
 */
int plan_load_nest(struct plan_report *report, const char *path,
		   enum equant_plan_replacement replacement);

void plan_print_text(const struct plan_report *report);
void plan_print_json(const struct plan_report *report);

#endif /* EQUANT_TOOL_PLAN_H */
