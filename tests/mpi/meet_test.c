// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What becomes of ranks whose others do not come, since they are late, or have another communicator?
 */
#include <stdio.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(meet)
{
	struct job job;
	char call[64];
	char line[128];
	char folder[64];
	char said[96];
};

FIXTURE_VARIANT(meet)
{
	const char *call;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(meet, contexts) { .call = "equant_open" };
FIXTURE_VARIANT_ADD(meet, transfers) { .call = "equant_transfer_new" };
FIXTURE_VARIANT_ADD(meet, runs) { .call = "equant_transfer_run" };
FIXTURE_VARIANT_ADD(meet, refreshed_runs) { .call = "equant_transfer_refresh" };
FIXTURE_VARIANT_ADD(meet, plans) { .call = "equant_gemr2d_plans_new" };
FIXTURE_VARIANT_ADD(meet, use_of_plans) { .call = "equant_gemr2d_plans_use" };
FIXTURE_VARIANT_ADD(meet, matrices) { .call = "equant_gemr2d" };
FIXTURE_VARIANT_ADD(meet, networks) { .call = "equant_calibrate_network" };
/* clang-format on */

FIXTURE_SETUP(meet)
{
	snprintf(self->call, sizeof(self->call), "CALL=%s", variant->call);
	snprintf(self->line, sizeof(self->line),
		 "rank 0 of 2: %s: not all ranks have come within 0.2 s", variant->call);
	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	snprintf(self->said, sizeof(self->said), "SAID=%s/said", self->folder);
	self->job = (struct job){ .ranks = 2,
				  .program = "meet_worker",
				  .environment = { self->call, self->said } };
}

FIXTURE_TEARDOWN(meet)
{
	folder_remove(self->folder);
}

TEST_F(meet, whoever_waits_says_so_and_goes_on_when_the_late_one_comes)
{
	self->job.argv[0] = "late";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, self->line);
}

TEST_F(meet, in_checked_mode_ranks_that_miss_each_other_have_an_error)
{
	self->job.argv[0] = "apart";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, self->line);
}

/* But for a run, which has one meeting only: who comes too late waits for messages of those that have gone. */
TEST(in_checked_mode_who_comes_too_late_has_an_error_as_well)
{
	static const char *const calls[] = { "CALL=equant_open",
					     "CALL=equant_transfer_new",
					     "CALL=equant_transfer_refresh",
					     "CALL=equant_gemr2d_plans_new",
					     "CALL=equant_gemr2d_plans_use",
					     "CALL=equant_gemr2d",
					     "CALL=equant_calibrate_network" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		char folder[64], said[96];
		struct job job = { .ranks = 2,
				   .program = "meet_worker",
				   .environment = { calls[i], said },
				   .argv = { "too_late" } };

		ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
		snprintf(said, sizeof(said), "SAID=%s/said", folder);
		EXPECT_PASSED(&job);
		folder_remove(folder);
	}
}

TEST(a_time_that_is_none_is_told_and_the_usual_one_counts)
{
	struct job job = { .ranks = 2,
			   .program = "meet_worker",
			   .environment = { "EQUANT_TIMEOUT=soon" },
			   .argv = { "limitless" } };

	EXPECT_PASSED(&job);
	EXPECT_SAID(&job, "EQUANT_TIMEOUT=soon: not one of 0.01..1e+06");
}

TEST(checked_mode_of_one_rank_is_an_error_on_all)
{
	struct job job = { .ranks = 2, .program = "meet_worker", .argv = { "checked_by_one" } };

	EXPECT_PASSED(&job);
	EXPECT_SAID(&job, "equant_transfer_new: EQUANT_CHECK differs between ranks");
	EXPECT_SAID(&job, "equant_gemr2d_plans_new: EQUANT_CHECK differs between ranks");
	EXPECT_SAID(&job, "option EQUANT_CHECK differs between ranks");
}

TEST_HARNESS_MAIN
