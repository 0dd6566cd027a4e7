// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The checker finds faults that are planted in a schedule that is right.
 *
 * Task 0 is needed by 1, 2 and 3.  All take 2; processor 0 has 0, then 1; processor 1 has 2, then
 * 3, whose messages of length 1 come over the one channel.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libdag.h"

FIXTURE(checker)
{
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
	struct equant_dag_slot slot[5];
	struct equant_dag_message message[3];
	struct equant_dag_schedule schedule;
	char why[200];
};

FIXTURE_SETUP(checker)
{
	static const struct equant_dag_slot slot[] = {
		{ 0, 0, 0, 2 },
		{ 1, 0, 2, 4 },
		{ 2, 1, 3, 5 },
		{ 3, 1, 5, 7 },
	};
	static const struct equant_dag_message message[] = { { 1, 0, 1, 2, 3 }, { 2, 0, 1, 3, 4 } };

	self->dag = equant_dag_new();
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(i, equant_dag_add_task(self->dag, NULL, 2));
	for (int i = 1; i < 4; i++)
		ASSERT_EQ(0, equant_dag_add_edge(self->dag, 0, i, 1));
	self->machine = equant_dag_machine_new(2);
	equant_dag_machine_channels(self->machine, EQUANT_DAG_SHARED);
	memcpy(self->slot, slot, sizeof(slot));
	memcpy(self->message, message, sizeof(message));
	self->schedule = (struct equant_dag_schedule){ "hand", 4, self->slot, 2, self->message, 7 };
}

FIXTURE_TEARDOWN(checker)
{
	equant_dag_machine_free(self->machine);
	equant_dag_free(self->dag);
}

#define verdict(self)                                                                   \
	equant_dag_verify((self)->dag, (self)->machine, &(self)->schedule, (self)->why, \
			  sizeof((self)->why))

TEST_F(checker, what_is_right_passes)
{
	EXPECT_EQ(0, verdict(self));
}

TEST_F(checker, swapped_order)
{
	self->slot[0].start = 2;
	self->slot[0].finish = 4;
	self->slot[1].start = 0;
	self->slot[1].finish = 2;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 1: starts at 0, but processor 0 has task 0 until 4", self->why);
	self->schedule.slot[4] = self->slot[0];
	self->slot[0] = self->slot[1];
	self->slot[1] = self->slot[4];
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("message of edge 1: sent at 2, but task 0 ends at 4", self->why);
}

TEST_F(checker, a_task_before_the_one_that_it_needs_on_the_same_processor)
{
	self->schedule.messages = 0;
	for (int i = 0; i < 4; i++)
		self->slot[i] = (struct equant_dag_slot){ 3 - i, 0, 2 * i, 2 * i + 2 };
	self->schedule.makespan = 8;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 1: starts at 4, but task 0 ends at 8", self->why);
}

TEST_F(checker, overlapping_messages_on_a_channel)
{
	self->message[1].start = 2.5;
	self->message[1].finish = 3.5;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("message of edge 1 and message of edge 2: both at 2.5 on one channel",
		     self->why);
	equant_dag_machine_channels(self->machine, EQUANT_DAG_FREE);
	EXPECT_EQ(0, verdict(self));
}

TEST_F(checker, messages_in_both_directions_on_a_channel_for_both)
{
	ASSERT_EQ(4, equant_dag_add_task(self->dag, NULL, 1));
	ASSERT_EQ(0, equant_dag_add_edge(self->dag, 2, 4, 2));
	self->message[2] = (struct equant_dag_message){ 3, 1, 0, 5, 7 };
	self->message[1] = (struct equant_dag_message){ 2, 0, 1, 5.5, 6.5 };
	self->slot[4] = self->slot[3];
	self->slot[4].start = 6.5;
	self->slot[4].finish = 8.5;
	self->slot[3] = (struct equant_dag_slot){ 4, 0, 7, 8 };
	self->schedule.slots = 5;
	self->schedule.messages = 3;
	self->schedule.makespan = 8.5;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("message of edge 3 and message of edge 2: both at 5.5 on one channel",
		     self->why);
	equant_dag_machine_channels(self->machine, EQUANT_DAG_DUPLEX);
	EXPECT_EQ(0, verdict(self));
}

TEST_F(checker, a_task_on_two_processors)
{
	self->slot[4] = (struct equant_dag_slot){ 1, 1, 7, 9 };
	self->schedule.slots = 5;
	self->schedule.makespan = 9;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 1: on processor 0 and on processor 1", self->why);
}

TEST_F(checker, a_task_on_none)
{
	self->schedule.slots = 3;
	self->schedule.makespan = 5;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 3: on no processor", self->why);
}

TEST_F(checker, early_start)
{
	self->slot[2].start = 2.5;
	self->slot[2].finish = 4.5;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 2: starts at 2.5, but the data of edge 1 is there at 3", self->why);
}

