// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The ways in which a transfer can be carried out: all of them bring every element to its place. */
#include "kselftest_harness.h"
#include "libjob.h"
#include "libranks.h"

FIXTURE(transfer)
{
	struct job job;
};

FIXTURE_SETUP(transfer)
{
	self->job = (struct job){ .ranks = 4, .program = "transfer_worker" };
}

FIXTURE_TEARDOWN(transfer)
{
}

TEST_F(transfer, ranks_of_a_node_read_each_others_memory_or_send_messages)
{
	self->job.program = "near_worker";
	EXPECT_CASE("memory_is_read");
}

TEST_F(transfer, a_rank_that_may_not_read_is_shown_slots_or_gets_messages)
{
	self->job.program = "near_worker";
	EXPECT_CASE("none_shares");
	EXPECT_CASE("one_may_not_read");
	EXPECT_CASE("one_gets_messages");
}

TEST_F(transfer, reading_that_fails_is_an_error_on_both_sides_and_nobody_waits)
{
	self->job.program = "near_worker";
	self->job.ranks = 2;
	EXPECT_CASE("one_may_no_longer_read");
	EXPECT_SAID(&self->job, "rank 0: reading from rank 1, process");
	EXPECT_SAID(&self->job, "rank 1: rank 0 could not read its array: Operation not permitted");
	EXPECT_CASE("one_has_no_memory_to_read");
}

TEST_F(transfer, goes_on_whenever_the_program_calls)
{
	EXPECT_CASE("others_are_waited_for_without_waiting");
	EXPECT_CASE("two_at_once");
}

TEST_F(transfer, is_waited_for_in_any_order_beside_others)
{
	EXPECT_CASE("waited_for_in_any_order");
	EXPECT_CASE("ends_while_another_is_tested");
	EXPECT_CASE("not_beside_on_one");
	EXPECT_SAID(&self->job,
		    "equant_transfer_new: the number of transfers beside differs between ranks");
}

TEST_F(transfer, has_as_many_messages_under_way_as_the_port_carries)
{
	EXPECT_CASE("the_port_makes_the_window");
}

TEST_F(transfer, of_more_than_2_gigabytes_goes_in_pieces_that_MPI_can_count)
{
	self->job.ranks = 1;
	EXPECT_CASE("long_messages");
	EXPECT_CASE("too_much_stays");
	EXPECT_SAID(&self->job, "rank 0: equant_transfer_new: 2^62 bytes stay on this rank");
}

TEST_F(transfer, ends_with_what_MPI_says_when_a_rank_is_cut_off)
{
	self->job.program = "cut_worker";
	EXPECT_CASE("one_is_cut_off");
}

TEST_F(transfer, threads_have_one_each)
{
	self->job.ranks = 2;
	EXPECT_CASE("each_thread_has_one");
}

TEST_F(transfer, goes_from_one_group_of_an_intercommunicator_to_the_other)
{
	self->job.ranks = 5;
	EXPECT_CASE("from_one_group_to_the_other");
	EXPECT_SAID(&self->job, "one group of an intercommunicator has to send");
}

TEST_F(transfer, between_groups_is_planned_for_a_network_saved_loaded_and_planned_again)
{
	char folder[64], variable[80];

	ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
	snprintf(variable, sizeof(variable), "FOLDER=%s", folder);
	self->job.ranks = 5;
	self->job.environment[0] = variable;
	EXPECT_CASE("groups_of_a_network");
	folder_remove(folder);
	EXPECT_SAID(&self->job, "/plan: for another number of ranks");
}

TEST_F(transfer, drawn_at_random_brings_every_element_to_its_place)
{
	self->job.program = "drawn_worker";
	self->job.environment[0] = "NODES=1";
	self->job.ranks = 5;
	EXPECT_CASE("transfers");
}

TEST_F(transfer, options_that_the_library_does_not_know_are_refused)
{
	EXPECT_CASE("other_options");
	EXPECT_SAID(&self->job,
		    "equant_transfer_new: struct equant_transfer_options: sz is too small");
	EXPECT_SAID(&self->job, "of the options is not known here");
}

TEST_F(transfer, a_plan_is_saved_and_loaded_and_a_damaged_one_is_refused_by_name)
{
	char folder[64], variable[80];

	ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
	snprintf(variable, sizeof(variable), "FOLDER=%s", folder);
	self->job.program = "saved_worker";
	self->job.environment[0] = variable;
	EXPECT_CASE("saved_plans");
	folder_remove(folder);
	EXPECT_SAID(&self->job, "/plan: damaged: its bytes do not add up");
	EXPECT_SAID(&self->job, "/plan: something follows its end");
	EXPECT_SAID(&self->job, "/plan: the end is missing");
	EXPECT_SAID(&self->job, "/plan: it has ranks that there are not, or twice");
	EXPECT_SAID(&self->job, "equant_transfer_load: node differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_load: the window differs between ranks");
	EXPECT_SAID(&self->job, "/plan: for another number of ranks");
	EXPECT_SAID(&self->job, "/plan: No such file or directory");
	EXPECT_SAID(&self->job, "/nonexistent/plan: No such file or directory");
}

TEST_HARNESS_MAIN
