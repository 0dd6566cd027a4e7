// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a loop that fails has under way is taken in before its communicator is given back. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("parting_worker")

TEST_F(ranks, hooks_that_end_with_an_error_leave_no_message_at_any_depth)
{
	EXPECT_AMONG_ALL("failed_hooks");
}

TEST_F(ranks, passes_that_end_with_an_error_leave_no_message)
{
	EXPECT_AMONG_ALL("failed_passes");
}

TEST_F(ranks, callbacks_that_end_with_an_error_leave_no_message_and_no_rank_waiting)
{
	EXPECT_AMONG_ALL("failed_callbacks");
}

TEST_F(ranks, sweeps_that_end_with_an_error_leave_no_message)
{
	EXPECT_AMONG_ALL("failed_sweeps");
}

TEST(a_rank_that_has_failed_waits_only_so_long_for_others_that_wait_for_it_in_another_loop)
{
	struct job job = { .ranks = 3,
			   .program = "parting_worker",
			   .argv = { "refused_between_loops" },
			   .limit = 60 };

	EXPECT_PASSED(&job);
}

TEST_F(ranks, nobody_waits_for_slices_of_a_rank_that_has_failed)
{
	if (variant->ranks > 1)
		EXPECT_AMONG_ALL("refused_before_slices");
}

TEST(nobody_waits_where_all_meet_for_a_rank_that_has_failed)
{
	struct job job = { .ranks = 3,
			   .program = "parting_worker",
			   .argv = { "refused_before_meetings" },
			   .environment = { "EQUANT_WAIT=block" },
			   .limit = 60 };

	EXPECT_PASSED(&job);
	job.argv[0] = "failed_before_a_barrier";
	EXPECT_PASSED(&job);
}

TEST_HARNESS_MAIN
