// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What one rank does wrong before a loop has begun, all ranks are told, and none waits for ever. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(early)
{
	struct job job;
};

FIXTURE_VARIANT(early)
{
	int ranks;
	const char *check;
	const char *odd;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(early, two) { .ranks = 2, .odd = "ODD_RANK=0" };
FIXTURE_VARIANT_ADD(early, three) { .ranks = 3, .odd = "ODD_RANK=1" };
FIXTURE_VARIANT_ADD(early, four) { .ranks = 4, .odd = "ODD_RANK=1" };
FIXTURE_VARIANT_ADD(early, four_checked) { .ranks = 4, .odd = "ODD_RANK=1", .check = "CHECK=1" };
/* clang-format on */

FIXTURE_SETUP(early)
{
	self->job = (struct job){
		.ranks = variant->ranks,
		.limit = 25,
		.program = "early_worker",
		.environment = { variant->odd, variant->check },
	};
}

FIXTURE_TEARDOWN(early)
{
}

TEST_F(early, a_mistake_of_one_rank_before_the_first_phase_is_an_error_of_all_and_named)
{
	char failed[64], refused[64];
	int odd = variant->odd[sizeof("ODD_RANK=") - 1] - '0';

	self->job.argv[0] = "mistakes_before_the_first_phase";
	EXPECT_PASSED(&self->job);
	snprintf(failed, sizeof(failed), "loop section_before_pass: rank %d has failed", odd);
	EXPECT_SAID(&self->job, failed);
	snprintf(refused, sizeof(refused), "rank %d has refused equant_loop_neighbours()", odd);
	EXPECT_SAID(&self->job, refused);
	EXPECT_SAID(&self->job, "rank 0 is in equant_");
	EXPECT_SAID(&self->job, "has closed it");
	EXPECT_SAID(&self->job, "disagree on who owns what");
}

TEST_HARNESS_MAIN
