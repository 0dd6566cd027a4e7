// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* In checked mode ranks at different places of the program are told so, and none waits for ever. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(places)
{
	struct job job;
};

FIXTURE_SETUP(places)
{
	self->job = (struct job){ .ranks = 3, .program = "places_worker" };
}

FIXTURE_TEARDOWN(places)
{
}

TEST_F(places, hooks_of_two_loops_in_different_order_are_named)
{
	self->job.argv[0] = "hooks_in_different_order";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job,
		    "rank 0 is in equant_hook() of loop a, rank 1 in equant_hook() of loop b");
}

TEST_F(places, a_hook_on_one_rank_and_something_else_on_another_are_named)
{
	self->job.argv[0] = "hook_and_broadcast";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 in equant_loop_broadcast() of loop a");
	self->job.argv[0] = "hook_and_ghosts";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 in equant_loop_ghosts_start() of loop a");
	self->job.argv[0] = "hook_and_reduction";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 in equant_allreduce_units() of loop a");
	self->job.argv[0] = "hook_and_free";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 in equant_loop_free() of loop b");
}

TEST_F(places, a_hook_on_one_rank_and_a_sweep_a_pass_or_a_barrier_on_another_are_named)
{
	self->job.argv[0] = "hook_and_sweep";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 in equant_loop_sweep() of loop a");
	self->job.argv[0] = "hook_and_pass";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 in equant_pass_begin() of loop c");
	self->job.argv[0] = "hook_and_barrier";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job,
		    "rank 0 is in equant_hook() of loop a, rank 1 in equant_barrier():");
}

TEST_F(places, a_rank_that_does_not_come_to_a_barrier_is_named)
{
	self->job.argv[0] = "one_in_no_barrier";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "has not reached equant_barrier() within 0.5 s");
}

TEST_F(places, collective_calls_with_different_arguments_are_named)
{
	self->job.argv[0] = "broadcasts_of_different_units";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "ranks 0 and 1 call equant_loop_broadcast() differently");
	self->job.argv[0] = "ghosts_of_different_widths";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "ranks 0 and 1 call equant_loop_ghosts_start() differently");
}

TEST_F(places, a_bad_argument_on_one_rank_is_an_error_on_all_and_the_loop_goes_on)
{
	self->job.argv[0] = "one_broadcasts_nothing";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
