// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What is met twice in a table is one task. */
#include "kselftest_harness.h"
#include "random.h"
#include "watch/watch_internal.h"

#define TASKS 200

static struct equant_watch_task task(uint32_t record, uint32_t tid, uint32_t ns_inode,
				     uint64_t t_attach_ns)
{
	return (struct equant_watch_task){
		.record = record,
		.tid = tid,
		.tgid = tid,
		.ns_inode = ns_inode,
		.t_attach_ns = t_attach_ns,
	};
}

TEST(a_task_that_got_another_record_is_there_once_by_the_later_one)
{
	struct equant_watch_task tasks[] = {
		task(1, 70, 1, 5),
		task(3, 71, 1, 6),
		task(8, 70, 1, 9),
		task(9, 72, 1, 7),
	};

	ASSERT_EQ(3, equant_watch_unique(tasks, 4));
	EXPECT_EQ(3, tasks[0].record);
	EXPECT_EQ(8, tasks[1].record);
	EXPECT_EQ(70, tasks[1].tid);
	EXPECT_EQ(9, tasks[2].record);
}

TEST(the_same_number_in_another_namespace_is_another_task)
{
	struct equant_watch_task tasks[] = { task(1, 70, 1, 5), task(2, 70, 2, 6) };

	ASSERT_EQ(2, equant_watch_unique(tasks, 2));
	EXPECT_EQ(1, tasks[0].record);
	EXPECT_EQ(2, tasks[1].record);
}

TEST(few_tasks_stay_as_they_are)
{
	struct equant_watch_task one = task(4, 70, 1, 5);

	EXPECT_EQ(0, equant_watch_unique(NULL, 0));
	ASSERT_EQ(1, equant_watch_unique(&one, 1));
	EXPECT_EQ(4, one.record);
}

TEST(of_any_tasks_each_is_there_once_in_the_order_of_records)
{
	struct random random = random_seeded();
	struct equant_watch_task tasks[TASKS];
	uint64_t latest[50] = { 0 };
	size_t nr, expected = 0;

	for (uint32_t i = 0; i < TASKS; i++) {
		uint32_t tid = (uint32_t)random_below(&random, 50);
		uint64_t t = 1 + (uint64_t)random_below(&random, 1000000);

		tasks[i] = task(i + 1, tid, 1, t);
		expected += !latest[tid];
		latest[tid] = t > latest[tid] ? t : latest[tid];
	}
	nr = equant_watch_unique(tasks, TASKS);
	ASSERT_EQ(expected, nr);
	for (size_t i = 0; i < nr; i++) {
		EXPECT_EQ(latest[tasks[i].tid], tasks[i].t_attach_ns);
		if (i)
			EXPECT_LT(tasks[i - 1].record, tasks[i].record);
		latest[tasks[i].tid] = 0;
	}
}

TEST_HARNESS_MAIN
