// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Speeds and message costs fitted to disturbed samples. */
#include <errno.h>
#include <math.h>

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

/* Samples of fixed + each x amount, off by up to @noise of themselves. */
static void sample(FIXTURE_DATA(fit) * self, double fixed, double each, double noise)
{
	for (int i = 0; i < SAMPLES; i++) {
		double amount = (double)(1 << random_below(&self->random, 18));

		self->samples[i].amount = amount;
		self->samples[i].time = (fixed + each * amount) *
					(1 + noise * (2 * random_unit(&self->random) - 1));
	}
}

TEST_F(fit, what_is_not_disturbed_is_found_exactly)
{
	sample(self, 2414.5e-6, 1 / 0.96e6, 0);
	ASSERT_EQ(0, equant_plan_fit(self->samples, SAMPLES, &self->line));
	EXPECT_LT(fabs(self->line.fixed / 2414.5e-6 - 1), 1e-9);
	EXPECT_LT(fabs(self->line.each * 0.96e6 - 1), 1e-9);
	EXPECT_EQ(SAMPLES, self->line.used);
	EXPECT_LT(self->line.error, 1e-9);
}

static int is_near(const struct equant_plan_line *line, double fixed, double each)
{
	for (double amount = 1; amount <= 1 << 18; amount *= 8) {
		double found = line->fixed + line->each * amount;

		if (fabs(found / (fixed + each * amount) - 1) > 0.05)
			return 0;
	}
	return 1;
}

/* Of 20,000 rounds 3 were off by more: where one end of the line had few good samples. */
TEST_F(fit, a_third_of_the_samples_may_be_many_times_too_long)
{
	int off = 0;

	for (int round = 0; round < 200; round++) {
		double fixed = 1e-6 + 1e-4 * random_unit(&self->random);
		double each = 1e-10 + 1e-8 * random_unit(&self->random);

		sample(self, fixed, each, 0.02);
		for (int i = 0; i < SAMPLES; i += 3)
			self->samples[i].time *= 2 + 50 * random_unit(&self->random);
		ASSERT_EQ(0, equant_plan_fit(self->samples, SAMPLES, &self->line));
		off += !is_near(&self->line, fixed, each);
		EXPECT_GE(self->line.used, SAMPLES / 2);
		EXPECT_LT(self->line.error, 0.05);
	}
	EXPECT_LE(off, 2);
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
}

TEST_HARNESS_MAIN
