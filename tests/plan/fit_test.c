// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Speeds and message costs fitted to disturbed samples. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "libplan.h"

#include "kselftest_harness.h"

#define SAMPLES 60

FIXTURE(fit)
{
	struct random random;
	struct equant_plan_sample samples[SAMPLES];
	struct equant_plan_line line;
};

FIXTURE_SETUP(fit)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(fit)
{
}

/* fixed + each x amount, off by up to @noise of itself. */
static void sample(FIXTURE_DATA(fit) * self, int i, long amount, double fixed, double each,
		   double noise)
{
	self->samples[i].amount = (double)amount;
	self->samples[i].time = (fixed + each * (double)amount) *
				(1 + noise * (2 * random_unit(&self->random) - 1));
}

static long amount_of(FIXTURE_DATA(fit) * self)
{
	return 1L << random_below(&self->random, 18);
}

TEST_F(fit, what_is_not_disturbed_is_found_exactly)
{
	for (int i = 0; i < SAMPLES; i++)
		sample(self, i, amount_of(self), 2414.5e-6, 1 / 0.96e6, 0);
	ASSERT_EQ(0, equant_plan_fit(self->samples, SAMPLES, &self->line));
	EXPECT_LT(fabs(self->line.fixed / 2414.5e-6 - 1), 1e-9);
	EXPECT_LT(fabs(self->line.each * 0.96e6 - 1), 1e-9);
	EXPECT_EQ(SAMPLES, self->line.used);
	EXPECT_LT(self->line.error, 1e-9);
}

/* The largest error of the line at any amount, as a part of what is right. */
static double error_of(const struct equant_plan_line *line, double fixed, double each)
{
	double largest = 0;

	for (double amount = 1; amount <= 1 << 18; amount *= 8) {
		double found = line->fixed + line->each * amount;

		largest = fmax(largest, fabs(found / (fixed + each * amount) - 1));
	}
	return largest;
}

/*
 * Each amount as often, so that the others do tell the line: of amounts drawn at random the large
 * ones may be too few for any fit.
 */
TEST_F(fit, a_third_of_the_samples_may_be_many_times_too_long)
{
	for (int round = 0; round < 200; round++) {
		double fixed = 1e-6 + 1e-4 * random_unit(&self->random);
		double each = 1e-10 + 1e-8 * random_unit(&self->random);

		for (int i = 0; i < SAMPLES; i++)
			sample(self, i, 1L << i / 3 % 18, fixed, each, 0.02);
		for (int i = 0; i < SAMPLES; i += 3)
			self->samples[i].time *= 2 + 50 * random_unit(&self->random);
		ASSERT_EQ(0, equant_plan_fit(self->samples, SAMPLES, &self->line));
		EXPECT_LT(error_of(&self->line, fixed, each), 0.05);
		EXPECT_GE(self->line.used, SAMPLES / 2);
		EXPECT_LT(self->line.error, 0.05);
	}
}

/* In one of these the nearest half are short samples only, and all long ones look disturbed. */
TEST_F(fit, few_long_samples_among_many_short_ones_count)
{
	self->random = random_from(2);
	for (int round = 0; round < 300; round++) {
		struct equant_plan_sample good[SAMPLES];
		struct equant_plan_line expected;
		int count = 0;

		for (int i = 0; i < SAMPLES; i++) {
			sample(self, i, amount_of(self), 5.5e-5, 1.3e-10, 0.02);
			if (i % 3)
				good[count++] = self->samples[i];
			else
				self->samples[i].time *= 2 + 50 * random_unit(&self->random);
		}
		ASSERT_EQ(0, equant_plan_fit(self->samples, SAMPLES, &self->line));
		ASSERT_EQ(0, equant_plan_fit(good, count, &expected));
		EXPECT_LT(error_of(&self->line, expected.fixed, expected.each), 0.05);
	}
}

/* More than all pairs are tried of; as a trial run takes them, in turn a long and a short one. */
TEST_F(fit, the_order_of_samples_does_not_matter)
{
	struct equant_plan_sample many[126], back[126];
	struct equant_plan_line line;

	for (int i = 0; i < 126; i++) {
		sample(self, 0, i % 2 ? 1000 : 2000, 1e-3, 1e-6, 0.02);
		if (i % 3 == 0)
			self->samples[0].time *= 10;
		many[i] = back[125 - i] = self->samples[0];
	}
	ASSERT_EQ(0, equant_plan_fit(many, 126, &self->line));
	ASSERT_EQ(0, equant_plan_fit(back, 126, &line));
	EXPECT_TRUE(line.fixed == self->line.fixed && line.each == self->line.each);
}

