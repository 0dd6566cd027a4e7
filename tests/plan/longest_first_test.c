// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Unequal iterations in any assignment: schedule and bound, against all schedules. */
#include <float.h>
#include <math.h>
#include <sys/resource.h>

#include "libbrute.h"

#include "plan/deal.h"
#include "plan/lines.h"

#include "kselftest_harness.h"

#define ROUNDS 500

FIXTURE(longest_first)
{
	struct random random;
	char line[PLAN_LINE];
	char why[200];
};

FIXTURE_SETUP(longest_first)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(longest_first)
{
}

/* How good schedules and bounds are. */
struct score {
	int rounds;
	int best;
	int tight;
	double worst;
	double gap;
};

static void count(struct score *score, const struct equant_plan *plan, double least)
{
	score->rounds++;
	score->best += near(plan->makespan, least);
	score->tight += near(plan->bound, least);
	score->worst = fmax(score->worst, plan->makespan / least - 1);
	score->gap += plan->makespan / plan->bound - 1;
}

static void try_one(struct __test_metadata *_metadata, FIXTURE_DATA(longest_first) * self,
		    const struct instance *instance, struct score *score)
{
	double least = brute_any(instance);
	struct equant_plan *plan = equant_plan_new("longest-first", instance->program,
						   instance->machine, self->why, sizeof(self->why));

	if (isinf(least)) {
		EXPECT_EQ(NULL, plan);
		return;
	}
	ASSERT_NE(NULL, plan);
	EXPECT_TRUE(plan_is_whole(plan));
	for (int i = 0; i < plan->processors; i++)
		EXPECT_TRUE(fits(instance, i, plan->counts[i]));
	EXPECT_LE(plan->bound, least)
	{
		TH_LOG("%s", instance_text(instance, self->line));
	}
	EXPECT_GE(plan->makespan, least * (1 - 1e-12));
	EXPECT_LE(plan->makespan, 2 * least)
	{
		TH_LOG("%s", instance_text(instance, self->line));
	}
	count(score, plan, least);
	equant_plan_free(plan);
}

TEST_F(longest_first, is_between_its_bound_and_twice_the_optimum)
{
	struct score score = { 0 };

	for (int round = 0; round < ROUNDS; round++) {
		int p = 1 + (int)random_below(&self->random, 5);
		struct instance instance = random_instance(
			&self->random, 1 + random_below(&self->random, p > 3 ? 7 : 12), p,
			WITH_EACH | (unsigned int)(round % WITH_EACH));

		try_one(_metadata, self, &instance, &score);
		free_instance(&instance);
	}
	TH_LOG("of %d optimal: %.1f %%, worst %.1f %% over; bound is the optimum: %.1f %%; mean gap %.1f %%",
	       score.rounds, 100.0 * score.best / score.rounds, 100 * score.worst,
	       100.0 * score.tight / score.rounds, 100 * score.gap / score.rounds);
	EXPECT_GT(score.best, score.rounds * 3 / 4);
}

static struct instance large_instance(struct random *random, long n, int p, bool bytes)
{
	struct instance instance = { equant_plan_program_new(n), equant_plan_machine_new() };
	struct equant_plan_processor processor = { .memory = INFINITY };
	double *each = malloc((size_t)n * sizeof(*each));

	for (int k = 0; k < 1 + bytes; k++) {
		for (long i = 0; i < n; i++)
			each[i] = 1 + 99 * random_unit(random);
		if (k)
			equant_plan_program_bytes_each(instance.program, each);
		else
			equant_plan_program_work_each(instance.program, each);
	}
	free(each);
	for (int i = 0; i < p; i++) {
		processor.operation = 1 + 9 * random_unit(random);
		processor.startup = 100 * random_unit(random);
		processor.byte = random_unit(random);
		equant_plan_machine_add(instance.machine, &processor, 1);
	}
	return instance;
}

TEST_F(longest_first, leaves_a_small_gap_where_iterations_are_many)
{
	for (int round = 0; round < 20; round++) {
		struct instance instance =
			large_instance(&self->random, 3000, 10, (round & 1) != 0);
		struct equant_plan *plan = equant_plan_new("longest-first", instance.program,
							   instance.machine, NULL, 0);

		ASSERT_NE(NULL, plan);
		EXPECT_TRUE(plan_is_whole(plan));
		EXPECT_LE(plan->makespan, plan->bound * (round & 1 ? 1.02 : 1.001));
		equant_plan_free(plan);
		free_instance(&instance);
	}
}

