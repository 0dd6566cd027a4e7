// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* When one rank goes its own way, every rank hears of it and none waits for ever. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(faults)
{
	struct job job;
};

FIXTURE_SETUP(faults)
{
	self->job = (struct job){ .ranks = 3, .program = "faults_worker" };
}

FIXTURE_TEARDOWN(faults)
{
}

TEST_F(faults, loops_that_differ_between_ranks_are_refused_everywhere)
{
	self->job.argv[0] = "units_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "differ between ranks");
	self->job.argv[0] = "names_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "differ between ranks");
}

TEST_F(faults, arrays_that_differ_between_ranks_end_the_loop_at_the_first_hook)
{
	self->job.argv[0] = "arrays_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "ranks 0 and 1 have registered different arrays");
}

TEST_F(faults, boundaries_of_different_sizes_are_an_error_and_wait_for_nothing)
{
	self->job.argv[0] = "boundaries_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "have registered different arrays");
	self->job.environment[0] = "UNCHECKED=1";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "have registered different arrays");
	self->job.argv[0] = "one_registers_nothing";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "have registered different arrays");
	self->job.environment[0] = "UNBALANCED=1";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "have registered different arrays");
}

TEST_F(faults, a_neighbour_of_the_wrong_size_is_an_error)
{
	self->job.argv[0] = "neighbours_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "has sent 8 bytes of a boundary slice, not 16");
}

TEST_F(faults, a_width_that_one_rank_refuses_ends_nothing)
{
	self->job.argv[0] = "one_width_is_negative";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "a negative width");
}

TEST_F(faults, a_loop_that_one_rank_refuses_is_refused_everywhere)
{
	self->job.argv[0] = "one_is_negative";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "negative units");
	self->job.argv[0] = "one_has_no_name";
	EXPECT_PASSED(&self->job);
	self->job.argv[0] = "one_cannot_trace";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "/nonexistent/folder");
}

TEST_F(faults, options_that_differ_between_ranks_are_refused_everywhere)
{
	self->job.argv[0] = "options_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "option EQUANT_PERIOD differs between ranks");
	self->job.argv[0] = "one_option_is_bad";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "EQUANT_DEPTH=deep");
}

TEST_F(faults, a_probe_that_one_rank_lacks_keeps_all_from_opening)
{
	self->job.argv[0] = "one_probe_is_missing";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1: probe replay:/nonexistent");
}

TEST_F(faults, a_rank_that_frees_the_loop_early_is_named)
{
	self->job.argv[0] = "one_frees_early";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has closed it");
	self->job.environment[0] = "DEPTH=0";
	self->job.environment[1] = "ODD_RANK=0";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 0 has closed it");
}

TEST_F(faults, a_rank_that_falls_silent_is_named_in_checked_mode)
{
	self->job.argv[0] = "one_falls_silent";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has not reached");
	self->job.environment[0] = "DEPTH=0";
	self->job.environment[1] = "ODD_RANK=0";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 0 has not reached");
}

TEST_F(faults, a_rank_that_never_calls_the_hook_is_named_in_checked_mode)
{
	self->job.argv[0] = "one_never_hooks";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has not reached");
	self->job.environment[0] = "ODD_RANK=2";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 2 has not reached");
}

/* Among 2^m ranks all messages of a dissemination reach one that comes when the others have given up. */
TEST_F(faults, a_rank_that_comes_too_late_is_told_however_many_there_are)
{
	static const int ranks[] = { 2, 4, 8 };

	self->job.argv[0] = "one_comes_too_late";
	for (int i = 0; i < 3; i++) {
		self->job.ranks = ranks[i];
		EXPECT_PASSED(&self->job);
		EXPECT_SAID(&self->job, "rank 1 comes too late to equant_hook()");
	}
	self->job.argv[0] = "one_comes_too_late_to_a_barrier";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 comes too late to equant_barrier()");
}

TEST_F(faults, a_rank_that_frees_what_is_not_balanced_waits_no_longer_than_others_for_it)
{
	self->job.argv[0] = "one_frees_what_is_not_balanced";
	for (self->job.ranks = 2; self->job.ranks <= 3; self->job.ranks++) {
		EXPECT_PASSED(&self->job);
		EXPECT_SAID(&self->job, "rank 1 has not reached equant_barrier()");
	}
}

