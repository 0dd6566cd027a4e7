// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Work in proportion to rates, eqs. 5.1-5.4, and the time it takes, eqs. 5.6, 5.7. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define RANKS_MOST 40

static const char *plan(struct text *text, const double *rates, int n, long total, long minimum)
{
	long counts[RANKS_MOST];
	int error = equant_distribute(rates, n, total, minimum, counts);

	if (error) {
		*text = (struct text){ .used = 0 };
		text_add(text, "error %d", error);
		return text->line;
	}
	return text_counts(text, counts, n);
}

#define PLAN(total, minimum, ...)                                          \
	plan(&(struct text){ .used = 0 }, (const double[]){ __VA_ARGS__ }, \
	     sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double), total, minimum)

TEST(work_is_proportional_to_rates)
{
	EXPECT_STREQ("50 25 25", PLAN(100, 0, 2, 1, 1));
	EXPECT_STREQ("100 0 200 300", PLAN(600, 0, 1, 0, 2, 3));
	EXPECT_STREQ("333 667", PLAN(1000, 1, 0.5, 1));
	EXPECT_STREQ("17", PLAN(17, 1, 3.5));
}

TEST(the_largest_remainders_get_what_is_left_and_ties_go_to_the_lower_rank)
{
	EXPECT_STREQ("4 3 3", PLAN(10, 0, 1, 1, 1));
	EXPECT_STREQ("4 4 3", PLAN(11, 0, 1, 1, 1));
	/* exact parts 1.4 1.6 4.0 */
	EXPECT_STREQ("1 2 4", PLAN(7, 0, 1.4, 1.6, 4));
	EXPECT_STREQ("1 1 0 0", PLAN(2, 1, 1, 1, 1, 1));
}

TEST(without_any_rate_work_is_split_evenly)
{
	EXPECT_STREQ("3 3 2", PLAN(8, 0, 0, 0, 0));
	EXPECT_STREQ("3 3 2", PLAN(8, 1, 0, 0, 0));
}

TEST(a_minimum_is_kept_where_the_total_allows_it)
{
	EXPECT_STREQ("1 99", PLAN(100, 1, 0, 5));
	EXPECT_STREQ("0 100", PLAN(100, 0, 0, 5));
	EXPECT_STREQ("1 1 1", PLAN(3, 1, 1, 1000, 1000000));
	EXPECT_STREQ("5 5 90", PLAN(100, 5, 1, 2, 1000));
	EXPECT_STREQ("29 11", PLAN(40, 10, 2.5, 1));
	EXPECT_STREQ("444 356 200", PLAN(1000, 200, 2.5, 2, 1));
	/* the rest is still in proportion: 1 : 2 of 97 */
	EXPECT_STREQ("1 32 65 1 1", PLAN(100, 1, 0.01, 100, 200, 0, 0.001));
	EXPECT_STREQ("0 1", PLAN(1, 1, 1, 2));
}

TEST(nothing_to_hand_out_is_handed_out)
{
	EXPECT_STREQ("0 0 0", PLAN(0, 1, 1, 2, 3));
}

TEST(rates_of_any_magnitude_are_rates)
{
	EXPECT_STREQ("5 5", PLAN(10, 1, 1.7e308, 1.7e308));
	EXPECT_STREQ("6 2", PLAN(8, 0, 1.5e308, 0.5e308));
	EXPECT_STREQ("5 5", PLAN(10, 1, 5e-324, 5e-324));
	EXPECT_STREQ("1 9", PLAN(10, 1, 5e-324, 1.7e308));
}

