// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops of varying bounds lose no unit and balance what is active. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("varying_worker")

TEST_F(ranks, units_that_are_done_with_one_after_the_other_leave_the_rest_balanced)
{
	EXPECT_AMONG_ALL("shrinking_blocks");
}

TEST_F(ranks, the_same_holds_for_a_cyclic_start)
{
	EXPECT_AMONG_ALL("shrinking_cyclic");
}

TEST_F(ranks, a_window_over_the_units_moves_on)
{
	EXPECT_AMONG_ALL("moving_window");
}

TEST_F(ranks, the_next_phase_is_near_when_there_is_much_more_to_do_than_before)
{
	EXPECT_AMONG_ALL("grown");
}

TEST_F(ranks, a_unit_that_is_there_already_or_not_at_all_is_refused)
{
	EXPECT_CASE("misuse");
	EXPECT_SAID(&self->job, "equant_loop_distribute: called with inactive units");
	EXPECT_SAID(&self->job, "equant_loop_distribute: called after the first section or hook");
	EXPECT_SAID(&self->job,
		    "equant_loop_activate: of the units 3 to 3 some are active already");
	EXPECT_SAID(&self->job,
		    "equant_loop_deactivate: of the units 4 to 4 some are inactive already");
}

TEST_F(ranks, ranks_that_disagree_on_what_is_active_are_told)
{
	EXPECT_AMONG_ALL("disagreement");
}

TEST_F(ranks, blocks_in_order_stay_one_block_each_and_see_their_neighbours)
{
	EXPECT_AMONG_ALL("in_order");
}

TEST_F(ranks, units_that_wake_outside_of_their_place_go_there)
{
	EXPECT_AMONG_ALL("waking_in_order");
}

TEST_F(ranks, units_that_wake_beside_neighbours_read_them)
{
	EXPECT_AMONG_ALL("waking_beside_neighbours");
}

TEST_F(ranks, work_for_a_rank_far_away_passes_through_the_ranks_between)
{
	EXPECT_AMONG_ALL("through_ranks");
}

TEST_HARNESS_MAIN
