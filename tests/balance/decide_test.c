// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The whole decision: Siegell 1995, section 5.1. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

static struct job started(enum equant_rate_mode mode, int n, long units)
{
	struct equant_balance_options options = default_options(mode);
	struct job job;

	job_start(&job, n, units, &options);
	return job;
}

static const char *units_of(struct job *job, struct text *text)
{
	return text_counts(text, job->units, job->n);
}

#define UNITS(job) units_of(job, &(struct text){ .used = 0 })

/* ---- verdicts ------------------------------------------------------------------ */

TEST(equal_ranks_are_left_alone)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 4, 100);

	EXPECT_EQ(0, job_phases(&job, 100));
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	EXPECT_TRUE(job.decision.reduction == 0);
	job_stop(&job);
}

TEST(a_constant_competitor_is_answered_once_and_then_nothing_moves)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 300);

	job.share[0] = 0.5;
	job.predicted[0] = 0.5;
	EXPECT_EQ(1, job_phase(&job));
	EXPECT_EQ(EQUANT_VERDICT_MOVE, job.decision.verdict);
	EXPECT_STREQ("200 400", UNITS(&job));
	job.noise = 0.03;
	EXPECT_EQ(0, job_phases(&job, 10000));
	EXPECT_STREQ("200 400", UNITS(&job));
	job_stop(&job);
}

TEST(the_measured_mode_converges_on_a_constant_competitor_and_then_rests)
{
	struct job job = started(EQUANT_RATE_MEASURED, 4, 300);

	job.share[2] = 0.5;
	job.noise = 0.03;
	EXPECT_LT(0, job_phases(&job, 20));
	EXPECT_LE(job_phases(&job, 200), 3);
	EXPECT_EQ(0, job_phases(&job, 1000));
	EXPECT_LT(labs(job.units[2] - 171), 18);
	EXPECT_EQ(1200, sum_of(job.units, 4));
	job_stop(&job);
}

TEST(an_oscillating_competitor_is_followed_within_a_phase_when_predicted)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 300);

	for (int i = 0; i < 20; i++) {
		job.share[0] = i % 2 ? 0.5 : 1;
		job.predicted[0] = job.share[0];
		EXPECT_LE(job_phases(&job, 10), 2);
		EXPECT_STREQ(i % 2 ? "200 400" : "300 300", UNITS(&job));
	}
	job_stop(&job);
}

/* Phases after a change of the competitor until rank 0 has about @goal units; 50 = never. */
static int phases_to_follow(struct job *job, double share, long goal)
{
	int phases = 0;

	job->share[0] = share;
	for (; phases < 50 && labs(job->units[0] - goal) >= 15; phases++)
		job_phase(job);
	job_phases(job, 50);
	return phases;
}

TEST(the_measured_mode_follows_a_competitor_within_a_few_phases)
{
	struct job job = started(EQUANT_RATE_MEASURED, 2, 300);
	int drop, rise;

	job_phases(&job, 50);
	drop = phases_to_follow(&job, 0.5, 200);
	rise = phases_to_follow(&job, 1, 300);
	EXPECT_LT(1, drop);
	EXPECT_LE(drop, 4);
	EXPECT_LT(1, rise);
	EXPECT_LE(rise, 4);
	job_stop(&job);
}

TEST(bursts_are_answered_by_their_average)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 300);

	/* 3 ms every 23 ms; the prediction flips, the share stays 0.87 */
	job.share[0] = 20. / 23;
	job.hold = 0.003;
	for (int i = 0; i < 1000; i++) {
		job.predicted[0] = i % 3 ? 1 : 0.5;
		EXPECT_TRUE(job_phase(&job) == 0 || i < 2);
	}
	EXPECT_LT(labs(job.units[0] - 279), 5);
	job_stop(&job);
}

