// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The exact optima, against all schedules tried one after the other. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "libbrute.h"

#include "kselftest_harness.h"

#define KINDS 8

FIXTURE(optimum)
{
	struct random random;
	char line[PLAN_LINE];
	char why[200];
};

FIXTURE_SETUP(optimum)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(optimum)
{
}

/* Everything about a plan that must hold wherever it comes from. */
static bool is_sound(const struct instance *instance, const struct equant_plan *plan)
{
	long sum = 0;

	for (int i = 0; i < plan->processors; i++) {
		if (!fits(instance, i, plan->counts[i]))
			return false;
		sum += plan->counts[i];
	}
	if (plan->bound > plan->makespan || sum != plan->iterations)
		return false;
	/* Not iteration by iteration where there are 2^53 of them. */
	return plan->iterations > 1 << 20 || plan_is_whole(plan);
}

static void compare(struct __test_metadata *_metadata, FIXTURE_DATA(optimum) * self,
		    const char *planner, const struct instance *instance, double least)
{
	struct equant_plan *plan = equant_plan_new(planner, instance->program, instance->machine,
						   self->why, sizeof(self->why));

	if (isinf(least)) {
		ASSERT_EQ(NULL, plan);
		EXPECT_EQ(ENOSPC, errno);
		EXPECT_NE(NULL, strstr(self->why, "memory too small for any schedule"));
		return;
	}
	ASSERT_NE(NULL, plan)
	{
		TH_LOG("%s: %s: %s", planner, instance_text(instance, self->line), self->why);
	}
	EXPECT_TRUE(is_sound(instance, plan));
	EXPECT_EQ(least, plan->makespan)
	{
		TH_LOG("%s: %s: %g, not %g", planner, instance_text(instance, self->line),
		       plan->makespan, least);
	}
	EXPECT_EQ(least, plan->bound);
	equant_plan_free(plan);
}

TEST_F(optimum, of_blocks_is_what_trying_all_blocks_finds)
{
	for (int round = 0; round < 4000; round++) {
		struct instance instance = random_instance(&self->random,
							   1 + random_below(&self->random, 12),
							   1 + (int)random_below(&self->random, 4),
							   (unsigned int)(round % KINDS));

		compare(_metadata, self, "optimum-blocks", &instance, brute_blocks(&instance));
		free_instance(&instance);
	}
}

/* Where iterations are equal blocks are as good as any assignment. */
TEST_F(optimum, of_equal_iterations_is_what_trying_all_counts_finds)
{
	for (int round = 0; round < 4000; round++) {
		struct instance instance = random_instance(&self->random,
							   1 + random_below(&self->random, 12),
							   1 + (int)random_below(&self->random, 5),
							   (unsigned int)(round % WITH_EACH));

		compare(_metadata, self, "optimum", &instance, brute_blocks(&instance));
		free_instance(&instance);
	}
}

TEST_F(optimum, of_any_assignment_is_not_better_where_iterations_are_equal)
{
	for (int round = 0; round < 100; round++) {
		struct instance instance = random_instance(&self->random,
							   1 + random_below(&self->random, 7), 3,
							   (unsigned int)(round % WITH_EACH));

		compare(_metadata, self, "optimum", &instance, brute_any(&instance));
		free_instance(&instance);
	}
}

/* One more iteration does not change a time of 10^9 s; they are not counted one by one. */
TEST_F(optimum, of_iterations_that_are_lost_in_rounding_is_found)
{
	struct instance instance = { affine_program(1L << 52, 0, 1),
				     machine_of((const double[]){ 1e-22 }, 1) };

	ASSERT_EQ(0, equant_plan_program_bytes(instance.program, 0, 1));
	instance.machine->processors[0].startup = 1e9;
	compare(_metadata, self, "optimum", &instance, 1e9 + 1e-22 * (1L << 52));
	free_instance(&instance);
}

/* Section 6.1 is called optimal, and gives 10 here. */
TEST_F(optimum, of_five_iterations_on_a_fast_and_a_slow_processor_is_5)
{
	struct instance instance = { equant_plan_program_new(5),
				     machine_of((const double[]){ 1, 10 }, 2) };

	compare(_metadata, self, "optimum", &instance, 5);
	compare(_metadata, self, "optimum-blocks", &instance, 5);
	free_instance(&instance);
}