TEST_F(faults, a_rank_that_comes_too_late_to_a_reduction_has_no_result)
{
	static char *const reduced[] = { "REDUCED=1", "REDUCED=10000", "REDUCED=pair" };

	self->job.argv[0] = "one_comes_too_late_to_a_reduction";
	for (int i = 0; i < 3; i++) {
		self->job.environment[0] = reduced[i];
		EXPECT_PASSED(&self->job);
		EXPECT_SAID(&self->job, "rank 1 comes too late to equant_allreduce()");
		EXPECT_SAID(&self->job, "rank 1 has not reached equant_allreduce()");
	}
}

TEST_F(faults, a_rank_that_still_takes_iterations_is_not_waited_for_for_ever)
{
	self->job.argv[0] = "one_comes_too_late_to_free_iterations";
	self->job.environment[0] = "ENGINE=node";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 comes too late to equant_self_free()");
	EXPECT_SAID(&self->job, "rank 1 has not reached equant_self_free()");
	self->job.environment[0] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_free(): rank 1 has not come within 2 s");
	EXPECT_SAID(&self->job, "equant_self_next(): rank 0 has not come within 2 s");
	self->job.environment[0] = "ENGINE=tree";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_free(): rank 1, or a rank that it waits for, has not");
}

TEST_F(faults, reductions_that_differ_are_refused_in_checked_mode)
{
	self->job.argv[0] = "reductions_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has refused equant_allreduce()");
	EXPECT_SAID(&self->job, "ranks 0 and 1 call equant_allreduce() differently");
}

TEST_F(faults, a_slice_that_one_rank_waits_for_in_vain_stays_where_it_is)
{
	self->job.ranks = 2;
	self->job.argv[0] = "one_comes_too_late_to_a_slice";
	self->job.environment[0] = "SLICE=exchanged";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_loop_exchange(): rank 1 has not come");
	self->job.environment[1] = "WIDE=1";
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "SLICE=copied";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_loop_copy(): rank 1 has not come");
}

TEST_F(faults, whoever_makes_a_loop_hears_of_ranks_that_have_given_up)
{
	self->job.ranks = 3;
	self->job.argv[0] = "one_waits_for_a_slice";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_loop_new(): rank 1 has given up on another one");
	self->job.argv[0] = "one_makes_a_loop_too_late";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 comes too late to equant_loop_new()");
}

TEST_F(faults, hooks_that_were_counted_differently_show_when_the_loop_is_freed)
{
	self->job.argv[0] = "one_hooks_once_more";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "more or less often on rank 1");
}

TEST_F(faults, sections_that_do_not_pair_up_on_one_rank_end_the_loop_on_all)
{
	self->job.argv[0] = "one_begins_twice";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has failed");
	self->job.environment[0] = "UNCHECKED=1";
	EXPECT_PASSED(&self->job);
	self->job.environment[1] = "DEPTH=0";
	EXPECT_PASSED(&self->job);
}

TEST_F(faults, a_rank_that_cannot_unpack_ends_the_loop_on_all)
{
	self->job.argv[0] = "one_cannot_unpack";
	self->job.ranks = 4;
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has failed");
	self->job.environment[0] = "UNCHECKED=1";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has failed");
	self->job.environment[1] = "DEPTH=0";
	EXPECT_PASSED(&self->job);
}

TEST_F(faults, a_rank_that_cannot_pack_ends_the_loop_on_all)
{
	self->job.argv[0] = "one_cannot_pack";
	for (self->job.ranks = 2; self->job.ranks <= 4; self->job.ranks += 2) {
		self->job.environment[0] = NULL;
		EXPECT_PASSED(&self->job);
		EXPECT_SAID(&self->job, "rank 1 has failed while work was moving");
		self->job.environment[0] = "UNCHECKED=1";
		EXPECT_PASSED(&self->job);
		EXPECT_SAID(&self->job, "rank 1 has failed while work was moving");
	}
}

TEST_F(faults, a_rank_that_fails_between_two_phases_keeps_nobody_waiting)
{
	static char *const depths[] = { "DEPTH=0", "DEPTH=1", "DEPTH=3" };

	self->job.argv[0] = "one_fails_between_phases";
	for (int i = 0; i < 6; i++) {
		self->job.ranks = 2 + i / 3 * 2;
		self->job.environment[0] = depths[i % 3];
		EXPECT_PASSED(&self->job);
	}
}

TEST_F(faults, the_job_ends_when_a_rank_is_killed)
{
	self->job.argv[0] = "one_is_killed";
	EXPECT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 10))
	{
		TH_LOG("%s\n%s", job_not_failed(&self->job, 10), self->job.output);
	}
	EXPECT_SAID(&self->job, "signal 9");
}

TEST_HARNESS_MAIN
