// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a schedule takes: every processor computes, prepares its message, waits
 * until the medium is free, and sends.
 *
 *	T_i = max(t_i', T of the message before) + t_i''
 *
 * Deviation: section 9.1 numbers the processors in the order of their messages.
 * Here messages are served as they get ready, as a medium does; no other order has
 * a smaller makespan (one resource, release times).
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 5 to 9.1.
 */
#include <stdlib.h>

#include "plan/plan_internal.h"

/* A message that is ready, and whose. */
struct ready {
	double time;
	int processor;
};

static int by_time(const void *a, const void *b)
{
	const struct ready *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->processor - y->processor;
}

/* Time of a processor as if it were alone. */
static struct equant_plan_time alone(const struct equant_plan *plan,
				     const struct equant_plan_program *program,
				     const struct equant_plan_machine *machine, int i, bool sends)
{
	const struct equant_plan_processor *processor = &machine->processors[i];
	struct equant_plan_time time = { 0 };
	double work = 0, bytes = 0;

	if (plan->starts[i] == plan->starts[i + 1])
		return time;
	for (long s = plan->starts[i]; s < plan->starts[i + 1]; s++) {
		if (s + EQUANT_PLAN_AHEAD < plan->starts[i + 1])
			equant_plan_prefetch(program, plan->spans[s + EQUANT_PLAN_AHEAD].first);
		work += equant_plan_cost_sum(&program->work, plan->spans[s]);
		bytes += equant_plan_cost_sum(&program->bytes, plan->spans[s]);
	}
	time.compute = processor->operation * work;
	if (sends) {
		time.local = processor->startup + processor->byte * bytes;
		time.medium = machine->medium_startup + machine->medium_byte * bytes;
	}
	time.finish = time.compute + time.local + time.medium;
	return time;
}

/* One message after the other; 0 or -1 without memory. */
static int queue(const struct equant_plan *plan, struct equant_plan_time *times)
{
	struct ready *queue = reallocarray(NULL, (size_t)plan->processors, sizeof(*queue));
	double end = 0;
	int many = 0;

	if (!queue)
		return -1;
	for (int i = 0; i < plan->processors; i++)
		if (plan->starts[i] < plan->starts[i + 1])
			queue[many++] = (struct ready){ times[i].compute + times[i].local, i };
	qsort(queue, (size_t)many, sizeof(*queue), by_time);
	for (int k = 0; k < many; k++) {
		struct equant_plan_time *time = &times[queue[k].processor];

		time->wait = end > queue[k].time ? end - queue[k].time : 0;
		end = (end > queue[k].time ? end : queue[k].time) + time->medium;
		time->finish = end;
	}
	free(queue);
	return 0;
}

static double longest(const struct equant_plan_time *times, int p)
{
	double makespan = 0;

	for (int i = 0; i < p; i++)
		if (times[i].finish > makespan)
			makespan = times[i].finish;
	return makespan;
}

double equant_plan_simulate(const struct equant_plan *plan,
			    const struct equant_plan_program *program,
			    const struct equant_plan_machine *machine,
			    struct equant_plan_time *times)
{
	struct equant_plan_time *mine = times;
	double makespan = NAN;
	bool sends;

	if (plan->processors != machine->count || plan->iterations != program->iterations)
		return NAN;
	if (!times)
		mine = calloc((size_t)plan->processors, sizeof(*mine));
	if (!mine)
		return NAN;
	sends = equant_plan_sends(program);
	for (int i = 0; i < plan->processors; i++)
		mine[i] = alone(plan, program, machine, i, sends);
	if (!sends || !equant_plan_has_medium(machine) || !queue(plan, mine))
		makespan = longest(mine, plan->processors);
	if (!times)
		free(mine);
	return makespan;
}
