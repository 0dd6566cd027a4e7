// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Whatever the machine does to the ranks, no work is lost or computed twice. */
#include <equant/equant.h>

#include "../random.h"
#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(trouble)
{
	struct job job;
	char seed[48];
	struct random random;
};

FIXTURE_SETUP(trouble)
{
	self->random = random_seeded();
	snprintf(self->seed, sizeof(self->seed), "SEED=%ld", random_below(&self->random, 1 << 30));
	self->job = (struct job){
		.ranks = 3,
		.program = "trouble_worker",
		.environment = { self->seed },
	};
}

FIXTURE_TEARDOWN(trouble)
{
}

TEST_F(trouble, a_rank_that_is_stopped_and_goes_on_loses_nothing)
{
	self->job.argv[0] = "stopped";
	EXPECT_PASSED(&self->job);
	self->job.environment[1] = "CHECK=1";
	EXPECT_PASSED(&self->job);
}

TEST_F(trouble, a_rank_that_is_stopped_for_longer_than_the_timeout_ends_the_loop)
{
	self->job.argv[0] = "stopped_for_too_long";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "has not reached balancing phase");
}

TEST_F(trouble, what_a_rank_fetches_after_others_have_given_up_on_it_is_what_was_sent)
{
	self->job.argv[0] = "stopped_before_it_receives";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
}

TEST_F(trouble, competitors_that_come_and_go_during_moves_lose_nothing)
{
	self->job.argv[0] = "competitors";
	EXPECT_PASSED(&self->job);
}

TEST_F(trouble, ranks_that_change_their_cpus_lose_nothing)
{
	self->job.argv[0] = "cpus_change";
	EXPECT_PASSED(&self->job);
}

TEST_F(trouble, ten_thousand_phases_lose_nothing_and_memory_does_not_grow)
{
	static const char *const ways[][3] = {
		{ "PHASES=8000" },
		{ "PHASES=2000", "IN_ORDER=1" },
		{ "PHASES=2000", "EQUANT_CONTROL=tree", "EQUANT_DEPTH=3" },
		{ "PHASES=2000", "EQUANT_CONTROL=central", "EQUANT_DEPTH=0" },
	};

	self->job.argv[0] = "many_phases";
	self->job.ranks = 4;
	self->job.limit = 60;
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 3; j++)
			self->job.environment[1 + j] = ways[i][j];
		EXPECT_PASSED(&self->job);
	}
}

TEST_HARNESS_MAIN
