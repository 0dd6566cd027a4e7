// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Costs, benefits and the period: Siegell 1995, sections 4.3 and 5.6. */
#include <math.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

static struct equant_balance_options predicted(void)
{
	return default_options(EQUANT_RATE_PREDICTED);
}

static struct equant_balance_options measured(void)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_MEASURED);

	options.filter = EQUANT_FILTER_NONE;
	return options;
}

TEST(the_cost_of_a_movement_is_that_of_its_busiest_rank)
{
	const struct equant_instruction plan[] = { { 0, 1, 10 }, { 0, 2, 5 }, { 3, 2, 30 } };

	/* rank 0: 2 transfers, 15 units; rank 2: 2 and 35; rank 3: 1 and 30 */
	EXPECT_TRUE(near(equant_move_cost(plan, 3, 4, 1, 0.1), 2 + 3.5));
	EXPECT_TRUE(near(equant_move_cost(plan, 3, 4, 0, 1), 35));
	EXPECT_TRUE(near(equant_move_cost(plan, 3, 4, 7, 0), 14));
	EXPECT_TRUE(equant_move_cost(plan, 0, 4, 1, 1) == 0);
}

TEST(an_instruction_for_no_rank_costs_infinitely_much)
{
	EXPECT_TRUE(equant_move_cost(&(struct equant_instruction){ 0, 4, 1 }, 1, 4, 1, 1) ==
		    HUGE_VAL);
	EXPECT_TRUE(equant_move_cost(&(struct equant_instruction){ -1, 0, 1 }, 1, 4, 1, 1) ==
		    HUGE_VAL);
}

TEST(the_sampling_bound_brings_the_amplitude_down_to_what_is_tolerated)
{
	/* share 1/2: d = c = quantum */
	EXPECT_TRUE(near(equant_sampling_bound(0.004, 0.5, 0.1), 0.04));
	/* more competitors make c larger, and d decides */
	EXPECT_TRUE(near(equant_sampling_bound(0.004, 0.2, 0.1), 0.04));
	/* share 0.8: c = quantum / 4 */
	EXPECT_TRUE(near(equant_sampling_bound(0.004, 0.8, 0.1), 0.01));
	EXPECT_TRUE(near(equant_sampling_bound(0.1, 0.5, 0.05), 2));
}

static long active_until(long time, long on, long off)
{
	long rest = time % (on + off);

	return time / (on + off) * on + (rest < on ? rest : on);
}

/* All samples of a length that can be taken, tick by tick; shares of which the quantum is a whole part. */
TEST(the_sampling_scale_is_the_range_over_all_starts_of_a_sample)
{
	const long on = 10;

	for (long off = 5; off <= 40; off += 5) {
		for (long length = 1; length < 150; length++) {
			long least = length, most = 0;
			double scale;

			for (long start = 0; start < on + off; start++) {
				long active = active_until(start + length, on, off) -
					      active_until(start, on, off);

				least = active < least ? active : least;
				most = active > most ? active : most;
			}
			scale = equant_sampling_scale(10, 10.0 / (double)(on + off),
						      (double)length);
			EXPECT_LT(fabs(scale - (double)(most - least) / (double)length), 1e-9)
			TH_LOG("on %ld, off %ld, sample %ld", on, off, length);
		}
	}
}

TEST(the_sampling_bound_is_at_least_a_quantum)
{
	EXPECT_TRUE(equant_sampling_bound(0.004, 1, 0.1) == 0.004);
	EXPECT_TRUE(equant_sampling_bound(0.004, 0.5, 1) == 0.004);
}

/*
 * The amplitude of eq. 4.9 for round robin with one competitor, by brute force:
 * over the bound it is at most what is tolerated, for any start of the sample.
 */
