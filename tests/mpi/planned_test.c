// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A loop starts from a static schedule, and balancing goes on from there. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("planned_worker")

TEST_F(ranks, units_begin_where_a_plan_has_them)
{
	EXPECT_CASE("units_begin_as_planned");
}

TEST_F(ranks, balancing_corrects_a_plan_that_is_wrong)
{
	EXPECT_CASE("balancing_goes_on_from_there");
}

TEST_F(ranks, plans_that_do_not_fit_are_refused_and_named)
{
	EXPECT_CASE("plans_that_do_not_fit_are_refused");
}

TEST_HARNESS_MAIN
