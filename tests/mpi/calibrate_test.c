// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The machine for static schedules is measured on the running job. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("calibrate_worker")

TEST_F(ranks, speeds_are_those_of_the_loop_body_and_messages_have_a_price)
{
	EXPECT_CASE("speeds_and_messages_are_measured");
}

TEST_F(ranks, every_rank_gets_the_same_machine)
{
	EXPECT_CASE("every_rank_has_the_same_machine");
}

TEST_F(ranks, a_loop_starts_from_a_plan_for_the_measured_machine)
{
	EXPECT_CASE("a_loop_starts_from_what_was_measured");
}

TEST_F(ranks, what_one_rank_cannot_none_does)
{
	EXPECT_CASE("bad_arguments_are_refused_on_all_ranks");
}

TEST_HARNESS_MAIN