TEST(shares_that_hold_for_a_few_phases_are_answered_by_their_average)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 100);

	/* phases of 0.1 s or more; the prediction is wrong, the measurement is not */
	job.predicted[0] = 0.9;
	job.share[0] = 0.5;
	job.hold = 0.5;
	job_phases(&job, 3);
	EXPECT_TRUE(near(equant_balancer_rates(job.balancer)[0].share, 0.5));
	job.hold = 5;
	job_phases(&job, 1);
	EXPECT_LT(0.5, equant_balancer_rates(job.balancer)[0].share);
	job_stop(&job);
}

/* Phases of 0.1 s in sweeps of 2 s, whose ends are not in the same samples of all ranks. */
static double share_with(double hold, int phases_per_meeting)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 100);
	double share;

	job.predicted[0] = 0.9;
	job.share[0] = 0.5;
	job.hold = hold;
	for (int i = 0; i < 400; i++) {
		for (int k = 0; phases_per_meeting && k < 2; k++)
			job.meetings[k] = (i + k) % phases_per_meeting == 0;
		job.units[0] = job.units[1] = 100;
		job.speed[0] = 2000;
		job_phase(&job);
	}
	share = equant_balancer_rates(job.balancer)[0].share;
	job_stop(&job);
	return share;
}

TEST(shares_that_do_not_hold_from_one_meeting_to_the_next_are_averaged)
{
	EXPECT_LT(0.501, share_with(1.9, 0));
	EXPECT_TRUE(near(share_with(1.9, 20), 0.5));
	EXPECT_LT(0.501, share_with(2.1, 20));
	EXPECT_LT(0.501, share_with(1.9, 18));
}

/* Phases of 0.1 s: decisions come at once where shares hold for up to 2 x 0.1^2 / 0.004 = 5 s. */
TEST(decisions_are_to_come_at_once_where_phases_are_long_and_shares_change)
{
	static const struct {
		int allowed;
		double hold;
		int followed, prompt;
	} cases[] = { { 1, 0.5, 0, 0 }, { 1, 0.6, 1, 1 }, { 1, 4.9, 1, 1 },  { 1, 5.1, 1, 0 },
		      { 1, 0, 1, 0 },	{ 0, 0.6, 0, 0 }, { 0, 1.25, 1, 0 }, { 0, 0, 1, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
		struct job job;
		bool followed;

		options.prompt = cases[i].allowed;
		options.quantum = 0.004;
		job_start(&job, 2, 100, &options);
		job.predicted[0] = 0.9;
		job.hold = cases[i].hold;
		options.moves_allowed = 0;
		job_phase(&job);
		/* The prediction is wrong, the measurement is not. */
		followed = equant_balancer_rates(job.balancer)[0].share < 0.99;
		EXPECT_EQ(cases[i].followed, followed)
		TH_LOG("allowed %d, hold %g", cases[i].allowed, cases[i].hold);
		EXPECT_EQ(cases[i].prompt, job.decision.prompt)
		TH_LOG("allowed %d, hold %g", cases[i].allowed, cases[i].hold);
		job_stop(&job);
	}
}

/* A phase that waited would be one more meeting. */
TEST(decisions_come_late_where_ranks_meet_after_several_phases_only)
{
	static const struct {
		int phases_per_meeting;
		int prompt;
	} cases[] = { { 0, 1 }, { 1, 1 }, { 4, 0 }, { 20, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
		int every = cases[i].phases_per_meeting;
		struct job job;

		options.prompt = 1;
		options.quantum = 0.004;
		job_start(&job, 2, 100, &options);
		job.hold = 2;
		for (int phase = 0; phase < 100; phase++) {
			job.meetings[0] = job.meetings[1] = every && phase % every == 0;
			job_phase(&job);
		}
		EXPECT_EQ(cases[i].prompt, job.decision.prompt)
		TH_LOG("phases per meeting: %d", every);
		job_stop(&job);
	}
}

TEST(work_that_has_become_dearer_is_told_from_a_competitor)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 300);

	job_phases(&job, 20);
	job.speed[0] = 500;
	job_phases(&job, 10);
	EXPECT_LE(labs(job.units[0] - 200), 5);
	EXPECT_LT(equant_balancer_rates(job.balancer)[0].speed, 520);
	EXPECT_TRUE(near(equant_balancer_rates(job.balancer)[0].share, 1));
	job_stop(&job);
}

