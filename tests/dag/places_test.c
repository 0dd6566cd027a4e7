// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Where tasks may run: what fits no schedule is named, and what fits any is found.
 */
#include <errno.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libdag.h"

FIXTURE(places)
{
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
	char why[200];
};

FIXTURE_SETUP(places)
{
	self->dag = equant_dag_new();
	self->machine = equant_dag_machine_new(2);
	strcpy(self->why, "nothing said");
}

FIXTURE_TEARDOWN(places)
{
	equant_dag_machine_free(self->machine);
	equant_dag_free(self->dag);
}

/* Independent tasks of that much memory up to a negative one, on processors that have 12 each. */
static void set_up(FIXTURE_DATA(places) * self, const int *memory)
{
	for (int i = 0; memory[i] >= 0; i++)
		if (equant_dag_add_task(self->dag, NULL, 1) != i ||
		    equant_dag_task_memory(self->dag, i, (uint64_t)memory[i]))
			abort();
	for (int k = 0; k < 2; k++)
		if (equant_dag_machine_memory(self->machine, k, 12))
			abort();
}

#define tasks(self, ...) set_up(self, (const int[]){ __VA_ARGS__, -1 })

/* Nobody has a schedule, all for the same reason. */
static const char *fault(FIXTURE_DATA(places) * self)
{
	for (int s = 0; equant_dag_scheduler(s); s++)
		if (equant_dag_schedule(equant_dag_scheduler(s), self->dag, self->machine, NULL,
					self->why, sizeof(self->why)) ||
		    errno != ENOSPC)
			return "a schedule, or another error";
	if (equant_dag_optimum(self->dag, self->machine, self->why, sizeof(self->why)) ||
	    errno != ENOSPC)
		return "an optimum, or another error";
	return self->why;
}

TEST_F(places, a_task_that_is_too_large_for_all_processors)
{
	tasks(self, 3, 15, 14);
	EXPECT_STREQ("task 1: needs 15 of memory, 3 more than any processor has", fault(self));
}

TEST_F(places, tasks_that_are_too_large_together)
{
	tasks(self, 9, 9, 9, 9);
	EXPECT_STREQ(
		"tasks that are not pinned need 36 of memory, 12 more than all processors have for them",
		fault(self));
}

TEST_F(places, tasks_that_are_too_large_for_where_they_are_pinned)
{
	tasks(self, 9, 9, 1);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, equant_dag_machine_pin(self->machine, i, 1));
	EXPECT_STREQ(
		"task 1: pinned to processor 1, which has 6 too little memory for it and those pinned there before",
		fault(self));
}

TEST_F(places, tasks_that_fit_in_sum_but_not_in_any_way)
{
	tasks(self, 1, 7, 7, 7);
	EXPECT_STREQ(
		"task 3: no room for its memory of 7 beside that of others, however they are shared out",
		fault(self));
}

