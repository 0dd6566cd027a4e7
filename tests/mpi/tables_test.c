// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Slices in tables are where their units are. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("tables_worker")

TEST_F(ranks, slices_of_every_kind_go_with_their_units_and_memory_is_used_again)
{
	EXPECT_AMONG_ALL("kinds");
}

TEST_F(ranks, slices_of_inactive_units_stay_with_their_owner)
{
	EXPECT_AMONG_ALL("varying");
}

TEST_F(ranks, an_exchange_of_boundaries_brings_the_slices_around_each_block_and_no_others)
{
	EXPECT_AMONG_ALL("boundaries");
}

TEST_F(ranks, neighbours_that_nobody_writes_travel_with_the_units_that_read_them)
{
	EXPECT_CASE("neighbours");
	EXPECT_EQ(0, job_count(&self->job, "boundary slice"));
}

TEST_F(ranks, neighbours_are_there_for_units_that_move_in_the_middle_of_a_pass)
{
	EXPECT_CASE("neighbours_in_passes");
	EXPECT_EQ(0, job_count(&self->job, "boundary slice"));
}

TEST_F(ranks, single_slices_are_copied_and_exchanged_out_of_tables)
{
	EXPECT_AMONG_ALL("single_slices");
}

TEST_F(ranks, a_sweep_leaves_copies_of_inactive_units)
{
	EXPECT_AMONG_ALL("sweeps_beside_inactive_units");
}

TEST_F(ranks, tables_that_cannot_be_are_refused)
{
	EXPECT_AMONG_ALL("misuse");
}

TEST_HARNESS_MAIN