TEST_F(optimum, planner_refuses_iterations_that_are_not_equal)
{
	struct instance instance = { affine_program(10, 1, 0), equal_machine(3) };

	EXPECT_EQ(NULL, equant_plan_new("optimum", instance.program, instance.machine, self->why,
					sizeof(self->why)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_STREQ("iterations are not equal: optimum-blocks or longest-first can do that",
		     self->why);
	free_instance(&instance);
}

TEST_F(optimum, without_enough_memory_names_the_shortfall)
{
	struct equant_plan_processor processor = { .operation = 1, .memory = 50 };
	struct instance instance = { equant_plan_program_new(10), equant_plan_machine_new() };

	ASSERT_EQ(0, equant_plan_machine_add(instance.machine, &processor, 2));
	ASSERT_EQ(0, equant_plan_program_resident(instance.program, 10, 10));
	EXPECT_EQ(NULL, equant_plan_new("optimum", instance.program, instance.machine, self->why,
					sizeof(self->why)));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_STREQ(
		"memory too small for any schedule: 8 of 10 iterations fit, one processor needs 20 bytes more for the other 2",
		self->why);
	ASSERT_EQ(0, equant_plan_program_resident(instance.program, 100, 10));
	EXPECT_EQ(NULL, equant_plan_new("optimum-blocks", instance.program, instance.machine,
					self->why, sizeof(self->why)));
	EXPECT_STREQ(
		"memory too small for any schedule: one iteration needs 110 bytes, 60 more than the largest memory",
		self->why);
	free_instance(&instance);
}

/* As many as there can be, and blocks of so many iterations that no sum of costs is whole. */
TEST_F(optimum, of_the_largest_loop_is_found_too)
{
	struct instance instance = { equant_plan_program_new(EQUANT_PLAN_ITERATIONS),
				     equal_machine(4) };
	const double each = (double)(EQUANT_PLAN_ITERATIONS / 4);

	compare(_metadata, self, "optimum", &instance, each);
	compare(_metadata, self, "optimum-blocks", &instance, each);
	free_instance(&instance);
}

/* Blocks of an affine loop are summed by the formula, those of the same numbers one by one. */
TEST_F(optimum, of_blocks_is_the_same_for_a_formula_and_its_numbers)
{
	const double operation[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
	struct instance formula = { affine_program(1000, -2, 2500), machine_of(operation, 8) };
	struct instance numbers = { equant_plan_program_new(1000), machine_of(operation, 8) };
	struct equant_plan *plan;
	double each[1000];

	for (int i = 0; i < 1000; i++)
		each[i] = 2500 - 2 * (i + 1);
	ASSERT_EQ(0, equant_plan_program_work_each(numbers.program, each));
	plan = equant_plan_new("optimum-blocks", formula.program, formula.machine, NULL, 0);
	ASSERT_NE(NULL, plan);
	compare(_metadata, self, "optimum-blocks", &numbers, plan->makespan);
	equant_plan_free(plan);
	free_instance(&formula);
	free_instance(&numbers);
}

/* A triangle, whose sums are rounded: its last iteration costs nothing, or some units in the last place. */
static struct instance triangle(struct random *random)
{
	long n = 1 + random_below(random, 50);
	double slope = 10 * random_unit(random);
	double operation[8];

	for (int i = 0; i < 8; i++)
		operation[i] = 0.001 + random_unit(random);
	return (struct instance){ affine_program(n, -slope, slope * (double)n),
				  machine_of(operation, 1 + (int)random_below(random, 8)) };
}

TEST_F(optimum, loses_no_iteration_that_costs_next_to_nothing)
{
	static const char *const planners[] = { "optimum-blocks", "speed", "network",
						"longest-first" };

	for (int round = 0; round < 20000; round++) {
		struct instance instance = triangle(&self->random);
		const char *planner = planners[round % 4];
		struct equant_plan *plan = equant_plan_new(
			planner, instance.program, instance.machine, self->why, sizeof(self->why));

		ASSERT_NE(NULL, plan)
		{
			TH_LOG("%s: %s: %s", planner, instance_text(&instance, self->line),
			       self->why);
		}
		EXPECT_TRUE(plan_is_whole(plan));
		equant_plan_free(plan);
		free_instance(&instance);
	}
}

TEST_HARNESS_MAIN