TEST(the_sampling_bound_holds_for_a_square_wave)
{
	const double quantum = 1, amplitude = 0.1;

	for (double share = 0.1; share < 0.95; share += 0.1) {
		double s = equant_sampling_bound(quantum, share, amplitude);
		double p = quantum / share, least = s, most = 0;

		for (double start = 0; start < p; start += p / 1000) {
			double on = 0;

			for (double k = 0; k < s + 2 * p; k += p) {
				double from = fmax(k, start), to = fmin(k + quantum, start + s);

				on += to > from ? to - from : 0;
			}
			least = fmin(least, on);
			most = fmax(most, on);
		}
		EXPECT_TRUE((most - least) / s <= amplitude + 1e-3)
		{
			TH_LOG("share %g: amplitude %g", share, (most - least) / s);
		}
	}
}

TEST(a_predicted_share_needs_one_quantum_and_a_measured_one_ten)
{
	struct equant_balance_options options = predicted();
	struct job job;

	job_start(&job, 2, 100, &options);
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.quantum, 0.004));
	EXPECT_TRUE(near(job.decision.period, 0.004));
	job.flags = EQUANT_SAMPLE_RUN;
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.period, 0.04));
	job.flags = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED;
	job.hold = 0.003;
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.period, 0.04));
	job_stop(&job);
}

TEST(beside_competitors_a_period_is_three_times_as_long_as_the_rank_is_off_its_cpu)
{
	struct equant_balance_options options = predicted();
	struct job job;

	job_start(&job, 2, 100, &options);
	job.share[1] = job.predicted[1] = 0.5;
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.period, 3 * 0.004));
	job.share[1] = job.predicted[1] = 1 / 3.0;
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.period, 3 * 0.008));
	/* and never longer than a measured share takes */
	job.share[1] = job.predicted[1] = 0.01;
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.period, 0.04));
	job_stop(&job);
}

TEST(the_measured_mode_always_grants_the_sampling_bound)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_MEASURED);
	struct job job;

	job_start(&job, 2, 100, &options);
	job.hold = 0.05;
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.period, 0.04));
	job_stop(&job);
}

TEST(the_thesis_constants_can_be_had_back)
{
	struct equant_balance_options options = predicted();
	struct job job;

	/* table 7.3: 10 quanta; observed ones of 4 ms */
	options.quanta = 10;
	job_start(&job, 2, 100, &options);
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.period, 0.04));
	job_stop(&job);
	/* ... of 100 ms each: 1 second */
	options.quantum = 0.1;
	job_start(&job, 2, 100, &options);
	job_phase(&job);
	EXPECT_TRUE(near(job.decision.quantum, 0.1));
	EXPECT_TRUE(near(job.decision.period, 1));
	job_stop(&job);
}

TEST(a_given_period_is_kept)
{
	struct equant_balance_options options = predicted();
	struct job job;

	options.period = 1;
	job_start(&job, 2, 100, &options);
	job_phase(&job);
	EXPECT_TRUE(job.decision.period == 1);
	/* 100 units at 1000 units/s */
	EXPECT_EQ(10, job.decision.next_hook);
	job_stop(&job);
}

TEST(the_largest_quantum_is_the_jobs_and_the_default_one_is_used_until_then)
{
	struct equant_balance_options options = predicted();
	struct equant_balancer *balancer;
	struct equant_decision decision;
	struct equant_sample samples[2] = { { .units = 0 } };
	const long units[2] = { 1, 1 };

	options.default_quantum = 0.003;
	balancer = equant_balancer_new(2, &options);
	ASSERT_NE(NULL, balancer);
	ASSERT_EQ(0, equant_balancer_decide(balancer, samples, units, &decision));
	EXPECT_TRUE(decision.quantum == 0.003);
	samples[0].quantum = 0.001;
	samples[1].quantum = 0.0025;
	ASSERT_EQ(0, equant_balancer_decide(balancer, samples, units, &decision));
	EXPECT_TRUE(decision.quantum == 0.0025);
	equant_balancer_free(balancer);
}