TEST_F(checker, a_message_that_is_not_sent_or_sent_twice)
{
	self->schedule.messages = 1;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("message of edge 2: not sent", self->why);
	self->schedule.messages = 3;
	self->message[2] = self->message[0];
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("message of edge 1: sent twice", self->why);
}

TEST_F(checker, a_task_or_message_that_is_too_short)
{
	self->slot[3].finish = 6;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 3: from 5 to 6, but takes 2 on processor 1", self->why);
	self->slot[3].finish = 7;
	self->message[0].finish = 2.5;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("message of edge 1: from 2 to 2.5, but takes 1", self->why);
}

TEST_F(checker, tasks_at_infinity)
{
	self->schedule.messages = 0;
	self->schedule.makespan = INFINITY;
	for (int i = 0; i < 4; i++)
		self->slot[i] = (struct equant_dag_slot){ 3 - i, 0, INFINITY, INFINITY };
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 3: from inf to inf, but takes 2 on processor 0", self->why);
}

TEST_F(checker, a_makespan_that_is_not_the_last_finish)
{
	self->schedule.makespan = 6;
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("makespan 6, but the last task ends at 7", self->why);
}

TEST_F(checker, computing_while_sending_without_overlap)
{
	equant_dag_machine_overlap(self->machine, false);
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 1 and message of edge 1: both at 2 on one processor", self->why);
}

/* Task 1 may go on while messages travel, but they begin before it or after it. */
TEST_F(checker, a_message_that_begins_inside_a_task_with_progress)
{
	ASSERT_EQ(0, equant_dag_machine_overlap(self->machine, EQUANT_DAG_PROGRESS));
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 1 and message of edge 2: both at 3 on one processor", self->why);
	self->message[1] = (struct equant_dag_message){ 2, 0, 1, 4, 5 };
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 2 and message of edge 2: both at 4 on one processor", self->why);
	for (int i = 2; i < 4; i++) {
		self->slot[i].start++;
		self->slot[i].finish++;
	}
	self->schedule.makespan = 8;
	EXPECT_EQ(0, verdict(self));
	EXPECT_EQ(-EINVAL, equant_dag_machine_overlap(self->machine, (enum equant_dag_overlap)3));
}

TEST_F(checker, a_task_where_it_must_not_be)
{
	ASSERT_EQ(0, equant_dag_machine_pin(self->machine, 2, 0));
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 2: on processor 1, but pinned to 0", self->why);
	ASSERT_EQ(0, equant_dag_machine_pin(self->machine, 2, 1));
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, equant_dag_task_memory(self->dag, i, 3));
	ASSERT_EQ(0, equant_dag_machine_memory(self->machine, 1, 5));
	EXPECT_EQ(-EINVAL, verdict(self));
	EXPECT_STREQ("task 3: memory of processor 1 is 1 too little", self->why);
	ASSERT_EQ(0, equant_dag_machine_memory(self->machine, 1, 6));
	EXPECT_EQ(0, verdict(self));
}

/* Tasks 0 and 1 take no time at first; the order of their slots is not that of their numbers. */
TEST(a_replay_keeps_the_order_of_tasks_of_no_length)
{
	static const double none[] = { 0, 0, 1 }, some[] = { 1, 2, 1 };
	struct equant_dag_machine *machine = equant_dag_machine_new(1);
	struct equant_dag_machine *actual = equant_dag_machine_new(1);
	struct equant_dag_slot slot[] = { { 1, 0, 0, 0 }, { 0, 0, 0, 0 }, { 2, 0, 0, 1 } };
	struct equant_dag_schedule schedule = { "hand", 3, slot, 0, NULL, 1 }, *done;
	struct equant_dag *dag = equant_dag_new();
	char why[200] = "";

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(i, equant_dag_add_task(dag, NULL, 1));
	ASSERT_EQ(0, equant_dag_add_edge(dag, 0, 2, 1));
	ASSERT_EQ(0, equant_dag_machine_costs(machine, 3, none));
	ASSERT_EQ(0, equant_dag_machine_costs(actual, 3, some));
	done = equant_dag_replay(dag, machine, &schedule, actual, why, sizeof(why));
	ASSERT_NE(NULL, done)
	{
		TH_LOG("%s", why);
	}
	EXPECT_EQ(1, done->slot[0].task);
	EXPECT_TRUE(done->slot[0].finish == 2 && done->slot[1].finish == 3);
	EXPECT_EQ(4, done->makespan);
	equant_dag_schedule_free(done);
	/* What the graph does not allow it does not: on the same machine that is as good. */
	slot[0].task = 2;
	slot[2].task = 1;
	ASSERT_EQ(0, equant_dag_machine_costs(machine, 3, (double[]){ 0, 1, 0 }));
	done = equant_dag_replay(dag, machine, &schedule, machine, why, sizeof(why));
	EXPECT_NE(NULL, done)
	{
		TH_LOG("%s", why);
	}
	equant_dag_schedule_free(done);
	equant_dag_machine_free(machine);
	equant_dag_machine_free(actual);
	equant_dag_free(dag);
}

TEST_HARNESS_MAIN
