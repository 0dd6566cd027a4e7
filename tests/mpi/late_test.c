// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Whoever waits for too long says for whom, and goes on waiting. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(late)
{
	struct job job;
	char folder[64];
	char said[96];
};

FIXTURE_VARIANT(late)
{
	int ranks;
	const char *control;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(late, two) { .ranks = 2, .control = "EQUANT_CONTROL=exchange" };
FIXTURE_VARIANT_ADD(late, three_in_a_tree) { .ranks = 3, .control = "EQUANT_CONTROL=tree" };
/* clang-format on */

FIXTURE_SETUP(late)
{
	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	snprintf(self->said, sizeof(self->said), "SAID=%s/said", self->folder);
	self->job = (struct job){
		.ranks = variant->ranks,
		.limit = 25,
		.program = "late_worker",
		.environment = { self->said, variant->control },
	};
}

FIXTURE_TEARDOWN(late)
{
	folder_remove(self->folder);
}

TEST_F(late, a_rank_that_others_wait_for_is_named_without_checked_mode)
{
	self->job.argv[0] = "one_is_late";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "loop hook: rank 1 has not reached balancing phase");
	EXPECT_SAID(&self->job, "loop pass: rank 1 has not reached balancing phase");
	EXPECT_SAID(&self->job, "rank 1 has not come to the end of pass 2 within 0.05 s");
	EXPECT_SAID(&self->job, "rank 1 has not come to sweep 1 within 0.05 s");
	EXPECT_SAID(&self->job, "rank 1 has not come to exchange boundaries within 0.05 s");
	EXPECT_SAID(&self->job, "equant_loop_broadcast(): rank 1 has not come within 0.05 s");
	EXPECT_SAID(&self->job, "equant_loop_exchange(): rank 1 has not come within 0.05 s");
	EXPECT_SAID(&self->job, "equant_loop_copy(): rank 1 has not come within 0.05 s");
	EXPECT_SAID(&self->job, "equant_allreduce_units(): rank 1 has not come within 0.05 s");
}

TEST_F(late, a_rank_that_is_late_to_the_beginning_or_end_of_a_loop_is_named)
{
	self->job.argv[0] = "one_is_late_at_first";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has not reached equant_loop_new() within 0.05 s");
	EXPECT_SAID(&self->job,
		    "loop made: rank 1 has not reached balancing phase 0 within 0.05 s");
	EXPECT_SAID(&self->job, "equant_barrier(): rank 1 has not come within 0.05 s");
	EXPECT_SAID(&self->job,
		    "loop made: rank 1 has not reached balancing phase 1 within 0.05 s");
}

TEST_F(late, a_rank_that_is_late_to_share_iterations_is_named)
{
	self->job.argv[0] = "one_is_late_to_share_iterations";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_new(): rank 1 has not come within 0.05 s");
	EXPECT_SAID(&self->job, "equant_self_allreduce(): rank 1 has not come within 0.05 s");
	EXPECT_SAID(&self->job, "equant_self_free(): rank 1 has not come within 0.05 s");
	self->job.environment[2] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_free(): rank 1 has not come within 0.05 s");
}

TEST_F(late, a_rank_that_is_late_to_give_iterations_is_named)
{
	self->job.argv[0] = "one_is_late_to_give_iterations";
	self->job.environment[2] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_next(): rank 0 has not come within 0.05 s");
	EXPECT_SAID(&self->job, "equant_self_free(): rank 0, or a rank that it waits for, has not");
	self->job.environment[2] = "ENGINE=tree";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_next(): rank 0, or a rank that it waits for, has not");
	EXPECT_SAID(&self->job, "equant_self_free(): rank 0 has not come within 0.05 s");
}

TEST_F(late, a_rank_whose_task_takes_long_is_named_and_waited_for)
{
	self->job.argv[0] = "one_is_late_with_its_task";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(
		&self->job,
		"rank 1 has not sent the data of task 0 for task 1 within 0.05 s, rank 0 waits");
	EXPECT_EQ(1, job_count(&self->job, "rank 0 waits"));
	/* Who has no task waits for the end. */
	EXPECT_EQ(variant->ranks - 2, job_count(&self->job, "within 0.05 s, rank 2 waits"));
}

TEST_F(late, a_rank_that_is_late_to_carry_out_a_task_graph_is_named)
{
	self->job.argv[0] = "one_is_late_to_carry_out";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_dag_carry_out(): rank 1 has not come within 0.05 s");
}

TEST_HARNESS_MAIN