TEST(what_is_below_the_threshold_is_left_alone)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 1000);

	/* 1000/0.91 against 2000/1.91: 4.7 % */
	job.speed[0] = 910;
	EXPECT_EQ(0, job_phases(&job, 10));
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	EXPECT_LT(0.04, job.decision.reduction);
	/* 5.3 % */
	job.speed[0] = 900;
	EXPECT_LT(0, job_phases(&job, 20));
	job_stop(&job);
}

TEST(what_is_below_the_threshold_is_mended_if_it_stays)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 1000);

	job.speed[0] = 950; /* 2.6 % of a threshold of 5 %: lost as much after 20 phases */
	EXPECT_EQ(0, job_phases(&job, 18));
	EXPECT_EQ(1, job_phases(&job, 10));
	EXPECT_STREQ("974 1026", UNITS(&job));
	EXPECT_EQ(0, job_phases(&job, 100));
	job_stop(&job);
}

TEST(a_trifle_is_left_alone_however_long_it_stays)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 1000);

	job.speed[0] = 975; /* 1.3 % */
	EXPECT_EQ(0, job_phases(&job, 1000));
	job_stop(&job);
}

TEST(measured_rates_know_the_threshold_alone)
{
	struct job job = started(EQUANT_RATE_MEASURED, 2, 1000);

	job.speed[0] = 950;
	EXPECT_EQ(0, job_phases(&job, 1000));
	job_stop(&job);
}

TEST(what_no_move_of_whole_units_can_mend_is_no_imbalance)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 1);

	/* 1 : 1 is the best there is, although W / R would promise 17 % */
	job.speed[0] = 1500;
	EXPECT_EQ(0, job_phases(&job, 10));
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	EXPECT_TRUE(job.decision.reduction == 0);
	job_stop(&job);
}

TEST(nothing_moves_before_every_rank_with_units_has_a_rate)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 100);

	job.speed[1] = HUGE_VAL;
	/* infinitely fast: no run time, so no speed */
	EXPECT_EQ(0, job_phases(&job, 5));
	EXPECT_EQ(EQUANT_VERDICT_NO_RATES, job.decision.verdict);
	job_stop(&job);
}

TEST(a_rank_that_never_had_units_is_taken_for_average)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 4, 0);

	job.units[0] = 100;
	EXPECT_EQ(3, job_phase(&job));
	EXPECT_STREQ("25 25 25 25", UNITS(&job));
	job_stop(&job);
}

TEST(moves_can_be_forbidden)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct job job;

	options.moves_allowed = 0;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	EXPECT_EQ(0, job_phases(&job, 5));
	EXPECT_EQ(EQUANT_VERDICT_FORBIDDEN, job.decision.verdict);
	EXPECT_LT(0, job.decision.benefit);
	EXPECT_STREQ("100 100", UNITS(&job));
	job_stop(&job);
}

TEST(when_every_transfer_is_too_small_nothing_moves)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct job job;

	options.omit = 50;
	job_start(&job, 2, 100, &options);
	job.speed[0] = 500;
	EXPECT_EQ(0, job_phases(&job, 5));
	EXPECT_EQ(EQUANT_VERDICT_NOTHING, job.decision.verdict);
	EXPECT_STREQ("100 100", UNITS(&job));
	job_stop(&job);
}

TEST(a_single_outlier_that_the_filter_swallows_moves_nothing)
{
	struct job job = started(EQUANT_RATE_MEASURED, 2, 100);

	for (int i = 0; i < 3; i++)
		job_phase(&job);
	/* a rise after a fall is history fraction 1.0: "all history" */
	job.share[0] = 0.999;
	job_phases(&job, 2);
	job.share[0] = 1;
	job.speed[0] = 1500;
	EXPECT_EQ(0, job_phase(&job));
	EXPECT_EQ(EQUANT_VERDICT_NOTHING, job.decision.verdict);
	EXPECT_LT(0.05, job.decision.reduction);
	job_stop(&job);
}

