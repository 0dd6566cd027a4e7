// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops of varying bounds lose no unit and balance what is active. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(ranks)
{
	struct job job;
};

FIXTURE_VARIANT(ranks)
{
	int ranks;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(ranks, one) { .ranks = 1 };
FIXTURE_VARIANT_ADD(ranks, two) { .ranks = 2 };
FIXTURE_VARIANT_ADD(ranks, three) { .ranks = 3 };
FIXTURE_VARIANT_ADD(ranks, eight) { .ranks = 8 };
/* clang-format on */

FIXTURE_SETUP(ranks)
{
	self->job = (struct job){ .ranks = variant->ranks, .program = "varying_worker" };
}

FIXTURE_TEARDOWN(ranks)
{
}

TEST_F(ranks, units_that_are_done_with_one_after_the_other_leave_the_rest_balanced)
{
	self->job.argv[0] = "shrinking_blocks";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, the_same_holds_for_a_cyclic_start)
{
	self->job.argv[0] = "shrinking_cyclic";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, a_window_over_the_units_moves_on)
{
	self->job.argv[0] = "moving_window";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, a_unit_that_is_there_already_or_not_at_all_is_refused)
{
	self->job.argv[0] = "misuse";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, ranks_that_disagree_on_what_is_active_are_told)
{
	self->job.argv[0] = "disagreement";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, blocks_in_order_stay_one_block_each_and_see_their_neighbours)
{
	self->job.argv[0] = "in_order";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, work_for_a_rank_far_away_passes_through_the_ranks_between)
{
	self->job.argv[0] = "through_ranks";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
