// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Progress in a pass as every rank follows it: nothing is lost, and quotas meet in time. */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "loop/progress.h"
#include "random.h"

#define RANKS 6

FIXTURE(progress)
{
	struct random random;
	struct equant_units units;
	struct equant_progress p;
	double rates[RANKS];
};

FIXTURE_SETUP(progress)
{
	self->random = random_seeded();
	ASSERT_EQ(0, equant_units_init(&self->units, 1 + random_below(&self->random, 5000), RANKS,
				       EQUANT_BLOCK));
	ASSERT_EQ(0, equant_progress_init(&self->p, RANKS));
	for (int r = 0; r < RANKS; r++)
		self->rates[r] = 1000 * (0.1 + random_unit(&self->random));
}

FIXTURE_TEARDOWN(progress)
{
	equant_progress_release(&self->p);
	equant_units_release(&self->units);
}

static long left(const struct equant_progress *p)
{
	long left = 0;

	for (int r = 0; r < RANKS; r++)
		left += p->counts[r];
	return left;
}

static struct equant_pace_of_pass pace(const double *rates, const struct equant_units *units,
				       double period)
{
	return (struct equant_pace_of_pass){
		.paces = rates,
		.owned = units->counts,
		.period = period,
		.least = period / 10,
		.joined = 1,
	};
}

/* Plans a phase and plays it; returns how many passes later it was. */
static long play(struct equant_progress *p, const struct equant_pace_of_pass *pace,
		 const struct equant_units *units)
{
	long later = equant_progress_plan(p, pace);

	if (later && equant_progress_begin(p, units))
		return -1;
	return equant_progress_advance(p) ? -1 : later;
}

TEST_F(progress, a_pass_comes_to_its_end_in_fewer_phases_than_units)
{
	struct equant_pace_of_pass how = pace(self->rates, &self->units, 0.01);
	long before, phases = 0, later;

	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	for (before = left(&self->p);; before = left(&self->p)) {
		later = equant_progress_plan(&self->p, &how);
		if (later)
			break;
		ASSERT_EQ(0, equant_progress_advance(&self->p));
		equant_progress_learn(&self->p);
		ASSERT_GT(before, left(&self->p));
		phases++;
	}
	EXPECT_LE(phases, self->units.units);
	EXPECT_LE(1, later);
}

TEST_F(progress, ranks_of_different_rate_reach_a_phase_at_the_same_time)
{
	struct equant_pace_of_pass how = pace(self->rates, &self->units, 0.5);

	/* A pass of at least some seconds. */
	equant_units_release(&self->units);
	ASSERT_EQ(0, equant_units_init(&self->units, 30000, RANKS, EQUANT_BLOCK));
	how.owned = self->units.counts;
	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	for (int i = 0; i < 6; i++) {
		equant_progress_learn(&self->p);
		ASSERT_EQ(0, play(&self->p, &how, &self->units));
	}
	ASSERT_EQ(0, equant_progress_plan(&self->p, &how));
	for (int r = 0; r < RANKS; r++) {
		EXPECT_LE(-1, self->p.quota[r] - 0.5 * self->rates[r]);
		EXPECT_GE(1, self->p.quota[r] - 0.5 * self->rates[r]);
	}
}

TEST_F(progress, a_period_that_holds_passes_leads_that_many_passes_on)
{
	struct equant_pace_of_pass how;

	equant_units_release(&self->units);
	ASSERT_EQ(0, equant_units_init(&self->units, 10 * RANKS, RANKS, EQUANT_BLOCK));
	for (int r = 0; r < RANKS; r++)
		self->rates[r] = 100;
	how = pace(self->rates, &self->units, 0.55);
	self->p.limit = 1e9;
	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	/* This pass of 0.1 s and four more. */
	EXPECT_EQ(5, equant_progress_plan(&self->p, &how));
	for (int r = 0; r < RANKS; r++)
		EXPECT_EQ(0, self->p.quota[r]);
}

/* 0.5 s are left, of 1 s. */
TEST_F(progress, phases_come_more_often_at_the_end_of_a_joined_pass_only)
{
	struct equant_pace_of_pass how;

	equant_units_release(&self->units);
	ASSERT_EQ(0, equant_units_init(&self->units, 100 * RANKS, RANKS, EQUANT_BLOCK));
	for (int r = 0; r < RANKS; r++)
		self->rates[r] = 100;
	how = pace(self->rates, &self->units, 0.5);
	self->p.limit = 1e9;
	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	ASSERT_EQ(0, play(&self->p, &how, &self->units));
	how.period = 0.6;
	EXPECT_EQ(0, equant_progress_plan(&self->p, &how));
	for (int r = 0; r < RANKS; r++)
		EXPECT_EQ(25, self->p.quota[r]);
	how.joined = 0;
	EXPECT_EQ(1, equant_progress_plan(&self->p, &how));
	for (int r = 0; r < RANKS; r++)
		EXPECT_EQ(10, self->p.quota[r]);
}

TEST_F(progress, loops_without_units_or_rates_plan_a_phase_all_the_same)
{
	static const double none[RANKS];
	struct equant_pace_of_pass how = pace(none, &self->units, 0.1);

	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	EXPECT_EQ(0, equant_progress_plan(&self->p, &how));
	for (int r = 0; r < RANKS; r++)
		EXPECT_EQ(1, self->p.quota[r]);
	ASSERT_EQ(0,
		  equant_units_rest(&self->units, (struct equant_range){ 0, self->units.units }));
	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	EXPECT_EQ(1, equant_progress_plan(&self->p, &how));
	how.paces = self->rates;
	EXPECT_LE(1, equant_progress_plan(&self->p, &how));
}

/* Moves what is left about at random; the units that are picked must be the owner's last. */
TEST_F(progress, picked_units_are_those_that_would_be_computed_last)
{
	struct equant_runs picked = { 0 };
	struct equant_pace_of_pass how = pace(self->rates, &self->units, 0.05);

	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	for (int i = 0; i < 200 && left(&self->p); i++) {
		struct equant_instruction move = { (int)random_below(&self->random, RANKS),
						   (int)random_below(&self->random, RANKS), 0 };
		long before = left(&self->p);
		struct equant_runs *own = &self->p.left[move.from];

		if (own->total && move.from != move.to) {
			move.units = 1 + random_below(&self->random, own->total);
			ASSERT_EQ(0, equant_progress_pick(&self->p, &move, &picked));
			ASSERT_EQ(move.units, picked.total);
			ASSERT_EQ(before, left(&self->p));
			if (own->total)
				EXPECT_LT(own->ranges[own->n - 1].first, picked.ranges[0].first);
		}
		if (i % 10 == 9 && !equant_progress_plan(&self->p, &how))
			ASSERT_EQ(0, equant_progress_advance(&self->p));
	}
	equant_runs_release(&picked);
}

TEST_F(progress, impossible_instructions_are_refused)
{
	struct equant_runs picked = { 0 };
	struct equant_instruction bad[] = { { 0, 0, 1 },
					    { -1, 0, 1 },
					    { 0, RANKS, 1 },
					    { 0, 1, 0 },
					    { 0, 1, self->units.units + 1 } };

	ASSERT_EQ(0, equant_progress_begin(&self->p, &self->units));
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(-EPROTO, equant_progress_pick(&self->p, &bad[i], &picked));
	equant_runs_release(&picked);
}

TEST_HARNESS_MAIN
