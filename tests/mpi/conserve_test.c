// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Work is conserved, whatever the number of ranks and however it moves. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(ranks)
{
	struct job job;
};

FIXTURE_VARIANT(ranks)
{
	int ranks;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(ranks, one) { .ranks = 1 };
FIXTURE_VARIANT_ADD(ranks, two) { .ranks = 2 };
FIXTURE_VARIANT_ADD(ranks, three) { .ranks = 3 };
FIXTURE_VARIANT_ADD(ranks, four) { .ranks = 4 };
FIXTURE_VARIANT_ADD(ranks, eight) { .ranks = 8 };
/* clang-format on */

FIXTURE_SETUP(ranks)
{
	self->job = (struct job){ .ranks = variant->ranks, .program = "conserve_worker" };
}

FIXTURE_TEARDOWN(ranks)
{
}

TEST_F(ranks, every_unit_is_computed_once_a_step_while_interactions_are_pipelined)
{
	self->job.argv[0] = "pipelined";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, every_unit_is_computed_once_a_step_while_interactions_are_synchronous)
{
	self->job.argv[0] = "synchronous";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, every_unit_is_computed_once_a_step_without_checks)
{
	self->job.argv[0] = "unchecked";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, one_transfer_to_a_rank_at_a_time_loses_nothing)
{
	self->job.argv[0] = "one_port";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, leaving_out_small_transfers_loses_nothing)
{
	self->job.argv[0] = "omitting";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, fewer_units_than_ranks_one_unit_and_none_at_all_work)
{
	self->job.argv[0] = "few_units";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