TEST_F(fit, neither_number_is_negative)
{
	struct equant_plan_sample falling[] = { { 1, 3 }, { 2, 2 }, { 3, 1 } };
	struct equant_plan_sample steep[] = { { 1, 1 }, { 2, 3 }, { 3, 5 } };
	struct equant_plan_sample one[] = { { 4, 2 }, { 4, 2 } };

	ASSERT_EQ(0, equant_plan_fit(falling, 3, &self->line));
	EXPECT_EQ(0, self->line.each);
	EXPECT_GT(self->line.fixed, 0);
	ASSERT_EQ(0, equant_plan_fit(steep, 3, &self->line));
	EXPECT_EQ(0, self->line.fixed);
	EXPECT_GT(self->line.each, 1);
	/* One amount does not tell a time per thing. */
	ASSERT_EQ(0, equant_plan_fit(one, 2, &self->line));
	EXPECT_EQ(0, self->line.each);
	EXPECT_EQ(2, self->line.fixed);
}

TEST_F(fit, samples_that_cannot_be_are_refused)
{
	struct equant_plan_sample bad[][1] = { { { -1, 1 } },	   { { 1, 0 } },
					       { { 1, -1 } },	   { { NAN, 1 } },
					       { { 1, NAN } },	   { { INFINITY, 1 } },
					       { { 1, INFINITY } } };

	for (int k = 0; k < 7; k++)
		EXPECT_EQ(-EINVAL, equant_plan_fit(bad[k], 1, &self->line));
	EXPECT_EQ(-EINVAL, equant_plan_fit(bad[0], 0, &self->line));
	EXPECT_EQ(-EINVAL, equant_plan_fit(bad[0], EQUANT_PLAN_SAMPLES + 1, &self->line));
	for (int k = 0; k < 2; k++) {
		double amount = k ? 1 : 1e200, time = k ? 1e-170 : 1;
		const struct equant_plan_sample far[] = { { amount, time },
							  { 2 * amount, 2 * time },
							  { 3 * amount, 3 * time } };

		EXPECT_EQ(-EINVAL, equant_plan_fit(far, 3, &self->line));
	}
}

#define PROCESSORS 7

TEST_F(fit, pairs_give_what_is_each_processors)
{
	double each[PROCESSORS], pairs[PROCESSORS * PROCESSORS], found[PROCESSORS];

	for (int i = 0; i < PROCESSORS; i++)
		each[i] = 1e-5 * (1 + random_unit(&self->random));
	for (int i = 0; i < PROCESSORS; i++)
		for (int j = 0; j < PROCESSORS; j++)
			pairs[i * PROCESSORS + j] = (each[i] + each[j]) / 2;
	ASSERT_EQ(0, equant_plan_fit_pairs(pairs, PROCESSORS, found));
	for (int i = 0; i < PROCESSORS; i++)
		EXPECT_LT(fabs(found[i] - each[i]), 1e-15);
	ASSERT_EQ(0, equant_plan_fit_pairs((double[]){ 0, 3, 3, 0 }, 2, found));
	EXPECT_EQ(3, found[0]);
	EXPECT_EQ(3, found[1]);
	ASSERT_EQ(0, equant_plan_fit_pairs((double[]){ 0 }, 1, found));
	EXPECT_EQ(0, found[0]);
	EXPECT_EQ(-EINVAL, equant_plan_fit_pairs((double[]){ 0, 3, 2, 0 }, 2, found));
	EXPECT_EQ(-EINVAL, equant_plan_fit_pairs((double[]){ 0, INFINITY, INFINITY, 0 }, 2, found));
}

static double misfit(const double *pairs, const double *each, int p)
{
	double sum = 0;

	for (int i = 0; i < p; i++) {
		for (int j = 0; j < i; j++) {
			double error = (each[i] + each[j]) / 2 - pairs[i * p + j];

			sum += error * error;
		}
	}
	return sum;
}

/* Of the three, the first would get -5 and the others 9; beside nothing for it, 22 / 3 fit best. */
TEST_F(fit, who_would_get_less_than_nothing_is_left_out_of_the_fit)
{
	double three[] = { 0, 2, 2, 2, 0, 9, 2, 9, 0 };
	double pairs[PROCESSORS * PROCESSORS], found[PROCESSORS], moved[PROCESSORS];

	ASSERT_EQ(0, equant_plan_fit_pairs(three, 3, found));
	EXPECT_EQ(0, found[0]);
	EXPECT_LT(fabs(found[1] - 22.0 / 3), 1e-12);
	EXPECT_LT(fabs(found[2] - 22.0 / 3), 1e-12);
	for (int round = 0; round < 100; round++) {
		double best;

		for (int i = 0; i < PROCESSORS; i++)
			for (int j = 0; j < i; j++)
				pairs[i * PROCESSORS + j] = pairs[j * PROCESSORS + i] =
					random_unit(&self->random);
		ASSERT_EQ(0, equant_plan_fit_pairs(pairs, PROCESSORS, found));
		best = misfit(pairs, found, PROCESSORS);
		for (int i = 0; i < PROCESSORS; i++) {
			ASSERT_TRUE(found[i] >= 0);
			for (int up = 0; up < 2; up++) {
				memcpy(moved, found, sizeof(moved));
				moved[i] = fmax(found[i] + (up ? 1e-3 : -1e-3), 0);
				ASSERT_TRUE(misfit(pairs, moved, PROCESSORS) >= best - 1e-12);
			}
		}
	}
}

TEST_HARNESS_MAIN
