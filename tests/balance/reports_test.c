// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Decisions from reports of ranks that are apart. */
#include <errno.h>
#include <string.h>

#include "balance/reports.h"
#include "kselftest_harness.h"
#include "libbalance.h"

#define RANKS 3

FIXTURE(reports)
{
	struct equant_balance_options options;
	struct equant_balancer *balancer;
	struct equant_reports reports;
};

FIXTURE_SETUP(reports)
{
	self->options = default_options(EQUANT_RATE_PREDICTED);
	self->options.profit = 0;
	self->balancer = equant_balancer_new(RANKS, &self->options);
	ASSERT_NE(NULL, self->balancer);
	ASSERT_EQ(0, equant_reports_init(&self->reports, RANKS));
}

FIXTURE_TEARDOWN(reports)
{
	equant_balancer_free(self->balancer);
	equant_reports_release(&self->reports);
}

#define KNOWN (EQUANT_SAMPLE_RUN | EQUANT_SAMPLE_PREDICTED)

/* @seconds of the CPU for @units */
static void hear_flagged(struct equant_reports *reports, int rank, long pass, long left,
			 enum equant_async_state state, double units, double seconds,
			 unsigned int flags)
{
	const struct equant_report_up up = {
		.sample = { .units = units,
			    .wall = seconds,
			    .run = seconds,
			    .share = 1,
			    .settled = 1,
			    .quantum = 0.004,
			    .interval = seconds,
			    .hooks = (uint32_t)units,
			    .meetings = (uint16_t)units,
			    .flags = (uint16_t)flags },
		.pass = pass,
		.left = left,
		.state = state,
	};

	equant_reports_add(reports, rank, &up);
}

static void hear(struct equant_reports *reports, int rank, long pass, long left,
		 enum equant_async_state state, double units, double seconds)
{
	hear_flagged(reports, rank, pass, left, state, units, seconds, KNOWN);
}

TEST_F(reports, a_decision_waits_for_a_new_report_of_each_rank_that_computes)
{
	const long units[RANKS] = { 10, 10, 10 };
	struct equant_decision d;

	EXPECT_FALSE(equant_reports_ready(&self->reports));
	hear(&self->reports, 0, 1, 5, EQUANT_ASYNC_COMPUTING, 5, 1);
	hear(&self->reports, 1, 1, 0, EQUANT_ASYNC_IDLE, 5, 1);
	EXPECT_FALSE(equant_reports_ready(&self->reports));
	hear(&self->reports, 2, 1, 5, EQUANT_ASYNC_COMPUTING, 5, 1);
	EXPECT_TRUE(equant_reports_ready(&self->reports));
	ASSERT_EQ(0, equant_reports_decide(&self->reports, self->balancer, units, &d));
	EXPECT_FALSE(equant_reports_ready(&self->reports));
	hear(&self->reports, 0, 1, 4, EQUANT_ASYNC_COMPUTING, 1, 1);
	hear(&self->reports, 2, 1, 4, EQUANT_ASYNC_COMPUTING, 1, 1);
	EXPECT_TRUE(equant_reports_ready(&self->reports));
	hear(&self->reports, 1, 1, 0, EQUANT_ASYNC_CLOSED, 0, 0);
	EXPECT_FALSE(equant_reports_ready(&self->reports));
}

TEST_F(reports, what_was_counted_in_several_reports_adds_up)
{
	const long units[RANKS] = { 10, 10, 10 };
	struct equant_decision d;

	for (int i = 0; i < 3; i++)
		for (int r = 0; r < RANKS; r++)
			hear(&self->reports, r, 1, 5, EQUANT_ASYNC_COMPUTING, 1 + r, 0.25);
	ASSERT_EQ(0, equant_reports_decide(&self->reports, self->balancer, units, &d));
	for (int r = 0; r < RANKS; r++) {
		EXPECT_EQ(3 * (1 + r), self->reports.samples[r].units);
		EXPECT_EQ(0.75, self->reports.samples[r].run);
		EXPECT_EQ(3 * (1 + r), self->reports.samples[r].meetings);
	}
	EXPECT_EQ(0, self->reports.joined);
	EXPECT_EQ(0, memcmp(units, self->reports.work, sizeof(units)));
	/* And once. */
	ASSERT_EQ(0, equant_reports_decide(&self->reports, self->balancer, units, &d));
	EXPECT_EQ(0, self->reports.samples[0].interval);
	EXPECT_EQ(0, self->reports.samples[0].meetings);
}

