// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The worked example of Topcuoglu, Hariri and Wu 2002: figure 2 has the graph and the costs, the
 * rest of the example the ranks and both schedules.
 */
#include "kselftest_harness.h"
#include "libdag.h"

FIXTURE(published)
{
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
	struct equant_dag_schedule *schedule;
	char line[DAG_LINE];
};

FIXTURE_SETUP(published)
{
	self->dag = topcuoglu_graph();
	self->machine = topcuoglu_machine();
	self->schedule = NULL;
}

FIXTURE_TEARDOWN(published)
{
	equant_dag_schedule_free(self->schedule);
	equant_dag_machine_free(self->machine);
	equant_dag_free(self->dag);
}

TEST_F(published, every_rank_is_the_printed_one)
{
	static const char sums[] =
		"108.000 108.000 105.000 102.000 93.000 90.333 105.000 102.333 108.000 108.000";
	double up[10], down[10], sum[10];

	ASSERT_EQ(0, equant_dag_ranks(self->dag, self->machine, up, down, NULL, 0));
	for (int i = 0; i < 10; i++)
		sum[i] = up[i] + down[i];
	EXPECT_STREQ("108.000 77.000 80.000 80.000 69.000 63.333 42.667 35.667 44.333 14.667",
		     numbers_line(up, 10, 3, self->line));
	EXPECT_STREQ("0.000 31.000 25.000 22.000 24.000 27.000 62.333 66.667 63.667 93.333",
		     numbers_line(down, 10, 3, self->line));
	EXPECT_STREQ(sums, numbers_line(sum, 10, 3, self->line));
}

TEST_F(published, heft_takes_80)
{
	self->schedule = equant_dag_schedule("heft", self->dag, self->machine, NULL, NULL, 0);
	ASSERT_NE(NULL, self->schedule);
	EXPECT_EQ(80, self->schedule->makespan);
	EXPECT_STREQ("1: 2@27-40 8@57-62\n"
		     "2: 4@18-26 6@26-42 9@56-68 10@73-80\n"
		     "3: 1@0-9 3@9-28 5@28-38 7@38-49",
		     dag_line(self->schedule, 3, self->line));
	EXPECT_EQ(0, equant_dag_verify(self->dag, self->machine, self->schedule, NULL, 0));
}

TEST_F(published, cpop_takes_86)
{
	self->schedule = equant_dag_schedule("cpop", self->dag, self->machine, NULL, NULL, 0);
	ASSERT_NE(NULL, self->schedule);
	EXPECT_EQ(86, self->schedule->makespan);
	EXPECT_STREQ("1: 3@28-39 7@39-46\n"
		     "2: 1@0-16 2@16-35 5@35-48 9@65-77 10@79-86\n"
		     "3: 4@25-42 6@42-51 8@54-68",
		     dag_line(self->schedule, 3, self->line));
	EXPECT_EQ(0, equant_dag_verify(self->dag, self->machine, self->schedule, NULL, 0));
}

TEST_HARNESS_MAIN
