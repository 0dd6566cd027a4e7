// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Shares where ranks that sleep meet often. */
#include <errno.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define QUANTUM 0.004 /* that of a job's samples */
#define UNITS 3000 /* of each of two ranks at the start */

/* Rank 0 has half its CPU; the work of both together takes @quanta on their CPUs. */
static struct job started(double quanta, double restraint)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct job job;

	options.restraint = restraint;
	job_start(&job, 2, UNITS, &options);
	job.speed[0] = job.speed[1] = 2 * UNITS / (quanta * 1.5 * QUANTUM);
	job.share[0] = job.predicted[0] = 0.5;
	job.meetings[0] = job.meetings[1] = 1;
	return job;
}

static const char *units_of(struct job *job, struct text *text)
{
	return text_counts(text, job->units, job->n);
}

#define UNITS_OF(job) units_of(job, &(struct text){ .used = 0 })

TEST(a_rank_beside_others_gets_a_part_of_its_share_where_phases_are_short)
{
	struct job job = started(0.25, 0.7);

	job_phases(&job, 50);
	/* 0.35, less 25 us of the 1.5 ms that a phase takes at first, to 1 */
	EXPECT_STREQ("1500 4500", UNITS_OF(&job));
	job_stop(&job);
}

TEST(where_phases_are_so_short_that_waking_up_is_all_half_of_that_part_is_left)
{
	struct job job = started(0.02, 0.7);

	job_phases(&job, 50);
	/* 0.175 to 1 */
	EXPECT_STREQ("894 5106", UNITS_OF(&job));
	job_stop(&job);
}

TEST(ranks_that_do_not_meet_use_their_shares)
{
	struct job job = started(0.25, 0.7);

	job.meetings[0] = job.meetings[1] = 0;
	job_phases(&job, 50);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(one_rank_that_meets_nobody_is_enough)
{
	struct job job = started(0.25, 0.7);

	job.meetings[1] = 0;
	job_phases(&job, 50);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(from_four_quanta_on_shares_are_used_to_the_full)
{
	struct job job = started(4.5, 0.7);

	job_phases(&job, 50);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(between_short_and_long_the_part_lies_between)
{
	struct job job = started(2, 0.7);

	job_phases(&job, 50);
	EXPECT_LT(1556 + 50, job.units[0]);
	EXPECT_GT(2000 - 50, job.units[0]);
	job_stop(&job);
}

TEST(several_meetings_from_hook_to_hook_are_one_phase)
{
	struct job few = started(4.5, 0.7);

	few.meetings[0] = few.meetings[1] = 1000;
	job_phases(&few, 50);
	EXPECT_STREQ("2000 4000", UNITS_OF(&few));
	job_stop(&few);
}

TEST(ranks_that_are_alone_and_ranks_that_are_alike_stay_as_they_are)
{
	struct job job = started(0.25, 0.7);

	job.share[0] = job.predicted[0] = 1;
	EXPECT_EQ(0, job_phases(&job, 50));
	job_stop(&job);
	job = started(0.25, 0.7);
	job.share[1] = job.predicted[1] = 0.5;
	EXPECT_EQ(0, job_phases(&job, 50));
	EXPECT_STREQ("3000 3000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(where_nothing_is_predicted_the_measured_share_is_used)
{
	struct job job = started(0.25, 0.7);

	job.flags = EQUANT_SAMPLE_RUN;
	job_phases(&job, 50);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(all_of_the_share_is_a_choice)
{
	for (int whole = 0; whole < 2; whole++) {
		struct job job = started(0.25, whole);

		job_phases(&job, 50);
		EXPECT_STREQ("2000 4000", UNITS_OF(&job));
		job_stop(&job);
	}
}

/* Short sections end before the rank has lost its CPU: it seems to have all of it. */
TEST(where_phases_are_short_the_predicted_share_counts_not_the_measured_one)
{
	struct job job = started(0.25, 1);

	job.share[0] = 1;
	job_phases(&job, 2000);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
	job = started(4.5, 1);
	job.share[0] = 1;
	job_phases(&job, 2000);
	EXPECT_LT(2800, job.units[0]);
	job_stop(&job);
}

TEST(a_rank_that_is_starved_has_a_rate_all_the_same)
{
	struct job job = started(0.25, 0.7);

	job.predicted[0] = 0;
	job.age = 1;
	EXPECT_LT(0, job_phases(&job, 50));
	EXPECT_GT(3000, job.units[0]);
	job_stop(&job);
}

TEST(a_share_that_was_there_for_a_moment_does_not_count)
{
	struct job job = started(0.25, 0.7);

	job_phases(&job, 50);
	job.predicted[0] = 0.1;
	job.age = QUANTUM / 2;
	EXPECT_EQ(0, job_phases(&job, 20));
	job.age = 2 * QUANTUM;
	EXPECT_LT(0, job_phases(&job, 20));
	job_stop(&job);
}

TEST(meetings_that_some_samples_miss_count_on_average)
{
	struct job job = started(0.5, 0.7);

	for (int i = 0; i < 50; i++) {
		job.meetings[0] = job.meetings[1] = i % 2;
		job_phases(&job, 1);
	}
	/* Phases of one quantum, as if each sample had met. */
	EXPECT_GT(1600, job.units[0]);
	job_stop(&job);
}

TEST(more_than_all_of_the_share_is_refused)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);

	options.restraint = 1.5;
	EXPECT_EQ(NULL, equant_balancer_new(2, &options));
	EXPECT_EQ(EINVAL, errno);
}

TEST_HARNESS_MAIN