TEST(a_count_beyond_the_precision_of_double_stays_exact)
{
	struct random random = random_seeded();
	double rates[RANKS_MOST];
	long counts[RANKS_MOST];

	for (int round = 0; round < 20000; round++) {
		int n = 1 + (int)random_below(&random, RANKS_MOST);
		long total = LONG_MAX - random_below(&random, 1000);
		const long minima[] = { 0, 1, total / n };
		long minimum = minima[random_below(&random, 3)];

		for (int i = 0; i < n; i++)
			rates[i] = random_below(&random, 4) ? random_unit(&random) : 0;
		rates[0] = 1;
		ASSERT_EQ(0, equant_distribute(rates, n, total, minimum, counts));
		for (int i = 0; i < n; i++) {
			ASSERT_LE(minimum, counts[i]);
			ASSERT_TRUE(rates[i] > 0 || counts[i] == minimum);
			total -= counts[i];
		}
		ASSERT_EQ(0, total);
	}
}

TEST(a_minimum_beyond_the_precision_of_double_is_kept)
{
	struct random random = random_seeded();
	long counts[2];

	for (int round = 0; round < 20000; round++) {
		long minimum = 1 + random_below(&random, LONG_MAX / 2);
		double rates[2] = { (double)(LONG_MAX - minimum), (double)minimum };

		ASSERT_EQ(0, equant_distribute(rates, 2, LONG_MAX, minimum, counts));
		ASSERT_LE(minimum, counts[0]);
		ASSERT_LE(minimum, counts[1]);
		ASSERT_EQ(LONG_MAX, counts[0] + counts[1]);
	}
}

TEST(bad_arguments_are_refused)
{
	EXPECT_STREQ("error -22", PLAN(-1, 0, 1, 1));
	EXPECT_STREQ("error -22", PLAN(1, -1, 1, 1));
	EXPECT_STREQ("error -22", PLAN(1, 0, 1, -1));
	EXPECT_STREQ("error -22", PLAN(1, 0, 1, NAN));
	EXPECT_STREQ("error -22", PLAN(1, 0, 1, INFINITY));
	EXPECT_EQ(-EINVAL, equant_distribute((double[]){ 1 }, 0, 1, 0, (long[]){ 0 }));
	EXPECT_EQ(-EINVAL, equant_distribute((double[]){ 1 }, -3, 1, 0, (long[]){ 0 }));
}

static void random_rates(struct random *random, double *rates, int n)
{
	int kind = (int)random_below(random, 4);

	for (int i = 0; i < n; i++) {
		rates[i] = random_unit(random);
		if (kind == 1) /* many equal */
			rates[i] = (double)random_below(random, 3);
		else if (kind == 2) /* many magnitudes */
			rates[i] = ldexp(rates[i], (int)random_below(random, 60) - 30);
		else if (kind == 3 && random_below(random, 3) == 0)
			rates[i] = 0;
	}
}

TEST(the_sum_is_exact_and_every_part_within_one_unit)
{
	struct random random = random_seeded();
	double rates[RANKS_MOST], sum;
	long counts[RANKS_MOST];

	for (int round = 0; round < 100000; round++) {
		int n = 1 + (int)random_below(&random, RANKS_MOST);
		long total = random_below(&random, 1 + random_below(&random, 1000000));

		random_rates(&random, rates, n);
		sum = 0;
		for (int i = 0; i < n; i++)
			sum += rates[i];
		ASSERT_EQ(0, equant_distribute(rates, n, total, 0, counts));
		ASSERT_EQ(total, sum_of(counts, n));
		for (int i = 0; i < n && sum > 0; i++) {
			double exact = (double)total * rates[i] / sum;

			ASSERT_LE(0, counts[i]);
			ASSERT_TRUE(fabs((double)counts[i] - exact) < 1 + 1e-6);
			ASSERT_TRUE(rates[i] > 0 || counts[i] == 0);
		}
	}
}

/* Raises ranks below the minimum one pass after the other until none is left. */
static void naive_minimum(const double *rates, int n, long total, long minimum, double *exact)
{
	int fixed[RANKS_MOST] = { 0 };
	int changed;

	do {
		double sum = 0, rest = (double)total;

		changed = 0;
		for (int i = 0; i < n; i++) {
			if (fixed[i])
				rest -= (double)minimum;
			else
				sum += rates[i];
		}
		for (int i = 0; i < n; i++) {
			exact[i] = fixed[i] ? (double)minimum : rest * rates[i] / sum;
			if (!fixed[i] && exact[i] < (double)minimum) {
				fixed[i] = 1;
				changed = 1;
			}
		}
	} while (changed);
}

