// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Parts of matrices between grids: is every element where it should be, and what happens if that
 * cannot be?
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(gemr2d)
{
	struct job job;
};

FIXTURE_SETUP(gemr2d)
{
	self->job = (struct job){ .ranks = 4, .program = "gemr2d_worker" };
}

FIXTURE_TEARDOWN(gemr2d)
{
}

TEST_F(gemr2d, every_element_of_a_part_comes_to_its_place_whatever_the_grids)
{
	self->job.ranks = 8;
	self->job.argv[0] = "random_matrices";
	EXPECT_PASSED(&self->job);
}

TEST_F(gemr2d, every_element_comes_to_its_place_however_plans_are_made)
{
	self->job.ranks = 6;
	self->job.argv[0] = "random_options_of_plans";
	EXPECT_PASSED(&self->job);
}

TEST_F(gemr2d, a_plan_for_a_network_with_a_thin_link_goes_by_way_of_others)
{
	self->job.argv[0] = "relayed";
	EXPECT_PASSED(&self->job);
}

TEST_F(gemr2d, a_call_finds_its_plan_again_and_few_plans_are_kept)
{
	self->job.argv[0] = "kept";
	EXPECT_PASSED(&self->job);
}

TEST_F(gemr2d, plans_that_are_kept_work_on_when_a_larger_one_gets_more_memory_or_none)
{
	self->job.argv[0] = "grown";
	EXPECT_PASSED(&self->job);
}

TEST_F(gemr2d, messages_go_at_once_where_a_block_is_shorter_than_a_line_of_the_cache)
{
	self->job.argv[0] = "windows";
	EXPECT_PASSED(&self->job);
}

TEST_F(gemr2d, an_array_may_be_both_matrices_if_no_element_is_read_and_written)
{
	self->job.argv[0] = "same_array";
	EXPECT_PASSED(&self->job);
}

TEST_F(gemr2d, what_one_rank_gets_wrong_is_an_error_on_all_and_moves_nothing)
{
	self->job.argv[0] = "misuse";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_gemr2d: row blocks of a: 3 on one rank, 5 on another");
	EXPECT_SAID(&self->job, "rank 3: equant_gemr2d: no elements can be of this MPI type");
	EXPECT_SAID(&self->job,
		    "rank 3: equant_gemr2d_plans_use: a network of 3 ranks, there are 4");
	EXPECT_SAID(&self->job, "equant_gemr2d_plans_use: the network differs between ranks");
	EXPECT_SAID(&self->job, "equant_gemr2d_plans_new: their memory differs between ranks");
}

TEST_F(gemr2d, plans_go_on_after_reading_that_failed_on_two_ranks)
{
	self->job.program = "near_worker";
	self->job.argv[0] = "plans_outlive_reading_that_fails";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 0: reading from rank 3, process");
}

TEST_F(gemr2d, arrays_that_the_kernel_reads_for_nobody_are_packed)
{
	int file = (int)syscall(SYS_memfd_secret, 0);

	if (file < 0)
		SKIP(return, "no secret memory (secretmem.enable=1)");
	close(file);
	self->job.program = "near_worker";
	self->job.argv[0] = "hidden_memory_is_packed";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
