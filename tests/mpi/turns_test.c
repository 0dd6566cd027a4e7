// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Passes over loops that share arrays: what moves in the middle of one is right for the others. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("turns_worker")

TEST_F(ranks, a_unit_that_moves_within_a_pass_is_as_far_in_the_other_loop)
{
	EXPECT_AMONG_ALL("both");
}

TEST_F(ranks, loops_with_passes_and_loops_with_hooks_take_turns)
{
	EXPECT_AMONG_ALL("mixed");
}

TEST_F(ranks, they_do_when_nothing_is_balanced)
{
	EXPECT_AMONG_ALL("off");
}

TEST_F(ranks, passes_over_the_loop_that_is_left_are_balanced)
{
	EXPECT_AMONG_ALL("leader_goes");
}

TEST_F(ranks, a_pass_in_which_the_leader_goes_comes_to_its_end)
{
	EXPECT_AMONG_ALL("leader_goes_in_a_pass");
}

TEST_F(ranks, a_leader_goes_on_without_its_follower)
{
	EXPECT_AMONG_ALL("follower_goes");
}

TEST_F(ranks, who_frees_a_follower_where_others_do_not_is_told_so)
{
	EXPECT_CASE("apart");
	if (variant->ranks > 1)
		EXPECT_SAID(&self->job, "more or less often on rank");
}

TEST_F(ranks, a_distribution_is_right_for_the_passes_of_all_loops_together)
{
	EXPECT_AMONG_ALL("opposite");
}

TEST_F(ranks, turns_out_of_order_and_asynchronous_ones_are_refused_on_all_ranks)
{
	EXPECT_CASE("misuse");
	EXPECT_SAID(&self->job, "within a pass over a loop that shares its arrays");
	EXPECT_SAID(&self->job, "is balanced within a pass over this one");
	EXPECT_SAID(&self->job, "equant_hook() in a loop with passes");
	EXPECT_SAID(&self->job, "asynchronous mode on loops that share arrays");
}

TEST_HARNESS_MAIN
