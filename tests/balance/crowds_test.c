// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks that are more than their CPUs. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define UNITS 1000 /* of each rank at first */

/**
 * struct host - CPUs that are shared fairly between all that want one
 * @ranks: of the job, from @first on
 * @others: that always want one
 */
struct host {
	int first;
	int ranks;
	int cpus;
	int others;
};

FIXTURE(crowds)
{
	struct equant_balance_options options;
	struct equant_affinity affinity[JOB_MOST];
	struct host hosts[JOB_MOST];
	int nr_hosts;
	struct job job;
};

FIXTURE_SETUP(crowds)
{
	self->options = default_options(EQUANT_RATE_PREDICTED);
}

FIXTURE_TEARDOWN(crowds)
{
	job_stop(&self->job);
}

static void add(FIXTURE_DATA(crowds) * self, int ranks, int cpus, int others)
{
	int first = self->job.n;

	self->hosts[self->nr_hosts++] = (struct host){ first, ranks, cpus, others };
	for (int i = first; i < first + ranks; i++)
		self->affinity[i] = (struct equant_affinity){ 77 - (uint64_t)first, cpus };
	self->job.n += ranks;
}

static int start(FIXTURE_DATA(crowds) * self)
{
	job_start(&self->job, self->job.n, UNITS, &self->options);
	return equant_balancer_affinity(self->job.balancer, self->affinity);
}

/* Who has least is done first, and sleeps. */
static double run_host(struct job *job, const struct host *host)
{
	double done = 0, time = 0;
	int awake = host->ranks;

	while (awake) {
		double share = fmin(1, (double)host->cpus / (awake + host->others));
		double next = HUGE_VAL;

		for (int i = host->first; i < host->first + host->ranks; i++)
			if ((double)job->units[i] / job->speed[i] > done)
				next = fmin(next, (double)job->units[i] / job->speed[i]);
		if (next == HUGE_VAL)
			break;
		time += (next - done) / share;
		done = next;
		for (int i = host->first; i < host->first + host->ranks; i++) {
			struct equant_sample *sample = &job->samples[i];

			if ((double)job->units[i] / job->speed[i] != done)
				continue;
			awake--;
			*sample = (struct equant_sample){
				.units = (double)job->units[i],
				.wall = time,
				.run = done,
				.wait = fmax(0, time - done),
				/* as it was in the end */
				.share = share,
				.settled = share,
				.quantum = 0.004,
				.age = 1,
				.hooks = 1,
				.flags = (uint16_t)job->flags,
			};
		}
	}
	return time;
}

/* Returns in how many of the phases work was moved. */
static int phases(FIXTURE_DATA(crowds) * self, int count)
{
	struct job *job = &self->job;
	int moves = 0;

	for (int phase = 0; phase < count; phase++) {
		double longest = 0;

		for (int h = 0; h < self->nr_hosts; h++)
			longest = fmax(longest, run_host(job, &self->hosts[h]));
		for (int i = 0; i < job->n; i++)
			job->samples[i].interval = longest;
		if (equant_balancer_decide(job->balancer, job->samples, job->units, &job->decision))
			return -1;
		equant_apply(job->decision.instructions, job->decision.count, job->units);
		moves += job->decision.count > 0;
	}
	return moves;
}

/* "800 800 1200 1200", rounded to tens */
static const char *units_of(const struct job *job, struct text *text)
{
	long rounded[JOB_MOST];

	for (int i = 0; i < job->n; i++)
		rounded[i] = (job->units[i] + 5) / 10 * 10;
	return text_counts(text, rounded, job->n);
}

#define UNITS_OF(self) units_of(&(self)->job, &(struct text){ .used = 0 })

TEST_F(crowds, two_ranks_to_a_cpu_are_balanced_with_those_of_another_one)
{
	add(self, 2, 1, 1);
	add(self, 2, 1, 0);
	ASSERT_EQ(0, start(self));
	phases(self, 50);
	/* a third of a CPU each, and a half */
	EXPECT_STREQ("800 800 1200 1200", UNITS_OF(self));
	EXPECT_EQ(0, phases(self, 50));
}

TEST_F(crowds, ranks_that_are_spread_over_more_cpus_than_one_are_a_crowd_too)
{
	add(self, 3, 2, 1);
	add(self, 3, 2, 0);
	ASSERT_EQ(0, start(self));
	phases(self, 50);
	/* a half, and two thirds */
	EXPECT_STREQ("860 860 860 1140 1140 1140", UNITS_OF(self));
	EXPECT_EQ(0, phases(self, 50));
}

/* While one of them computes it has a CPU, and another CPU has nothing to do. */
TEST_F(crowds, ranks_that_leave_a_cpu_unused_have_the_share_of_all)
{
	const struct equant_rate *rates;

	add(self, 3, 2, 0);
	self->options.moves_allowed = 0;
	ASSERT_EQ(0, start(self));
	self->job.units[2] = 2000;
	phases(self, 1);
	rates = equant_balancer_rates(self->job.balancer);
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(near(2 / 3.0, rates[i].share));
}

