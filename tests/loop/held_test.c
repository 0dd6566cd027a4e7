// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The age of a share and the time for which shares hold, from readings that come when they come. */
#include <math.h>

#include "kselftest_harness.h"
#include "libloop.h"
#include "loop/held.h"

#define MS 1000000ull
#define QUANTUM (4 * MS)

FIXTURE(held)
{
	struct equant_held held;
	struct random random;
};

FIXTURE_SETUP(held)
{
	self->random = random_from(1);
}

FIXTURE_TEARDOWN(held)
{
}

/* At @now ms the share is @share since @epoch ms, after so many changes. */
static void note(struct equant_held *held, double now, double share, double epoch, uint32_t changes)
{
	equant_held_note(held, &(struct equant_status){
				       .now.t_ns = (uint64_t)(now * MS),
				       .settled = share,
				       .t_epoch_ns = (uint64_t)(epoch * MS),
				       .changes = changes,
				       .quantum_ns = QUANTUM,
			       });
}

static int near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

TEST_F(held, a_share_is_as_old_as_its_epoch)
{
	note(&self->held, 500, 0.5, 498, 0);
	EXPECT_TRUE(near(0.002, equant_held_age(&self->held)));
	note(&self->held, 600, 0.5, 498, 0);
	EXPECT_TRUE(near(0.102, equant_held_age(&self->held)));
}

TEST_F(held, drift_is_not_a_change)
{
	note(&self->held, 500, 0.5, 400, 0);
	note(&self->held, 600, 0.52, 590, 0);
	EXPECT_TRUE(near(0.2, equant_held_age(&self->held)));
}

TEST_F(held, a_share_that_comes_back_after_a_visit_is_as_old_as_it_was)
{
	note(&self->held, 500, 0.5, 400, 0);
	note(&self->held, 600, 0.2, 597, 0);
	EXPECT_TRUE(near(0.003, equant_held_age(&self->held)));
	note(&self->held, 610, 0.5, 602, 0);
	EXPECT_TRUE(near(0.21, equant_held_age(&self->held)));
}

TEST_F(held, a_share_that_was_older_than_a_quantum_was_no_visit)
{
	note(&self->held, 500, 0.5, 400, 0);
	note(&self->held, 600, 0.2, 595, 0);
	EXPECT_TRUE(near(0.005, equant_held_age(&self->held)));
	note(&self->held, 610, 0.5, 602, 0);
	EXPECT_TRUE(near(0.008, equant_held_age(&self->held)));
}

/* A load that comes and goes every @hold ms from 0 on, looked at every so often; the last mean. */
static double mean_of(FIXTURE_DATA(held) * self, double hold, double until, double least,
		      double most)
{
	double mean = 0;

	for (double now = 1; now < until; now += 1 + 90 * random_unit(&self->random)) {
		uint32_t changes = (uint32_t)(now / hold);

		note(&self->held, now, changes % 2 ? 1 : 0.5, hold * changes, changes);
		mean = equant_held_mean(&self->held);
		if (now > 4100 && mean > 0 && (mean < least || mean > most))
			return -mean;
	}
	return mean;
}

TEST_F(held, the_mean_does_not_depend_on_when_it_is_asked_for)
{
	static const double holds[] = { 95, 250, 700, 1000, 1300 };

	for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
		double hold = holds[i] * 1e-3;

		self->held = (struct equant_held){ 0 };
		EXPECT_TRUE(near(hold, mean_of(self, holds[i], 30000, hold - 1e-6, hold + 1e-6)))
		TH_LOG("hold %g", hold);
	}
}

TEST_F(held, changes_that_are_not_seen_are_counted)
{
	for (double hold = 5; hold < 50; hold += 5) {
		double least = hold * 0.9e-3, most = hold * 1.1e-3, mean;

		self->held = (struct equant_held){ 0 };
		mean = mean_of(self, hold, 30000, least, most);
		EXPECT_TRUE(least < mean && mean < most)
		TH_LOG("hold %g ms: %g", hold, mean);
	}
}

TEST_F(held, a_look_that_always_finds_the_same_share_is_not_fooled)
{
	for (int i = 0; i < 100; i++)
		note(&self->held, 100 * i + 20, 0.5, 100 * i, 2 * i);
	EXPECT_LT(0.045, equant_held_mean(&self->held));
	EXPECT_GT(0.055, equant_held_mean(&self->held));
}

TEST_F(held, what_is_not_known_yet_was_quiet)
{
	note(&self->held, 1, 0.5, 0, 0);
	note(&self->held, 251, 1, 250, 1);
	EXPECT_EQ(0, equant_held_mean(&self->held));
	note(&self->held, 501, 0.5, 500, 2);
	EXPECT_TRUE(near(1, equant_held_mean(&self->held)));
	note(&self->held, 1001, 0.5, 1000, 4);
	EXPECT_TRUE(near(0.5, equant_held_mean(&self->held)));
}

TEST_F(held, a_load_that_stays_is_soon_taken_for_one_that_stays)
{
	EXPECT_TRUE(near(0.25, mean_of(self, 250, 8000, 0.25 - 1e-6, 0.25 + 1e-6)));
	for (double now = 8000; now < 12200; now += 100)
		note(&self->held, now, 1, 7750, 31);
	EXPECT_EQ(0, equant_held_mean(&self->held));
}

TEST_HARNESS_MAIN
