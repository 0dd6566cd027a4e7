// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Wrong use is refused with an error that names what is wrong. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(misuse)
{
	struct job job;
};

FIXTURE_SETUP(misuse)
{
	self->job = (struct job){ .ranks = 2, .program = "misuse_worker" };
}

FIXTURE_TEARDOWN(misuse)
{
}

TEST_F(misuse, a_context_needs_mpi_to_be_initialised_and_not_finalised)
{
	self->job.argv[0] = "open_without_mpi";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "MPI is not initialised");
}

TEST_F(misuse, a_context_needs_an_intracommunicator)
{
	self->job.argv[0] = "open_bad_communicator";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "MPI_COMM_NULL");
	EXPECT_SAID(&self->job, "intracommunicator");
}

TEST_F(misuse, bad_options_and_environment_variables_are_named)
{
	self->job.argv[0] = "open_bad_options";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job,
		    "EQUANT_DEPTH is 1025 by the program's options: not one of 0..1024");
	EXPECT_SAID(&self->job, "EQUANT_DEPTH is -1 by");
	EXPECT_EQ(2, job_count(&self->job, "EQUANT_CHECK=yes: not one of off|on"));
	EXPECT_SAID(&self->job, "EQUANT_CONTROL=ring: not one of exchange|tree|central");
	EXPECT_SAID(&self->job, "EQUANT_THRESHOLD=a lot");
	EXPECT_SAID(&self->job, "unknown probe \"oracle\"");
	EXPECT_SAID(&self->job, "it must be sizeof(struct equant_options)");
}

TEST_F(misuse, a_directory_with_too_long_a_name_is_an_error_on_all_ranks)
{
	self->job.argv[0] = "open_long_directory";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "EQUANT_TRACE: a name of 4999 bytes");
	EXPECT_SAID(&self->job, "rank 0: the probe's name has more than 511 characters: ddd");
}

TEST_F(misuse, directories_that_are_not_there_are_named_when_a_loop_begins)
{
	self->job.argv[0] = "directories_that_are_not_there";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "loop lost: EQUANT_REPORT: /nonexistent/reports: No such file");
	EXPECT_SAID(&self->job, "EQUANT_REPORT: /proc/self/exe: Not a directory (on ");
	EXPECT_SAID(&self->job, "EQUANT_TRACE: /nonexistent/traces/lost.0.trace: No such file");
}

TEST_F(misuse, loops_with_copies_of_neighbours_are_not_distributed_anew)
{
	self->job.argv[0] = "copies_that_would_be_stale";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job,
		    "equant_loop_distribute: called before equant_loop_ghosts_finish()");
	EXPECT_SAID(&self->job, "equant_loop_distribute: called after equant_loop_neighbours()");
	EXPECT_SAID(&self->job, "equant_loop_share: a second loop that has neighbours already");
}

TEST_F(misuse, a_loop_needs_a_short_name_and_no_negative_units)
{
	self->job.argv[0] = "loop_bad_arguments";
	EXPECT_PASSED(&self->job);
}

TEST_F(misuse, arrays_and_data_are_registered_whole_and_before_the_first_hook)
{
	self->job.argv[0] = "registration";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "after the first hook");
	EXPECT_SAID(&self->job, "an array registered twice");
}

TEST_F(misuse, callbacks_of_a_loop_that_never_came_to_a_hook_are_not_called)
{
	self->job.argv[0] = "freed_before_it_began";
	EXPECT_PASSED(&self->job);
}

TEST_F(misuse, compute_sections_that_do_not_pair_up_end_the_loop)
{
	self->job.argv[0] = "sections";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "do not pair up: equant_begin() twice without equant_end()");
	EXPECT_SAID(&self->job, "do not pair up: equant_end() without equant_begin()");
	EXPECT_SAID(&self->job, "do not pair up: no equant_end() before the hook");
	EXPECT_SAID(&self->job, "of fewer than 0 units");
}

TEST_F(misuse, units_that_are_computed_without_asking_which_are_found_in_checked_mode)
{
	self->job.argv[0] = "units_not_asked_for";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "loop not asked, rank 0: units have moved, and the program");
	EXPECT_EQ(0, job_count(&self->job, "loop asked"));
}

TEST_F(misuse, units_that_move_behind_what_was_computed_are_no_mistake)
{
	self->job.argv[0] = "units_moved_by_activation";
	EXPECT_PASSED(&self->job);
}

TEST_F(misuse, a_hook_within_an_exchange_of_boundaries_is_an_error_due_or_not)
{
	self->job.argv[0] = "ghosts";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "between equant_loop_ghosts_start() and");
	EXPECT_SAID(&self->job, "equant_hook() was called since the start");
	EXPECT_SAID(&self->job, "no exchange is under way");
}

TEST_F(misuse, statistics_of_another_size_are_refused)
{
	self->job.argv[0] = "statistics";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_loop_stats: sz must be sizeof(struct equant_stats)");
}

TEST_F(misuse, a_context_that_is_used_stays_open)
{
	self->job.argv[0] = "close_before_all_is_freed";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job,
		    "equant_close: self-scheduled loops and runs of task graphs have to");
}

TEST_F(misuse, closing_after_mpi_finalize_frees_and_says_so)
{
	self->job.argv[0] = "close_after_finalize";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_close: after MPI_Finalize()");
	self->job.argv[0] = "free_after_finalize";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
