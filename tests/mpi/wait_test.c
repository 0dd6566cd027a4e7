// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* However ranks wait, they wait for the right thing, and no longer than it takes. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(wait)
{
	struct job job;
};

FIXTURE_SETUP(wait)
{
	self->job = (struct job){ .ranks = 3, .program = "wait_worker" };
}

FIXTURE_TEARDOWN(wait)
{
}

static const char *const ways[] = { "EQUANT_WAIT=spin", "EQUANT_WAIT=yield", "EQUANT_WAIT=block",
				    "EQUANT_WAIT=auto" };

#define WAYS ((int)(sizeof(ways) / sizeof(ways[0])))

TEST_F(wait, reductions_barriers_and_requests_are_right_for_any_number_of_ranks)
{
	static const int numbers[] = { 1, 2, 3, 8 };

	self->job.argv[0] = "right";
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		self->job.ranks = numbers[i];
		for (int w = 0; w < WAYS; w++) {
			self->job.environment[0] = ways[w];
			EXPECT_PASSED(&self->job);
		}
	}
}

TEST_F(wait, a_rank_that_stands_still_for_a_second_is_waited_for)
{
	self->job.argv[0] = "one_stands_still";
	for (int w = 0; w < WAYS; w++) {
		self->job.environment[0] = ways[w];
		EXPECT_PASSED(&self->job);
		EXPECT_SAID(&self->job, "cpu ");
	}
}

TEST_F(wait, a_rank_that_blocks_leaves_the_cpu_to_others)
{
	self->job.argv[0] = "one_stands_still";
	self->job.environment[0] = "EQUANT_WAIT=block";
	self->job.environment[1] = "SLEEPS=1";
	EXPECT_PASSED(&self->job);
}

/* With wall time alone nothing is known about others. */
TEST_F(wait, without_a_probe_that_sees_others_auto_leaves_the_cpu_to_them)
{
	self->job.argv[0] = "one_stands_still";
	self->job.environment[0] = "EQUANT_WAIT=auto";
	self->job.environment[1] = "SLEEPS=1";
	self->job.environment[2] = "PROBE=clock";
	EXPECT_PASSED(&self->job);
}

TEST_F(wait, a_rank_that_shares_its_cpu_is_nudged_by_those_that_wait)
{
	self->job.argv[0] = "one_shares_its_cpu";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
}

TEST_F(wait, the_job_ends_when_a_rank_is_killed)
{
	self->job.argv[0] = "one_is_killed";
	for (int w = 0; w < WAYS; w++) {
		self->job.environment[0] = ways[w];
		EXPECT_EQ(0, job_run(&self->job));
		EXPECT_EQ(NULL, job_not_failed(&self->job, 10))
		{
			TH_LOG("%s\n%s", job_not_failed(&self->job, 10), self->job.output);
		}
		EXPECT_SAID(&self->job, "signal 9");
	}
}

/* mpirun is told to go on: the library must notice by itself. */
TEST_F(wait, a_barrier_without_a_rank_that_is_gone_fails)
{
	self->job.argv[0] = "one_is_killed";
	self->job.environment[1] = "OMPI_MCA_orte_enable_recovery=1";
	for (int w = 0; w < WAYS; w++) {
		self->job.environment[0] = ways[w];
		EXPECT_EQ(0, job_run(&self->job));
		EXPECT_FALSE(self->job.timed_out);
		EXPECT_SAID(&self->job, "a rank on this node that others wait for, has ended");
		EXPECT_EQ(2, job_count(&self->job, "the barrier failed"))
		{
			TH_LOG("%s", self->job.output);
		}
	}
}

TEST_F(wait, contexts_share_memory_without_a_name_until_they_are_closed)
{
	self->job.argv[0] = "memory_is_shared";
	EXPECT_PASSED(&self->job);
}

TEST_F(wait, a_reduction_that_cannot_be_made_fails_on_all_ranks)
{
	self->job.argv[0] = "impossible";
	EXPECT_PASSED(&self->job);
}

TEST_F(wait, ranks_that_bring_different_numbers_of_elements_are_told)
{
	static const int numbers[] = { 1, 2, 3, 8 };

	self->job.argv[0] = "counts_differ";
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		self->job.ranks = numbers[i];
		EXPECT_PASSED(&self->job);
	}
}

TEST_HARNESS_MAIN
