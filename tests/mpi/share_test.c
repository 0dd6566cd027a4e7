// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops over the same data have one distribution. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("share_worker")

TEST_F(ranks, loops_that_share_have_the_same_owners_after_every_hook_and_lose_nothing)
{
	EXPECT_AMONG_ALL("conserved");
}

TEST_F(ranks, a_unit_is_active_in_all_of_them_or_in_none)
{
	EXPECT_AMONG_ALL("varying");
}

TEST_F(ranks, loops_of_opposite_costs_move_nothing_to_and_fro)
{
	EXPECT_AMONG_ALL("opposite");
}

TEST_F(ranks, either_is_freed_first_and_the_other_goes_on_balancing)
{
	EXPECT_AMONG_ALL("either_order");
}

TEST_F(ranks, three_loops_share_and_two_are_left)
{
	EXPECT_AMONG_ALL("three");
}

TEST_F(ranks, loops_that_cannot_share_are_refused)
{
	EXPECT_AMONG_ALL("misuse");
}

TEST_HARNESS_MAIN
