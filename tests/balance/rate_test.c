// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* From samples to the rate of one rank. */
#include <math.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define QUANTUM 0.004
#define PREDICTS (EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED)

/* A window of @run and @wait seconds at @speed, with the prediction @settled. */
static struct equant_sample window(double speed, double run, double wait, double settled)
{
	return (struct equant_sample){
		.units = speed * run,
		.wall = run + wait,
		.run = run,
		.wait = wait,
		.share = settled,
		.settled = settled,
		.age = 1,
		.interval = 2,
		.flags = PREDICTS,
	};
}

static double update(struct equant_rate *rate, struct equant_sample sample)
{
	return equant_rate_update(rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, 0);
}

FIXTURE(rate)
{
	struct equant_rate rate;
};

FIXTURE_SETUP(rate)
{
	equant_rate_init(&self->rate);
}

FIXTURE_TEARDOWN(rate)
{
}

TEST_F(rate, is_zero_until_the_first_units)
{
	EXPECT_TRUE(update(&self->rate, window(0, 0, 0, 1)) == 0);
	EXPECT_TRUE(update(&self->rate, window(0, 0.01, 0, 1)) == 0);
	EXPECT_TRUE(near(update(&self->rate, window(500, 0.01, 0, 1)), 500));
}

TEST_F(rate, is_speed_times_share)
{
	EXPECT_TRUE(near(update(&self->rate, window(1000, 0.01, 0.01, 0.5)), 500));
	EXPECT_TRUE(near(self->rate.speed, 1000));
	EXPECT_TRUE(near(self->rate.share, 0.5));
	EXPECT_TRUE(near(self->rate.raw, 500));
}

TEST_F(rate, follows_a_new_prediction_at_once)
{
	for (int i = 0; i < 50; i++)
		update(&self->rate, window(1000, 0.02, 0, 1));
	EXPECT_TRUE(near(self->rate.rate, 1000));
	/* the sample itself was still computed alone */
	EXPECT_TRUE(near(update(&self->rate, window(1000, 0.02, 0, 0.25)), 250));
}

TEST_F(rate, is_decided_by_the_settled_share)
{
	struct equant_sample sample = window(1000, 0.01, 0, 0.5);

	sample.share = 0.9;
	EXPECT_TRUE(near(update(&self->rate, sample), 500));
}

TEST_F(rate, weighs_evidence_of_age_t_by_t_over_t_plus_ten_quanta)
{
	/* predicted 0.5, measured 0.8 */
	update(&self->rate, window(1000, 0.008, 0.002, 0.5));
	EXPECT_TRUE(near(self->rate.share, 0.5));
	for (int i = 1; i <= 30; i++) {
		double age = i * 0.01;
		double weight = age / (age + 10 * QUANTUM);

		update(&self->rate, window(1000, 0.008, 0.002, 0.5));
		EXPECT_TRUE(near(self->rate.share, weight * 0.8 + (1 - weight) * 0.5));
	}
}

TEST_F(rate, forgets_evidence_of_another_prediction_but_not_of_a_similar_one)
{
	for (int i = 0; i < 20; i++)
		update(&self->rate, window(1000, 0.008, 0.002, 0.5));
	EXPECT_LT(0.7, self->rate.share);
	update(&self->rate, window(1000, 0.008, 0.002, 0.502));
	EXPECT_LT(0.7, self->rate.share);
	update(&self->rate, window(1000, 0.008, 0.002, 0.503));
	EXPECT_TRUE(near(self->rate.share, 0.503));
}

TEST_F(rate, keeps_evidence_while_only_the_share_of_the_moment_changes)
{
	struct equant_sample sample = window(1000, 0.008, 0.002, 0.5);

	for (int i = 0; i < 20; i++) {
		sample.share = 0.9 - 0.02 * i;
		update(&self->rate, sample);
	}
	EXPECT_LT(0.7, self->rate.share);
}

TEST_F(rate, notices_a_prediction_that_creeps_away)
{
	double settled = 0.5;

	for (int i = 0; i < 20; i++) {
		update(&self->rate, window(1000, 0.01, 0, settled));
		settled *= 1.002;
	}
	/* cleared every third step, so that little evidence weighs against it */
	EXPECT_LT(self->rate.share, 0.75);
}

TEST_F(rate, lets_old_evidence_fade_after_a_hundred_quanta)
{
	for (int i = 0; i < 1000; i++)
		update(&self->rate, window(1000, 0.01, 0, 1));
	for (int i = 0; i < 100; i++)
		update(&self->rate, window(1000, 0.005, 0.005, 1));
	EXPECT_LT(self->rate.share, 0.65);
}

