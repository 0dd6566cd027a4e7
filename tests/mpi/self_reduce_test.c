// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What is added up over a self-scheduled loop does not depend on who computed what. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(self_reduce)
{
	struct job job;
};

FIXTURE_SETUP(self_reduce)
{
	self->job = (struct job){ .ranks = 3, .program = "self_reduce_worker" };
}

FIXTURE_TEARDOWN(self_reduce)
{
}

/* All schemes; sums of numbers far apart, extremes that are there twice. */
TEST_F(self_reduce, the_result_is_that_of_the_values_alone)
{
	self->job.argv[0] = "reduced";
	for (int ranks = 1; ranks <= 4; ranks++) {
		self->job.ranks = ranks;
		EXPECT_PASSED(&self->job);
	}
}

TEST_F(self_reduce, threads_of_a_rank_may_add_at_once)
{
	self->job.argv[0] = "reduced_by_threads";
	EXPECT_PASSED(&self->job);
}

TEST_F(self_reduce, what_is_not_a_number_is_not_lost)
{
	self->job.argv[0] = "not_a_number";
	EXPECT_PASSED(&self->job);
}

TEST_F(self_reduce, bad_calls_are_refused_on_all_ranks)
{
	self->job.argv[0] = "refused";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_add: reduction 8: expected 0 to 7");
	EXPECT_SAID(&self->job, "equant_self_add: no values, or a negative number");
	EXPECT_SAID(&self->job, "no values have no extreme");
	EXPECT_SAID(&self->job, "no place for the result");
	EXPECT_SAID(&self->job, "the reduction or its operation differs between ranks");
}

TEST_HARNESS_MAIN
