// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The model of an oscillating load, section 7.5. */
#include <errno.h>
#include <math.h>

#include "kselftest_harness.h"
#include "libmodel.h"

#define CLOSE 1e-12

/* Table 7.5: the time to move the whole array of MM, seconds. */
#define MM_ARRAY 2.730

static struct equant_oscillation thesis(int n, double period)
{
	return (struct equant_oscillation){
		.n = n,
		.rmin = 0.5,
		.period = period,
		.target = 1,
		.delay = 1.5,
		.move_all = MM_ARRAY,
		.dedicated = 1,
	};
}

TEST(static_divisions_are_those_of_table_7_4)
{
	struct equant_oscillation_result r;
	struct equant_oscillation o;

	for (int n = 2; n <= 8; n++) {
		o = thesis(n, 60);
		ASSERT_EQ(0, equant_model_oscillation(&o, &r));
		EXPECT_LT(fabs(r.equal - 0.75 * n / (n - 0.25)), CLOSE);
		EXPECT_LT(fabs(r.avoid_changes - (n - 0.5) / (n - 0.25)), CLOSE);
		EXPECT_LT(fabs(r.avoid_rank - (n - 1) / (n - 0.25)), CLOSE);
	}
}

TEST(the_part_that_moves_is_that_of_equation_7_9)
{
	struct equant_oscillation_result r;
	struct equant_oscillation o;

	for (int n = 2; n <= 8; n++) {
		o = thesis(n, 60);
		ASSERT_EQ(0, equant_model_oscillation(&o, &r));
		EXPECT_LT(fabs(r.fraction - (1.0 / n - 1.0 / (2 * n - 1))), CLOSE);
	}
	/* the text's examples: 1/6 with two ranks, 2/15 with three */
	o = thesis(2, 60);
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.fraction - 1.0 / 6), CLOSE);
	o = thesis(3, 60);
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.fraction - 2.0 / 15), CLOSE);
}

/* By hand: 60 s, two ranks, moves of 0.455 s; 0.75 and 3 s of imbalance. */
TEST(two_ranks_have_the_efficiency_that_was_added_up_by_hand)
{
	struct equant_oscillation o = thesis(2, 60);
	struct equant_oscillation_result r;

	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.c - 0.75), CLOSE);
	EXPECT_LT(fabs(r.d - 0.455), CLOSE);
	EXPECT_LT(fabs(r.e - 28.795), CLOSE);
	EXPECT_LT(fabs(r.f - 3), CLOSE);
	EXPECT_LT(fabs(r.g - 0.455), CLOSE);
	EXPECT_LT(fabs(r.h - 26.545), CLOSE);
	EXPECT_LT(fabs(r.efficiency - (1.5 * 0.75 + 2 * 28.795 + 1 * 3 + 1.5 * 26.545) / 105),
		  CLOSE);
}

TEST(the_segments_fill_both_halves_of_the_period)
{
	struct equant_oscillation_result r;
	struct equant_oscillation o;

	for (int n = 2; n <= 8; n++) {
		o = thesis(n, 60);
		o.restricted = n % 2;
		ASSERT_EQ(0, equant_model_oscillation(&o, &r));
		EXPECT_LT(fabs(r.c + r.d + r.e - 30), CLOSE);
		EXPECT_LT(fabs(r.f + r.g + r.h - 30), CLOSE);
	}
}

/* Eqs. 7.12 to 7.16 for four ranks: 6 steps of a third, and 4 of 24 steps' time is used. */
TEST(restricted_moves_pass_through_the_ranks_between)
{
	struct equant_oscillation o = thesis(4, 60);
	struct equant_oscillation_result r;
	double unrestricted;

	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	unrestricted = r.g;
	o.restricted = 1;
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.g - 2 * unrestricted), CLOSE);
	EXPECT_LT(fabs(r.d - 2 * unrestricted * 20 / 24), CLOSE);
}

TEST(an_answer_at_once_and_for_nothing_loses_nothing)
{
	struct equant_oscillation o = thesis(5, 60);
	struct equant_oscillation_result r;

	o.delay = 0;
	o.move_all = 0;
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.efficiency - 1), CLOSE);
}

/* By hand: two ranks, depth 1; 1.5 s of imbalance when the load goes, u_c = 1.5. */
TEST(a_period_does_not_shrink_when_the_load_goes_as_the_others_have_as_much_to_do)
{
	struct equant_oscillation o = thesis(2, 60);
	struct equant_oscillation_result r;

	o.answer = EQUANT_ANSWER_WHOLE;
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.c - 1.5), CLOSE);
	EXPECT_LT(fabs(r.efficiency -
		       (1.5 * 1.5 + 2 * (30 - 1.5 - 0.455) + 1 * 3 + 1.5 * 26.545) / 105),
		  CLOSE);
}

/*
 * Two ranks, rmin 1/2: after the load went the first answer loses 1.5 (1 - r) / (1 + r) with
 * r = 1 / (2 - v), that is 1.5 (1 - v) / (3 - v); after it came 4 (1 - v) / (2 + v)^2.
 */