TEST_F(places, a_pinned_task_that_is_not_there)
{
	tasks(self, 1, 2);
	ASSERT_EQ(0, equant_dag_machine_pin(self->machine, 2, 1));
	EXPECT_EQ(NULL, equant_dag_schedule("heft", self->dag, self->machine, NULL, self->why,
					    sizeof(self->why)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("task 2 is pinned, but there are 2 tasks", self->why);
	ASSERT_EQ(0, equant_dag_machine_pin(self->machine, 2, -1));
	EXPECT_EQ(0, equant_dag_ranks(self->dag, self->machine, NULL, NULL, NULL, 0));
}

TEST_F(places, what_cannot_be_is_refused)
{
	tasks(self, 1);
	EXPECT_EQ(-ENOENT, equant_dag_task_memory(self->dag, 1, 1));
	EXPECT_EQ(-EINVAL, equant_dag_task_memory(self->dag, 0, EQUANT_DAG_MEMORY + 1));
	EXPECT_EQ(-ENOENT, equant_dag_machine_memory(self->machine, 2, 1));
	EXPECT_EQ(-EINVAL, equant_dag_machine_memory(self->machine, 0, EQUANT_DAG_MEMORY + 1));
	EXPECT_EQ(0, equant_dag_machine_memory(self->machine, 0, EQUANT_DAG_UNLIMITED));
	EXPECT_EQ(-ENOENT, equant_dag_machine_pin(self->machine, 0, 2));
	EXPECT_EQ(-EINVAL, equant_dag_machine_pin(self->machine, -1, 0));
	EXPECT_EQ(-EINVAL, equant_dag_machine_pin(self->machine, EQUANT_DAG_TASKS, 0));
}

/*
 * Neither the largest first to where most is left nor to where it fits best: 6 with 3 and 3, and 4
 * three times.
 */
TEST_F(places, the_only_way_is_found_by_all_schedulers)
{
	tasks(self, 3, 4, 6, 4, 3, 4);
	for (int s = 0; equant_dag_scheduler(s); s++) {
		const char *name = equant_dag_scheduler(s);
		struct equant_dag_schedule *schedule = equant_dag_schedule(
			name, self->dag, self->machine, NULL, self->why, sizeof(self->why));

		if (!strcmp(name, "single")) {
			EXPECT_EQ(NULL, schedule);
			EXPECT_STREQ("single: no processor may run all tasks", self->why);
			continue;
		}
		ASSERT_NE(NULL, schedule)
		{
			TH_LOG("%s: %s", name, self->why);
		}
		EXPECT_EQ(0, equant_dag_verify(self->dag, self->machine, schedule, NULL, 0));
		equant_dag_schedule_free(schedule);
	}
}

/*
 * The two that are long belong on the faster processor, where the two that are short keep room until
 * they have to move it.
 */
TEST_F(places, what_others_keep_does_not_stand_in_the_way)
{
	struct equant_dag_schedule *schedule;

	tasks(self, 4, 4, 4, 4);
	for (int i = 0; i < 4; i++)
		self->dag->task[i].work = i % 2 ? 10 : 1;
	for (int k = 0; k < 2; k++)
		ASSERT_EQ(0, equant_dag_machine_memory(self->machine, k, 8));
	ASSERT_EQ(0, equant_dag_machine_rate(self->machine, 1, 3));
	schedule = equant_dag_schedule("heft", self->dag, self->machine, NULL, NULL, 0);
	ASSERT_NE(NULL, schedule);
	EXPECT_EQ(20, schedule->makespan);
	equant_dag_schedule_free(schedule);
}

/* All on the faster processor would be shorter; the tasks that are pinned elsewhere stay there. */
TEST_F(places, pinned_tasks_stay_and_the_others_do_not_care)
{
	struct equant_dag_schedule *schedule, *better;

	tasks(self, 0, 0, 0);
	ASSERT_EQ(0, equant_dag_machine_rate(self->machine, 1, 100));
	ASSERT_EQ(0, equant_dag_machine_pin(self->machine, 1, 1));
	for (int s = 0; equant_dag_scheduler(s); s++) {
		if (!strcmp("single", equant_dag_scheduler(s)))
			continue;
		schedule = equant_dag_schedule(equant_dag_scheduler(s), self->dag, self->machine,
					       NULL, NULL, 0);
		ASSERT_NE(NULL, schedule);
		better = equant_dag_improve(self->dag, self->machine, schedule, NULL, 0);
		ASSERT_NE(NULL, better);
		EXPECT_EQ(100, better->makespan);
		EXPECT_EQ(1, better->slot[2].processor);
		EXPECT_EQ(1, better->slot[2].task);
		equant_dag_schedule_free(better);
		equant_dag_schedule_free(schedule);
	}
}

/* A plan for one machine cannot be carried out on one where its tasks may not be. */
TEST_F(places, replaying_where_tasks_may_not_run_is_refused)
{
	struct equant_dag_machine *small = equant_dag_machine_new(2);
	struct equant_dag_schedule *plan;

	tasks(self, 5, 5);
	plan = equant_dag_schedule("single", self->dag, self->machine, NULL, NULL, 0);
	ASSERT_NE(NULL, plan);
	ASSERT_EQ(0, equant_dag_machine_memory(small, 0, 8));
	EXPECT_EQ(NULL, equant_dag_replay(self->dag, self->machine, plan, small, self->why,
					  sizeof(self->why)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_STREQ("task 1: memory of processor 0 is 2 too little", self->why);
	equant_dag_schedule_free(plan);
	equant_dag_machine_free(small);
}

TEST_HARNESS_MAIN
