// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Redistributions between ranks: is every element where it should be? */
#include "libranks.h"

RANKS_RUN("redist_worker")

TEST_F(ranks, every_element_comes_to_its_place_and_nothing_else_changes)
{
	EXPECT_CASE("random_arrays");
}

FIXTURE(transfer)
{
	struct job job;
};

FIXTURE_SETUP(transfer)
{
	self->job = (struct job){ .ranks = 4, .program = "redist_worker" };
}

FIXTURE_TEARDOWN(transfer)
{
}

TEST_F(transfer, memory_for_messages_is_bounded_and_too_little_is_refused_by_all)
{
	EXPECT_CASE("memory");
}

TEST_F(transfer, arguments_that_differ_or_cannot_be_are_refused_by_all)
{
	EXPECT_CASE("misuse");
}

TEST_F(transfer, a_run_that_one_rank_refuses_moves_nothing_and_can_be_tried_again)
{
	EXPECT_CASE("refused_run");
}

TEST_HARNESS_MAIN
