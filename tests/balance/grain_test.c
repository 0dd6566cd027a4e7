// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The split below the grain of Siegell 1995, section 3.4.2. */
#include <stdlib.h>
#include <string.h>

#include <equant/balance.h>
#include <equant/model.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define QUANTUM 0.004 /* that of a job's samples */
#define UNITS 3000 /* of a rank at the start */
#define PAID 200 /* phases of 0.06 ms, after which an imbalance has cost as much as a move */

/* Ranks that have @grain quanta of work each when it is divided equally; @loads end with 0. */
static struct job started(const int *loads, double grain, int polls)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct job job;
	int n = 0;

	while (loads[n])
		n++;
	options.polls = polls;
	job_start(&job, n, UNITS, &options);
	for (int i = 0; i < n; i++) {
		job.speed[i] = UNITS / (grain * QUANTUM);
		job.share[i] = job.predicted[i] = 1.0 / loads[i];
	}
	return job;
}

static const int one_shared[] = { 2, 1, 0 };

static const char *units_of(struct job *job, struct text *text)
{
	return text_counts(text, job->units, job->n);
}

#define UNITS_OF(job) units_of(job, &(struct text){ .used = 0 })

TEST(far_below_the_grain_ranks_that_poll_keep_equal_parts)
{
	struct job job = started(one_shared, 0.01, 1);

	EXPECT_EQ(0, job_phases(&job, 100));
	EXPECT_EQ(EQUANT_VERDICT_GRAIN, job.decision.verdict);
	EXPECT_STREQ("grain", equant_verdict_name(job.decision.verdict));
	EXPECT_EQ(1.0, job.decision.even);
	EXPECT_STREQ("3000 3000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(ranks_that_do_not_poll_split_in_proportion_at_any_grain)
{
	struct job job = started(one_shared, 0.01, 0);

	EXPECT_EQ(1, job_phases(&job, 100));
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	EXPECT_EQ(0.0, job.decision.even);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(from_a_quantum_of_work_on_polling_makes_no_difference)
{
	struct job job = started(one_shared, 1.51, 1);

	EXPECT_EQ(1, job_phases(&job, 100));
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(when_the_competitor_leaves_work_is_split_in_proportion_again)
{
	struct job job = started(one_shared, 0.01, 1);

	job.speed[1] *= 2;
	job_phases(&job, PAID);
	EXPECT_EQ(EQUANT_VERDICT_GRAIN, job.decision.verdict);
	/* "equal" is equal time: the second CPU is twice as fast */
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job.share[0] = job.predicted[0] = 1;
	job_phases(&job, PAID);
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	EXPECT_EQ(0.0, job.decision.even);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(without_a_prediction_or_a_quantum_nothing_is_known_about_turns)
{
	struct job job = started(one_shared, 0.01, 1);

	job.flags = EQUANT_SAMPLE_RUN;
	job_phases(&job, PAID);
	EXPECT_EQ(0.0, job.decision.even);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
	job = started(one_shared, 0.01, 1);
	job.quantum = 0;
	job_phases(&job, PAID);
	EXPECT_EQ(0.0, job.decision.even);
	EXPECT_STREQ("2000 4000", UNITS_OF(&job));
	job_stop(&job);
}

TEST(what_was_known_about_turns_counts_no_more_when_nothing_is_known_any_longer)
{
	for (int quantum = 0; quantum < 2; quantum++) {
		struct job job = started(one_shared, 0.01, 1);

		job_phases(&job, 10);
		EXPECT_EQ(1.0, job.decision.even);
		if (quantum)
			job.flags = EQUANT_SAMPLE_RUN;
		else
			job.quantum = 0;
		ASSERT_LE(0, job_phase(&job));
		EXPECT_EQ(0.0, job.decision.even);
		job_phases(&job, PAID);
		EXPECT_EQ(0.0, job.decision.even);
		job.flags |= EQUANT_SAMPLE_PREDICTED;
		job.quantum = QUANTUM;
		job_phases(&job, PAID);
		EXPECT_EQ(1.0, job.decision.even);
		job_stop(&job);
	}
}

/* The grain that is measured varies by 5 %, on either side of where equal parts stop being best. */
TEST(a_noisy_grain_does_not_make_the_split_flip)
{
	struct job job = started(one_shared, 0.29, 1);
	int changes = 0;
	double even;

	job.noise = 0.05;
	job_phases(&job, 10);
	even = job.decision.even;
	for (int i = 0; i < 5000; i++) {
		ASSERT_LE(0, job_phase(&job));
		changes += job.decision.even != even;
		even = job.decision.even;
	}
	EXPECT_LE(changes, 1);
	job_stop(&job);
}

/* By the model's own simulator: the time of a thousand steps of the job's distribution. */
static double elapsed(const struct job *job, const int *loads, const long *units)
{
	struct equant_turns turns[JOB_MOST];
	struct equant_machine machine = { .n = job->n, .quantum = 1000000, .turns = turns };
	struct equant_efficiency result;
	int64_t work[JOB_MOST];

	for (int i = 0; i < job->n; i++) {
		turns[i] = (struct equant_turns){ .tasks = loads[i] };
		work[i] = (int64_t)((double)units[i] / job->speed[i] / QUANTUM * 1e6);
	}
	if (equant_simulate_barrier(&machine, work, 1000, &result))
		return -1;
	return (double)result.elapsed;
}

/*
 * One rank is on a shared CPU, so that when turns begin makes no difference.  The choice is
 * made for grains around the real one: a fifth is granted for peaks.  The sums are of a sample that is always the same,
 * as of one in some hundred an equal split is as good.
 */
TEST(the_split_that_is_chosen_is_hardly_ever_slower_than_a_proportional_or_an_equal_one)
{
	struct random random = random_from(1);
	double chosen = 0, equal = 0;
	const int rounds = 300;

	for (int round = 0; round < rounds; round++) {
		int n = 2 + (int)random_below(&random, JOB_MOST - 1), loads[JOB_MOST + 1] = { 0 };
		double grain = 0.005 + 0.2 * random_unit(&random), of[3];
		long parts[JOB_MOST], same[JOB_MOST];
		struct job job;

		for (int i = 0; i < n; i++) {
			loads[i] = i ? 1 : 2 + (int)random_below(&random, 4);
			same[i] = UNITS;
		}
		job = started(loads, grain, 1);
		ASSERT_EQ(0, equant_distribute(job.share, n, (long)n * UNITS, 1, parts));
		job_phases(&job, 20);
		of[0] = elapsed(&job, loads, job.units);
		of[1] = elapsed(&job, loads, parts);
		of[2] = elapsed(&job, loads, same);
		EXPECT_LT(of[0], 1.2 * of[1]);
		EXPECT_LT(of[0], 1.2 * of[2])
		TH_LOG("%d ranks, %d tasks, grain %g", n, loads[0], grain);
		/* in times of the proportional split */
		chosen += of[0] / of[1];
		equal += of[2] / of[1];
		job_stop(&job);
	}
	EXPECT_LT(chosen, 0.95 * rounds);
	EXPECT_LT(chosen, equal);
}

TEST(polling_is_a_yes_or_a_no)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);

	options.polls = 2;
	EXPECT_EQ(NULL, equant_balancer_new(2, &options));
}

TEST_HARNESS_MAIN
