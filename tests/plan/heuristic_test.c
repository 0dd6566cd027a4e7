// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The paper's heuristics: its worked example, and schedules small enough to be
 * checked by hand.
 */
#include <errno.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libplan.h"

/* Plans and takes everything down again; the makespan, and the schedule in @line. */
static double planned(const char *planner, struct equant_plan_program *program,
		      struct equant_plan_machine *machine, char line[PLAN_LINE])
{
	struct equant_plan *plan = equant_plan_new(planner, program, machine, line, PLAN_LINE);
	double makespan = -1;

	if (plan) {
		makespan = plan_is_whole(plan) ? plan->makespan : -2;
		plan_line(plan, line);
	}
	equant_plan_free(plan);
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
	return makespan;
}

/* ---- bitonic ------------------------------------------------------------------------ */

TEST(the_worked_example_takes_19_where_round_robin_takes_22)
{
	char line[PLAN_LINE];

	EXPECT_EQ(19, planned("bitonic", affine_program(10, 1, 0), equal_machine(3), line));
	EXPECT_STREQ("10 5 1-2 | 9 6 3 | 8 7 4", line);
	EXPECT_EQ(22, planned("cyclic", affine_program(10, 1, 0), equal_machine(3), line));
	EXPECT_STREQ("1-10/3 | 2-8/3 | 3-9/3", line);
}

TEST(bitonic_is_in_perfect_balance_if_2p_divides_n)
{
	char line[PLAN_LINE];

	EXPECT_EQ(26, planned("bitonic", affine_program(12, 1, 0), equal_machine(3), line));
	EXPECT_STREQ("11-12 1-2 | 9-10 3-4 | 7-8 5-6", line);
}

TEST(bitonic_takes_the_last_iterations_out_if_costs_fall)
{
	char line[PLAN_LINE];

	EXPECT_EQ(19, planned("bitonic", affine_program(10, -1, 11), equal_machine(3), line));
	EXPECT_STREQ("6 1 10 9 | 5 2 8 | 4 3 7", line);
}

TEST(bitonic_spreads_a_rest_of_up_to_p)
{
	char line[PLAN_LINE];

	EXPECT_EQ(13, planned("bitonic", affine_program(8, 1, 0), equal_machine(3), line));
	EXPECT_STREQ("8 3 1 | 7 4 2 | 6 5", line);
	EXPECT_EQ(2, planned("bitonic", affine_program(2, 1, 0), equal_machine(3), line));
	EXPECT_STREQ("1 | 2 |", line);
}

TEST(bitonic_counts_bytes_as_well_as_work)
{
	struct equant_plan_program *program = affine_program(10, 1, 0);
	struct equant_plan_machine *machine = equal_machine(3);
	char line[PLAN_LINE];

	/* Work rises, but bytes fall by more. */
	machine->processors[0].byte = machine->processors[1].byte = 2;
	machine->processors[2].byte = 2;
	ASSERT_EQ(0, equant_plan_program_bytes(program, -1, 11));
	EXPECT_EQ(62, planned("bitonic", program, machine, line));
	EXPECT_STREQ("6 1 10 9 | 5 2 8 | 4 3 7", line);
}

TEST(bitonic_is_for_equal_processors_and_affine_iterations)
{
	static const double two[] = { 1, 2 }, each[] = { 1, 2, 3 };
	struct equant_plan_program *program = affine_program(3, 0, 1);
	char line[PLAN_LINE];

	EXPECT_EQ(-1, planned("bitonic", affine_program(9, 1, 0), machine_of(two, 2), line));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_STREQ("the processors are unequal", line);
	ASSERT_EQ(0, equant_plan_program_work_each(program, each));
	EXPECT_EQ(-1, planned("bitonic", program, equal_machine(2), line));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_STREQ("work is given for each iteration, and must be affine here", line);
}

/* ---- speed -------------------------------------------------------------------------- */

TEST(speed_gives_each_processor_its_part)
{
	static const double times[] = { 1, 0.5, 0.25 };
	char line[PLAN_LINE];

	EXPECT_EQ(3, planned("speed", affine_program(21, 0, 1), machine_of(times, 3), line));
	EXPECT_STREQ("1-3 | 4-9 | 10-21", line);
}

TEST(speed_is_not_optimal)
{
	static const double times[] = { 1, 10 };
	char line[PLAN_LINE];

	EXPECT_EQ(10, planned("speed", affine_program(5, 0, 1), machine_of(times, 2), line));
	EXPECT_STREQ("1-4 | 5", line);
}

TEST(speed_counts_bytes_as_well_as_work)
{
	static const double times[] = { 1, 2 };
	struct equant_plan_program *program = affine_program(5, 0, 1);
	struct equant_plan_machine *machine = machine_of(times, 2);
	char line[PLAN_LINE];

	machine->processors[0].byte = machine->processors[1].byte = 1;
	machine->processors[0].startup = machine->processors[1].startup = 7;
	ASSERT_EQ(0, equant_plan_program_bytes(program, 0, 1));
	EXPECT_EQ(13, planned("speed", program, machine, line));
	EXPECT_STREQ("1-3 | 4-5", line);
}

