// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Work is conserved, whatever the number of ranks and however it moves. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("conserve_worker")

TEST_F(ranks, every_unit_is_computed_once_a_step_while_interactions_are_pipelined)
{
	EXPECT_AMONG_ALL("pipelined");
}

TEST_F(ranks, every_unit_is_computed_once_a_step_while_interactions_are_synchronous)
{
	EXPECT_AMONG_ALL("synchronous");
}

TEST_F(ranks, every_unit_is_computed_once_a_step_without_checks)
{
	EXPECT_AMONG_ALL("unchecked");
}

TEST_F(ranks, one_transfer_to_a_rank_at_a_time_loses_nothing)
{
	EXPECT_AMONG_ALL("one_port");
}

TEST_F(ranks, leaving_out_small_transfers_loses_nothing)
{
	EXPECT_AMONG_ALL("omitting");
}

TEST_F(ranks, fewer_units_than_ranks_one_unit_and_none_at_all_work)
{
	EXPECT_AMONG_ALL("few_units");
}

TEST_HARNESS_MAIN
