// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Any number of contexts, one after the other or at once. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(contexts)
{
	struct job job;
};

FIXTURE_SETUP(contexts)
{
	self->job = (struct job){ .ranks = 4, .program = "contexts_worker" };
}

FIXTURE_TEARDOWN(contexts)
{
}

TEST_F(contexts, the_communicator_may_be_freed_right_after_opening)
{
	self->job.argv[0] = "communicator_freed";
	EXPECT_PASSED(&self->job);
}

TEST_F(contexts, two_contexts_with_three_loops_do_not_disturb_each_other)
{
	self->job.argv[0] = "two_contexts_three_loops";
	EXPECT_PASSED(&self->job);
}

TEST_F(contexts, closing_a_context_closes_its_loops)
{
	self->job.argv[0] = "close_with_open_loops";
	EXPECT_PASSED(&self->job);
}

TEST_F(contexts, hundreds_of_cycles_leave_no_descriptor_and_no_memory_behind)
{
	self->job.argv[0] = "cycles_leave_nothing";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "EQUANT_BALANCE=off";
	self->job.ranks = 1;
	EXPECT_PASSED(&self->job);
}

TEST_F(contexts, a_rank_may_fork_and_exec)
{
	self->job.argv[0] = "fork_and_exec";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
}

TEST_F(contexts, the_speed_that_others_can_see_is_the_loop_s_own)
{
	self->job.argv[0] = "speed_is_told";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
