// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule: spans of iterations, processor after processor.
 */
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "plan/plan_internal.h"

/* ---- under construction ----------------------------------------------------------- */

/* Does @first go on where @span ends? */
static bool continues(const struct equant_plan_span *span, long first, long count, long step)
{
	if (span->count > 1 && count > 1 && span->step != step)
		return false;
	if (span->count > 1)
		step = span->step;
	else if (count == 1)
		step = 1;
	return first - span->first == span->count * step;
}

static int append(struct equant_plan_draft *draft, struct equant_plan_span span)
{
	struct equant_plan *plan = draft->plan;
	long used = plan->starts[draft->at + 1];
	struct equant_plan_span *larger;

	if (used == draft->room) {
		larger = reallocarray(plan->spans, 2 * (size_t)used + 16, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		plan->spans = larger;
		draft->room = 2 * used + 16;
	}
	plan->spans[used] = span;
	plan->starts[draft->at + 1] = used + 1;
	return 0;
}

int equant_plan_give(struct equant_plan_draft *draft, int processor, long first, long count,
		     long step)
{
	struct equant_plan *plan = draft->plan;
	struct equant_plan_span *last = NULL;

	if (count == 0)
		return 0;
	for (; draft->at < processor; draft->at++)
		plan->starts[draft->at + 2] = plan->starts[draft->at + 1];
	plan->counts[processor] += count;
	if (plan->starts[processor + 1] > plan->starts[processor])
		last = &plan->spans[plan->starts[processor + 1] - 1];
	if (last && continues(last, first, count, step)) {
		if (last->count == 1)
			last->step = first - last->first;
		last->count += count;
		return 0;
	}
	return append(draft, (struct equant_plan_span){ first, count, count > 1 ? step : 1 });
}

int equant_plan_give_blocks(struct equant_plan_draft *draft, const long *counts)
{
	long first = 0;
	int error;

	for (int i = 0; i < draft->plan->processors; i++) {
		error = equant_plan_give(draft, i, first, counts[i], 1);
		if (error)
			return error;
		first += counts[i];
	}
	return 0;
}

/* ---- whole -------------------------------------------------------------------------- */

static struct equant_plan *empty(long iterations, int processors)
{
	struct equant_plan *plan = calloc(1, sizeof(*plan));
	size_t p = (size_t)processors;

	if (!plan)
		return NULL;
	plan->iterations = iterations;
	plan->processors = processors;
	plan->starts = calloc(p + 1, sizeof(*plan->starts));
	plan->counts = calloc(p, sizeof(*plan->counts));
	plan->times = calloc(p, sizeof(*plan->times));
	if (plan->starts && plan->counts && plan->times)
		return plan;
	equant_plan_free(plan);
	return NULL;
}

void equant_plan_free(struct equant_plan *plan)
{
	if (!plan)
		return;
	free(plan->starts);
	free(plan->spans);
	free(plan->counts);
	free(plan->times);
	free(plan);
}

/* Have the planner do its work; what it gave must be all iterations. */
static int fill(struct equant_plan *plan, const struct equant_planner *planner,
		const struct equant_plan_program *program,
		const struct equant_plan_machine *machine, char *why, size_t why_size)
{
	struct equant_plan_draft draft = { .plan = plan };
	int error = planner->plan(program, machine, &draft, why, why_size);
	long given = 0;

	if (error)
		return error;
	for (int i = 0; i < plan->processors; i++)
		given += plan->counts[i];
	if (given != plan->iterations) {
		equant_say(why, why_size, "%s has given %ld of %ld iterations", planner->name,
			   given, plan->iterations);
		return -EIO;
	}
	for (; draft.at < plan->processors - 1; draft.at++)
		plan->starts[draft.at + 2] = plan->starts[draft.at + 1];
	plan->makespan = equant_plan_simulate(plan, program, machine, plan->times);
	if (isnan(plan->makespan))
		return -ENOMEM;
	/* What is optimal has been summed in another order than by the planner; times may be next to nothing. */
	if (plan->bound > plan->makespan && plan->bound <= plan->makespan * (1 + 1e-9) + DBL_MIN)
		plan->bound = plan->makespan;
	return 0;
}

struct equant_plan *equant_plan_new(const char *name, const struct equant_plan_program *program,
				    const struct equant_plan_machine *machine, char *why,
				    size_t why_size)
{
	const struct equant_planner *planner = equant_planner_find(name);
	struct equant_plan *plan;
	char names[EQUANT_NAMES];
	int error = -EINVAL;

	if (planner)
		error = equant_plan_check(program, machine, why, why_size);
	else
		equant_say(why, why_size, "no planner is called '%.40s'; there are%s", name,
			   equant_names(names, equant_planner_name));
	if (error) {
		errno = -error;
		return NULL;
	}
	plan = empty(program->iterations, machine->count);
	if (!plan) {
		equant_say(why, why_size, "out of memory");
		return NULL;
	}
	plan->planner = planner->name;
	error = fill(plan, planner, program, machine, why, why_size);
	if (!error)
		return plan;
	if (error == -ENOMEM)
		equant_say(why, why_size, "out of memory");
	equant_plan_free(plan);
	errno = -error;
	return NULL;
}

int equant_plan_over_memory(const struct equant_plan *plan,
			    const struct equant_plan_program *program,
			    const struct equant_plan_machine *machine)
{
	for (int i = 0; i < plan->processors && i < machine->count; i++)
		if (plan->counts[i] > 0 &&
		    program->resident + program->resident_each * (double)plan->counts[i] >
			    machine->processors[i].memory)
			return i;
	return -1;
}
