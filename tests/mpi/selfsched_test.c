// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Self-scheduling by ranks of a node, by a master and by neighbours: every iteration once, or an error everywhere. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(selfsched)
{
	struct job job;
	char folder[64], variable[80];
};

FIXTURE_SETUP(selfsched)
{
	self->job = (struct job){ .ranks = 3, .program = "selfsched_worker" };
}

FIXTURE_TEARDOWN(selfsched)
{
	if (self->folder[0])
		folder_remove(self->folder);
}

/* Where the ranks write files. */
static int use_folder(FIXTURE_DATA(selfsched) * self)
{
	int error = folder_make(self->folder, sizeof(self->folder));

	snprintf(self->variable, sizeof(self->variable), "FOLDER=%s", self->folder);
	self->job.environment[0] = self->variable;
	return error;
}

TEST_F(selfsched, several_threads_of_a_rank_may_ask_at_once)
{
	self->job.argv[0] = "every_iteration_by_threads";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "ENGINE=tree";
	self->job.ranks = 3;
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, a_chunk_counts_as_of_its_own_round_however_late_it_is_reported)
{
	self->job.program = "self_rounds_worker";
	self->job.argv[0] = "from_memory";
	self->job.ranks = 1;
	EXPECT_PASSED(&self->job);
	self->job.argv[0] = "from_the_master";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, others_compute_what_a_rank_leaves)
{
	static const char *const engines[] = { NULL, "ENGINE=master", "ENGINE=tree" };

	self->job.argv[0] = "some_compute_nothing";
	for (int i = 0; i < 3; i++) {
		self->job.environment[0] = engines[i];
		EXPECT_PASSED(&self->job);
	}
}

TEST_F(selfsched, a_recorded_assignment_is_repeated)
{
	ASSERT_EQ(0, use_folder(self));
	self->job.argv[0] = "recorded";
	EXPECT_PASSED(&self->job);
	self->job.environment[1] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
	self->job.environment[1] = "ENGINE=tree";
	EXPECT_PASSED(&self->job);
	self->job.argv[0] = "bad_recordings";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "/nonexistent/self.0: No such file");
	EXPECT_SAID(&self->job, "self.0:2: '10 ten' is no chunk of 20");
	EXPECT_SAID(&self->job, "self.0:2: '15 6' is no chunk of 20");
	EXPECT_SAID(&self->job, "the recorded chunks have 19 of 20");
	EXPECT_SAID(&self->job, "the recorded chunks have 20 of 20, or some twice");
}

TEST_F(selfsched, old_recordings_are_kept_where_a_rank_cannot_write_a_new_one)
{
	ASSERT_EQ(0, use_folder(self));
	self->job.argv[0] = "one_cannot_record";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "self.2: Is a directory");
}

TEST_F(selfsched, who_cannot_write_down_its_chunks_has_them_all_the_same)
{
	ASSERT_EQ(0, use_folder(self));
	self->job.argv[0] = "full_disk";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "the recorded chunks: No space left on device");
}

TEST_F(selfsched, a_rank_can_cancel_the_loop_for_all)
{
	self->job.argv[0] = "one_cancels";
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "ENGINE=tree";
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, a_body_that_fails_stops_all_ranks_with_its_error)
{
	self->job.argv[0] = "one_body_fails";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 2 ends the loop: Numerical argument out of domain");
	self->job.environment[0] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "ENGINE=tree";
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, the_job_ends_when_a_rank_is_killed)
{
	const char *const schemes[] = { "SCHEME=ss", "SCHEME=awf-c", "SCHEME=trees" };

	self->job.argv[0] = "one_is_killed";
	for (int i = 0; i < 3; i++) {
		self->job.environment[0] = schemes[i];
		ASSERT_EQ(0, job_run(&self->job));
		EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
	}
	self->job.environment[1] = "ENGINE=master";
	ASSERT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
}

