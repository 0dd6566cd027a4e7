// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Trials of other block sizes, on loops whose speed depends on them. */
#include <equant/advise.h>
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libloop.h"
#include "loop/pipeline.h"

#define SWEEPS 300

/**
 * struct swept - a loop, and what it costs
 * @pace: CPU seconds of an iteration by block size
 * @noise: of a sweep, its part of the time at most
 * @message: seconds that each strip takes beyond what the model knows
 * @lasted: the last sweep, seconds; @elapsed: all of them, undisturbed
 */
struct swept {
	struct equant_strips strips;
	double (*pace)(long block);
	double noise;
	double message;
	struct random random;
	struct equant_trials trials;
	long block;
	double lasted, elapsed;
};

#define swept_in(time) ((struct equant_swept){ .pace = (time)*1e-6, .seconds = (time) })

static double even(long block)
{
	(void)block;
	return 2e-9;
}

/* As of SOR: less than twenty rows overlap. */
static double short_is_fast(long block)
{
	return block >= 20 ? 2e-9 : 1e-9 + 0.5e-10 * (double)block;
}

static double long_is_fast(long block)
{
	return 1e-9 + 40e-9 / (double)block;
}

/* As of SOR's columns of 2000 rows. */
static double half_is_slow(long block)
{
	return block < 5 ? 5e-9 : block < 9 ? 11e-9 : block < 16 ? 9e-9 : 7.5e-9;
}

static double six_is_fast(long block)
{
	return 2e-9 + 0.2e-9 * fabs((double)block - 6);
}

static struct swept loop_of(double (*pace)(long block), double shift_fixed)
{
	/* One seed a process is enough to say. */
	static struct random random;

	if (!random.state)
		random = random_seeded();
	return (struct swept){
		.strips = { .ranks = 2,
			    .iterations = 1000,
			    .units = 500,
			    .unit_time = pace(50),
			    .shift_fixed = shift_fixed,
			    .byte_time = 1e-10,
			    .bytes = 8 },
		.pace = pace,
		.random = random,
	};
}

static double part(struct random *random)
{
	return (double)random_below(random, 1000000) / 1e6;
}

static void sweep(struct swept *s)
{
	struct equant_block best;
	double disturbed = 1 + s->noise * part(&s->random);
	struct equant_swept last = { .pace = s->block ? s->strips.unit_time : 0,
				     .seconds = s->lasted };

	if (equant_block_size(&s->strips, &best, NULL, 0))
		abort();
	s->block = equant_trials_block(&s->trials, &s->strips, best.size, &last);
	s->strips.unit_time = s->pace(s->block);
	s->lasted = equant_strips_time(&s->strips, s->block) +
		    s->message * (double)(s->strips.iterations / s->block);
	s->elapsed += s->lasted;
	s->lasted *= disturbed;
	s->strips.unit_time *= disturbed;
}

static double sweeps(struct swept *s, int count)
{
	s->elapsed = 0;
	for (int i = 0; i < count; i++)
		sweep(s);
	return s->elapsed;
}

/* The time of as many sweeps with the best of all block sizes. */
static double least(const struct swept *s, int count)
{
	struct equant_strips strips = s->strips;
	double least = HUGE_VAL;

	for (long block = 1; block <= strips.iterations; block++) {
		double time;

		strips.unit_time = s->pace(block);
		time = equant_strips_time(&strips, block);
		least = time < least ? time : least;
	}
	return count * least;
}

TEST(the_block_stays_the_modelled_one_where_all_are_equally_fast)
{
	struct swept s = loop_of(even, 20e-6);

	sweeps(&s, SWEEPS);
	EXPECT_EQ(0, s.trials.found);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.01 * least(&s, SWEEPS));
}

TEST(noise_is_no_gain)
{
	struct swept s = loop_of(even, 20e-6);

	s.noise = 0.1;
	sweeps(&s, SWEEPS);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.02 * least(&s, SWEEPS));
}

TEST(short_strips_are_found_where_they_are_faster)
{
	struct swept s = loop_of(short_is_fast, 1e-6);
	struct equant_block modelled;

	EXPECT_EQ(0, equant_block_size(&s.strips, &modelled, NULL, 0));
	EXPECT_LE(20, modelled.size);
	sweeps(&s, 100);
	EXPECT_LT(s.block, modelled.size / 2);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.04 * least(&s, SWEEPS));
}

TEST(noise_does_not_hide_them)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	s.noise = 0.1;
	sweeps(&s, 100);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.06 * least(&s, SWEEPS));
}

/* Half of 10 to 20 is slow, a quarter is fast, and twice as much is better than nothing. */
TEST(a_quarter_is_found_where_half_is_slow)
{
	for (int fixed = 5; fixed <= 16; fixed++) {
		struct swept s = loop_of(half_is_slow, 1e-7 * fixed);

		s.noise = 0.05;
		sweeps(&s, 100);
		EXPECT_LE(sweeps(&s, SWEEPS), 1.06 * least(&s, SWEEPS))
		TH_LOG("with %g us per message %ld", 0.1 * fixed, s.block);
	}
}

TEST(lengths_between_powers_of_two_are_found)
{
	struct swept s = loop_of(six_is_fast, 1e-7);

	sweeps(&s, 150);
	EXPECT_EQ(6, s.trials.found);
}

TEST(long_strips_are_found_where_they_are_faster)
{
	struct swept s = loop_of(long_is_fast, 1e-6);

	sweeps(&s, 100);
	EXPECT_LT(s.trials.modelled, s.trials.found);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.06 * least(&s, SWEEPS));
}

