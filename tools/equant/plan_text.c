// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What `equant plan` prints for people.
 */
#include <stdio.h>
#include <string.h>

#include "plain.h"
#include "plan.h"

/* A processor's spans that are printed; JSON has them all. */
#define SPANS_MOST 8

static void print_cost(const char *name, const struct equant_plan_cost *cost)
{
	if (cost->each)
		printf(", %s each its own", name);
	else if (cost->slope != 0)
		printf(", %s %.9g i", name, cost->slope);
	else
		printf(", %s %.9g", name, cost->constant);
	if (!cost->each && cost->slope != 0 && cost->constant != 0)
		printf(" %+.9g", cost->constant);
}

static void print_head(const struct plan_report *report)
{
	const struct equant_plan_program *program = report->program;
	const struct equant_plan_cost *bytes = &program->bytes;

	printf("%ld iterations", program->iterations);
	print_cost("work", &program->work);
	if (bytes->each || bytes->slope != 0 || bytes->constant != 0)
		print_cost("bytes", bytes);
	if (program->resident > 0 || program->resident_each > 0)
		printf(", memory %.9g %+.9g k for k of them", program->resident,
		       program->resident_each);
	printf("\n%d processors; all on one: %.6g; no schedule is faster than %.6g\n",
	       report->machine->count, report->alone, report->bound);
}

/* ---- the planners ----------------------------------------------------------------------- */

static void print_answer(const struct plan_report *report, const struct plan_answer *answer)
{
	double time;

	if (!answer->plan) {
		printf("%-16s  %s\n", answer->planner, answer->why);
		return;
	}
	time = answer->plan->makespan;
	printf("%-16s  %12.6g", answer->planner, time);
	if (report->bound > 0)
		printf("  %9.2f%%", 100 * (time / report->bound - 1));
	else
		printf("  %10s", "-");
	if (time > 0)
		printf("  %8.4g", report->alone / time);
	else
		printf("  %8s", "-");
	printf("  %10d", answer->used);
	if (answer->over >= 0)
		printf("  memory of processor %d is too small", answer->over + 1);
	printf("\n");
}

static void print_answers(const struct plan_report *report)
{
	printf("\n%-16s  %12s  %10s  %8s  %10s\n", "planner", "time", "over bound", "speed-up",
	       "processors");
	for (int i = 0; i < report->count; i++)
		print_answer(report, &report->answers[i]);
}

/* ---- the schedule ------------------------------------------------------------------------- */

static void print_span(const struct equant_plan_span *span)
{
	printf(" %ld", span->first + 1);
	if (span->count > 1)
		printf("-%ld", span->first + (span->count - 1) * span->step + 1);
	if (span->count > 1 && span->step > 1)
		printf("/%ld", span->step);
}

static void print_processor(const struct plan_report *report, const struct equant_plan *plan, int i)
{
	char name[13];
	const struct equant_plan_time *time = &plan->times[i];
	long first = plan->starts[i], end = plan->starts[i + 1];

	plain_text(name, sizeof(name), report->machine->processors[i].name);
	printf("%6d %-12s %10ld %11.5g %11.5g %11.5g %11.5g %11.5g ", i + 1, name, plan->counts[i],
	       time->compute, time->local, time->wait, time->medium, time->finish);
	for (long s = first; s < end && s < first + SPANS_MOST; s++)
		print_span(&plan->spans[s]);
	printf("%s\n", end - first > SPANS_MOST ? " ..." : end == first ? " -" : "");
}

static void print_schedule(const struct plan_report *report)
{
	const struct equant_plan *plan = report->fastest->plan;

	printf("\n%s:\n%6s %-12s %10s %11s %11s %11s %11s %11s  %s\n", plan->planner, "",
	       "processor", "iterations", "compute", "message", "wait", "medium", "finish",
	       "which");
	for (int i = 0; i < plan->processors; i++)
		print_processor(report, plan, i);
}

void plan_print_text(const struct plan_report *report)
{
	print_head(report);
	print_answers(report);
	print_schedule(report);
}
