// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The contention-free order against the equal schedule, and against all others.
 */
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libplan.h"

struct loop {
	struct random random;
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
};

FIXTURE(contention)
{
	struct loop loop;
};

FIXTURE_SETUP(contention)
{
	self->loop = (struct loop){ .random = random_seeded() };
}

FIXTURE_TEARDOWN(contention)
{
	equant_plan_program_free(self->loop.program);
	equant_plan_machine_free(self->loop.machine);
}

/* Each of the costs zero now and then. */
static double some(struct random *random)
{
	return random_below(random, 4) ? random_unit(random) : 0;
}

static void draw(struct loop *loop, long n, int p)
{
	struct equant_plan_processor one = {
		.operation = 0.01 + random_unit(&loop->random),
		.startup = some(&loop->random),
		.byte = some(&loop->random),
		.memory = INFINITY,
	};

	equant_plan_program_free(loop->program);
	equant_plan_machine_free(loop->machine);
	loop->program = affine_program(n, 0, 0.01 + random_unit(&loop->random));
	loop->machine = equant_plan_machine_new();
	if (!loop->machine || equant_plan_machine_add(loop->machine, &one, p) ||
	    equant_plan_program_bytes(loop->program, 0, some(&loop->random)))
		abort();
	if (equant_plan_machine_medium(loop->machine, 3 * some(&loop->random),
				       3 * some(&loop->random)))
		abort();
}

static double makespan(struct loop *loop, const char *planner)
{
	struct equant_plan *plan = equant_plan_new(planner, loop->program, loop->machine, NULL, 0);
	double result = plan && plan_is_whole(plan) ? plan->makespan : NAN;

	equant_plan_free(plan);
	return result;
}

/* Local time of one iteration, w. */
static double iteration(struct loop *loop)
{
	const struct equant_plan_processor *one = loop->machine->processors;

	return one->operation * loop->program->work.constant +
	       one->byte * loop->program->bytes.constant;
}

/*
 * Does moving one iteration from the first message to the last gain time?  It does if the first,
 * one iteration shorter, still takes longer than an iteration.  On two processors and with an odd n
 * the equal schedule has moved one already, as the shorter message goes first.
 */
static bool gains(struct loop *loop, long n, int p)
{
	double bytes = loop->program->bytes.constant;
	double message = loop->machine->medium_startup +
			 (double)(n / p - 1) * bytes * loop->machine->medium_byte;

	return bytes > 0 && message > (p == 2 && n % 2 ? 2 : 1) * iteration(loop);
}

/* ---- against the equal schedule --------------------------------------------------------- */

TEST_F(contention, the_equal_schedule_is_beaten_where_messages_take_an_iteration)
{
	double best = INFINITY, worst = 0;

	for (int round = 0; round < 2000; round++) {
		int p = 2 + (int)random_below(&self->loop.random, 31);
		long n = 1000 * p + random_below(&self->loop.random, 1000 * p);
		double block, free;

		draw(&self->loop, n, p);
		if (!gains(&self->loop, n, p))
			continue;
		block = makespan(&self->loop, "block");
		free = makespan(&self->loop, "contention-free");
		EXPECT_LT(free, block);
		best = fmin(best, free / block);
		worst = fmax(worst, free / block);
	}
	EXPECT_LT(worst, 1);
	TH_LOG("%.4f to %.6f times the equal schedule's time", best, worst);
}

TEST_F(contention, the_equal_schedule_is_never_faster)
{
	for (int round = 0; round < 20000; round++) {
		int p = 1 + (int)random_below(&self->loop.random, 12);
		long n = 1 + random_below(&self->loop.random, round % 2 ? 20 : 500);
		double block, free;

		draw(&self->loop, n, p);
		block = makespan(&self->loop, "block");
		free = makespan(&self->loop, "contention-free");
		EXPECT_LE(free, block * (1 + 1e-12))
		{
			TH_LOG("round %d, n %ld, p %d", round, n, p);
		}
	}
}

/* ---- against all others --------------------------------------------------------------------- */

/* Processors from @at on, with @left iterations, when the medium gets free at @end. */
static double best_of(struct loop *loop, int at, long left, double end)
{
	const struct equant_plan_processor *one = loop->machine->processors;
	double bytes = loop->program->bytes.constant, best = INFINITY;

	if (left == 0)
		return end;
	if (at == loop->machine->count)
		return INFINITY;
	for (long z = 0; z <= left; z++) {
		double ready = (double)z * iteration(loop) + one->startup;
		double sent = end;

		if (z > 0)
			sent = fmax(end, ready) + loop->machine->medium_startup +
			       (double)z * bytes * loop->machine->medium_byte;
		best = fmin(best, best_of(loop, at + 1, left - z, sent));
	}
	return best;
}

TEST_F(contention, no_other_numbers_of_iterations_take_less_time)
{
	for (int round = 0; round < 300; round++) {
		int p = 1 + (int)random_below(&self->loop.random, 4);
		long n = 1 + random_below(&self->loop.random, 12);

		draw(&self->loop, n, p);
		if (self->loop.program->bytes.constant <= 0)
			continue;
		EXPECT_TRUE(near(best_of(&self->loop, 0, n, 0),
				 makespan(&self->loop, "contention-free")))
		{
			TH_LOG("round %d, n %ld, p %d", round, n, p);
		}
	}
}

TEST_HARNESS_MAIN
