// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The bound is below every schedule, and where it is exact it is reached.
 */
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libbrute.h"

TEST(no_schedule_is_faster_than_the_bound)
{
	struct random random = random_seeded();
	double close = 0;
	int many = 0;

	for (int round = 0; round < 1500; round++) {
		unsigned int kind = (unsigned int)random_below(&random, 8) & ~WITH_MEMORY;
		struct instance instance = random_instance(&random, 1 + random_below(&random, 6),
							   1 + (int)random_below(&random, 4), kind);
		double bound = equant_plan_bound(instance.program, instance.machine);
		double best = brute_any(&instance);
		char line[PLAN_LINE];

		EXPECT_LE(bound, best)
		{
			TH_LOG("%s", instance_text(&instance, line));
		}
		if (best > 0) {
			close += bound / best;
			many++;
		}
		free_instance(&instance);
	}
	TH_LOG("the bound is %.3f of the best schedule's time, in the mean", close / many);
	EXPECT_LT(0.5, close / many);
}

TEST(no_planner_is_faster_than_the_bound_behind_a_medium)
{
	struct random random = random_seeded();

	for (int round = 0; round < 2000; round++) {
		struct instance instance =
			random_instance(&random, 1 + random_below(&random, BRUTE_ITERATIONS),
					1 + (int)random_below(&random, 5),
					WITH_BYTES | (random_below(&random, 2) ? WITH_EACH : 0));
		double bound;

		equant_plan_machine_medium(instance.machine, (double)random_below(&random, 4),
					   (double)random_below(&random, 4));
		bound = equant_plan_bound(instance.program, instance.machine);
		for (int i = 0; equant_planner_name(i); i++) {
			struct equant_plan *plan = equant_plan_new(equant_planner_name(i),
								   instance.program,
								   instance.machine, NULL, 0);

			if (plan)
				EXPECT_LE(bound, plan->makespan);
			equant_plan_free(plan);
		}
		free_instance(&instance);
	}
}

TEST(iterations_that_can_be_shared_exactly_take_what_the_bound_says)
{
	static const double times[] = { 1, 0.5, 0.25 };
	struct equant_plan_program *program = affine_program(21, 0, 2);
	struct equant_plan_machine *machine = machine_of(times, 3);

	EXPECT_TRUE(near(6, equant_plan_bound(program, machine)));
	/* With messages: 2 + 3, 1 + 3, 0.5 + 3 for an iteration, and one has no start-up. */
	ASSERT_EQ(0, equant_plan_program_bytes(program, 0, 1));
	for (int i = 0; i < 3; i++)
		machine->processors[i].byte = 3;
	machine->processors[0].startup = machine->processors[1].startup = 1000;
	EXPECT_TRUE(near(21 * 3.5, equant_plan_bound(program, machine)));
	machine->processors[0].startup = machine->processors[1].startup = 0;
	EXPECT_TRUE(near(21 / (1 / 5.0 + 1 / 4.0 + 1 / 3.5), equant_plan_bound(program, machine)));
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
}

/* A million times 0.1 is no sum without an error, and a quarter of that has another. */
TEST(sums_of_many_iterations_that_were_rounded_are_not_above_a_schedule)
{
	enum { N = 1000000 };
	struct equant_plan_program *program = affine_program(N, 0, 1);
	struct equant_plan_machine *machine = equal_machine(4);
	double *each = calloc(N, sizeof(*each));
	struct equant_plan *plan;

	ASSERT_NE(NULL, each);
	for (long i = 0; i < N; i++)
		each[i] = 0.1;
	ASSERT_EQ(0, equant_plan_program_work_each(program, each));
	plan = equant_plan_new("block", program, machine, NULL, 0);
	ASSERT_NE(NULL, plan);
	EXPECT_LE(equant_plan_bound(program, machine), plan->makespan);
	EXPECT_TRUE(near(plan->makespan, equant_plan_bound(program, machine)));
	equant_plan_free(plan);
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
	free(each);
}

TEST(sums_that_no_number_holds_are_no_bound)
{
	struct equant_plan_program *program = affine_program(1, 0, 1);
	struct equant_plan_machine *machine = equal_machine(2);

	ASSERT_EQ(0, equant_plan_program_bytes(program, 0, 1));
	for (int i = 0; i < 2; i++) {
		machine->processors[i].operation = 0.8e308;
		machine->processors[i].startup = 0.7e308;
	}
	EXPECT_TRUE(near(1.5, equant_plan_bound(program, machine) / 1e308));
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
}

TEST(a_single_iteration_and_all_messages_are_bounds_too)
{
	static const double each[] = { 1, 100, 1 };
	struct equant_plan_program *program = affine_program(3, 0, 1);
	struct equant_plan_machine *machine = equal_machine(3);

	ASSERT_EQ(0, equant_plan_program_work_each(program, each));
	EXPECT_TRUE(near(100, equant_plan_bound(program, machine)));
	ASSERT_EQ(0, equant_plan_program_bytes(program, 0, 2));
	ASSERT_EQ(0, equant_plan_machine_medium(machine, 7, 50));
	EXPECT_TRUE(near(307, equant_plan_bound(program, machine)));
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
}

TEST(who_has_more_than_memory_holds_is_found)
{
	struct equant_plan_program *program = affine_program(6, 0, 1);
	struct equant_plan_machine *machine = equal_machine(3);
	struct equant_plan *plan = equant_plan_new("block", program, machine, NULL, 0);

	ASSERT_NE(NULL, plan);
	ASSERT_EQ(0, equant_plan_program_resident(program, 10, 5));
	EXPECT_EQ(-1, equant_plan_over_memory(plan, program, machine));
	machine->processors[1].memory = 20;
	EXPECT_EQ(-1, equant_plan_over_memory(plan, program, machine));
	machine->processors[1].memory = 19;
	EXPECT_EQ(1, equant_plan_over_memory(plan, program, machine));
	equant_plan_free(plan);
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
}

TEST_HARNESS_MAIN
