// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A loop starts from a static schedule, and balancing goes on from there. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("planned_worker")

TEST_F(ranks, units_begin_where_a_plan_has_them_and_what_does_not_fit_is_refused)
{
	EXPECT_AMONG_ALL("plans_are_kept_or_refused");
}

TEST_F(ranks, balancing_corrects_a_plan_that_is_wrong)
{
	EXPECT_AMONG_ALL("balancing_goes_on_from_there");
}

TEST_HARNESS_MAIN