TEST_F(rate, keeps_the_speed_when_a_sample_has_no_units)
{
	struct equant_sample idle = window(1000, 0.004, 0.004, 0.5);

	update(&self->rate, window(1000, 0.01, 0, 1));
	idle.units = 0;
	EXPECT_TRUE(near(update(&self->rate, idle), 500));
	EXPECT_TRUE(near(self->rate.speed, 1000));
}

TEST_F(rate, averages_the_speed_over_about_sixty_four_quanta)
{
	for (int i = 0; i < 1000; i++)
		update(&self->rate, window(1000, QUANTUM, 0, 1));
	update(&self->rate, window(1200, QUANTUM, 0, 1));
	/* one window of 65 */
	EXPECT_TRUE(fabs(self->rate.speed - 1000 - 200 / 65.) < 0.1);
	for (int i = 0; i < 250; i++)
		update(&self->rate, window(1200, QUANTUM, 0, 1));
	EXPECT_LT(1190, self->rate.speed);
}

TEST_F(rate, has_a_pace_by_the_speed_of_the_last_four_quanta)
{
	for (int i = 0; i < 300; i++)
		update(&self->rate, window(1000, QUANTUM / 2, QUANTUM / 2, 0.5));
	EXPECT_TRUE(near(self->rate.pace, 500));
	/* A window of half a quantum is an eighth of them. */
	update(&self->rate, window(600, QUANTUM / 2, QUANTUM / 2, 0.5));
	EXPECT_TRUE(near(self->rate.pace, 0.5 * (1000 - 400.0 / 8)));
	for (int i = 0; i < 60; i++)
		update(&self->rate, window(600, QUANTUM / 2, QUANTUM / 2, 0.5));
	EXPECT_TRUE(fabs(self->rate.pace - 300) < 0.1);
	EXPECT_LT(400, self->rate.rate);
	/* A window of four quanta or more is all of them. */
	update(&self->rate, window(900, 4 * QUANTUM, 4 * QUANTUM, 0.5));
	EXPECT_TRUE(near(self->rate.pace, 450));
	update(&self->rate, window(800, 10 * QUANTUM, 10 * QUANTUM, 0.5));
	EXPECT_TRUE(near(self->rate.pace, 400));
	/* A CPU that stood still once was not slow; nothing computed says nothing. */
	update(&self->rate, window(100, QUANTUM, QUANTUM, 0.5));
	EXPECT_TRUE(near(self->rate.pace, 400));
	update(&self->rate, window(0, 0, 0, 0.5));
	EXPECT_TRUE(near(self->rate.pace, 400));
	/* A share that has changed counts at once, as in the rate. */
	update(&self->rate, window(800, QUANTUM, QUANTUM, 0.25));
	EXPECT_TRUE(near(self->rate.pace, 800 * self->rate.share));
}

TEST_F(rate, has_the_same_pace_where_it_is_measured)
{
	struct equant_sample sample = window(1000, 0.01, 0.01, 0.5);

	for (int i = 0; i < 10; i++) {
		sample.wall += 0.003;
		equant_rate_update(&self->rate, &sample, EQUANT_RATE_MEASURED, QUANTUM, 0);
		EXPECT_TRUE(self->rate.pace == self->rate.rate);
	}
	sample.flags = 0;
	update(&self->rate, sample);
	EXPECT_TRUE(self->rate.pace == self->rate.rate);
}

TEST_F(rate, forgets_the_first_window_when_there_is_another)
{
	update(&self->rate, window(500, 10 * QUANTUM, 0, 1));
	EXPECT_TRUE(near(self->rate.speed, 500));
	update(&self->rate, window(1000, QUANTUM, 0, 1));
	EXPECT_TRUE(near(self->rate.speed, 1000));
	update(&self->rate, window(500, QUANTUM, 0, 1));
	EXPECT_GT(self->rate.speed, 700);
}

TEST_F(rate, leaves_a_window_in_which_the_cpu_stood_still_out_of_the_speed)
{
	struct equant_sample stalled = window(1000, QUANTUM, 0, 1);

	stalled.run += 10 * QUANTUM;
	for (int i = 0; i < 100; i++)
		update(&self->rate, window(1000, QUANTUM, 0, 1));
	update(&self->rate, stalled);
	EXPECT_TRUE(near(self->rate.speed, 1000));
	update(&self->rate, window(1000, QUANTUM, 0, 1));
	update(&self->rate, stalled);
	EXPECT_TRUE(near(self->rate.speed, 1000));
}

