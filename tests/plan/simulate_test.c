// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The time a schedule takes, under each machine model.
 */
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libplan.h"

FIXTURE(simulate)
{
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
	struct equant_plan *plan;
};

FIXTURE_SETUP(simulate)
{
	self->program = affine_program(10, 1, 0);
	self->machine = equant_plan_machine_new();
	self->plan = NULL;
}

FIXTURE_TEARDOWN(simulate)
{
	equant_plan_program_free(self->program);
	equant_plan_machine_free(self->machine);
	equant_plan_free(self->plan);
}

static void add(struct equant_plan_machine *machine, double operation, double startup, double byte,
		int count)
{
	struct equant_plan_processor one = {
		.operation = operation,
		.startup = startup,
		.byte = byte,
		.memory = INFINITY,
	};

	if (equant_plan_machine_add(machine, &one, count))
		abort();
}

TEST_F(simulate, without_bytes_only_operations_take_time)
{
	add(self->machine, 2, 100, 1, 1);
	add(self->machine, 3, 200, 1, 1);
	ASSERT_EQ(0, equant_plan_machine_medium(self->machine, 50, 1));
	self->plan = equant_plan_new("block", self->program, self->machine, NULL, 0);
	ASSERT_NE(NULL, self->plan);
	EXPECT_TRUE(self->plan->times[0].finish == 2 * 15);
	EXPECT_TRUE(self->plan->times[1].compute == 3 * 40);
	EXPECT_TRUE(self->plan->makespan == 120);
}

TEST_F(simulate, messages_take_their_start_up_and_bytes)
{
	add(self->machine, 2, 100, 0.5, 1);
	add(self->machine, 3, 200, 0.25, 1);
	ASSERT_EQ(0, equant_plan_program_bytes(self->program, -2, 22));
	self->plan = equant_plan_new("block", self->program, self->machine, NULL, 0);
	ASSERT_NE(NULL, self->plan);
	EXPECT_TRUE(self->plan->times[0].local == 100 + 0.5 * (20 + 18 + 16 + 14 + 12));
	EXPECT_TRUE(self->plan->times[1].local == 200 + 0.25 * (10 + 8 + 6 + 4 + 2));
	EXPECT_TRUE(self->plan->times[1].finish == 120 + 207.5);
	EXPECT_TRUE(self->plan->makespan == 327.5);
}

TEST_F(simulate, a_medium_serves_one_message_at_a_time_in_the_order_they_get_ready)
{
	add(self->machine, 3, 1, 0, 1);
	add(self->machine, 1, 1, 0, 2);
	ASSERT_EQ(0, equant_plan_machine_medium(self->machine, 4, 2));
	ASSERT_EQ(0, equant_plan_program_work(self->program, 0, 1));
	ASSERT_EQ(0, equant_plan_program_bytes(self->program, 0, 1));
	self->plan = equant_plan_new("block", self->program, self->machine, NULL, 0);
	ASSERT_NE(NULL, self->plan);
	/* Ready at 4 x 3 + 1, 3 + 1, 3 + 1; on the medium for 4 + 2 x 4, 4 + 2 x 3 twice. */
	EXPECT_TRUE(self->plan->times[1].wait == 0 && self->plan->times[1].finish == 14);
	EXPECT_TRUE(self->plan->times[2].wait == 10 && self->plan->times[2].finish == 24);
	EXPECT_TRUE(self->plan->times[0].wait == 11 && self->plan->times[0].finish == 36);
	EXPECT_TRUE(self->plan->times[0].medium == 12);
	EXPECT_TRUE(self->plan->makespan == 36);
}

TEST_F(simulate, who_has_no_iteration_sends_nothing)
{
	add(self->machine, 1, 7, 0, 12);
	ASSERT_EQ(0, equant_plan_machine_medium(self->machine, 5, 0));
	ASSERT_EQ(0, equant_plan_program_bytes(self->program, 0, 1));
	self->plan = equant_plan_new("cyclic", self->program, self->machine, NULL, 0);
	ASSERT_NE(NULL, self->plan);
	EXPECT_TRUE(self->plan->times[9].finish > 0);
	EXPECT_TRUE(self->plan->times[10].finish == 0 && self->plan->times[11].finish == 0);
}

TEST_F(simulate, another_machine_of_the_same_size_can_be_tried)
{
	struct equant_plan_machine *slow = equal_machine(2), *large = equal_machine(3);
	struct equant_plan_time times[2];

	add(self->machine, 0.5, 0, 0, 2);
	self->plan = equant_plan_new("block", self->program, self->machine, NULL, 0);
	ASSERT_NE(NULL, self->plan);
	EXPECT_TRUE(self->plan->makespan == 20);
	EXPECT_TRUE(equant_plan_simulate(self->plan, self->program, slow, times) == 40);
	EXPECT_TRUE(times[0].finish == 15 && times[1].finish == 40);
	EXPECT_TRUE(isnan(equant_plan_simulate(self->plan, self->program, large, NULL)));
	equant_plan_machine_free(slow);
	equant_plan_machine_free(large);
}

TEST_F(simulate, costs_may_be_given_one_by_one)
{
	const double work[10] = { 1, 1, 2, 3, 5, 8, 13, 21, 34, 55 };
	const double bytes[10] = { [9] = 2 };

	add(self->machine, 1, 1, 10, 2);
	ASSERT_EQ(0, equant_plan_program_work_each(self->program, work));
	ASSERT_EQ(0, equant_plan_program_bytes_each(self->program, bytes));
	self->plan = equant_plan_new("cyclic", self->program, self->machine, NULL, 0);
	ASSERT_NE(NULL, self->plan);
	EXPECT_TRUE(self->plan->times[0].finish == 1 + 2 + 5 + 13 + 34 + 1);
	EXPECT_TRUE(self->plan->times[1].finish == 1 + 3 + 8 + 21 + 55 + 1 + 20);
}

TEST_HARNESS_MAIN
