// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Communication with distributed data finds it wherever it has moved. */
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
FIXTURE_VARIANT_ADD(ranks, eight) { .ranks = 8 };
/* clang-format on */

FIXTURE_SETUP(ranks)
{
	self->job = (struct job){ .ranks = variant->ranks, .program = "distributed_worker" };
}

FIXTURE_TEARDOWN(ranks)
{
}

TEST_F(ranks, a_broadcast_slice_is_its_owners_on_every_rank)
{
	self->job.argv[0] = "broadcast";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, a_copied_slice_is_its_owners)
{
	self->job.argv[0] = "copy";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, exchanged_slices_change_places_and_owners_stay)
{
	self->job.argv[0] = "exchange";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, a_reduction_gives_what_one_rank_gives_to_the_last_bit)
{
	self->job.argv[0] = "reductions";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, a_tie_goes_to_the_lowest_unit_and_no_number_beats_all)
{
	self->job.argv[0] = "ties";
	EXPECT_PASSED(&self->job);
}

TEST_F(ranks, what_does_not_exist_is_refused_before_anything_is_sent)
{
	self->job.argv[0] = "misuse";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
