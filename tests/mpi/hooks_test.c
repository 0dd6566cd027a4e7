// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Hooks that have nothing to do, do nothing. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("hooks_worker")

TEST_F(ranks, balancing_switched_off_sends_and_moves_nothing)
{
	EXPECT_AMONG_ALL("balance_off_sends_nothing");
}

TEST_F(ranks, the_interception_sees_what_balancing_does)
{
	EXPECT_AMONG_ALL("balance_on_sends");
}

TEST_F(ranks, a_hook_that_is_not_due_calls_neither_mpi_nor_malloc)
{
	EXPECT_AMONG_ALL("idle_hooks_call_nothing");
}

TEST_F(ranks, a_hook_that_is_not_due_makes_no_system_call)
{
	EXPECT_AMONG_ALL("idle_hooks_make_no_system_call");
}

TEST_F(ranks, handing_out_a_unit_calls_neither_mpi_nor_malloc)
{
	EXPECT_AMONG_ALL("idle_next_calls_nothing");
}

TEST_F(ranks, handing_out_a_unit_makes_no_system_call)
{
	EXPECT_AMONG_ALL("idle_next_makes_no_system_call");
}

TEST_HARNESS_MAIN