TEST(with_a_minimum_the_others_share_the_rest_in_proportion)
{
	struct random random = random_seeded();
	double rates[RANKS_MOST], exact[RANKS_MOST];
	long counts[RANKS_MOST];

	for (int round = 0; round < 50000; round++) {
		int n = 1 + (int)random_below(&random, RANKS_MOST);
		long minimum = random_below(&random, 4);
		long total = n * minimum + random_below(&random, 100000);

		for (int i = 0; i < n; i++)
			rates[i] = ldexp(1 + random_unit(&random), -(int)random_below(&random, 25));
		ASSERT_EQ(0, equant_distribute(rates, n, total, minimum, counts));
		ASSERT_EQ(total, sum_of(counts, n));
		naive_minimum(rates, n, total, minimum, exact);
		for (int i = 0; i < n; i++) {
			ASSERT_LE(minimum, counts[i]);
			ASSERT_TRUE(fabs((double)counts[i] - exact[i]) < 1 + 1e-6)
			{
				TH_LOG("rank %d of %d: %ld, exactly %g", i, n, counts[i], exact[i]);
			}
		}
	}
}

TEST(four_thousand_ranks_are_served)
{
	enum { N = 4096 };
	struct random random = random_seeded();
	double *rates = calloc(N, sizeof(*rates));
	long *counts = calloc(N, sizeof(*counts));

	ASSERT_TRUE(rates && counts);
	for (int i = 0; i < N; i++)
		rates[i] = 0.1 + random_unit(&random);
	ASSERT_EQ(0, equant_distribute(rates, N, 1000003, 1, counts));
	EXPECT_EQ(1000003, sum_of(counts, N));
	for (int i = 1; i < N; i++) {
		ASSERT_TRUE(rates[i] > rates[i - 1] ? counts[i] >= counts[i - 1] :
						      counts[i] <= counts[i - 1]);
	}
	free(rates);
	free(counts);
}

TEST(the_last_rank_to_finish_decides_the_time)
{
	EXPECT_TRUE(equant_time((double[]){ 2, 4 }, (long[]){ 10, 30 }, 2) == 7.5);
	EXPECT_TRUE(equant_time((double[]){ 2, 4 }, (long[]){ 0, 0 }, 2) == 0);
	EXPECT_TRUE(equant_time((double[]){ 2, 0 }, (long[]){ 10, 0 }, 2) == 5);
	EXPECT_TRUE(equant_time((double[]){ 2, 0 }, (long[]){ 10, 1 }, 2) == HUGE_VAL);
}

TEST(the_reduction_is_a_fraction_of_the_present_time)
{
	const double rates[] = { 1, 3 };

	EXPECT_TRUE(equant_reduction(rates, (long[]){ 20, 20 }, (long[]){ 10, 30 }, 2) == 0.5);
	EXPECT_TRUE(equant_reduction(rates, (long[]){ 10, 30 }, (long[]){ 20, 20 }, 2) == -1);
	EXPECT_TRUE(equant_reduction(rates, (long[]){ 0, 0 }, (long[]){ 0, 0 }, 2) == 0);
}

TEST(a_rank_that_never_finishes_makes_any_escape_a_full_reduction)
{
	const double rates[] = { 0, 3 };

	EXPECT_TRUE(equant_reduction(rates, (long[]){ 1, 20 }, (long[]){ 0, 21 }, 2) == 1);
	EXPECT_TRUE(equant_reduction(rates, (long[]){ 2, 20 }, (long[]){ 1, 21 }, 2) == 0);
	EXPECT_TRUE(equant_reduction(rates, (long[]){ 0, 21 }, (long[]){ 1, 20 }, 2) == -HUGE_VAL);
}

TEST_HARNESS_MAIN
