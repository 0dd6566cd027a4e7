// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Communication with distributed data finds it wherever it has moved. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("distributed_worker")

TEST_F(ranks, a_broadcast_slice_is_its_owners_on_every_rank)
{
	EXPECT_AMONG_ALL("broadcast");
}

TEST_F(ranks, many_broadcasts_in_a_row_lose_nothing)
{
	EXPECT_AMONG_ALL("ahead");
}

TEST_F(ranks, a_copied_slice_is_its_owners)
{
	EXPECT_AMONG_ALL("copy");
}

TEST_F(ranks, exchanged_slices_change_places_and_owners_stay)
{
	EXPECT_AMONG_ALL("exchange");
}

TEST_F(ranks, units_that_change_names_stay_where_they_are)
{
	EXPECT_AMONG_ALL("rename_units");
}

TEST_F(ranks, callbacks_find_slices_that_have_come_and_may_change_them)
{
	EXPECT_AMONG_ALL("cells_of_pointers");
}

TEST_F(ranks, slices_of_any_length_are_exchanged)
{
	EXPECT_AMONG_ALL("long_slices");
}

TEST_F(ranks, copies_of_slices_of_any_length_come_whole)
{
	EXPECT_AMONG_ALL("long_ghosts");
}

TEST_F(ranks, a_reduction_gives_what_one_rank_gives_to_the_last_bit)
{
	EXPECT_AMONG_ALL("reductions");
}

TEST_F(ranks, a_tie_goes_to_the_lowest_unit_and_no_number_beats_all)
{
	EXPECT_AMONG_ALL("ties");
}

TEST_F(ranks, what_does_not_exist_is_refused_before_anything_is_sent)
{
	EXPECT_AMONG_ALL("misuse");
}

TEST_F(ranks, slices_of_inactive_units_are_sent_as_those_of_active_ones)
{
	self->job.argv[0] = "inactive";
	EXPECT_PASSED(&self->job);
}

/* Nobody else's memory: a unit that stays at home keeps the pages it has. */
TEST_F(ranks, slices_that_arrive_in_large_pieces_may_have_large_pages)
{
	EXPECT_AMONG_ALL("large");
}

TEST(ranks_that_exchange_different_units_are_told)
{
	struct job job = { .ranks = 2, .program = "distributed_worker", .argv = { "different" } };

	EXPECT_PASSED(&job);
	EXPECT_SAID(&job, "loop others, rank 1: rank 0 exchanges something else");
}

TEST(long_slices_of_different_units_are_told_in_checked_mode)
{
	struct job job = { .ranks = 2,
			   .program = "distributed_worker",
			   .argv = { "different_long_ones" } };

	EXPECT_PASSED(&job);
	EXPECT_SAID(&job, "exchanges something else");
}

TEST_HARNESS_MAIN