TEST(what_computes_faster_and_takes_longer_is_not_kept)
{
	struct swept s = loop_of(short_is_fast, 1e-6);
	long first;

	s.message = 60e-6;
	sweeps(&s, 2);
	first = s.block;
	sweeps(&s, SWEEPS);
	EXPECT_EQ(0, s.trials.found)
	TH_LOG("first %ld, now %ld", first, s.block);
}

TEST(what_the_model_finds_dear_is_not_tried)
{
	struct swept s = loop_of(short_is_fast, 600e-6);
	long first;

	sweeps(&s, 2);
	first = s.block;
	for (int i = 0; i < SWEEPS; i++) {
		sweep(&s);
		EXPECT_LE(first / 2, s.block);
	}
	EXPECT_LE(sweeps(&s, SWEEPS), 1.02 * least(&s, SWEEPS));
}

TEST(what_was_found_follows_the_model_when_costs_change)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	sweeps(&s, SWEEPS);
	s.strips.units = 100;
	sweeps(&s, SWEEPS);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.05 * least(&s, SWEEPS));
	s.strips.shift_fixed = 600e-6;
	sweeps(&s, 2 * SWEEPS);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.05 * least(&s, SWEEPS));
}

TEST(a_block_is_never_empty_nor_longer_than_the_loop)
{
	for (long iterations = 1; iterations < 40; iterations++) {
		struct swept s = loop_of(iterations % 2 ? short_is_fast : long_is_fast, 1e-7);

		s.strips.iterations = iterations;
		s.noise = 0.5;
		for (int i = 0; i < SWEEPS; i++) {
			sweep(&s);
			EXPECT_LE(1, s.block);
			EXPECT_LE(s.block, iterations);
		}
	}
}

TEST(sweeps_of_varying_lengths_are_cut_into_strips_that_fit)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	s.noise = 0.5;
	for (int i = 0; i < 10 * SWEEPS; i++) {
		s.strips.iterations = 1 + random_below(&s.random, 300);
		sweep(&s);
		EXPECT_LE(1, s.block);
		EXPECT_LE(s.block, s.strips.iterations);
	}
}

/* The model's block changes from sweep to sweep where a competitor comes and goes. */
TEST(a_trial_compares_two_blocks_and_no_more)
{
	struct swept s = loop_of(short_is_fast, 1e-6);
	long seen[2] = { 0, 0 };

	for (int i = 0; i < 6; i++) {
		s.strips.unit_time *= i % 2 ? 1.1 : 0.9;
		s.block =
			equant_trials_block(&s.trials, &s.strips, i % 3 ? 20 : 35, &swept_in(1e-3));
		if (seen[i % 2])
			EXPECT_EQ(seen[i % 2], s.block);
		seen[i % 2] = s.block;
	}
	EXPECT_NE(seen[0], seen[1]);
}

/* Between trials; a block that is a little shorter than the one found may be much slower. */
TEST(what_was_found_stays_while_the_model_wavers)
{
	struct swept s = loop_of(short_is_fast, 1e-6);
	long modelled, found;

	for (int i = 0; i < SWEEPS && (s.trials.step || !s.trials.found); i++)
		sweep(&s);
	ASSERT_LT(0, s.trials.found);
	ASSERT_LT(20, s.trials.pause);
	modelled = s.trials.modelled;
	found = equant_trials_block(&s.trials, &s.strips, modelled, &swept_in(1e-3));
	for (int i = 0; i < 16; i++)
		EXPECT_EQ(found, equant_trials_block(&s.trials, &s.strips,
						     i % 2 ? 3 * modelled / 4 : 5 * modelled / 4,
						     &swept_in(1e-3)));
	EXPECT_EQ(found, equant_trials_block(&s.trials, &s.strips, 3 * modelled, &swept_in(1e-3)));
}

TEST(what_was_found_goes_where_the_model_finds_it_dear)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	for (int i = 0; i < SWEEPS && (s.trials.step || !s.trials.found); i++)
		sweep(&s);
	ASSERT_LT(0, s.trials.found);
	s.strips.shift_fixed = 600e-6;
	EXPECT_EQ(300, equant_trials_block(&s.trials, &s.strips, 300, &swept_in(1e-3)));
	EXPECT_EQ(0, s.trials.found);
}

TEST(what_costs_have_made_another_one_is_soon_tried)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	sweeps(&s, SWEEPS);
	for (int i = 0; i < SWEEPS && s.trials.step; i++)
		sweep(&s);
	ASSERT_LT(0, s.trials.found);
	s.trials.pause = 4000;
	equant_trials_block(&s.trials, &s.strips, 3 * s.trials.modelled, &swept_in(1e-3));
	EXPECT_LT(s.trials.pause, 100);
}

TEST(a_trial_ends_where_costs_become_quite_different)
{
	struct swept s = loop_of(even, 20e-6);

	for (int i = 0; i < 4; i++)
		equant_trials_block(&s.trials, &s.strips, 200, &swept_in(1e-3));
	EXPECT_EQ(40, equant_trials_block(&s.trials, &s.strips, 40, &swept_in(1e-3)));
	EXPECT_NE(40, equant_trials_block(&s.trials, &s.strips, 40, &swept_in(1e-3)));
}

TEST(sweeps_that_measured_nothing_are_not_judged)
{
	struct swept s = loop_of(even, 20e-6);

	for (int i = 0; i < SWEEPS; i++)
		EXPECT_EQ(50, equant_trials_block(&s.trials, &s.strips, 50, &swept_in(0)));
}

TEST(one_rank_alone_tries_nothing)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	s.strips.ranks = 1;
	for (int i = 0; i < SWEEPS; i++) {
		sweep(&s);
		EXPECT_EQ(1000, s.block);
	}
}

TEST_HARNESS_MAIN