FIXTURE(pace)
{
	struct equant_balance_options options;
	struct equant_balancer *balancer;
	struct equant_decision decision;
	struct equant_sample samples[2];
	long units[2];
};

FIXTURE_SETUP(pace)
{
	self->options = predicted();
	self->balancer = equant_balancer_new(2, &self->options);
	ASSERT_NE(NULL, self->balancer);
	for (int i = 0; i < 2; i++) {
		self->units[i] = 100;
		self->samples[i] = (struct equant_sample){
			.units = 100,
			.wall = 0.1,
			.run = 0.1,
			.share = 1,
			.settled = 1,
			.quantum = 0.004,
			.interval = 0.1,
			.hooks = 100,
			.flags = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED,
		};
	}
}

FIXTURE_TEARDOWN(pace)
{
	equant_balancer_free(self->balancer);
}

static struct equant_decision decide(FIXTURE_DATA(pace) * self)
{
	struct equant_decision decision = { .count = -1 };

	equant_balancer_decide(self->balancer, self->samples, self->units, &decision);
	return decision;
}

TEST_F(pace, next_hook_is_the_period_over_the_time_between_hooks)
{
	/* 1 ms between hooks, quantum 4 ms */
	EXPECT_EQ(4, decide(self).next_hook);
	/* eq. 4.12: 0.5 * 1 + 0.5 * 3 = 2 */
	self->samples[0].hooks = 0;
	self->samples[1].interval = 0.3;
	EXPECT_EQ(2, decide(self).next_hook);
	/* the mean over ranks: 0.5 * 2 + 0.5 * (0.5 + 1.5) / 2 = 1.5; 4 / 1.5 = 2.67 */
	self->samples[0].hooks = 200;
	self->samples[1].hooks = 200;
	EXPECT_EQ(3, decide(self).next_hook);
}

TEST_F(pace, next_hook_is_one_until_hooks_were_timed_and_never_less)
{
	self->samples[0].hooks = 0;
	self->samples[1].hooks = 0;
	EXPECT_EQ(1, decide(self).next_hook);
	self->samples[0].hooks = 1;
	EXPECT_EQ(1, decide(self).next_hook);
}

TEST_F(pace, next_hook_is_limited)
{
	self->samples[0].interval = 1e-8;
	self->samples[1].interval = 1e-8;
	self->samples[0].hooks = UINT32_MAX;
	self->samples[1].hooks = UINT32_MAX;
	EXPECT_EQ(1L << 30, decide(self).next_hook);
}

/* One hook in 0.1 s: shares that hold for less than 1.2 s are averaged. */
static double period_with_hold(FIXTURE_DATA(pace) * self, double first, double second)
{
	for (int i = 0; i < 2; i++)
		self->samples[i].hooks = 1;
	self->samples[0].hold = first;
	self->samples[1].hold = second;
	return decide(self).period;
}

TEST_F(pace, changes_too_fast_to_follow_are_averaged_over_ten_of_them)
{
	EXPECT_TRUE(near(period_with_hold(self, 0.02, 0.02), 0.2));
	/* but at least over ten quanta, and over the slowest rank's changes */
	EXPECT_TRUE(near(period_with_hold(self, 0.001, 0.001), 0.04));
	EXPECT_TRUE(near(period_with_hold(self, 0.05, 0.03), 0.5));
	EXPECT_TRUE(near(period_with_hold(self, 0.03, 0.05), 0.5));
	/* a rank that is followed asks for no more than its quantum */
	EXPECT_TRUE(near(period_with_hold(self, 0.05, 1.3), 0.5));
	EXPECT_TRUE(near(period_with_hold(self, 1.3, 1.3), 0.004));
}

TEST_F(pace, changes_are_averaged_over_no_more_than_a_second)
{
	EXPECT_TRUE(near(period_with_hold(self, 0.11, 0.11), 1));
	/* unless ten quanta are more */
	self->samples[0].quantum = 0.2;
	EXPECT_TRUE(near(period_with_hold(self, 0.3, 0.3), 2));
}

