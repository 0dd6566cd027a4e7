// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Redistributions between ranks: is every element where it should be? */
#include "libranks.h"

FIXTURE(arrays)
{
	struct job job;
};

FIXTURE_VARIANT(arrays)
{
	int ranks;
	const char *rounds;
};

/* 5,000 in all. */
/* clang-format off */
FIXTURE_VARIANT_ADD(arrays, one) { .ranks = 1, .rounds = "ROUNDS=300" };
FIXTURE_VARIANT_ADD(arrays, two) { .ranks = 2, .rounds = "ROUNDS=1500" };
FIXTURE_VARIANT_ADD(arrays, three) { .ranks = 3, .rounds = "ROUNDS=1300" };
FIXTURE_VARIANT_ADD(arrays, five) { .ranks = 5, .rounds = "ROUNDS=1000" };
FIXTURE_VARIANT_ADD(arrays, eight) { .ranks = 8, .rounds = "ROUNDS=700" };
FIXTURE_VARIANT_ADD(arrays, sixteen) { .ranks = 16, .rounds = "ROUNDS=200" };
/* clang-format on */

FIXTURE_SETUP(arrays)
{
	self->job = (struct job){ .ranks = variant->ranks,
				  .program = "redist_worker",
				  .environment = { variant->rounds },
				  .limit = 90 };
}

FIXTURE_TEARDOWN(arrays)
{
}

TEST_F(arrays, every_element_comes_to_its_place_and_nothing_else_changes)
{
	EXPECT_CASE("random_arrays");
}

FIXTURE(transfer)
{
	struct job job;
};

FIXTURE_SETUP(transfer)
{
	self->job = (struct job){ .ranks = 4, .program = "redist_worker" };
}

FIXTURE_TEARDOWN(transfer)
{
}

TEST_F(transfer, memory_for_messages_is_bounded_and_too_little_is_refused_by_all)
{
	EXPECT_CASE("memory");
}

TEST_F(transfer, arguments_that_differ_or_cannot_be_are_refused_by_all)
{
	EXPECT_CASE("misuse");
	EXPECT_SAID(&self->job, "equant_transfer_new: the array differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: the list of senders differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: the list of receivers differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: the window differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: the largest piece differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: node differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: the scheduler differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: the router differs between ranks");
	EXPECT_SAID(&self->job, "equant_transfer_new: the network differs between ranks");
	EXPECT_SAID(&self->job, "no scheduler is called 'direkt'");
	EXPECT_SAID(&self->job, "no router is called 'relais'");
	EXPECT_SAID(&self->job, "a router and a scheduler");
	EXPECT_SAID(&self->job, "a router without a network");
}

TEST_F(transfer, a_run_that_one_rank_refuses_moves_nothing_and_can_be_tried_again)
{
	EXPECT_CASE("refused_run");
}

TEST_F(transfer, a_message_may_have_more_than_2_to_the_31_bytes_and_elements)
{
	self->job.ranks = 2;
	self->job.limit = 60;
	EXPECT_CASE("more_than_31_bits");
}

TEST_HARNESS_MAIN
