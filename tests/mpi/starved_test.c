// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A rank runs out of memory at any place in the library: nobody waits for it for ever. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(starved)
{
	struct job job;
};

FIXTURE_SETUP(starved)
{
	self->job = (struct job){ .ranks = 3, .limit = 60, .program = "starved_worker" };
}

FIXTURE_TEARDOWN(starved)
{
}

#define EXPECT_CASE(name)                   \
	do {                                \
		self->job.argv[0] = (name); \
		EXPECT_PASSED(&self->job);  \
	} while (0)

TEST_F(starved, contexts_are_opened_on_all_ranks_or_on_none)
{
	EXPECT_CASE("contexts");
}

TEST_F(starved, units_that_could_not_be_renamed_end_the_loop_on_all_ranks)
{
	EXPECT_CASE("renames");
}

TEST_F(starved, hooks_end_on_all_ranks_whichever_allocation_fails)
{
	EXPECT_CASE("hooks");
}

TEST_F(starved, passes_end_on_all_ranks_whichever_allocation_fails)
{
	EXPECT_CASE("passes");
}

TEST_F(starved, loops_that_share_end_on_all_ranks_whichever_allocation_fails)
{
	EXPECT_CASE("shared");
}

TEST_F(starved, asynchronous_passes_end_on_all_ranks_whichever_allocation_fails)
{
	EXPECT_CASE("asynchronous");
}

TEST_F(starved, those_below_a_rank_of_the_tree_are_told_all_the_same)
{
	self->job.ranks = 4;
	EXPECT_CASE("in_tree");
}

TEST_F(starved, sweeps_end_on_all_ranks_whichever_allocation_fails)
{
	EXPECT_CASE("sweeps");
}

TEST_F(starved, reductions_fail_on_all_ranks_whichever_allocation_fails)
{
	EXPECT_CASE("reductions");
}

TEST_F(starved, graphs_end_on_all_ranks_when_there_is_no_memory_any_more)
{
	EXPECT_CASE("graphs");
}

TEST_F(starved, transfers_are_made_on_all_ranks_or_on_none_whichever_allocation_fails)
{
	EXPECT_CASE("transfers");
	EXPECT_CASE("parts");
}

TEST_HARNESS_MAIN
