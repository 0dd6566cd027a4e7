// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The machine for static schedules is measured on the running job. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("calibrate_worker")

/* One job per size, as it is jobs that take time: what is measured is looked at before it is used. */
TEST_F(ranks, a_loop_starts_from_a_plan_for_the_machine_that_all_have_measured)
{
	EXPECT_AMONG_ALL("a_loop_starts_from_what_is_measured");
}

TEST_F(ranks, what_one_rank_cannot_none_does)
{
	EXPECT_AMONG_ALL("bad_arguments_are_refused_on_all_ranks");
}

TEST_HARNESS_MAIN