TEST(a_move_that_only_swaps_who_has_one_more_is_not_made)
{
	struct job job = started(EQUANT_RATE_MEASURED, 2, 50);

	/* powers of two: the rates of both ranks are equal to the last bit */
	job.units[1] = 51;
	job.speed[0] = 1024;
	job.speed[1] = 1024;
	EXPECT_EQ(0, job_phases(&job, 3));
	job.speed[0] = 512;
	job.speed[1] = 512;
	EXPECT_EQ(0, job_phases(&job, 2));
	/* after a fall both rises are filtered out; equal rates put the odd unit on rank 0 */
	job.speed[0] = 1024;
	job.speed[1] = 2048;
	EXPECT_EQ(0, job_phase(&job));
	EXPECT_EQ(EQUANT_VERDICT_NOTHING, job.decision.verdict);
	EXPECT_LT(0.05, job.decision.reduction);
	EXPECT_STREQ("50 51", UNITS(&job));
	job_stop(&job);
}

TEST(without_a_threshold_balanced_is_still_balanced)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct job job;

	options.threshold = 0;
	job_start(&job, 2, 100, &options);
	EXPECT_EQ(0, job_phase(&job));
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	/* and what is smaller than any other threshold is mended */
	job.speed[0] = 980;
	EXPECT_EQ(1, job_phase(&job));
	EXPECT_STREQ("99 101", UNITS(&job));
	job_stop(&job);
}

TEST(without_the_filter_raw_rates_allot_the_work)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_MEASURED);
	struct job job;

	options.filter = 0;
	job_start(&job, 2, 300, &options);
	job_phases(&job, 20);
	job.share[0] = 0.5;
	EXPECT_EQ(1, job_phase(&job));
	EXPECT_STREQ("200 400", UNITS(&job));
	job_stop(&job);
}

/* Two ranks, one of which has lost half of its CPU for one phase. */
static void after_one_fall(struct text *text, enum equant_filter_kind kind)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_MEASURED);
	struct job job;

	options.filter = kind;
	job_start(&job, 2, 300, &options);
	job_phases(&job, 20);
	job.share[0] = 0.5;
	job_phase(&job);
	text_counts(text, job.units, 2);
	job_stop(&job);
}

TEST(each_filter_answers_a_fall_by_its_history_fraction)
{
	struct text text;

	/* r' was 1000, r is 500: h = 0, 0.2, 0.8 and (UP3, a fall) 0.6 give 500, 600, 900 and 800 */
	after_one_fall(&text, EQUANT_FILTER_NONE);
	EXPECT_STREQ("200 400", text.line);
	after_one_fall(&text, EQUANT_FILTER_DIRECTION);
	EXPECT_STREQ("225 375", text.line);
	after_one_fall(&text, EQUANT_FILTER_CONSTANT);
	EXPECT_STREQ("284 316", text.line);
	after_one_fall(&text, EQUANT_FILTER_STATES);
	EXPECT_STREQ("267 333", text.line);
}

/* ---- restricted movement --------------------------------------------------------- */

/* Four equal ranks, the first of which loses half of its CPU: 171 of 1200 units remain with it. */
static struct job first_slows_down(enum equant_movement movement, enum equant_handshake handshake)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct job job;

	options.movement = movement;
	options.handshake = handshake;
	job_start(&job, 4, 300, &options);
	job_phases(&job, 5);
	job.share[0] = job.predicted[0] = 0.5;
	for (int i = 0; i < 10 && !job_phase(&job); i++)
		;
	return job;
}

TEST(restricted_work_moves_to_neighbours_only)
{
	struct job job = first_slows_down(EQUANT_MOVEMENT_RESTRICTED, EQUANT_HANDSHAKE_BUFFERED);
	struct text text;

	ASSERT_EQ(EQUANT_VERDICT_MOVE, job.decision.verdict);
	EXPECT_STREQ("0>1:129 1>2:86 2>3:43",
		     text_instructions(&text, job.decision.instructions, job.decision.count));
	EXPECT_STREQ("171 343 343 343", UNITS(&job));
	job_stop(&job);
	job = first_slows_down(EQUANT_MOVEMENT_UNRESTRICTED, EQUANT_HANDSHAKE_BUFFERED);
	EXPECT_STREQ("0>1:43 0>2:43 0>3:43",
		     text_instructions(&text, job.decision.instructions, job.decision.count));
	job_stop(&job);
}