TEST_F(pace, dear_interactions_lengthen_the_period)
{
	/* 20 us / 1 % is below a quantum; then 0.5 * 20 us + 0.5 * 380 us = 200 us */
	EXPECT_TRUE(near(decide(self).period, 0.004));
	self->samples[0].interact = 760e-6;
	EXPECT_TRUE(near(decide(self).period, 200e-6 / 0.01));
	self->samples[1].interact = 760e-6;
	EXPECT_TRUE(near(decide(self).period, (0.5 * 200e-6 + 0.5 * 760e-6) / 0.01));
}

/* The period where an interaction takes a millisecond. */
static double period_of_dear(FIXTURE_DATA(pace) * self, double first, double second)
{
	bool dear = self->samples[0].interact > 0;

	for (int i = 0; i < 2; i++)
		self->samples[i].interact = dear ? 1e-3 : 2 * 1e-3 - 20e-6;
	self->samples[0].hold = first;
	self->samples[1].hold = second;
	return decide(self).period;
}

TEST_F(pace, interactions_take_what_pays_where_shares_change)
{
	/* sqrt(0.4 * 1 ms / 1 s) = 2 %, of the shorter of two times */
	EXPECT_TRUE(near(period_of_dear(self, 1, 1), 1e-3 / 0.02));
	EXPECT_TRUE(near(period_of_dear(self, 3, 1), 1e-3 / 0.02));
	EXPECT_TRUE(near(period_of_dear(self, 0, 1), 1e-3 / 0.02));
	EXPECT_TRUE(near(period_of_dear(self, 0.2, 1), 1e-3 / sqrt(0.002)));
	/* that would be more than 5 %, and less than 1 % */
	EXPECT_TRUE(near(period_of_dear(self, 0.15, 1), 1e-3 / 0.01));
	EXPECT_TRUE(near(period_of_dear(self, 5, 5), 1e-3 / 0.01));
	EXPECT_TRUE(near(period_of_dear(self, 0, 0), 1e-3 / 0.01));

	/* 40 ms, of which sqrt(0.4 * 40 ms / 16 s) is the best part; what is no prediction counts for nothing */
	self->samples[1].flags = EQUANT_SAMPLE_RUN;
	self->samples[0].interact = self->samples[1].interact = 79e-3;
	EXPECT_TRUE(near(decide(self).period, 40e-3 / 0.01));
	self->samples[0].interact = self->samples[1].interact = 40e-3;
	self->samples[1].hold = 16;
	EXPECT_TRUE(near(decide(self).period, 40e-3 / 0.01));
	self->samples[1].flags |= EQUANT_SAMPLE_PREDICTED;
	EXPECT_TRUE(near(decide(self).period, 40e-3 / sqrt(0.001)));
}

TEST_F(pace, measured_rates_have_the_fraction_of_the_thesis)
{
	equant_balancer_free(self->balancer);
	self->options.mode = EQUANT_RATE_MEASURED;
	self->balancer = equant_balancer_new(2, &self->options);
	ASSERT_NE(NULL, self->balancer);
	self->samples[0].interact = self->samples[1].interact = 20e-3 - 20e-6;
	EXPECT_TRUE(near(decide(self).period, 10e-3 / 0.05));
}

/* No change for as long as from one sample to the next: shares hold for that much longer. */
TEST_F(pace, a_time_that_is_not_known_any_more_grows)
{
	EXPECT_TRUE(near(period_of_dear(self, 1, 1), 1e-3 / sqrt(0.4e-3)));
	EXPECT_TRUE(near(period_of_dear(self, 0, 0), 1e-3 / sqrt(0.4e-3 / 1.1)));
	EXPECT_TRUE(near(period_of_dear(self, 0, 0), 1e-3 / sqrt(0.4e-3 / 1.2)));
	for (int i = 0; i < 30; i++)
		period_of_dear(self, 0, 0);
	EXPECT_TRUE(near(period_of_dear(self, 0, 0), 1e-3 / 0.01));
}