TEST_F(selfsched, messages_that_an_error_leaves_under_way_keep_their_memory)
{
	self->job.program = "self_fault_worker";
	self->job.argv[0] = "mpi_fails";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, loops_that_cannot_be_are_refused)
{
	self->job.argv[0] = "bad_loops";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_self_new: no context");
	EXPECT_SAID(&self->job, "unknown scheme 'guided'");
	EXPECT_SAID(&self->job, "css needs a chunk of at least 1");
	EXPECT_SAID(&self->job, "9 dimensions: expected 1 to 8");
	EXPECT_SAID(&self->job, "workers must be 0");
	EXPECT_SAID(&self->job, "unknown engine 'three-level'");
	EXPECT_SAID(&self->job, "engine tree is for the scheme trees only");
	EXPECT_SAID(&self->job, "of the loop is not known here");
	EXPECT_SAID(&self->job, "it must be sizeof(struct equant_chunks_options)");
	EXPECT_SAID(&self->job, "it must be sizeof(struct equant_self_options)");
	EXPECT_SAID(&self->job, "loop of the options is NULL");
}

TEST_F(selfsched, loops_that_differ_between_ranks_are_refused_everywhere)
{
	self->job.argv[0] = "loops_differ";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "its scheme differs between ranks");
	EXPECT_SAID(&self->job, "the loop differs between ranks");
}

TEST_F(selfsched, a_rank_of_more_power_takes_more_steps)
{
	self->job.argv[0] = "fixed_powers";
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, schemes_that_learn_go_by_powers_until_ranks_have_reported)
{
	self->job.argv[0] = "powers_before_reports";
	self->job.ranks = 4;
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, a_master_answers_before_its_own_chunk_is_done)
{
	self->job.argv[0] = "master_answers_within_its_chunk";
	self->job.ranks = 2;
	self->job.environment[0] = "ENGINE=master";
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, the_last_chunk_is_small_though_powers_are_counted_in_parts)
{
	self->job.argv[0] = "small_end";
	self->job.ranks = 1;
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, a_rank_of_more_power_takes_more_in_the_end_too)
{
	self->job.argv[0] = "fewer_in_the_end";
	self->job.environment[0] = "EQUANT_PROBE=clock";
	EXPECT_PASSED(&self->job);
}

TEST_F(selfsched, a_rank_that_shares_its_cpu_has_less_power)
{
	self->job.argv[0] = "shared_cpu";
	self->job.ranks = 2;
	self->job.environment[0] = "EQUANT_PROBE=schedstat";
	EXPECT_PASSED(&self->job);
}

FIXTURE(self_ranks)
{
	struct job job;
};

FIXTURE_VARIANT(self_ranks)
{
	int ranks;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(self_ranks, one) { .ranks = 1 };
FIXTURE_VARIANT_ADD(self_ranks, two) { .ranks = 2 };
FIXTURE_VARIANT_ADD(self_ranks, three) { .ranks = 3 };
FIXTURE_VARIANT_ADD(self_ranks, four) { .ranks = 4 };
FIXTURE_VARIANT_ADD(self_ranks, five) { .ranks = 5 };
FIXTURE_VARIANT_ADD(self_ranks, six) { .ranks = 6 };
FIXTURE_VARIANT_ADD(self_ranks, seven) { .ranks = 7 };
FIXTURE_VARIANT_ADD(self_ranks, eight) { .ranks = 8 };
FIXTURE_VARIANT_ADD(self_ranks, nine) { .ranks = 9 };
/* clang-format on */

FIXTURE_SETUP(self_ranks)
{
	self->job = (struct job){ .ranks = variant->ranks, .program = "selfsched_worker" };
}

FIXTURE_TEARDOWN(self_ranks)
{
}

/* All schemes, one and two dimensions, all engines of a node, 0 to 10,000 iterations. */
TEST_F(self_ranks, every_iteration_is_computed_exactly_once)
{
	self->job.argv[0] = "every_iteration";
	EXPECT_PASSED(&self->job);
	self->job.environment[0] = "ENGINE=tree";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
