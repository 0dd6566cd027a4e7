// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops that start from a static schedule. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <equant/plan.h>

#include "libworker.h"

#define UNITS 240

static struct {
	struct equant *eq;
	struct equant_loop *loop;
	double data[UNITS];
} here;

/* Rank r is r + 1 times as fast as rank 0. */
static struct equant_plan *plan_by(const char *planner, double slope)
{
	struct equant_plan_program *program = equant_plan_program_new(UNITS);
	struct equant_plan_machine *machine = equant_plan_machine_new();
	struct equant_plan_processor one = { .memory = INFINITY };
	struct equant_plan *plan;
	char why[200] = "";

	demand(program && machine);
	demand_equal(0, equant_plan_program_work(program, slope, 1));
	for (int r = 0; r < ranks; r++) {
		one.operation = 1.0 / (r + 1);
		demand_equal(0, equant_plan_machine_add(machine, &one, 1));
	}
	plan = equant_plan_new(planner, program, machine, why, sizeof(why));
	if (!plan)
		worker_fail_text(__FILE__, __LINE__, "%s: %s", planner, why);
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
	return plan;
}

static void start(void)
{
	struct equant_options o = eager_options();

	o.check = 1;
	here.eq = must_open(MPI_COMM_WORLD, &o);
	here.loop = must_loop(here.eq, "planned", UNITS);
	demand_equal(0, equant_loop_array(here.loop, here.data, sizeof(double)));
}

static void stop(void)
{
	must_free(here.loop);
	must_close(here.eq);
}

/* Whom the plan gives it to. */
static int planned(const struct equant_plan *plan, long unit)
{
	for (int i = 0; i < plan->processors; i++)
		for (long s = plan->starts[i]; s < plan->starts[i + 1]; s++) {
			const struct equant_plan_span *span = &plan->spans[s];
			long at = unit - span->first;

			if (at >= 0 && at % span->step == 0 && at / span->step < span->count)
				return i;
		}
	return -1;
}

static void demand_planned(const struct equant_plan *plan)
{
	for (long unit = 0; unit < UNITS; unit++)
		demand_equal(planned(plan, unit), equant_loop_owner(here.loop, unit));
	demand_equal(plan->counts[rank], equant_loop_count(here.loop));
}

static void units_begin_as_planned(void)
{
	static const char *const planners[] = { "block", "cyclic", "speed", "longest-first" };

	for (int k = 0; k < 4; k++) {
		struct equant_plan *plan = plan_by(planners[k], k < 3 ? 0 : 0.1);

		start();
		demand_equal(0, equant_loop_distribute_plan(here.loop, plan));
		demand_planned(plan);
		equant_plan_free(plan);
		demand_equal(0, equant_hook(here.loop));
		stop();
	}
}

/* The plan is wrong about the machine; nothing is lost while that is put right. */
static void balancing_goes_on_from_there(void)
{
	struct equant_plan *plan = plan_by("speed", 0.1);
	int steps = ranks > 1 ? 60 : 5;

	start();
	demand_equal(0, equant_loop_distribute_plan(here.loop, plan));
	equant_plan_free(plan);
	for (int step = 0; step < steps; step++) {
		equant_begin(here.loop);
		equant_for_each_unit(here.loop, unit) {
			compute(2e-5);
			here.data[unit] += (double)(unit + 1);
		}
		equant_end(here.loop);
		demand_equal(0, equant_hook(here.loop));
	}
	equant_for_each_unit(here.loop, unit)
		demand_equal(steps * (unit + 1), here.data[unit]);
	demand_same(equant_loop_owner(here.loop, 0));
	/* By the plan the last rank has most. */
	if (ranks > 1 && rank == ranks - 1)
		demand(equant_loop_count(here.loop) < UNITS * 2L / (ranks + 1));
	stop();
}

/* All units go to rank 0, the last one in a span that is one only where its length overflows. */
static void spans_that_are_none_are_refused(void)
{
	struct equant_plan_span spans[] = { { 0, UNITS - 1, 1 }, { UNITS - 1, 1, 1 } };
	struct equant_plan plan = { .iterations = UNITS, .processors = ranks, .spans = spans };

	plan.starts = calloc((size_t)ranks + 1, sizeof(*plan.starts));
	demand(plan.starts);
	for (int k = 1; k <= ranks; k++)
		plan.starts[k] = 2;
	start();
	spans[1] = (struct equant_plan_span){ UNITS - 1, (1L << 33) + 1, 1L << 31 };
	demand_equal(-EINVAL, equant_loop_distribute_plan(here.loop, &plan));
	spans[1] = (struct equant_plan_span){ UNITS - 1, 1, 0 };
	demand_equal(-EINVAL, equant_loop_distribute_plan(here.loop, &plan));
	spans[1].step = LONG_MAX;
	demand_equal(0, equant_loop_distribute_plan(here.loop, &plan));
	stop();
	free(plan.starts);
}

static void plans_that_do_not_fit_are_refused(void)
{
	struct equant_plan *plan = plan_by("block", 0);
	struct equant_loop *other;

	start();
	other = must_loop(here.eq, "other", UNITS + 1);
	demand_equal(-EINVAL, equant_loop_distribute_plan(other, plan));
	demand_equal(-EINVAL, equant_loop_distribute_plan(here.loop, NULL));
	must_free(other);
	if (ranks > 1) {
		struct equant_plan *mine = rank ? plan : plan_by("cyclic", 0);

		demand_equal(-EINVAL, equant_loop_distribute_plan(here.loop, mine));
		if (!rank)
			equant_plan_free(mine);
		demand_equal(0, equant_loop_distribute(here.loop, EQUANT_BLOCK_ORDER));
		mine = plan_by("cyclic", 0);
		demand_equal(-EINVAL, equant_loop_distribute_plan(here.loop, mine));
		equant_plan_free(mine);
	}
	demand_equal(0, equant_loop_distribute_plan(here.loop, plan));
	demand_equal(0, equant_hook(here.loop));
	demand_equal(-EBUSY, equant_loop_distribute_plan(here.loop, plan));
	equant_plan_free(plan);
	stop();
}

static void plans_are_kept_or_refused(void)
{
	units_begin_as_planned();
	plans_that_do_not_fit_are_refused();
	spans_that_are_none_are_refused();
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(plans_are_kept_or_refused),
		CASE(balancing_goes_on_from_there),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
