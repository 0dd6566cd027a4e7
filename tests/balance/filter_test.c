// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The filter of measured rates: Siegell 1995, eqs. 5.8 and 5.9, table 5.1. */
#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

static const char *const trend_names[] = {
	"DOWN3", "DOWN2", "DOWN1", "CONSTANT", "UP1", "UP2", "UP3",
};

/* Feeds 2 (or 1/2) to a filter that stands at 1 and reads h off its output. */
static void describe(struct text *text, enum equant_trend trend, double raw)
{
	struct equant_filter filter = { .adjusted = 1, .trend = trend };
	double adjusted = equant_filter_update(&filter, raw);

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
}

TEST(staying_the_same_counts_as_an_increase)
{
	struct equant_filter filter = { .adjusted = 7, .trend = EQUANT_TREND_UP1 };

	EXPECT_TRUE(near(equant_filter_update(&filter, 7), 7));
	EXPECT_EQ(EQUANT_TREND_UP2, filter.trend);
}

TEST(the_comparison_is_with_the_adjusted_rate_not_the_last_raw_one)
{
	struct equant_filter filter = { .adjusted = 10, .trend = EQUANT_TREND_CONSTANT };

	/* adjusted = 0.2 * 20 + 0.8 * 10 = 12; 15 is less than 20 but more than 12 */
	EXPECT_TRUE(near(equant_filter_update(&filter, 20), 12));
	EXPECT_TRUE(near(equant_filter_update(&filter, 15), 0.4 * 15 + 0.6 * 12));
	EXPECT_EQ(EQUANT_TREND_UP2, filter.trend);
}

TEST(a_drop_is_followed_sooner_than_a_rise)
{
	struct equant_filter down = { .adjusted = 1, .trend = EQUANT_TREND_CONSTANT };
	struct equant_filter up = { .adjusted = 0.5, .trend = EQUANT_TREND_CONSTANT };

	equant_filter_update(&down, 0.5);
	equant_filter_update(&up, 1);
	EXPECT_LT(down.adjusted, 0.66);
	EXPECT_LT(up.adjusted, 0.61);
}

TEST(the_output_stays_between_the_extremes_of_the_input)
{
	struct random random = random_seeded();
	struct equant_filter filter;

	equant_filter_init(&filter);
	for (int i = 0; i < 100000; i++) {
		double adjusted = equant_filter_update(&filter, 50 + 100 * random_unit(&random));

		ASSERT_TRUE(adjusted >= 50 && adjusted <= 150);
	}
}

TEST_HARNESS_MAIN