TEST(speed_shares_pairs_of_affine_iterations)
{
	static const double times[] = { 1, 2 };
	char line[PLAN_LINE];

	EXPECT_EQ(14, planned("speed", affine_program(5, 1, 0), machine_of(times, 2), line));
	EXPECT_STREQ("5 2 1 | 4 3", line);
	EXPECT_EQ(14, planned("speed", affine_program(6, 1, 0), machine_of(times, 2), line));
	EXPECT_STREQ("5-6 1-2 | 4 3", line);
	EXPECT_EQ(14, planned("speed", affine_program(5, -1, 6), machine_of(times, 2), line));
	EXPECT_STREQ("4 1 5 | 3 2", line);
	EXPECT_EQ(1, planned("speed", affine_program(1, 1, 0), machine_of(times, 2), line));
	EXPECT_STREQ("1 |", line);
}

/* Parts that are whole numbers are met in spite of rounding. */
TEST(equal_processors_get_equal_parts)
{
	char line[PLAN_LINE];

	for (int p = 1; p <= 1000; p++) {
		struct equant_plan_machine *machine = equal_machine(p);

		for (int i = 0; i < p; i++)
			machine->processors[i].operation = 1.0 / 3;
		EXPECT_TRUE(near(7.0 / 3,
				 planned("speed", affine_program(7 * p, 0, 1), machine, line)));
	}
}

/* ---- contention-free ------------------------------------------------------------------ */

static struct equant_plan_machine *medium(int p, double startup, double byte)
{
	struct equant_plan_machine *machine = equal_machine(p);

	equant_plan_machine_medium(machine, startup, byte);
	return machine;
}

static struct equant_plan_program *sending_program(long n, double work, double bytes)
{
	struct equant_plan_program *program = affine_program(n, 0, work);

	equant_plan_program_bytes(program, 0, bytes);
	return program;
}

TEST(a_message_is_ready_when_the_one_before_has_been_sent)
{
	struct equant_plan_program *program = sending_program(19, 1, 1);
	struct equant_plan_machine *machine = medium(3, 0, 0.5);
	struct equant_plan *plan = equant_plan_new("contention-free", program, machine, NULL, 0);
	char line[PLAN_LINE];

	/* z = 4, 6, 9: each 1.5 times the one before. */
	ASSERT_NE(NULL, plan);
	EXPECT_STREQ("1-4 | 5-10 | 11-19", plan_line(plan, line));
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(plan->times[i].wait == 0);
	EXPECT_TRUE(plan->makespan == 13.5);
	equant_plan_free(plan);
	plan = equant_plan_new("block", program, machine, NULL, 0);
	ASSERT_NE(NULL, plan);
	EXPECT_TRUE(plan->makespan == 15.5);
	equant_plan_free(plan);
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
}

TEST(fewer_processors_are_used_where_one_would_get_less_than_nothing)
{
	char line[PLAN_LINE];

	/* z_2 = z_1 + 4, z_3 = z_2 + 4: ten iterations are too few for three. */
	EXPECT_EQ(11, planned("contention-free", sending_program(10, 1, 1), medium(3, 4, 0), line));
	EXPECT_STREQ("1-3 | 4-10 |", line);
	EXPECT_EQ(12, planned("contention-free", sending_program(12, 1, 1), medium(3, 4, 0), line));
	EXPECT_STREQ("1-4 | 5-12 |", line);
	EXPECT_EQ(1003,
		  planned("contention-free", sending_program(3, 1, 1), medium(3, 1000, 0), line));
	EXPECT_STREQ("1-3 | |", line);
}

TEST(a_loop_without_local_work_stays_on_one_processor)
{
	char line[PLAN_LINE];

	EXPECT_EQ(10, planned("contention-free", sending_program(5, 0, 1), medium(3, 0, 2), line));
	EXPECT_STREQ("1-5 | |", line);
}

TEST(without_messages_everybody_gets_the_same)
{
	char line[PLAN_LINE];

	EXPECT_EQ(2, planned("contention-free", sending_program(5, 1, 0), medium(3, 9, 9), line));
	EXPECT_STREQ("1 | 2-3 | 4-5", line);
}

TEST(a_steep_chain_of_many_processors_does_not_overflow)
{
	char line[PLAN_LINE];

	EXPECT_NE(-1, planned("contention-free", sending_program(1000, 1, 1),
			      medium(100000, 0, 1e9), line));
	EXPECT_NE(-2, planned("contention-free", sending_program(1000, 1, 1),
			      medium(100000, 1e-300, 1e-9), line));
}

TEST(contention_free_is_for_equal_processors_and_equal_iterations)
{
	static const double two[] = { 1, 2 };
	char line[PLAN_LINE];

	EXPECT_EQ(-1,
		  planned("contention-free", affine_program(9, 0, 1), machine_of(two, 2), line));
	EXPECT_STREQ("the processors are unequal", line);
	EXPECT_EQ(-1, planned("contention-free", affine_program(9, 1, 0), equal_machine(2), line));
	EXPECT_STREQ("the iterations are unequal", line);
}

TEST_HARNESS_MAIN
