// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* MPI has no memory: that comes back by its name, from calls that all ranks come back from. */
#include "kselftest_harness.h"
#include "libjob.h"
#include "libranks.h"

FIXTURE(nomem)
{
	struct job job;
};

FIXTURE_SETUP(nomem)
{
	self->job = (struct job){ .ranks = 3, .program = "nomem_worker" };
}

FIXTURE_TEARDOWN(nomem)
{
}

TEST_F(nomem, is_an_error_of_MPI_and_said_so)
{
	self->job.ranks = 1;
	EXPECT_CASE("is_a_failure_of_MPI");
	EXPECT_SAID(&self->job, "looking for memory: MPI_ERR_NO_MEM: out of memory");
	EXPECT_SAID(&self->job, "looking at a window: MPI_ERR_WIN");
}

TEST_F(nomem, breaks_plans_that_other_ranks_may_go_on_with)
{
	EXPECT_CASE("plans_are_broken");
	EXPECT_SAID(&self->job,
		    "looking for a plan of equant_gemr2d: MPI_ERR_NO_MEM: out of memory");
}

TEST_F(nomem, for_a_window_on_one_rank_is_an_error_on_all_and_none_waits)
{
	EXPECT_CASE("one_has_no_window");
	EXPECT_SAID(&self->job, "MPI_Win_allocate_shared: MPI_ERR_NO_MEM: out of memory");
}

TEST_F(nomem, does_not_free_what_messages_may_still_come_to)
{
	self->job.ranks = 2;
	EXPECT_CASE("memory_stays_where_messages_may_come");
	EXPECT_CASE("copies_stay_where_others_may_read");
}

TEST_HARNESS_MAIN
