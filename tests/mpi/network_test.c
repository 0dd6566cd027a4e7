// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Networks are measured, and matrices change hands between all numbers of ranks. */
#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(network)
{
	struct job job;
};

FIXTURE_SETUP(network)
{
	self->job = (struct job){ .program = "network_worker", .argv = { "all_of_it" } };
}

FIXTURE_TEARDOWN(network)
{
}

TEST_F(network, is_measured_and_learnt_and_the_same_on_all_ranks_whatever_their_number)
{
	static const int ranks[] = { 1, 5 };

	for (int i = 0; i < 2; i++) {
		self->job.ranks = ranks[i];
		EXPECT_PASSED(&self->job);
	}
}

TEST_F(network, has_no_slow_link_where_a_message_gets_its_share_of_a_port)
{
	self->job.ranks = 4;
	self->job.program = "refresh_worker";
	self->job.argv[0] = "a_port_is_shared";
	EXPECT_PASSED(&self->job);
}

TEST_F(network, is_looked_at_in_one_collective_and_one_that_fails_breaks_the_transfer)
{
	self->job.ranks = 4;
	self->job.program = "refresh_worker";
	self->job.argv[0] = "collectives_fail";
	EXPECT_PASSED(&self->job);
}

TEST_F(network, is_seen_through_bursts_and_again_after_a_change_but_not_of_ports)
{
	static const char *const cases[] = { "rates_are_those_of_whole_bursts",
					     "a_link_that_changed_is_looked_at_again_once",
					     "what_ports_leave_is_not_looked_at_more_closely" };

	self->job.ranks = 4;
	self->job.program = "refresh_worker";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		self->job.argv[0] = cases[i];
		EXPECT_PASSED(&self->job);
	}
}

TEST_F(network, asks_for_a_plan_that_is_too_large_and_the_old_one_stays)
{
	self->job.ranks = 4;
	self->job.program = "refresh_worker";
	self->job.argv[0] = "a_plan_that_is_too_large_is_not_taken";
	EXPECT_PASSED(&self->job);
}

FIXTURE(redistribute)
{
	struct job job;
};

FIXTURE_SETUP(redistribute)
{
	self->job = (struct job){ .ranks = 4,
				  .program = "libexec/equant/redistribute",
				  .argv = { "transpose", "-n203", "-m57", "-b3", "-c7" } };
}

FIXTURE_TEARDOWN(redistribute)
{
}

TEST_F(redistribute, a_matrix_is_transposed_and_turned_round_the_corner)
{
	static const int ranks[] = { 1, 4, 6 };

	for (int i = 0; i < 3; i++) {
		self->job.ranks = ranks[i];
		self->job.argv[0] = i % 2 ? "corner" : "transpose";
		EXPECT_VERIFIED(&self->job);
	}
	self->job.ranks = 3;
	self->job.argv[0] = "corner";
	self->job.argv[1] = "-n1";
	self->job.argv[5] = "--scheduler=preemptive";
	self->job.argv[6] = "--window=3";
	EXPECT_VERIFIED(&self->job);
	self->job.argv[1] = "-n0";
	EXPECT_VERIFIED(&self->job);
}

TEST_F(redistribute, measures_the_network_first_and_says_what_it_takes_at_least)
{
	self->job.argv[5] = "--calibrate=1";
	EXPECT_VERIFIED(&self->job);
	EXPECT_SAID(&self->job, " bound=");
	self->job.argv[6] = "--router=relay";
	self->job.argv[7] = "--window=network";
	EXPECT_VERIFIED(&self->job);
	EXPECT_SAID(&self->job, "bound of going straight=");
}

TEST_F(redistribute, bad_arguments_are_refused_and_named)
{
	static const struct {
		const char *argv[2], *said;
	} bad[] = {
		{ { "--scheduler=fast" }, "--scheduler fast: none of caterpillar" },
		{ { "--network=/nonexistent/net" }, "/nonexistent/net" },
		{ { "--network=net", "--calibrate=1" }, "not both --network and --calibrate" },
		{ { "--router=relay" }, "--router needs --network or --calibrate" },
		{ { "--window=network" }, "--window network needs --network or --calibrate" },
		{ { "-b0" }, "-b 0: not a number from 1" },
		{ { "sideways" }, "sideways: unexpected argument" },
	};

	self->job.ranks = 1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		for (int k = 0; k < 2; k++)
			self->job.argv[5 + k] = bad[i].argv[k];
		if (i == sizeof(bad) / sizeof(bad[0]) - 1)
			self->job.argv[0] = "corner";
		EXPECT_EQ(0, job_run(&self->job));
		EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
		EXPECT_SAID(&self->job, bad[i].said);
	}
}

TEST_HARNESS_MAIN
