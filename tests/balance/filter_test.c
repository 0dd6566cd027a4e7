// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The filters of measured rates: Siegell 1995, section 5.4, eqs. 5.8 and 5.9, table 5.1. */
#include <math.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

static const char *const trend_names[] = {
	"DOWN3", "DOWN2", "DOWN1", "CONSTANT", "UP1", "UP2", "UP3",
};

/* A filter whose last output was @adjusted. */
static struct equant_filter standing_at(double adjusted, enum equant_filter_kind kind)
{
	struct equant_filter filter;

	equant_filter_init(&filter);
	filter.adjusted = adjusted;
	filter.kind = kind;
	return filter;
}

/* Feeds 2 (or 1/2) to a filter that stands at 1 and reads h off its output. */
static void describe(struct text *text, enum equant_trend trend, double raw)
{
	struct equant_filter filter = standing_at(1, EQUANT_FILTER_STATES);
	double adjusted;

	filter.trend = trend;
	adjusted = equant_filter_update(&filter, raw);
	text_add(text, "%s %s %s %.1f\n", raw > 1 ? "increase" : "decrease", trend_names[trend],
		 trend_names[filter.trend], (adjusted - raw) / (1 - raw));
}

TEST(every_row_of_table_5_1_holds)
{
	struct text text = { .used = 0 };

	for (int trend = EQUANT_TREND_DOWN3; trend <= EQUANT_TREND_UP3; trend++)
		describe(&text, trend, 2);
	for (int trend = EQUANT_TREND_DOWN3; trend <= EQUANT_TREND_UP3; trend++)
		describe(&text, trend, 0.5);
	EXPECT_STREQ("increase DOWN3 DOWN1 1.0\n"
		     "increase DOWN2 CONSTANT 1.0\n"
		     "increase DOWN1 UP1 1.0\n"
		     "increase CONSTANT UP1 0.8\n"
		     "increase UP1 UP2 0.6\n"
		     "increase UP2 UP3 0.4\n"
		     "increase UP3 UP3 0.2\n"
		     "decrease DOWN3 DOWN3 0.1\n"
		     "decrease DOWN2 DOWN3 0.1\n"
		     "decrease DOWN1 DOWN2 0.2\n"
		     "decrease CONSTANT DOWN1 0.3\n"
		     "decrease UP1 DOWN1 0.4\n"
		     "decrease UP2 DOWN1 0.5\n"
		     "decrease UP3 CONSTANT 0.6\n",
		     text.line);
}

TEST(the_first_value_passes_unfiltered)
{
	struct equant_filter filter;

	equant_filter_init(&filter);
	EXPECT_EQ(EQUANT_TREND_CONSTANT, filter.trend);
	EXPECT_TRUE(equant_filter_update(&filter, 123) == 123);
	EXPECT_EQ(EQUANT_TREND_CONSTANT, filter.trend);
	EXPECT_TRUE(filter.adjusted == 123);
	for (int kind = EQUANT_FILTER_NONE; kind <= EQUANT_FILTER_DIRECTION; kind++) {
		filter = standing_at(0, kind);
		EXPECT_TRUE(equant_filter_update(&filter, 123) == 123);
	}
}

TEST(the_state_machine_is_what_a_new_filter_has)
{
	struct equant_filter filter;

	equant_filter_init(&filter);
	EXPECT_EQ(EQUANT_FILTER_STATES, filter.kind);
}

TEST(staying_the_same_counts_as_an_increase)
{
	struct equant_filter filter = standing_at(7, EQUANT_FILTER_STATES);

	filter.trend = EQUANT_TREND_UP1;
	EXPECT_TRUE(near(equant_filter_update(&filter, 7), 7));
	EXPECT_EQ(EQUANT_TREND_UP2, filter.trend);
}

TEST(the_comparison_is_with_the_adjusted_rate_not_the_last_raw_one)
{
	struct equant_filter filter = standing_at(10, EQUANT_FILTER_STATES);

	/* adjusted = 0.2 * 20 + 0.8 * 10 = 12; 15 is less than 20 but more than 12 */
	EXPECT_TRUE(near(equant_filter_update(&filter, 20), 12));
	EXPECT_TRUE(near(equant_filter_update(&filter, 15), 0.4 * 15 + 0.6 * 12));
	EXPECT_EQ(EQUANT_TREND_UP2, filter.trend);
}

