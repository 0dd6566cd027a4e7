// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Work that stays where it is while shares come and go: Siegell 1995, figures 7.14 and 7.15. */
#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

/**
 * struct load - on the first rank of a job
 * @share: that it leaves
 * @on: phases that it is there, @off: that it is not
 */
struct load {
	double share;
	int on;
	int off;
};

FIXTURE(steady)
{
	struct equant_balance_options options;
	struct job job;
};

FIXTURE_SETUP(steady)
{
	self->options = default_options(EQUANT_RATE_PREDICTED);
	self->options.steady = 1;
}

FIXTURE_TEARDOWN(steady)
{
	job_stop(&self->job);
}

/* Ranks of 100 units, a tenth of a second, that meet @meetings times in each phase. */
static struct job *start(FIXTURE_DATA(steady) * self, int n, uint32_t meetings)
{
	job_start(&self->job, n, 100, &self->options);
	for (int i = 0; i < n; i++)
		self->job.meetings[i] = meetings;
	return &self->job;
}

/* Return: how often work moved. */
static int oscillate(struct job *job, const struct load *load, int times)
{
	int moves = 0;

	job->hold = 0.1 * (load->on + load->off) / 2;
	for (int i = 0; i < times; i++) {
		job->share[0] = job->predicted[0] = load->share;
		moves += job_phases(job, load->on);
		job->share[0] = job->predicted[0] = 1;
		moves += job_phases(job, load->off);
	}
	return moves;
}

TEST_F(steady, among_eight_ranks_one_has_work_for_its_least_share)
{
	const struct load load = { 0.5, 5, 5 };
	struct job *job = start(self, 8, 1);

	oscillate(job, &load, 30);
	EXPECT_EQ(0, oscillate(job, &load, 10));
	/* 800 x 0.5 / 7.5 */
	EXPECT_LE(51, job->units[0]);
	EXPECT_GE(55, job->units[0]);
}

TEST_F(steady, switched_off_it_has_work_for_the_mean_one)
{
	const struct load load = { 0.5, 5, 5 };
	struct job *job;

	self->options.steady = 0;
	job = start(self, 8, 1);
	oscillate(job, &load, 30);
	/* 800 x 0.6 / 7.6: phases are longer while the load is there */
	EXPECT_LE(63, job->units[0]);
	EXPECT_GE(78, job->units[0]);
}

TEST_F(steady, ranks_that_do_not_meet_even_changes_out)
{
	const struct load load = { 0.5, 5, 5 };
	struct job *job = start(self, 8, 0);

	oscillate(job, &load, 30);
	EXPECT_LE(63, job->units[0]);
	EXPECT_GE(78, job->units[0]);
}

TEST_F(steady, a_load_that_is_seldom_there_leaves_work_for_the_highest_share)
{
	const struct load load = { 0.2, 1, 9 };
	struct job *job = start(self, 2, 1);

	oscillate(job, &load, 60);
	EXPECT_EQ(0, oscillate(job, &load, 10));
	EXPECT_LE(97, job->units[0]);
	EXPECT_GE(100, job->units[0]);
}

TEST_F(steady, shares_that_hold_for_long_are_followed)
{
	const struct load load = { 0.5, 40, 40 };
	struct job *job = start(self, 2, 1);

	oscillate(job, &load, 4);
	EXPECT_EQ(100, job->units[0]);
	job->share[0] = job->predicted[0] = 0.5;
	job_phases(job, 20);
	/* 200 / 3 */
	EXPECT_LE(66, job->units[0]);
	EXPECT_GE(68, job->units[0]);
}

TEST_F(steady, dear_moves_are_made_once)
{
	const struct load load = { 0.5, 40, 40 };
	struct job *job;

	/* Half of its units are a second and a half to move; four seconds pass between two changes. */
	self->options.move_per_unit = 0.03;
	self->options.interact = 0.004;
	job = start(self, 8, 1);
	oscillate(job, &load, 6);
	EXPECT_EQ(0, oscillate(job, &load, 4));
	/* 1 % of the time for interactions; to follow sqrt(0.4 x 4 ms / 4 s), 2 %, would be best */
	EXPECT_TRUE(near(job->decision.period, 0.4));
	EXPECT_LE(51, job->units[0]);
	EXPECT_GE(56, job->units[0]);
}

/* Phases of a tenth of a second with ten meetings each; shares change in the middle of them. */
TEST_F(steady, work_stays_where_few_samples_tell_of_shares_that_change_often)
{
	struct job *job = start(self, 8, 10);
	double time = 0;
	int late = 0;

	job->hold = 0.0743;
	for (int phase = 0; phase < 1000; phase++) {
		job->predicted[0] = (long)(time / job->hold) % 2 ? 1 : 0.5;
		job->share[0] = 0.75;
		late += job_phase(job) > 0 && phase >= 100;
		time += job->samples[0].interval;
	}
	EXPECT_EQ(0, late);
	EXPECT_LE(51, job->units[0]);
	EXPECT_GE(55, job->units[0]);
}

/* The kernel's view forgets how long shares hold when it has seen one change in some seconds. */
TEST_F(steady, a_time_that_is_forgotten_for_some_phases_changes_nothing)
{
	const struct load load = { 0.5, 5, 5 };
	struct job *job = start(self, 8, 1);

	oscillate(job, &load, 30);
	EXPECT_EQ(0, job_phases(job, 3));
	job->hold = 0;
	EXPECT_EQ(0, job_phases(job, 3));
	EXPECT_EQ(0, oscillate(job, &load, 3));
	EXPECT_GE(55, job->units[0]);
}

/* Shares hold for a second, phases last 0.1 s. */
TEST_F(steady, ranks_wait_for_decisions_where_work_follows)
{
	const struct load load = { 0.5, 10, 10 };
	struct job *job;

	self->options.prompt = 1;
	job = start(self, 8, 1);
	oscillate(job, &load, 30);
	EXPECT_EQ(1, job->decision.prompt);
}

TEST_F(steady, nobody_waits_for_decisions_where_work_stays)
{
	const struct load load = { 0.5, 10, 10 };
	struct job *job;

	self->options.prompt = 1;
	self->options.move_per_unit = 0.03;
	job = start(self, 8, 1);
	oscillate(job, &load, 30);
	EXPECT_EQ(0, job->decision.prompt);
}

TEST_F(steady, when_the_load_is_gone_for_good_work_is_in_equal_parts_again)
{
	const struct load load = { 0.5, 5, 5 };
	struct job *job = start(self, 8, 1);

	oscillate(job, &load, 30);
	EXPECT_GE(55, job->units[0]);
	job->hold = 0;
	job_phases(job, 60);
	EXPECT_LE(97, job->units[0]);
	EXPECT_GE(100, job->units[0]);
}

TEST_F(steady, two_ranks_take_turns_in_being_loaded_and_all_have_work_for_the_least_share)
{
	struct job *job = start(self, 3, 1);

	job->hold = 0.5;
	for (int i = 0; i < 300; i++) {
		job->share[0] = job->predicted[0] = i % 10 < 5 ? 0.5 : 1;
		job->share[1] = job->predicted[1] = i % 10 < 5 ? 1 : 0.5;
		job_phase(job);
	}
	/* 300 x 0.5 / 2 */
	EXPECT_LE(73, job->units[0]);
	EXPECT_GE(77, job->units[0]);
	EXPECT_LE(73, job->units[1]);
	EXPECT_GE(77, job->units[1]);
}

TEST_HARNESS_MAIN