TEST_F(crowds, before_the_start_they_are_taken_to_have_their_cpus_to_themselves)
{
	struct job *job = &self->job;

	add(self, 2, 1, 0);
	add(self, 1, 1, 0);
	ASSERT_EQ(0, start(self));
	for (int i = 0; i < 3; i++)
		job->samples[i] = (struct equant_sample){
			.share = 1,
			.settled = 1,
			.quantum = 0.004,
			.age = 1,
			.flags = (uint16_t)job->flags,
		};
	ASSERT_EQ(0,
		  equant_balancer_decide(job->balancer, job->samples, job->units, &job->decision));
	equant_apply(job->decision.instructions, job->decision.count, job->units);
	EXPECT_STREQ("750 750 1500", UNITS_OF(self));
}

TEST_F(crowds, where_all_ranks_share_the_same_cpus_nothing_moves)
{
	add(self, 5, 2, 1);
	ASSERT_EQ(0, start(self));
	self->job.speed[2] = 1010;
	EXPECT_EQ(0, phases(self, 100));
}

TEST_F(crowds, they_meet_seldom)
{
	add(self, 2, 1, 0);
	ASSERT_EQ(0, start(self));
	phases(self, 10);
	EXPECT_TRUE(near(50 * 0.004, self->job.decision.period));
	job_stop(&self->job);

	/* for a share that is followed three times as long as a rank is off its CPU */
	self->affinity[0] = self->affinity[1] = (struct equant_affinity){ 0 };
	self->job.n = 2;
	ASSERT_EQ(0, start(self));
	phases(self, 10);
	EXPECT_LT(self->job.decision.period, 0.041);
}

/* The rank that has least work sleeps, so that the other one seems to be faster. */
TEST_F(crowds, an_uneven_division_in_a_crowd_does_not_become_more_uneven)
{
	add(self, 2, 1, 0);
	add(self, 2, 1, 0);
	ASSERT_EQ(0, start(self));
	self->job.units[0] = 1020;
	self->job.units[1] = 980;
	phases(self, 100);
	EXPECT_STREQ("1000 1000 1000 1000", UNITS_OF(self));
}

TEST_F(crowds, its_work_is_divided_by_the_speeds_of_its_ranks)
{
	add(self, 2, 1, 0);
	add(self, 2, 1, 0);
	ASSERT_EQ(0, start(self));
	self->job.speed[0] = 2000;
	phases(self, 50);
	EXPECT_STREQ("1600 800 800 800", UNITS_OF(self));
}

TEST_F(crowds, a_competitor_is_answered_when_it_comes_and_when_it_goes)
{
	add(self, 2, 1, 0);
	add(self, 2, 1, 0);
	ASSERT_EQ(0, start(self));
	phases(self, 50);
	EXPECT_STREQ("1000 1000 1000 1000", UNITS_OF(self));
	self->hosts[1].others = 1;
	phases(self, 50);
	EXPECT_STREQ("1200 1200 800 800", UNITS_OF(self));
	self->hosts[1].others = 0;
	phases(self, 50);
	EXPECT_STREQ("1000 1000 1000 1000", UNITS_OF(self));
}

/* Without the library knowing where they are. */
static void scatter_hosts(FIXTURE_DATA(crowds) * self)
{
	for (int i = 0; i < self->job.n; i++)
		self->affinity[i] = (struct equant_affinity){ 0 };
}

TEST_F(crowds, ranks_whose_cpus_are_not_known_are_apart)
{
	add(self, 2, 1, 0);
	add(self, 2, 1, 0);
	scatter_hosts(self);
	ASSERT_EQ(0, start(self));
	self->job.units[0] = 1100;
	self->job.units[1] = 900;
	phases(self, 1);
	/* rank 0, which was alone in the end, seems to be the fastest */
	EXPECT_LT(self->job.units[1], 900);
	EXPECT_GT(self->job.units[0], 1150);
}

TEST_F(crowds, ranks_with_a_cpu_for_each_are_apart)
{
	add(self, 1, 1, 1);
	add(self, 1, 1, 0);
	self->affinity[0] = self->affinity[1] = (struct equant_affinity){ 5, 2 };
	ASSERT_EQ(0, start(self));
	phases(self, 50);
	EXPECT_STREQ("670 1330", UNITS_OF(self));
}

