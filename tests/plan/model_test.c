// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Programs and machines: what they accept, what they refuse.
 */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libplan.h"

FIXTURE(plan)
{
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
	char why[256];
};

FIXTURE_SETUP(plan)
{
	self->program = affine_program(10, 1, 0);
	self->machine = equal_machine(3);
}

FIXTURE_TEARDOWN(plan)
{
	equant_plan_program_free(self->program);
	equant_plan_machine_free(self->machine);
}

TEST(a_program_has_at_least_one_iteration)
{
	errno = 0;
	EXPECT_EQ(NULL, equant_plan_program_new(0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NULL, equant_plan_program_new(-1));
	EXPECT_EQ(EINVAL, errno);
}

TEST(more_iterations_than_a_double_can_count_are_refused)
{
	struct equant_plan_program *most = equant_plan_program_new(EQUANT_PLAN_ITERATIONS);

	EXPECT_NE(NULL, most);
	equant_plan_program_free(most);
	errno = 0;
	EXPECT_EQ(NULL, equant_plan_program_new(EQUANT_PLAN_ITERATIONS + 1));
	EXPECT_EQ(EOVERFLOW, errno);
	EXPECT_EQ(NULL, equant_plan_program_new(LONG_MAX));
	EXPECT_EQ(EOVERFLOW, errno);
}

TEST_F(plan, costs_are_neither_negative_nor_without_a_value)
{
	static const double wrong[] = { -1, NAN, INFINITY, -INFINITY };
	double each[10] = { 0 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		EXPECT_EQ(-EINVAL, equant_plan_program_work(self->program, 0, wrong[i]));
		EXPECT_EQ(-EINVAL, equant_plan_program_bytes(self->program, 0, wrong[i]));
		EXPECT_EQ(-EINVAL, equant_plan_program_work(self->program, wrong[i], 5));
		EXPECT_EQ(-EINVAL, equant_plan_program_resident(self->program, wrong[i], 0));
		EXPECT_EQ(-EINVAL, equant_plan_program_resident(self->program, 0, wrong[i]));
		each[9] = wrong[i];
		EXPECT_EQ(-EINVAL, equant_plan_program_work_each(self->program, each));
		EXPECT_EQ(-EINVAL, equant_plan_program_bytes_each(self->program, each));
	}
	EXPECT_TRUE(self->program->work.slope == 1 && !self->program->work.each);
}

TEST_F(plan, falling_costs_may_reach_zero_and_no_less)
{
	EXPECT_EQ(0, equant_plan_program_work(self->program, -1, 10));
	EXPECT_EQ(-EINVAL, equant_plan_program_work(self->program, -1, 9.5));
}

TEST_F(plan, a_processor_with_a_wrong_number_is_refused)
{
	const struct equant_plan_processor good = { .operation = 1, .memory = INFINITY };
	struct equant_plan_processor wrong[12];

	for (int i = 0; i < 12; i++)
		wrong[i] = good;
	wrong[0].operation = 0;
	wrong[1].operation = -1;
	wrong[2].operation = NAN;
	wrong[3].operation = INFINITY;
	wrong[4].startup = -1;
	wrong[5].startup = NAN;
	wrong[6].byte = -1;
	wrong[7].byte = INFINITY;
	wrong[8].memory = -1;
	wrong[9].memory = NAN;
	strcpy(wrong[10].name, "a\nb");
	memset(wrong[11].name, 'a', EQUANT_PLAN_NAME);
	for (int i = 0; i < 12; i++) {
		EXPECT_EQ(-EINVAL, equant_plan_machine_add(self->machine, &wrong[i], 1))
		{
			TH_LOG("processor %d", i);
		}
	}
	EXPECT_EQ(-EINVAL, equant_plan_machine_add(self->machine, &good, 0));
	EXPECT_EQ(-E2BIG,
		  equant_plan_machine_add(self->machine, &good, EQUANT_PLAN_PROCESSORS - 2));
	EXPECT_EQ(-E2BIG, equant_plan_machine_add(self->machine, &good, INT_MAX));
	EXPECT_EQ(3, self->machine->count);
	EXPECT_EQ(-EINVAL, equant_plan_machine_medium(self->machine, -1, 0));
	EXPECT_EQ(-EINVAL, equant_plan_machine_medium(self->machine, 0, NAN));
}

TEST_F(plan, a_machine_without_processors_plans_nothing)
{
	struct equant_plan_machine *none = equant_plan_machine_new();

	ASSERT_NE(NULL, none);
	errno = 0;
	EXPECT_EQ(NULL, equant_plan_new("block", self->program, none, self->why, 256));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("no processor", self->why);
	equant_plan_machine_free(none);
}

TEST_F(plan, a_planner_nobody_knows_is_named)
{
	errno = 0;
	EXPECT_EQ(NULL, equant_plan_new("blok", self->program, self->machine, self->why, 256));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ(
		"no planner is called 'blok'; there are block cyclic bitonic speed memory memory-share network contention-free optimum optimum-blocks longest-first",
		self->why);
}

TEST_F(plan, times_that_no_double_holds_are_refused)
{
	struct equant_plan_processor slow = { .operation = 1e300, .memory = INFINITY };

	ASSERT_EQ(0, equant_plan_machine_add(self->machine, &slow, 1));
	ASSERT_EQ(0, equant_plan_program_work(self->program, 0, 1e9));
	errno = 0;
	EXPECT_EQ(NULL, equant_plan_new("block", self->program, self->machine, self->why, 256));
	EXPECT_EQ(EOVERFLOW, errno);
	EXPECT_STREQ("all iterations on processor 4 take longer than a double can hold", self->why);
}

TEST_F(plan, residents_that_no_double_holds_are_refused)
{
	ASSERT_EQ(0, equant_plan_program_resident(self->program, DBL_MAX, DBL_MAX));
	EXPECT_EQ(-EOVERFLOW, equant_plan_check(self->program, self->machine, self->why, 256));
	EXPECT_STREQ("more memory is resident than a double can hold", self->why);
}

TEST(planners_have_names_and_summaries)
{
	EXPECT_EQ(NULL, equant_planner_name(-1));
	EXPECT_EQ(NULL, equant_planner_summary(-1));
	EXPECT_STREQ("block", equant_planner_name(0));
	for (int i = 0; equant_planner_name(i); i++) {
		EXPECT_NE(NULL, equant_planner_summary(i));
		for (int j = 0; j < i; j++)
			EXPECT_STRNE(equant_planner_name(i), equant_planner_name(j));
	}
}

TEST_HARNESS_MAIN