TEST(a_drop_is_followed_sooner_than_a_rise)
{
	struct equant_filter down = standing_at(1, EQUANT_FILTER_STATES);
	struct equant_filter up = standing_at(0.5, EQUANT_FILTER_STATES);

	equant_filter_update(&down, 0.5);
	equant_filter_update(&up, 1);
	EXPECT_LT(down.adjusted, 0.66);
	EXPECT_LT(up.adjusted, 0.61);
}

TEST(without_a_filter_every_rate_is_the_raw_one)
{
	struct equant_filter filter = standing_at(7, EQUANT_FILTER_NONE);

	EXPECT_TRUE(equant_filter_update(&filter, 3) == 3);
	EXPECT_TRUE(equant_filter_update(&filter, 0.1) == 0.1);
	EXPECT_TRUE(equant_filter_update(&filter, 1e9) == 1e9);
}

TEST(a_constant_history_damps_rises_and_falls_alike)
{
	struct equant_filter filter = standing_at(10, EQUANT_FILTER_CONSTANT);

	EXPECT_TRUE(near(equant_filter_update(&filter, 20), 12));
	EXPECT_TRUE(near(equant_filter_update(&filter, 2), 10));
	EXPECT_TRUE(near(equant_filter_update(&filter, 10), 10));
}

TEST(by_direction_a_single_fall_counts_four_times_a_rise)
{
	struct equant_filter filter = standing_at(10, EQUANT_FILTER_DIRECTION);

	EXPECT_TRUE(near(equant_filter_update(&filter, 20), 12));
	EXPECT_TRUE(near(equant_filter_update(&filter, 2), 4));
	/* more than the last raw rate, and more than the adjusted one */
	EXPECT_TRUE(near(equant_filter_update(&filter, 9), 5));
	/* less than the last raw rate, but a rise over the adjusted one */
	EXPECT_TRUE(near(equant_filter_update(&filter, 6), 5.2));
	EXPECT_TRUE(near(equant_filter_update(&filter, 5.2), 5.2));
}

TEST(only_the_state_machine_has_a_state)
{
	struct equant_filter constant = standing_at(1, EQUANT_FILTER_CONSTANT);
	struct equant_filter direction = standing_at(1, EQUANT_FILTER_DIRECTION);
	struct equant_filter none = standing_at(1, EQUANT_FILTER_NONE);

	for (int i = 0; i < 5; i++) {
		equant_filter_update(&constant, 2 + i);
		equant_filter_update(&direction, 2 + i);
		equant_filter_update(&none, 2 + i);
	}
	EXPECT_EQ(EQUANT_TREND_CONSTANT, constant.trend);
	EXPECT_EQ(EQUANT_TREND_CONSTANT, direction.trend);
	EXPECT_EQ(EQUANT_TREND_CONSTANT, none.trend);
}

/* Updates until a filter that stood at @from is within a tenth of the step to @to. */
static int updates(enum equant_filter_kind kind, double from, double to)
{
	struct equant_filter filter = standing_at(from, kind);
	int count = 0;

	do {
		equant_filter_update(&filter, to);
		count++;
	} while (fabs(filter.adjusted - to) > 0.1 * fabs(from - to));
	return count;
}

/* "responds more quickly to real load changes than the simpler filters" (fig. 5.6) */
TEST(a_real_change_is_followed_soonest_by_the_state_machine)
{
	EXPECT_EQ(1, updates(EQUANT_FILTER_NONE, 1, 0.5));
	EXPECT_EQ(11, updates(EQUANT_FILTER_CONSTANT, 1, 0.5));
	EXPECT_EQ(2, updates(EQUANT_FILTER_DIRECTION, 1, 0.5));
	EXPECT_EQ(2, updates(EQUANT_FILTER_STATES, 1, 0.5));
	EXPECT_EQ(11, updates(EQUANT_FILTER_CONSTANT, 0.5, 1));
	EXPECT_EQ(11, updates(EQUANT_FILTER_DIRECTION, 0.5, 1));
	EXPECT_EQ(4, updates(EQUANT_FILTER_STATES, 0.5, 1));
}

TEST(the_output_stays_between_the_extremes_of_the_input)
{
	struct random random = random_seeded();

	for (int kind = EQUANT_FILTER_NONE; kind <= EQUANT_FILTER_DIRECTION; kind++) {
		struct equant_filter filter = standing_at(0, kind);

		for (int i = 0; i < 100000; i++) {
			double raw = 50 + 100 * random_unit(&random);
			double adjusted = equant_filter_update(&filter, raw);

			ASSERT_TRUE(adjusted >= 50 && adjusted <= 150);
		}
	}
}

TEST_HARNESS_MAIN