TEST(the_cost_of_restricted_work_is_that_of_its_longest_chain)
{
	struct job buffered =
		first_slows_down(EQUANT_MOVEMENT_RESTRICTED, EQUANT_HANDSHAKE_BUFFERED);
	struct job rendezvous =
		first_slows_down(EQUANT_MOVEMENT_RESTRICTED, EQUANT_HANDSHAKE_RENDEZVOUS);

	/* rank 1 sends 86 units and receives 129; or 43, 86 and 129 go one after the other */
	EXPECT_TRUE(near(buffered.decision.cost, 2 * 20e-6 + 215 * 1e-6));
	EXPECT_TRUE(near(rendezvous.decision.cost, 3 * 20e-6 + 258 * 1e-6));
	job_stop(&buffered);
	job_stop(&rendezvous);
}

/* ---- before anything has been computed ------------------------------------------- */

/* The decision from two ranks that have computed nothing, one predicted to have half a CPU. */
static struct equant_decision first_decision(struct equant_balancer *b, uint32_t flags)
{
	const struct equant_sample samples[2] = {
		{ .share = 0.5, .settled = 0.5, .quantum = 0.004, .hooks = 1, .flags = flags },
		{ .share = 1,
		  .settled = 1,
		  .quantum = 0.004,
		  .hooks = 1,
		  .flags = EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED },
	};
	const long units[2] = { 300, 300 };
	struct equant_decision decision = { .count = -1 };

	equant_balancer_decide(b, samples, units, &decision);
	return decision;
}

static enum equant_verdict first_verdict(enum equant_rate_mode mode, uint32_t flags)
{
	struct equant_balance_options options = default_options(mode);
	struct equant_balancer *b = equant_balancer_new(2, &options);
	enum equant_verdict verdict = first_decision(b, flags).verdict;

	equant_balancer_free(b);
	return verdict;
}

TEST(a_start_is_balanced_by_predicted_shares_alone)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct equant_balancer *b = equant_balancer_new(2, &options);
	struct equant_decision d;

	d = first_decision(b, EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED);
	EXPECT_EQ(EQUANT_VERDICT_MOVE, d.verdict);
	ASSERT_EQ(1, d.count);
	EXPECT_EQ(0, d.instructions[0].from);
	EXPECT_EQ(1, d.instructions[0].to);
	EXPECT_EQ(100, d.instructions[0].units);
	equant_balancer_free(b);
}

TEST(a_start_without_predictions_of_all_ranks_is_left_alone)
{
	EXPECT_EQ(EQUANT_VERDICT_NO_RATES, first_verdict(EQUANT_RATE_PREDICTED, EQUANT_SAMPLE_RUN));
	EXPECT_EQ(EQUANT_VERDICT_NO_RATES, first_verdict(EQUANT_RATE_PREDICTED, 0));
	EXPECT_EQ(EQUANT_VERDICT_NO_RATES,
		  first_verdict(EQUANT_RATE_MEASURED, EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED));
}

TEST(verdicts_have_names)
{
	EXPECT_STREQ("balanced", equant_verdict_name(EQUANT_VERDICT_BALANCED));
	EXPECT_STREQ("no rates", equant_verdict_name(EQUANT_VERDICT_NO_RATES));
	EXPECT_STREQ("unprofitable", equant_verdict_name(EQUANT_VERDICT_UNPROFITABLE));
	EXPECT_STREQ("nothing", equant_verdict_name(EQUANT_VERDICT_NOTHING));
	EXPECT_STREQ("forbidden", equant_verdict_name(EQUANT_VERDICT_FORBIDDEN));
	EXPECT_STREQ("move", equant_verdict_name(EQUANT_VERDICT_MOVE));
	EXPECT_STREQ("unknown", equant_verdict_name((enum equant_verdict)99));
	EXPECT_STREQ("unknown", equant_verdict_name((enum equant_verdict)(-1)));
}