/* Shares that hold for less than twelve phases of a millisecond are averaged. */
TEST_F(pace, shares_that_are_not_followed_ask_for_no_interactions)
{
	EXPECT_TRUE(near(period_of_dear(self, 1, 1), 1e-3 / 0.02));
	self->samples[1].hold = 0.005;
	EXPECT_TRUE(near(period_of_dear(self, 1, 0.005), 0.05));
}

TEST_F(pace, a_fifth_of_the_largest_part_of_the_time_is_for_interactions)
{
	equant_balancer_free(self->balancer);
	self->options.interact_fraction = 0.5;
	self->balancer = equant_balancer_new(2, &self->options);
	ASSERT_NE(NULL, self->balancer);
	EXPECT_TRUE(near(period_of_dear(self, 0, 0), 1e-3 / 0.1));
}

TEST_F(pace, dear_movements_lengthen_the_period_unless_they_are_rare)
{
	for (int i = 0; i < 9; i++)
		decide(self);
	self->samples[0].move = 0.1;
	self->samples[0].moved = 10;
	/* once in ten phases */
	EXPECT_TRUE(near(decide(self).period, 0.01));
	/* then in the next one: (10 + 1) / 2 phases, 0.1 s */
	EXPECT_TRUE(near(decide(self).period, 0.1 / 5.5));
}

TEST_F(pace, time_without_moved_units_is_no_movement)
{
	self->samples[0].move = 10;
	EXPECT_TRUE(near(decide(self).period, 0.004));
}

/* ---- cost and benefit inside the decision ------------------------------------ */

TEST(a_movement_that_costs_more_than_k_benefits_is_cancelled)
{
	struct equant_balance_options options = predicted();
	struct job job;

	options.move_fixed = 1000;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	job_phase(&job);
	EXPECT_EQ(EQUANT_VERDICT_UNPROFITABLE, job.decision.verdict);
	EXPECT_EQ(0, job.decision.count);
	EXPECT_LT(options.profit * job.decision.benefit, job.decision.cost);
	EXPECT_TRUE(near(job.decision.cost, 1000 + 33e-6));
	EXPECT_EQ(100, job.units[0]);
	job_stop(&job);
}