/* Rank 1 may run elsewhere now, where it has all of a CPU. */
TEST_F(crowds, who_has_moved_to_other_cpus_is_no_longer_in_the_crowd)
{
	struct job *job = &self->job;

	add(self, 2, 1, 0);
	ASSERT_EQ(0, start(self));
	phases(self, 10);
	for (int i = 0; i < 50; i++) {
		for (int r = 0; r < 2; r++)
			job->samples[r] = (struct equant_sample){
				.units = (double)job->units[r],
				.run = 1e-3 * (double)job->units[r],
				.wait = r ? 0 : 1e-3 * (double)job->units[r],
				.wall = (r ? 1e-3 : 2e-3) * (double)job->units[r],
				.interval = 2e-3 * (double)job->units[0],
				.share = r ? 1 : 0.5,
				.settled = r ? 1 : 0.5,
				.quantum = 0.004,
				.age = 10,
				.hooks = 1,
				.flags = (uint16_t)(job->flags | (r ? EQUANT_SAMPLE_MOVED : 0)),
			};
		ASSERT_EQ(0, equant_balancer_decide(job->balancer, job->samples, job->units,
						    &job->decision));
		equant_apply(job->decision.instructions, job->decision.count, job->units);
	}
	EXPECT_STREQ("670 1330", UNITS_OF(self));
}

/* ... and what was known of it is forgotten. */
TEST_F(crowds, the_others_are_a_crowd_as_before)
{
	const struct equant_rate *rates;
	struct job *job = &self->job;

	add(self, 3, 1, 0);
	self->options.moves_allowed = 0;
	ASSERT_EQ(0, start(self));
	phases(self, 10);
	rates = equant_balancer_rates(job->balancer);
	EXPECT_TRUE(near(1 / 3.0, rates[0].share));
	/* rank 2 has a CPU of its own, for itself */
	self->hosts[0].ranks = 2;
	job->n = 2;
	run_host(job, &self->hosts[0]);
	job->samples[2] = job->samples[1];
	job->samples[2].flags |= EQUANT_SAMPLE_MOVED;
	for (int i = 0; i < 3; i++)
		job->samples[i].interval = 2;
	ASSERT_EQ(0,
		  equant_balancer_decide(job->balancer, job->samples, job->units, &job->decision));
	EXPECT_TRUE(near(1 / 2.0, rates[0].share));
	EXPECT_TRUE(near(1 / 2.0, rates[1].share));
	/* it is back */
	self->hosts[0].ranks = job->n = 3;
	phases(self, 1);
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(near(1 / 3.0, rates[i].share));
}

/* Of two ranks on a CPU, after a phase in which one has had three times as much to do; NULL if not. */
static const struct equant_rate *rates_of_uneven(FIXTURE_DATA(crowds) * self)
{
	self->options.moves_allowed = 0;
	if (start(self))
		return NULL;
	self->job.units[0] = 1500;
	self->job.units[1] = 500;
	phases(self, 1);
	return equant_balancer_rates(self->job.balancer);
}

TEST_F(crowds, who_waits_and_polls_is_not_asleep)
{
	const struct equant_rate *rates;

	add(self, 2, 1, 0);
	self->options.polls = 1;
	rates = rates_of_uneven(self);
	ASSERT_NE(NULL, rates);
	/* 2 s in which one has a CPU, 3 s in which one wants it */
	EXPECT_TRUE(near(2 / 3.0, rates[0].share));
	EXPECT_TRUE(near(2 / 3.0, rates[1].share));
	job_stop(&self->job);

	self->options.polls = 0;
	rates = rates_of_uneven(self);
	ASSERT_NE(NULL, rates);
	EXPECT_TRUE(near(1 / 2.0, rates[0].share));
	EXPECT_TRUE(near(1 / 2.0, rates[1].share));
}

TEST_F(crowds, measured_rates_are_as_they_were_measured)
{
	const struct equant_rate *rates;

	add(self, 2, 1, 0);
	self->options.mode = EQUANT_RATE_MEASURED;
	rates = rates_of_uneven(self);
	ASSERT_NE(NULL, rates);
	EXPECT_TRUE(near(1500 / 2.0, rates[0].rate));
	EXPECT_TRUE(near(500 / 1.0, rates[1].rate));
}

TEST_F(crowds, without_a_source_of_shares_ranks_are_apart)
{
	const struct equant_rate *rates;

	add(self, 2, 1, 0);
	self->options.moves_allowed = 0;
	ASSERT_EQ(0, start(self));
	self->job.flags = 0;
	phases(self, 1);
	rates = equant_balancer_rates(self->job.balancer);
	EXPECT_EQ(1, rates[0].share);
	EXPECT_TRUE(near(1000 / 2.0, rates[0].rate));
}

TEST_F(crowds, cpus_of_no_number_are_refused)
{
	add(self, 2, 1, 0);
	self->affinity[1].count = 0;
	EXPECT_EQ(-EINVAL, start(self));
	/* and the balancer is as before */
	EXPECT_EQ(0, phases(self, 1));
}

TEST_F(crowds, they_can_be_told_anew)
{
	add(self, 2, 1, 0);
	add(self, 2, 1, 0);
	ASSERT_EQ(0, start(self));
	scatter_hosts(self);
	ASSERT_EQ(0, equant_balancer_affinity(self->job.balancer, self->affinity));
	self->job.units[0] = 1100;
	self->job.units[1] = 900;
	phases(self, 1);
	EXPECT_GT(self->job.units[0], 1200);
}

TEST_HARNESS_MAIN