TEST_F(rate, counts_a_second_window_as_slow_as_the_one_before)
{
	for (int i = 0; i < 100; i++)
		update(&self->rate, window(1000, QUANTUM, 0, 1));
	for (int i = 0; i < 300; i++)
		update(&self->rate, window(100, QUANTUM, 0, 1));
	EXPECT_LT(self->rate.speed, 120);
}

TEST_F(rate, counts_a_long_window_however_slow_it_is)
{
	for (int i = 0; i < 100; i++)
		update(&self->rate, window(1000, QUANTUM, 0, 1));
	update(&self->rate, window(100, 128 * QUANTUM, 0, 1));
	EXPECT_LT(self->rate.speed, 600);
}

TEST_F(rate, takes_a_tenth_of_a_second_at_half_the_speed_for_noise)
{
	for (int i = 0; i < 1000; i++)
		update(&self->rate, window(1000, QUANTUM, 0, 1));
	for (int i = 0; i < 12; i++)
		update(&self->rate, window(500, QUANTUM, 0, 1));
	EXPECT_GT(self->rate.speed, 900);
	for (int i = 0; i < 250; i++)
		update(&self->rate, window(500, QUANTUM, 0, 1));
	EXPECT_LT(self->rate.speed, 510);
}

TEST_F(rate, uses_the_measured_share_alone_when_shares_hold_for_less_than_a_quantum)
{
	/* bursts of 3 ms every 23 ms; the prediction flips between 1 and 0.5 */
	for (int i = 0; i < 100; i++) {
		struct equant_sample burst = window(1000, 0.02, 0.003, i % 2 ? 1 : 0.5);

		burst.hold = 0.003;
		update(&self->rate, burst);
		EXPECT_TRUE(near(self->rate.share, 20. / 23));
	}
}

TEST_F(rate, predicts_again_when_shares_hold_for_five_quanta)
{
	struct equant_sample sample = window(1000, 0.01, 0.01, 0.75);

	sample.hold = 4.9 * QUANTUM;
	update(&self->rate, sample);
	EXPECT_TRUE(near(self->rate.share, 0.5));
	sample.hold = 5.1 * QUANTUM;
	update(&self->rate, sample);
	EXPECT_TRUE(near(self->rate.share, 0.75));
}

TEST_F(rate, follows_only_shares_that_hold_for_twelve_phases)
{
	struct equant_sample sample = window(1000, 0.01, 0.01, 0.75);
	const double phase = 10 * QUANTUM;

	sample.hold = 11.9 * phase;
	equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	EXPECT_TRUE(near(self->rate.share, 0.5));
	sample.hold = 12.1 * phase;
	equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	EXPECT_TRUE(near(self->rate.share, 0.75));
}

TEST_F(rate, trusts_a_share_that_is_younger_than_a_phase_by_its_age)
{
	struct equant_sample sample = window(1000, 0.08, 0, 1);
	const double phase = 0.08;

	for (int i = 0; i < 100; i++)
		equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	EXPECT_TRUE(near(self->rate.share, 1));
	sample.settled = 0.5;
	sample.age = phase / 4;
	equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	EXPECT_TRUE(near(self->rate.share, 0.875));
	/* It has stayed. */
	sample.run = sample.wait = 0.04;
	sample.age = phase;
	equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	EXPECT_TRUE(near(self->rate.share, 0.5));
}

TEST_F(rate, trusts_it_from_a_quarter_of_a_phase_on_where_shares_are_known_to_hold)
{
	struct equant_sample sample = window(1000, 0.32, 0, 1);
	const double phase = 0.32;

	for (int i = 0; i < 100; i++)
		equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	sample.settled = 0.5;
	sample.hold = 13 * phase;
	sample.age = phase / 16;
	equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	EXPECT_TRUE(near(self->rate.share, 0.875));
	sample.run = sample.wait = 0.16;
	sample.age = phase / 4;
	equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, phase);
	EXPECT_TRUE(near(self->rate.share, 0.5));
}

/* The probe tells it until the one after it has held. */
TEST_F(rate, takes_a_share_that_is_younger_than_a_quantum_for_one_that_is_over)
{
	struct equant_sample sample = window(1000, 0.055 * QUANTUM, 0.045 * QUANTUM, 0.5);
	double before;

	for (int i = 0; i < 100; i++)
		update(&self->rate, sample);
	before = self->rate.share;
	EXPECT_LT(0.51, before);
	sample.settled = 0.2;
	sample.age = 0.9 * QUANTUM;
	update(&self->rate, sample);
	EXPECT_LT(before, self->rate.share + 1e-3);
	/* It is over: what had been seen beside the old share still counts. */
	sample.settled = 0.5;
	sample.age = 0;
	update(&self->rate, sample);
	EXPECT_LT(before, self->rate.share + 1e-3);
	sample.settled = 0.2;
	sample.age = QUANTUM;
	update(&self->rate, sample);
	EXPECT_GT(0.25, self->rate.share);
}