/* It costs 2 s, and 40 s less half of them are worth 3. */
TEST(k_is_for_guesses_and_at_most_1_where_it_is_known_how_long_shares_hold)
{
	static const struct {
		double hold, profit;
		int moves;
	} cases[] = { { 0, 5, 0 },    { 2, 5, 0 },  { 2, 0, 1 },  { 10, 5, 0 },
		      { 40, 0.5, 0 }, { 40, 5, 1 }, { 40, 1, 1 }, { 40, 0.1, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct equant_balance_options options = predicted();
		struct job job;

		options.move_fixed = 2;
		options.profit = cases[i].profit;
		job_start(&job, 2, 100, &options);
		job_phases(&job, 10);
		job.hold = cases[i].hold;
		job.speed[0] = 500;
		EXPECT_EQ(cases[i].moves, job_phase(&job))
		TH_LOG("hold %g, k = %g: cost %g, benefit %g", job.hold, options.profit,
		       job.decision.cost, job.decision.benefit);
		job_stop(&job);
	}
}

TEST(without_k_nothing_is_cancelled)
{
	struct equant_balance_options options = predicted();
	struct job job;

	options.move_fixed = 1e6;
	options.profit = 0;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	EXPECT_EQ(1, job_phase(&job));
	job_stop(&job);
}

TEST(an_imbalance_that_lasts_becomes_worth_its_cost)
{
	struct equant_balance_options options = predicted();
	int phases = 1;
	struct job job;

	/* 2 s, and 0.2 - 0.134 s are lost in each phase */
	options.move_fixed = 2;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	while (phases < 100 && !job_phase(&job))
		phases++;
	EXPECT_EQ(31, phases);
	job_stop(&job);
}

TEST(an_imbalance_of_two_ranks_that_take_turns_in_being_the_worst_is_one)
{
	struct equant_balance_options options = predicted();
	int phases = 1;
	struct job job;

	options.move_fixed = 2;
	job_start(&job, 8, 100, &options);
	for (; phases < 200; phases++) {
		job.speed[2] = phases % 2 ? 500 : 495;
		job.speed[5] = phases % 2 ? 495 : 500;
		if (job_phase(&job))
			break;
	}
	/* 0.2 s instead of 0.115 in each phase, and three transfers of a rank */
	EXPECT_LT(phases, 80);
	job_stop(&job);
}

/* Visits of @on phases in ten; the number of moves in 100 phases, which cost 0.5 s each. */
static int moves_beside_visits(int on)
{
	struct equant_balance_options options = predicted();
	struct job job;
	int moves = 0;

	options.move_fixed = 0.5;
	job_start(&job, 2, 100, &options);
	job_phases(&job, 20);
	for (int i = 0; i < 100; i++) {
		job.share[0] = job.predicted[0] = i % 10 < on ? 0.5 : 1;
		moves += job_phase(&job);
	}
	job_stop(&job);
	return moves;
}

/* Rent or buy: at the worst it has cost as much as the move, which then earns nothing. */
TEST(a_competitor_that_is_gone_before_it_has_cost_as_much_moves_nothing)
{
	/* 0.6 s of 1.3, 0.2 s lost */
	EXPECT_EQ(0, moves_beside_visits(3));
}

TEST(a_distribution_that_is_wrong_for_most_of_the_time_is_mended_once)
{
	/* 1.4 s of 1.7, 0.47 s lost */
	EXPECT_EQ(1, moves_beside_visits(7));
}

TEST(what_one_rank_has_cost_does_not_pay_for_another)
{
	struct equant_balance_options options = predicted();
	struct job job;

	options.move_fixed = 0.5;
	job_start(&job, 2, 100, &options);
	job_phases(&job, 20);
	for (int i = 0; i < 100; i++) {
		job.share[0] = job.predicted[0] = i % 10 < 5 ? 0.5 : 1;
		job.share[1] = job.predicted[1] = i % 10 < 5 ? 1 : 0.5;
		EXPECT_EQ(0, job_phase(&job));
	}
	job_stop(&job);
}

TEST(what_a_small_imbalance_has_cost_does_not_pay_for_a_large_one)
{
	struct equant_balance_options options = predicted();
	struct job job;

	/* 55 phases of 0.105 s lose 2 % each, 0.12 s; one more loses 0.07 s */
	options.move_fixed = 0.15;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 950;
	for (int i = 0; i < 55; i++)
		EXPECT_EQ(0, job_phase(&job));
	job.speed[0] = 500;
	EXPECT_EQ(0, job_phase(&job));
	EXPECT_EQ(EQUANT_VERDICT_UNPROFITABLE, job.decision.verdict);
	job_phases(&job, 5);
	EXPECT_LT(job.units[0], 75);
	job_stop(&job);
}

TEST(changes_in_the_window_shorten_the_benefit)
{
	struct equant_balance_options options = measured();
	double first, last = HUGE_VAL;
	struct job job;

	job_start(&job, 2, 100, &options);
	job_phases(&job, 50);
	job.speed[0] = 500;
	job_phase(&job);
	first = job.decision.benefit;
	EXPECT_LT(1, first);
	for (int i = 0; i < 60; i++) {
		job.speed[0] = i / 3 % 2 ? 500 : 1000;
		if (job_phase(&job) > 0)
			last = job.decision.benefit;
	}
	EXPECT_LT(last, first / 5);
	job_stop(&job);
}

TEST(a_change_in_every_phase_leaves_a_benefit_of_two_phases)
{
	struct equant_balance_options options = measured();
	struct job job;

	options.profit = 0;
	job_start(&job, 2, 100, &options);
	for (int i = 0; i < 200; i++) {
		job.share[0] = job.predicted[0] = i % 2 ? 1 : 0.5;
		EXPECT_EQ(1, job_phase(&job));
	}
	/* phases of 0.1 to 0.13 s, a reduction of a quarter to a third */
	EXPECT_LT(job.decision.benefit, 2 * 0.14 * 0.34);
	EXPECT_LT(2 * 0.1 * 0.24, job.decision.benefit);
	job_stop(&job);
}

TEST(the_history_reaches_no_farther_back_than_the_window)
{
	struct equant_balance_options options = measured();
	struct job job;

	job_start(&job, 2, 100, &options);
	for (int i = 0; i < 60; i++) {
		job.share[0] = job.predicted[0] = i % 2 ? 1 : 0.5;
		job_phase(&job);
	}
	/* 100 s without a change; the window is 10 s */
	job.share[0] = job.predicted[0] = 1;
	job_phases(&job, 1000);
	job.share[0] = job.predicted[0] = 0.5;
	EXPECT_EQ(1, job_phase(&job));
	EXPECT_LT(2 * 9.5 / 3, job.decision.benefit);
	EXPECT_LT(job.decision.benefit, 2 * 10.5 / 3);
	job_stop(&job);
}

TEST(an_answer_is_worth_half_of_what_shares_hold_less_what_it_is_late)
{
	struct equant_balance_options options = predicted();
	struct job job;

	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	job.hold = 3;
	job_phase(&job);
	/* 100 : 100 takes 0.2 s, 67 : 133 takes 0.134 s; one phase, and decided for the next one */
	EXPECT_TRUE(near(job.decision.benefit, (1.5 - 0.2 - 0.2) * (0.2 - 0.134) / 0.2));
	job_stop(&job);
}

TEST(an_answer_that_was_not_worth_it_in_time_is_less_so_later)
{
	struct equant_balance_options options = predicted();
	struct job job;
	double last = HUGE_VAL;

	options.moves_allowed = 0;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	job.hold = 3;
	for (int i = 0; i < 6; i++) {
		job_phase(&job);
		EXPECT_LT(job.decision.benefit, last);
		last = job.decision.benefit;
	}
	/* Then it has stood for 1.6 s: an eighth of what it has cost */
	job_phases(&job, 2);
	EXPECT_TRUE(near(job.decision.benefit, 8 * (0.2 - 0.134) / 8));
	/* Longer than 4.5 s, which is more than shares use to hold: half of what it has cost. */
	job_phases(&job, 15);
	EXPECT_TRUE(near(job.decision.benefit, 23 * (0.2 - 0.134) / 2));
	job_stop(&job);
}

TEST(the_longest_hold_that_is_followed_counts)
{
	struct equant_balance_options options = predicted();
	struct job job;

	options.profit = 0;
	options.moves_allowed = 0;
	job_start(&job, 3, 100, &options);
	job.speed[0] = 500;
	job_phase(&job);
	/* phases of 0.2 s: 2.4 s and more are followed; 60 : 120 : 120 takes 0.12 s */
	job.samples[0].hold = 4;
	job.samples[1].hold = 3;
	job.samples[2].hold = 2;
	ASSERT_EQ(0, equant_balancer_decide(job.balancer, job.samples, job.units, &job.decision));
	EXPECT_TRUE(near(job.decision.benefit, (2 - 0.4 - 0.2) * 0.4));
	/* nobody is followed: half of what three phases have lost */
	for (int i = 0; i < 3; i++)
		job.samples[i].hold = 2;
	ASSERT_EQ(0, equant_balancer_decide(job.balancer, job.samples, job.units, &job.decision));
	EXPECT_TRUE(near(job.decision.benefit, 3 * 0.2 * 0.4 / 2));
	job_stop(&job);
}

TEST(flickers_of_contention_do_not_make_a_movement_worthless)
{
	struct equant_balance_options options = predicted();
	struct job job;

	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	job.hold = 20e-6;
	EXPECT_EQ(1, job_phase(&job));
	/* half of what the imbalance has cost, once */
	EXPECT_TRUE(near(job.decision.benefit, (0.2 - 0.134) / 2));
	job_stop(&job);
}

/* A job in which a third is to move, and @cost is what that is thought to cost. */
static void costly_start(struct job *job, double *cost)
{
	struct equant_balance_options options = predicted();

	options.profit = 0;
	options.moves_allowed = 0;
	job_start(job, 2, 100, &options);
	job->speed[0] = 500;
	job_phase(job);
	*cost = job->decision.cost;
}

/* What it is thought to cost once it took @seconds. */
static double cost_after(struct job *job, double seconds)
{
	for (int i = 0; i < 2; i++) {
		job->samples[i].moved = 33;
		job->samples[i].move = seconds;
	}
	if (equant_balancer_decide(job->balancer, job->samples, job->units, &job->decision))
		return -1;
	return job->decision.cost;
}

TEST(costs_are_learned_from_what_moves_took_and_forgotten_when_nothing_moves)
{
	struct job job;
	double before;

	costly_start(&job, &before);
	EXPECT_TRUE(near(cost_after(&job, 9 * before), 5 * before));
	for (int i = 0; i < 300; i++)
		job_phase(&job);
	EXPECT_LT(job.decision.cost, 1.1 * before);
	job_stop(&job);
}

/* A rank sees only what it waits for; what MPI copies meanwhile costs the others. */
TEST(moves_that_seem_cheap_do_not_lower_the_cost_that_was_measured_at_start)
{
	struct job job;
	double before;

	costly_start(&job, &before);
	EXPECT_TRUE(near(cost_after(&job, before / 100), before));
	job_stop(&job);
}

TEST(moves_that_cost_what_was_expected_teach_nothing)
{
	struct equant_balance_options options = predicted();
	struct job job;

	options.move_fixed = 0.01;
	options.profit = 0;
	job_start(&job, 3, 0, &options);
	job.units[0] = 300;
	/* two transfers of 100 units from rank 0 */
	ASSERT_EQ(2, job_phase(&job));
	EXPECT_TRUE(near(job.decision.cost, 2 * 0.01 + 200e-6));
	for (int i = 0; i < 3; i++) {
		job.samples[i].moved = i ? 100 : 200;
		job.samples[i].move = (i ? 1 : 2) * 0.01 + job.samples[i].moved * 1e-6;
	}
	job.units[0] = 300;
	job.units[1] = 0;
	job.units[2] = 0;
	ASSERT_EQ(0, equant_balancer_decide(job.balancer, job.samples, job.units, &job.decision));
	EXPECT_TRUE(near(job.decision.cost, 2 * 0.01 + 200e-6));
	job_stop(&job);
}

TEST(costs_that_were_not_measured_at_start_are_learned_from_the_first_move)
{
	struct equant_balance_options options = predicted();
	struct job job;

	options.move_fixed = 0;
	options.move_per_unit = 0;
	options.moves_allowed = 0;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	job_phase(&job);
	EXPECT_TRUE(job.decision.cost == 0);
	job.samples[0].moved = 10;
	job.samples[0].move = 0.001;
	ASSERT_EQ(0, equant_balancer_decide(job.balancer, job.samples, job.units, &job.decision));
	EXPECT_TRUE(near(job.decision.cost, 33 * 0.0001));
	job_stop(&job);
}

TEST_HARNESS_MAIN