/* ---- edges ---------------------------------------------------------------------- */

TEST(one_rank_has_nobody_to_share_with)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 1, 100);

	job.noise = 0.5;
	EXPECT_EQ(0, job_phases(&job, 100));
	EXPECT_EQ(EQUANT_VERDICT_BALANCED, job.decision.verdict);
	EXPECT_LE(1, job.decision.next_hook);
	job_stop(&job);
}

TEST(a_sample_of_few_units_decides_nothing_for_many)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 100);
	uint32_t flags = job.flags;

	job.speed[0] = 4000;
	job.flags |= EQUANT_SAMPLE_GROWN;
	EXPECT_EQ(0, job_phases(&job, 5));
	EXPECT_EQ(EQUANT_VERDICT_NO_RATES, job.decision.verdict);
	EXPECT_EQ(1, job.decision.next_hook);
	job.flags = flags;
	EXPECT_EQ(1, job_phases(&job, 5));
	job_stop(&job);
}

TEST(a_job_without_units_stays_without_rates)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 3, 0);

	EXPECT_EQ(0, job_phases(&job, 10));
	EXPECT_EQ(EQUANT_VERDICT_NO_RATES, job.decision.verdict);
	EXPECT_EQ(1, job.decision.next_hook);
	job_stop(&job);
}

TEST(with_more_ranks_than_units_a_unit_moves_to_an_idle_faster_rank)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 4, 0);

	job.units[0] = 1;
	job.units[1] = 1;
	EXPECT_EQ(0, job_phases(&job, 5));
	job.speed[0] = 100;
	EXPECT_LT(0, job_phases(&job, 5));
	EXPECT_EQ(0, job.units[0]);
	EXPECT_EQ(2, sum_of(job.units, 4));
	job_stop(&job);
}

TEST(every_rank_keeps_a_unit_when_there_are_enough)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 3, 100);

	job.speed[0] = 0.001;
	job_phases(&job, 10);
	EXPECT_EQ(1, job.units[0]);
	job_stop(&job);
}

TEST(a_starved_rank_gets_no_more_than_its_unit_and_recovers)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 100);

	job_phases(&job, 3);
	job.predicted[0] = 0;
	job.share[0] = 1e-4;
	EXPECT_LT(0, job_phases(&job, 3));
	EXPECT_EQ(1, job.units[0]);
	job.predicted[0] = 1;
	job.share[0] = 1;
	job_phases(&job, 3);
	EXPECT_STREQ("100 100", UNITS(&job));
	job_stop(&job);
}

TEST(ports_spread_a_movement_over_several_phases)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);
	struct job job;

	options.ports = 1;
	job_start(&job, 4, 100, &options);
	job.units[3] = 0;
	/* three senders, one receiver with one port */
	EXPECT_EQ(1, job_phase(&job));
	EXPECT_STREQ("75 100 100 25", UNITS(&job));
	EXPECT_EQ(EQUANT_VERDICT_MOVE, job.decision.verdict);
	job_stop(&job);
}

/* ---- bad input ------------------------------------------------------------------- */

static int refused(size_t field, double value)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 100);
	struct equant_rate before[2];
	int error;

	job_phases(&job, 3);
	memcpy(before, equant_balancer_rates(job.balancer), sizeof(before));
	memcpy((char *)&job.samples[1] + field, &value, sizeof(value));
	error = equant_balancer_decide(job.balancer, job.samples, job.units, &job.decision);
	if (memcmp(before, equant_balancer_rates(job.balancer), sizeof(before)))
		error = 0;
	job_stop(&job);
	return error == -EINVAL;
}