TEST(a_measured_rate_loses_what_the_integrals_say)
{
	struct equant_oscillation o = thesis(2, 60);
	struct equant_oscillation_result r, whole;

	o.answer = EQUANT_ANSWER_WHOLE;
	ASSERT_EQ(0, equant_model_oscillation(&o, &whole));
	EXPECT_EQ(0, whole.averaging);
	o.answer = EQUANT_ANSWER_AVERAGED;
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.averaging - 1.5 * (1 - 2 * log(1.5)) - 4 * (0.5 - log(1.5))), 1e-8);
	EXPECT_LT(fabs(r.efficiency - (whole.efficiency - r.averaging / 105)), CLOSE);
	o.rmin = 1;
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_LT(fabs(r.averaging), CLOSE);
}

/* Both integrals in closed form, n > 2. */
static double averaging(double n, double rmin)
{
	double k = n - 1, whole = log((rmin + k) / (n * rmin)), half = log((1 + rmin) / (2 * rmin));
	double going = n / k - 1 - n * rmin / (k * k * (1 - rmin)) * whole;
	double coming = (k + rmin) * whole - k * (1 + rmin) * half;

	return (rmin + k) * going + 2 * n / ((1 - rmin) * (k - 1)) * coming;
}

TEST(next_to_nothing_left_is_as_good_as_any_for_the_integrals)
{
	struct equant_oscillation_result r;

	for (int n = 3; n <= 8; n++) {
		for (double rmin = 0.9; rmin > 1e-300; rmin *= 0.4) {
			struct equant_oscillation o = thesis(n, 60);

			o.rmin = rmin;
			o.delay = 0;
			o.answer = EQUANT_ANSWER_AVERAGED;
			ASSERT_EQ(0, equant_model_oscillation(&o, &r));
			EXPECT_LT(fabs(r.averaging - averaging(n, rmin)), 1e-7)
			TH_LOG("%d ranks, %g left: %g", n, rmin, r.averaging);
		}
	}
}

TEST(what_is_lost_on_the_first_answer_is_in_the_digits_that_were_worked_out)
{
	static const struct {
		int n;
		double rmin, averaging;
	} known[] = { { 4, 0.01, 5.48 }, { 4, 0.001, 5.8 }, { 2, 0.001, 3.0 } };
	struct equant_oscillation_result r;

	for (int i = 0; i < 3; i++) {
		struct equant_oscillation o = thesis(known[i].n, 60);

		o.rmin = known[i].rmin;
		o.delay = 0;
		o.answer = EQUANT_ANSWER_AVERAGED;
		ASSERT_EQ(0, equant_model_oscillation(&o, &r));
		EXPECT_LT(fabs(r.averaging - known[i].averaging), 0.05)
		TH_LOG("%g", r.averaging);
	}
}

/* The first answer costs nearly five periods of a CPU, and in the rest there are three of them. */
TEST(a_first_answer_that_costs_more_than_there_is_until_the_next_change_is_beyond_the_model)
{
	struct equant_oscillation o = thesis(4, 2);
	struct equant_oscillation_result r;

	o.rmin = 0.001;
	o.delay = 0;
	o.move_all = 0;
	o.answer = EQUANT_ANSWER_AVERAGED;
	EXPECT_EQ(-ERANGE, equant_model_oscillation(&o, &r));
	EXPECT_TRUE(isnan(r.efficiency));
	o.period = 4;
	ASSERT_EQ(0, equant_model_oscillation(&o, &r));
	EXPECT_GT(r.efficiency, 0);
	/* No time at all, times a number of periods that no double holds. */
	o.rmin = 1e-310;
	o.delay = 1;
	o.target = 0;
	EXPECT_EQ(-ERANGE, equant_model_oscillation(&o, &r));
}

TEST(a_load_that_is_back_before_the_answer_is_beyond_the_model)
{
	/* section 7.5.2: "For the 2 and 6 second oscillation periods", 6 s with SOR */
	struct equant_oscillation o = thesis(2, 2);
	struct equant_oscillation_result r;

	EXPECT_EQ(-ERANGE, equant_model_oscillation(&o, &r));
	EXPECT_TRUE(isnan(r.efficiency));
	EXPECT_GT(r.equal, 0);
	o = thesis(2, 6);
	o.move_all = 6.910;
	EXPECT_EQ(-ERANGE, equant_model_oscillation(&o, &r));
	o = thesis(2, 20);
	EXPECT_EQ(0, equant_model_oscillation(&o, &r));
}

TEST(what_is_out_of_range_is_refused)
{
	struct equant_oscillation_result r;
	struct equant_oscillation o = thesis(1, 60);

	EXPECT_EQ(-EINVAL, equant_model_oscillation(&o, &r));
	o = thesis(2, 0);
	EXPECT_EQ(-EINVAL, equant_model_oscillation(&o, &r));
	o = thesis(2, 60);
	o.rmin = 0;
	EXPECT_EQ(-EINVAL, equant_model_oscillation(&o, &r));
	o.rmin = NAN;
	EXPECT_EQ(-EINVAL, equant_model_oscillation(&o, &r));
	o = thesis(2, 60);
	o.move_all = INFINITY;
	EXPECT_EQ(-EINVAL, equant_model_oscillation(&o, &r));
	o = thesis(2, 60);
	o.answer = 3;
	EXPECT_EQ(-EINVAL, equant_model_oscillation(&o, &r));
	o = thesis(2, 60);
	o.dedicated = 1.1;
	EXPECT_EQ(-EINVAL, equant_model_oscillation(&o, &r));
}

TEST_HARNESS_MAIN