/* Wall time is no time on the CPU, whichever of them came first. */
TEST_F(reports, a_sum_is_worth_what_the_worst_report_in_it_is_worth)
{
	static const struct {
		unsigned int flags[2], sum;
		double seconds[2];
	} cases[] = {
		{ { KNOWN, KNOWN }, KNOWN, { 1, 1 } },
		{ { 0, KNOWN }, 0, { 1, 1 } },
		{ { KNOWN, 0 }, 0, { 1, 1 } },
		{ { EQUANT_SAMPLE_FELL_BACK, KNOWN }, EQUANT_SAMPLE_FELL_BACK, { 1, 1 } },
		{ { KNOWN, EQUANT_SAMPLE_FELL_BACK }, EQUANT_SAMPLE_FELL_BACK, { 1, 1 } },
		{ { EQUANT_SAMPLE_RUN, KNOWN }, KNOWN, { 1, 1 } },
		{ { KNOWN, EQUANT_SAMPLE_RUN }, EQUANT_SAMPLE_RUN, { 1, 1 } },
		/* nothing was computed in it: it tells how things are, if it is the newer one */
		{ { 0, KNOWN }, KNOWN, { 0, 1 } },
		{ { KNOWN, EQUANT_SAMPLE_ERROR }, EQUANT_SAMPLE_ERROR, { 1, 0 } },
		{ { EQUANT_SAMPLE_ERROR, KNOWN }, KNOWN | EQUANT_SAMPLE_ERROR, { 0, 1 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		equant_reports_renew(&self->reports);
		for (int k = 0; k < 2; k++)
			hear_flagged(&self->reports, 0, 1, 5, EQUANT_ASYNC_COMPUTING, 1,
				     cases[i].seconds[k], cases[i].flags[k]);
		EXPECT_EQ(cases[i].sum, self->reports.last[0].sample.flags)
		TH_LOG("case %zu", i);
	}
}

/* An idle rank is decided about again by what it reported last. */
TEST_F(reports, what_has_happened_counts_for_one_decision)
{
	const long units[RANKS] = { 10, 10, 10 };
	struct equant_decision d;

	hear_flagged(&self->reports, 0, 1, 0, EQUANT_ASYNC_IDLE, 5, 1, EQUANT_SAMPLE_FELL_BACK);
	hear(&self->reports, 1, 1, 5, EQUANT_ASYNC_COMPUTING, 5, 1);
	hear(&self->reports, 2, 1, 5, EQUANT_ASYNC_COMPUTING, 5, 1);
	ASSERT_EQ(0, equant_reports_decide(&self->reports, self->balancer, units, &d));
	EXPECT_EQ(EQUANT_SAMPLE_FELL_BACK, self->reports.samples[0].flags);
	hear(&self->reports, 1, 1, 4, EQUANT_ASYNC_COMPUTING, 1, 1);
	hear(&self->reports, 2, 1, 4, EQUANT_ASYNC_COMPUTING, 1, 1);
	ASSERT_EQ(0, equant_reports_decide(&self->reports, self->balancer, units, &d));
	EXPECT_EQ(0, self->reports.samples[0].flags);
}

/* Rank 0 is two passes behind the one that the others have finished: 10 units, 3 times each but 4. */
TEST_F(reports, ranks_that_wait_in_a_joined_pass_get_their_part_of_the_lag)
{
	const long units[RANKS] = { 10, 10, 10 };
	const struct equant_instruction move = { .from = 0, .to = 1, .units = 9 };
	struct equant_decision d;

	hear(&self->reports, 0, 5, 6, EQUANT_ASYNC_COMPUTING, 40, 1);
	hear(&self->reports, 1, 7, 0, EQUANT_ASYNC_IDLE, 40, 1);
	hear(&self->reports, 2, 7, 0, EQUANT_ASYNC_IDLE, 40, 1);
	ASSERT_EQ(0, equant_reports_decide(&self->reports, self->balancer, units, &d));
	EXPECT_EQ(7, self->reports.joined);
	EXPECT_EQ(6 + 2 * 10, self->reports.work[0]);
	EXPECT_EQ(0, self->reports.work[1]);
	EXPECT_EQ(2, d.count);
	EXPECT_EQ(3, equant_reports_units(&self->reports, &move, 10));
	EXPECT_EQ(2, equant_reports_units(&self->reports, &move, 2));
}

TEST_F(reports, a_rank_in_another_pass_than_those_in_its_state_is_found)
{
	int odd = -1;

	hear(&self->reports, 0, 7, 0, EQUANT_ASYNC_IDLE, 1, 1);
	hear(&self->reports, 1, 7, 0, EQUANT_ASYNC_IDLE, 1, 1);
	hear(&self->reports, 2, 6, 3, EQUANT_ASYNC_COMPUTING, 1, 1);
	EXPECT_EQ(2, equant_reports_count(&self->reports, EQUANT_ASYNC_IDLE, &odd));
	EXPECT_EQ(-1, odd);
	hear(&self->reports, 2, 6, 0, EQUANT_ASYNC_IDLE, 1, 1);
	EXPECT_EQ(3, equant_reports_count(&self->reports, EQUANT_ASYNC_IDLE, &odd));
	EXPECT_EQ(2, odd);
	equant_reports_renew(&self->reports);
	EXPECT_EQ(0, equant_reports_count(&self->reports, EQUANT_ASYNC_IDLE, &odd));
}

TEST(reports_come_once_a_period_and_no_sooner_than_after_one_computation)
{
	EXPECT_EQ(50, equant_report_after(0.5, 100, 1));
	EXPECT_EQ(1, equant_report_after(0.5, 1, 10));
	/* a first measurement may be wrong: at most eight times as many */
	EXPECT_EQ(8, equant_report_after(0.5, 1, 1e-6));
	EXPECT_EQ(80, equant_report_after(0.5, 10, 0));
	EXPECT_EQ(1, equant_report_after(0.5, 0, 0));
}

TEST_HARNESS_MAIN
