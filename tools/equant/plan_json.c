// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What `equant plan --json` prints.  Iterations count from 1, as in the text.
 */
#include "json.h"
#include "plan.h"

static void put_answer(struct json *json, const struct plan_answer *answer)
{
	json_open_object(json, NULL);
	json_string(json, "planner", answer->planner);
	if (answer->plan) {
		json_number(json, "makespan", answer->plan->makespan);
		if (answer->plan->bound > 0)
			json_number(json, "bound", answer->plan->bound);
		json_integer(json, "used", answer->used);
		json_bool(json, "fits", answer->over < 0);
	} else {
		json_string(json, "why_not", answer->why);
	}
	json_close_object(json);
}

static void put_spans(struct json *json, const struct equant_plan *plan, int i)
{
	json_open_array(json, "spans");
	for (long s = plan->starts[i]; s < plan->starts[i + 1]; s++) {
		json_open_object(json, NULL);
		json_integer(json, "first", plan->spans[s].first + 1);
		json_integer(json, "count", plan->spans[s].count);
		json_integer(json, "step", plan->spans[s].step);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_processor(struct json *json, const struct plan_report *report,
			  const struct equant_plan *plan, int i)
{
	const struct equant_plan_time *time = &plan->times[i];

	json_open_object(json, NULL);
	json_string(json, "name", report->machine->processors[i].name);
	json_integer(json, "iterations", plan->counts[i]);
	json_number(json, "compute", time->compute);
	json_number(json, "message", time->local);
	json_number(json, "wait", time->wait);
	json_number(json, "medium", time->medium);
	json_number(json, "finish", time->finish);
	put_spans(json, plan, i);
	json_close_object(json);
}

void plan_print_json(const struct plan_report *report)
{
	const struct equant_plan *plan = report->fastest->plan;
	struct json json = { .out = stdout };

	json_open_object(&json, NULL);
	json_integer(&json, "iterations", report->program->iterations);
	json_number(&json, "resident", report->program->resident);
	json_number(&json, "resident_each", report->program->resident_each);
	json_integer(&json, "processors", report->machine->count);
	json_number(&json, "bound", report->bound);
	json_number(&json, "alone", report->alone);
	json_open_array(&json, "planners");
	for (int i = 0; i < report->count; i++)
		put_answer(&json, &report->answers[i]);
	json_close_array(&json);
	json_open_object(&json, "schedule");
	json_string(&json, "planner", plan->planner);
	json_number(&json, "makespan", plan->makespan);
	json_open_array(&json, "processors");
	for (int i = 0; i < plan->processors; i++)
		put_processor(&json, report, plan, i);
	json_close_array(&json);
	json_close_object(&json);
	json_close_object(&json);
}