TEST(a_bad_field_of_a_sample_is_refused_and_changes_nothing)
{
	const double bad[] = { -1, NAN, HUGE_VAL, -HUGE_VAL, 1e19 };

	for (size_t field = 0; field < offsetof(struct equant_sample, hooks); field += 8) {
		for (int i = 0; i < 5; i++) {
			EXPECT_TRUE(refused(field, bad[i]))
			{
				TH_LOG("field at %zu, value %g", field, bad[i]);
			}
		}
	}
	EXPECT_TRUE(refused(offsetof(struct equant_sample, share), 1.1));
	EXPECT_TRUE(refused(offsetof(struct equant_sample, settled), 1.1));
	EXPECT_FALSE(refused(offsetof(struct equant_sample, wait), 1.1));
}

TEST(bad_counts_are_refused)
{
	struct job job = started(EQUANT_RATE_PREDICTED, 2, 100);

	job_phase(&job);
	job.units[0] = -1;
	EXPECT_EQ(-EINVAL,
		  equant_balancer_decide(job.balancer, job.samples, job.units, &job.decision));
	job.units[0] = INT64_MAX;
	EXPECT_EQ(-EINVAL,
		  equant_balancer_decide(job.balancer, job.samples, job.units, &job.decision));
	job_stop(&job);
}

static int new_refused(int n, const struct equant_balance_options *options)
{
	struct equant_balancer *balancer;

	errno = 0;
	balancer = equant_balancer_new(n, options);
	equant_balancer_free(balancer);
	return !balancer && errno == EINVAL;
}

#define EXPECT_REFUSED(field, value)                                                            \
	do {                                                                                    \
		struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED); \
		options.field = value;                                                          \
		EXPECT_TRUE(new_refused(2, &options));                                          \
	} while (0)

TEST(bad_options_are_refused)
{
	EXPECT_REFUSED(sz, 0);
	EXPECT_REFUSED(sz, sizeof(struct equant_balance_options) - 1);
	EXPECT_REFUSED(mode, (enum equant_rate_mode)7);
	EXPECT_REFUSED(filter, (enum equant_filter_kind)4);
	EXPECT_REFUSED(filter, (enum equant_filter_kind)INT_MAX);
	EXPECT_REFUSED(movement, (enum equant_movement)2);
	EXPECT_REFUSED(handshake, (enum equant_handshake)2);
	EXPECT_REFUSED(threshold, -0.1);
	EXPECT_REFUSED(threshold, 1.1);
	EXPECT_REFUSED(threshold, NAN);
	EXPECT_REFUSED(profit, -1);
	EXPECT_REFUSED(window, 0);
	EXPECT_REFUSED(interact_fraction, 0);
	EXPECT_REFUSED(amplitude, 0);
	EXPECT_REFUSED(amplitude, 1.5);
	EXPECT_REFUSED(period, -1);
	EXPECT_REFUSED(period, HUGE_VAL);
	EXPECT_REFUSED(default_quantum, 0);
	EXPECT_REFUSED(move_fixed, -1);
	EXPECT_REFUSED(move_per_unit, NAN);
	EXPECT_REFUSED(interact, -1);
	EXPECT_REFUSED(ports, -1);
	EXPECT_REFUSED(omit, -1);
	EXPECT_REFUSED(quantum, -1);
	EXPECT_REFUSED(quantum, 1e-12);
	EXPECT_REFUSED(quanta, NAN);
}

TEST(a_job_without_ranks_or_options_is_refused)
{
	struct equant_balance_options options = default_options(EQUANT_RATE_PREDICTED);

	EXPECT_FALSE(new_refused(1, &options));
	EXPECT_TRUE(new_refused(0, &options));
	EXPECT_TRUE(new_refused(-1, &options));
	EXPECT_TRUE(new_refused(2, NULL));
}

TEST(options_of_a_newer_caller_are_taken_unless_they_ask_for_something_unknown)
{
	struct {
		struct equant_balance_options known;
		char unknown[16];
	} options = { .known = default_options(EQUANT_RATE_PREDICTED) };

	options.known.sz = sizeof(options);
	EXPECT_FALSE(new_refused(2, &options.known));
	options.unknown[15] = 1;
	EXPECT_TRUE(new_refused(2, &options.known));
}

TEST_HARNESS_MAIN
