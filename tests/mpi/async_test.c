// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Without phases: ranks are passes apart, and a unit is computed once in each pass all the same. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("async_worker")

TEST_F(ranks, a_unit_that_comes_from_a_rank_behind_catches_up_pass_by_pass)
{
	EXPECT_AMONG_ALL("moving");
}

TEST_F(ranks, in_a_tree_every_rank_hears_only_of_those_next_to_it)
{
	EXPECT_AMONG_ALL("in_tree");
}

TEST_F(ranks, units_of_any_number_and_cost_are_computed_once_a_pass)
{
	EXPECT_AMONG_ALL("shapes");
}

TEST_F(ranks, a_rank_that_is_stopped_again_and_again_loses_nothing)
{
	EXPECT_AMONG_ALL("stopped");
}

TEST_F(ranks, the_owners_of_units_are_known_after_a_joined_pass_only)
{
	EXPECT_CASE("forbidden");
	EXPECT_SAID(&self->job, "only after a joined pass");
}

TEST_F(ranks, units_are_activated_between_joined_passes)
{
	EXPECT_AMONG_ALL("varying");
}

TEST_F(ranks, who_gives_to_several_ranks_waits_for_none_of_them)
{
	EXPECT_AMONG_ALL("giving");
}

TEST_F(ranks, loops_that_cannot_be_asynchronous_and_ranks_that_leave_are_named)
{
	EXPECT_CASE("misuse");
	EXPECT_SAID(&self->job, "asynchronous mode on a DOACROSS loop");
	EXPECT_SAID(&self->job, "equant_loop_sweep: asynchronous mode on a DOACROSS loop");
	EXPECT_SAID(&self->job, "asynchronous mode is for passes");
	EXPECT_SAID(&self->job, "neighbours: in asynchronous mode");
	if (variant->ranks > 1)
		EXPECT_SAID(&self->job, "has closed it");
}

TEST_HARNESS_MAIN