TEST_F(rate, holds_a_prediction_that_is_older_than_the_sample_against_it)
{
	struct equant_sample sample = window(1000, 10 * QUANTUM, 0, 0.2);

	/* The share is said to be 0.2 since before the sample, and it was 1. */
	sample.interval = 10 * QUANTUM;
	update(&self->rate, sample);
	EXPECT_TRUE(near(self->rate.share, 0.6));
}

TEST_F(rate, averages_over_thirty_changes_when_it_does_not_follow)
{
	struct equant_sample sample = window(1000, 0, 0.02, 1);

	sample.hold = 0.02; /* alternately all of the CPU and none of it */
	for (int i = 0; i < 200; i++) {
		sample.run = i % 2 ? 0.02 : 0;
		sample.wait = i % 2 ? 0 : 0.02;
		equant_rate_update(&self->rate, &sample, EQUANT_RATE_PREDICTED, QUANTUM, 0.01);
		if (i < 20)
			continue;
		EXPECT_GT(self->rate.share, 0.44);
		EXPECT_LT(self->rate.share, 0.56);
	}
}

TEST_F(rate, uses_the_measured_share_alone_when_nothing_is_predicted)
{
	struct equant_sample sample = window(1000, 0.03, 0.01, 0.1);

	sample.flags = EQUANT_SAMPLE_RUN;
	EXPECT_TRUE(near(update(&self->rate, sample), 750));
}

TEST_F(rate, forgets_a_measured_share_within_tens_of_quanta)
{
	struct equant_sample sample = window(1000, QUANTUM, 0, 0);

	sample.flags = EQUANT_SAMPLE_RUN;
	for (int i = 0; i < 1000; i++)
		update(&self->rate, sample);
	sample.wait = QUANTUM;
	for (int i = 0; i < 20; i++)
		update(&self->rate, sample);
	EXPECT_LT(self->rate.share, 0.52);
}

TEST_F(rate, without_run_time_is_the_filtered_wall_rate)
{
	struct equant_filter filter;
	struct random random = random_seeded();

	equant_filter_init(&filter);
	for (int i = 0; i < 1000; i++) {
		struct equant_sample sample = window(1000 * random_unit(&random) + 1, 0.01, 0, 1);
		double expected = equant_filter_update(&filter, sample.units / sample.wall);

		sample.flags = i % 2 ? 0 : EQUANT_SAMPLE_PREDICTED;
		ASSERT_TRUE(update(&self->rate, sample) == expected);
		ASSERT_TRUE(self->rate.raw == sample.units / sample.wall);
	}
}

TEST_F(rate, in_measured_mode_is_the_filtered_wall_rate_whatever_is_predicted)
{
	struct equant_sample sample = window(1000, 0.01, 0.03, 1);
	struct equant_filter filter;

	equant_filter_init(&filter);
	for (int i = 0; i < 10; i++) {
		double expected;

		sample.units += i;
		expected = equant_filter_update(&filter, sample.units / sample.wall);
		EXPECT_TRUE(equant_rate_update(&self->rate, &sample, EQUANT_RATE_MEASURED, QUANTUM,
					       0) == expected);
		EXPECT_TRUE(near(self->rate.share, 0.25));
	}
}

TEST_F(rate, survives_a_probe_that_falls_back_to_wall_time)
{
	struct equant_sample sample = window(1000, 0.01, 0.01, 0.5);

	for (int i = 0; i < 50; i++)
		update(&self->rate, sample);
	sample.flags = EQUANT_SAMPLE_FELL_BACK;
	EXPECT_TRUE(near(update(&self->rate, sample), 500));
	EXPECT_TRUE(near(self->rate.speed * self->rate.share, 500));
}

TEST_F(rate, of_a_starved_rank_stays_above_zero)
{
	update(&self->rate, window(1000, 0.01, 0, 1));
	EXPECT_LT(0, update(&self->rate, window(0, 0, 0.02, 0)));
	EXPECT_LT(self->rate.rate, 0.01);
}

TEST_F(rate, times_below_a_nanosecond_say_nothing)
{
	struct equant_sample sample = window(1000, 0.01, 0, 1);

	sample.run = 1e-300;
	sample.wall = 1e-300;
	EXPECT_TRUE(update(&self->rate, sample) == 0);
	EXPECT_TRUE(self->rate.raw == 0);
}

TEST_HARNESS_MAIN
