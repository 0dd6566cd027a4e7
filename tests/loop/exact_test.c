// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Sums without rounding. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/exact.h"
#include "kselftest_harness.h"
#include "random.h"

#define COUNT 1000

static double sum_of(const double *values, long n)
{
	struct equant_exact sum = { 0 };

	equant_exact_add(&sum, values, n);
	return equant_exact_value(&sum);
}

#define SUM(...)                                \
	sum_of((const double[]){ __VA_ARGS__ }, \
	       (long)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)))

static int same_bits(double a, double b)
{
	return !memcmp(&a, &b, sizeof(a));
}

/* Any finite double: all exponents are equally likely. */
static double any_double(struct random *random)
{
	uint64_t bits = random_next(random);
	double value;

	if ((bits >> 52 & 0x7ff) == 0x7ff)
		bits ^= 1ull << 55;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void shuffle(struct random *random, double *values, long n)
{
	for (long i = n - 1; i > 0; i--) {
		long j = random_below(random, i + 1);
		double swapped = values[i];

		values[i] = values[j];
		values[j] = swapped;
	}
}

TEST(one_number_is_its_own_sum)
{
	struct random random = random_seeded();
	const double golden[] = { 1,
				  -1,
				  0.1,
				  DBL_MAX,
				  -DBL_MAX,
				  DBL_MIN,
				  DBL_TRUE_MIN,
				  -DBL_TRUE_MIN,
				  0x1.fffffffffffffp-1022 };

	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++)
		EXPECT_TRUE(same_bits(golden[i], SUM(golden[i])));
	for (int i = 0; i < 100000; i++) {
		double value = any_double(&random);

		EXPECT_TRUE(value == SUM(value));
	}
}

TEST(what_rounding_would_lose_is_kept)
{
	EXPECT_TRUE(same_bits(1, SUM(1e308, 1, -1e308)));
	EXPECT_TRUE(same_bits(DBL_TRUE_MIN, SUM(DBL_MAX, DBL_TRUE_MIN, -DBL_MAX)));
	EXPECT_TRUE(same_bits(DBL_MAX, SUM(DBL_MAX, DBL_MAX, -DBL_MAX)));
	EXPECT_TRUE(same_bits(-3, SUM(0x1p60, -1, 0x1p100, -2, -0x1p60, -0x1p100)));
	EXPECT_TRUE(same_bits(0, SUM(0.1, 0.2, -0.2, -0.1)));
	EXPECT_TRUE(same_bits(0, SUM(-0.0, -0.0)));
}

TEST(the_sum_is_the_nearest_double_and_a_tie_is_even)
{
	/* 1 and half a unit in its last place: to even, and past it with anything more */
	EXPECT_TRUE(same_bits(1, SUM(1, 0x1p-53)));
	EXPECT_TRUE(same_bits(1 + 0x1p-52, SUM(1, 0x1p-53, DBL_TRUE_MIN)));
	EXPECT_TRUE(same_bits(1, SUM(1, 0x1p-53, -DBL_TRUE_MIN)));
	EXPECT_TRUE(same_bits(1 + 0x1p-51, SUM(1 + 0x1p-52, 0x1p-53)));
	EXPECT_TRUE(same_bits(-1 - 0x1p-52, SUM(-1, -0x1p-53, -0x1p-80)));
	/* a carry through all bits */
	EXPECT_TRUE(same_bits(2, SUM(0x1.fffffffffffffp0, 0x1p-53)));
	EXPECT_TRUE(same_bits(INFINITY, SUM(DBL_MAX, DBL_MAX)));
}

TEST(infinities_and_what_is_no_number_come_through)
{
	EXPECT_TRUE(same_bits(INFINITY, SUM(1, INFINITY, -5)));
	EXPECT_TRUE(same_bits(-INFINITY, SUM(-INFINITY, DBL_MAX)));
	EXPECT_TRUE(isnan(SUM(INFINITY, -INFINITY)));
	EXPECT_TRUE(isnan(SUM(1, NAN, 2)));
}

TEST(neither_order_nor_grouping_changes_a_bit)
{
	struct random random = random_seeded();
	double values[COUNT], whole;

	for (int round = 0; round < 200; round++) {
		struct equant_exact parts[7] = { 0 }, all = { 0 };

		for (int i = 0; i < COUNT; i++)
			values[i] = any_double(&random);
		whole = sum_of(values, COUNT);
		shuffle(&random, values, COUNT);
		EXPECT_TRUE(same_bits(whole, sum_of(values, COUNT)));
		for (int i = 0; i < COUNT; i++)
			equant_exact_add(&parts[random_below(&random, 7)], &values[i], 1);
		for (int p = 0; p < 7; p++)
			for (int w = 0; w < EQUANT_EXACT_WORDS; w++)
				((int64_t *)&all)[w] += ((int64_t *)&parts[p])[w];
		EXPECT_TRUE(same_bits(whole, equant_exact_value(&all)));
	}
}

/* Terms of one exponent are integers: 128 bits hold their sum, and say how it rounds. */
TEST(sums_of_integers_are_those_of_integer_arithmetic)
{
	struct random random = random_seeded();

	for (int round = 0; round < 10000; round++) {
		double values[64];
		__int128 sum = 0;

		for (int i = 0; i < 64; i++) {
			int64_t term = (int64_t)random_next(&random) >>
				       (11 + random_below(&random, 40));

			values[i] = (double)term;
			sum += term;
		}
		EXPECT_TRUE(same_bits((double)sum, sum_of(values, 64)));
	}
}

TEST_HARNESS_MAIN