/* A blind choice of processors, and what is good for one and bad for the other. */
TEST_F(longest_first, knows_what_a_processor_is_good_at)
{
	struct equant_plan_processor quick = { .operation = 0.001, .byte = 1, .memory = INFINITY };
	struct equant_plan_processor close = { .operation = 1, .byte = 0.001, .memory = INFINITY };
	struct instance instance = { affine_program(100, 1, 0), equant_plan_machine_new() };
	struct equant_plan *plan;

	ASSERT_EQ(0, equant_plan_machine_add(instance.machine, &quick, 1));
	ASSERT_EQ(0, equant_plan_machine_add(instance.machine, &close, 1));
	ASSERT_EQ(0, equant_plan_program_bytes(instance.program, -1, 101));
	plan = equant_plan_new("longest-first", instance.program, instance.machine, NULL, 0);
	ASSERT_NE(NULL, plan);
	EXPECT_TRUE(plan_is_whole(plan));
	/* Halves: 1 + ... + 50 bytes on one, as many operations on the other. */
	EXPECT_LE(plan->makespan, 1275 + 0.001 * 3775 + 1e-6);
	equant_plan_free(plan);
	free_instance(&instance);
}

TEST_F(longest_first, takes_a_million_iterations_for_ten_thousand_processors_in_200_megabytes)
{
	const char *planners[] = { "optimum-blocks", "longest-first" };
	struct rlimit limit = { 200 << 20, 200 << 20 };
	struct instance instance;
	struct equant_plan *plan;

	if (is_sanitized())
		SKIP(return, "a sanitizer needs more memory of its own");
	/* All of the address space: program and machine, library and stack are in it. */
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
	instance = large_instance(&self->random, 1000000, 10000, true);
	for (int k = 0; k < 2; k++) {
		plan = equant_plan_new(planners[k], instance.program, instance.machine, self->why,
				       sizeof(self->why));
		ASSERT_NE(NULL, plan)
		{
			TH_LOG("%s: %s", planners[k], self->why);
		}
		EXPECT_TRUE(plan_is_whole(plan));
		EXPECT_GT(plan->bound, 0);
		equant_plan_free(plan);
	}
	free_instance(&instance);
}

/* ---- the tournament ---------------------------------------------------------------- */

#define LINES 37

TEST_F(longest_first, finds_the_lowest_of_lines_that_change)
{
	double at[LINES], slope[LINES], x = 1000;
	struct equant_lines lines;

	for (int i = 0; i < LINES; i++) {
		at[i] = (double)random_below(&self->random, 1000);
		slope[i] = (double)random_below(&self->random, 10);
	}
	ASSERT_EQ(0, equant_lines_init(&lines, at, slope, LINES, x));
	for (int step = 0; step < 20000; step++) {
		double least = INFINITY;
		int i = equant_lines_lowest(&lines, x);

		for (int k = 0; k < LINES; k++)
			least = fmin(least, at[k] + slope[k] * x);
		ASSERT_EQ(least, at[i] + slope[i] * x);
		at[i] = random_below(&self->random, 20) ?
				at[i] + (double)random_below(&self->random, 100) :
				INFINITY;
		equant_lines_put(&lines, i, at[i]);
		/* One that was out comes back. */
		i = (int)random_below(&self->random, LINES);
		if (isinf(at[i]))
			at[i] = least + (double)random_below(&self->random, 1000);
		equant_lines_put(&lines, i, at[i]);
		if (random_below(&self->random, 3))
			x *= 1 - 0.001 * random_unit(&self->random);
	}
	equant_lines_release(&lines);
}

/* ---- the order ----------------------------------------------------------------------- */

/* Many are equal, and some are what a radix could get wrong. */
static double any_weight(struct random *random)
{
	static const double odd[] = { 0.0, -0.0, INFINITY, -1, 1, DBL_MIN, 5e-324, DBL_MAX };

	if (random_below(random, 2))
		return odd[random_below(random, 8)];
	return (random_unit(random) - 0.1) * pow(10, (double)random_below(random, 40) - 20);
}

TEST_F(longest_first, sorts_by_falling_weight_and_keeps_equal_ones_in_order)
{
	struct equant_plan_weighed weighed[300];

	for (int round = 0; round < 300; round++) {
		for (long k = 0; k < round; k++)
			weighed[k] = (struct equant_plan_weighed){ any_weight(&self->random), k };
		ASSERT_EQ(0, equant_plan_sort(weighed, round));
		for (long k = 1; k < round; k++) {
			ASSERT_GE(weighed[k - 1].weight, weighed[k].weight);
			if (weighed[k - 1].weight == weighed[k].weight)
				ASSERT_LT(weighed[k - 1].at, weighed[k].at);
		}
	}
}

TEST_HARNESS_MAIN
