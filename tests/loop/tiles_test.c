// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Tiles of strips, and strips of tiles, on loops whose speed depends on them. */
#include <equant/advise.h>
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libloop.h"
#include "loop/tiles.h"

#define SWEEPS 100
#define FIRST 250 /* the block of the first sweep */
#define BRIEF 40 /* iterations */

/**
 * struct swept - a loop, and what it costs
 * @pace: seconds of an iteration by length of a tile
 * @start: the first iterations of tiles of another length than before take so much of their time; 0 = 1
 * @noise: of what is timed, its part of the time at most
 * @last: the length of a tile; @alike: iterations before it in tiles of that length
 * @stalls: of a hundred times that are taken, about so many are ten times as long
 * @block: of the last sweep; @changes: of it, of all sweeps
 * @tile: the longest in the last sweep that was not tried; @shortest: that was tried, of all sweeps
 * @tried: iterations, in the last sweep
 * @elapsed: all sweeps, seconds
 */
struct swept {
	struct equant_strips strips;
	double (*pace)(long tile);
	double (*start)(long tile);
	long last;
	long alike;
	double noise;
	unsigned int stalls;
	struct random random;
	struct equant_tiles tiles;
	long block;
	int changes;
	long tile;
	long shortest;
	long tried;
	double elapsed;
};

static double even(long tile)
{
	(void)tile;
	return 2e-9;
}

/* As of SOR: less than twenty rows overlap. */
static double short_is_fast(long tile)
{
	return tile >= 20 ? 2e-9 : 1e-9 + 0.5e-10 * (double)tile;
}

static double long_is_fast(long tile)
{
	return 1e-9 + 40e-9 / (double)tile;
}

/* As of SOR's columns of 2000 rows. */
static double half_is_slow(long tile)
{
	return tile < 5 ? 5e-9 : tile < 8 ? 11e-9 : tile < 16 ? 9e-9 : 7.5e-9;
}

static double six_is_fast(long tile)
{
	return 2e-9 + 0.2e-9 * fabs((double)tile - 6);
}

/* As of them on another processor. */
static double four_is_fast(long tile)
{
	return tile < 3	 ? 4.6e-9 :
	       tile == 3 ? 4.9e-9 :
	       tile == 4 ? 4.2e-9 :
	       tile < 12 ? 9e-9 :
			   6e-9;
}

static double three_starts_fast(long tile)
{
	return tile == 3 ? 0.7 : 1;
}

static struct swept loop_of(double (*pace)(long tile), double shift_fixed)
{
	/* One seed a process is enough to say. */
	static struct random random;

	if (!random.state)
		random = random_seeded();
	return (struct swept){
		.strips = { .ranks = 2,
			    .iterations = 1000,
			    .units = 500,
			    .shift_fixed = shift_fixed,
			    .byte_time = 1e-10,
			    .bytes = 8 },
		.pace = pace,
		.random = random_from(random_next(&random)),
	};
}

static double part(struct random *random)
{
	return (double)random_below(random, 1000000) / 1e6;
}

/* What is measured of a part that takes @time. */
static double measured(struct swept *s, const struct equant_tile *tile, double time)
{
	double seen = time * (1 + s->noise * part(&s->random));
	double brief = fmax(0, fmin(BRIEF - s->alike, tile->iterations)) / tile->iterations;

	if (s->start)
		seen *= brief * s->start(tile->length) + 1 - brief;
	return random_below(&s->random, 100) < s->stalls ? 10 * seen : seen;
}

/* Seconds of @iterations in tiles, but for what the rest in a shorter one takes. */
static double time_of(const struct swept *s, long length, long iterations)
{
	long rest = iterations % length;
	double time = (double)(iterations - rest) * s->pace(length);

	return (double)s->strips.units * (time + (rest ? (double)rest * s->pace(rest) : 0));
}

static double strip(struct swept *s, long left)
{
	double all = 0;

	while (left) {
		struct equant_tile tile = equant_tiles_next(&s->tiles, s->block, left, 1);
		double time = time_of(s, tile.length, tile.iterations);

		if (tile.length != s->last)
			s->alike = 0;
		s->last = tile.length;
		if (tile.iterations < 1 || tile.iterations > left || tile.length < 1)
			abort();
		left -= tile.iterations;
		all += time;
		if (tile.tried)
			equant_tiles_took(&s->tiles, measured(s, &tile, time), s->strips.units,
					  tile.iterations);
		else
			s->tile = tile.length > s->tile ? tile.length : s->tile;
		s->alike += tile.iterations;
		s->tried += tile.tried * tile.iterations;
		if (tile.tried && (!s->shortest || tile.length < s->shortest))
			s->shortest = tile.length;
	}
	return all;
}

static void cut(struct swept *s)
{
	struct equant_block best;

	if (!s->block || !equant_tiles_known(&s->tiles)) {
		s->block = s->strips.iterations > FIRST ? FIRST : s->strips.iterations;
		return;
	}
	if (equant_block_size(&s->strips, &best, NULL, 0))
		abort();
	s->block = equant_tiles_block(s->tiles.pace, &s->strips, s->block, best.size);
}

static void sweep(struct swept *s)
{
	long before = s->block;
	double time = 0;

	cut(s);
	s->changes += s->block != before;
	s->tile = s->tried = 0;
	equant_tiles_sweep(&s->tiles);
	for (long at = 0; at < s->strips.iterations; at += s->block)
		time += strip(s, s->strips.iterations - at < s->block ? s->strips.iterations - at :
									s->block);
	s->strips.unit_time = time / (double)(s->strips.units * s->strips.iterations);
	s->elapsed += equant_strips_time(&s->strips, s->block);
	s->strips.unit_time *= 1 + s->noise * part(&s->random);
}

static double sweeps(struct swept *s, int count)
{
	s->elapsed = 0;
	for (int i = 0; i < count; i++)
		sweep(s);
	return s->elapsed;
}

/* The time of as many sweeps with the best of all block sizes and all tiles that are loops. */
static double least(const struct swept *s, int count)
{
	struct equant_strips strips = s->strips;
	double least = HUGE_VAL;

	for (long block = 1; block <= strips.iterations; block++) {
		for (long tile = block < 2 ? block : 2; tile <= block; tile++) {
			double time;

			strips.unit_time = time_of(s, tile, block) / (double)(strips.units * block);
			time = equant_strips_time(&strips, block);
			least = time < least ? time : least;
		}
	}
	return count * least;
}

TEST(the_block_stays_the_modelled_one_where_all_are_equally_fast)
{
	struct swept s = loop_of(even, 20e-6);

	sweeps(&s, 5);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.01 * least(&s, SWEEPS));
}

TEST(noise_is_no_gain)
{
	struct swept s = loop_of(even, 20e-6);

	s.noise = 0.1;
	sweeps(&s, 5);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.03 * least(&s, SWEEPS));
}

TEST(short_tiles_are_found_at_once_where_they_are_faster)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	sweeps(&s, 4);
	EXPECT_GE(3, s.tile);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.02 * least(&s, SWEEPS));
}

TEST(noise_does_not_hide_them)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	s.noise = 0.2;
	sweeps(&s, 5);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.1 * least(&s, SWEEPS));
}

TEST(strips_are_not_short_for_it_where_messages_are_dear)
{
	struct swept s = loop_of(short_is_fast, 600e-6);

	sweeps(&s, 5);
	EXPECT_LT(50, s.block);
	EXPECT_GE(3, s.tile);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.02 * least(&s, SWEEPS));
}

/* Half of 10 to 20 is slow, a quarter is fast, and twice as much is better than nothing. */
TEST(a_quarter_is_found_where_half_is_slow)
{
	for (int fixed = 5; fixed <= 16; fixed++) {
		struct swept s = loop_of(half_is_slow, 1e-7 * fixed);

		s.noise = 0.05;
		sweeps(&s, 5);
		EXPECT_LE(sweeps(&s, SWEEPS), 1.03 * least(&s, SWEEPS))
		TH_LOG("with %g us per message %ld", 0.1 * fixed, s.block);
	}
}

TEST(lengths_between_powers_of_two_are_found)
{
	struct swept s = loop_of(six_is_fast, 1e-6);

	sweeps(&s, 5);
	EXPECT_EQ(6, s.tile);
	EXPECT_EQ(0, s.block % 6);
}

TEST(strips_are_longer_than_modelled_where_long_tiles_are_fast)
{
	struct swept s = loop_of(long_is_fast, 1e-6);
	struct equant_block modelled;

	sweeps(&s, 5);
	EXPECT_EQ(0, equant_block_size(&s.strips, &modelled, NULL, 0));
	EXPECT_LT(modelled.size, s.block);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.05 * least(&s, SWEEPS));
}

TEST(strips_are_not_where_the_pipeline_would_be_long_to_fill)
{
	struct swept s = loop_of(long_is_fast, 1e-6);

	s.strips.ranks = 64;
	sweeps(&s, 5);
	EXPECT_GT(40, s.block);
	EXPECT_LE(sweeps(&s, SWEEPS), 1.05 * least(&s, SWEEPS));
}

TEST(what_is_hopeless_is_tried_once)
{
	struct swept s = loop_of(short_is_fast, 1e-6);
	struct swept alike = loop_of(even, 1e-6);

	s.strips.iterations = alike.strips.iterations = 20000;
	s.strips.units = alike.strips.units = 5000;
	sweep(&s);
	sweep(&alike);
	EXPECT_LT(0, s.tried);
	EXPECT_LT(1.5 * (double)s.tried, (double)alike.tried);
}

TEST(what_was_absurd_is_not_tried_again)
{
	struct swept s = loop_of(long_is_fast, 1e-6);

	sweeps(&s, 6);
	EXPECT_EQ(2, s.shortest);
	s.shortest = 0;
	sweeps(&s, 4 * SWEEPS);
	EXPECT_LT(12, s.shortest);
}

/* As of SOR's columns, where a few tiles of three rows are fast and many are not. */
TEST(what_is_fast_for_a_moment_is_not_chosen)
{
	struct swept s = loop_of(four_is_fast, 1e-6);

	s.start = three_starts_fast;
	sweeps(&s, 6);
	EXPECT_EQ(4, s.tile);
	sweeps(&s, SWEEPS);
	EXPECT_EQ(4, s.tile);
}

/* A virtual CPU that stands still does so in few of many samples. */
TEST(stalls_do_not_mislead)
{
	int found = 0;

	for (int i = 0; i < SWEEPS; i++) {
		struct swept s = loop_of(six_is_fast, 1e-6);

		s.stalls = 3;
		sweeps(&s, 6);
		found += s.tile == 6;
	}
	EXPECT_LE(SWEEPS * 85 / 100, found) TH_LOG("%d", found);
}

TEST(a_block_is_kept_where_another_gains_nothing)
{
	struct swept s = loop_of(even, 20e-6);

	s.noise = 0.1;
	sweeps(&s, 6);
	s.changes = 0;
	sweeps(&s, 4 * SWEEPS);
	EXPECT_GE(8, s.changes);
}

TEST(tiles_of_many_lengths_divide_a_block)
{
	for (int fixed = 1; fixed <= 8; fixed++) {
		struct swept s = loop_of(four_is_fast, 2e-6 * fixed);

		sweeps(&s, 6);
		EXPECT_EQ(0, s.block % 12) TH_LOG("with %d us per message %ld", 2 * fixed, s.block);
	}
}

TEST(looks_become_rare)
{
	struct swept s = loop_of(short_is_fast, 1e-6);
	int looks[2] = { 0, 0 };

	for (int i = 0; i < 20 * SWEEPS; i++) {
		sweep(&s);
		looks[i >= 10 * SWEEPS] += s.tried > 0;
	}
	EXPECT_LE(3, looks[0]);
	EXPECT_GE(looks[0] / 2, looks[1]);
}

TEST(what_has_changed_is_found_in_a_later_look)
{
	struct swept s = loop_of(even, 1e-6);

	sweeps(&s, 5);
	EXPECT_LT(6, s.tile);
	s.pace = short_is_fast;
	sweeps(&s, 4 * SWEEPS);
	EXPECT_GE(3, s.tile);
}

TEST(tiles_of_a_fixed_length_are_not_tried)
{
	struct equant_tiles tiles = { .fixed = 7 };
	struct equant_tile tile;

	EXPECT_EQ(1, equant_tiles_known(&tiles));
	equant_tiles_sweep(&tiles);
	tile = equant_tiles_next(&tiles, FIRST, 100, 1);
	EXPECT_EQ(0, tile.tried);
	EXPECT_EQ(7, tile.length);
	EXPECT_EQ(100, tile.iterations);
	tile = equant_tiles_next(&tiles, FIRST, 5, 1);
	EXPECT_EQ(5, tile.length);
	EXPECT_EQ(98, equant_tiles_round(&tiles, 100, 1000));
	EXPECT_EQ(100, equant_tiles_round(&tiles, 100, 100));
	EXPECT_EQ(7, equant_tiles_round(&tiles, 7, 1000));
	EXPECT_EQ(5, equant_tiles_round(&tiles, 5, 1000));
	tiles.fixed = 0;
	EXPECT_EQ(100, equant_tiles_round(&tiles, 100, 1000));
}

TEST(few_units_are_not_tried)
{
	struct equant_tiles tiles = { 0 };
	struct equant_tile tile;

	equant_tiles_sweep(&tiles);
	tile = equant_tiles_next(&tiles, FIRST, 100, 0);
	EXPECT_EQ(0, tile.tried);
	EXPECT_EQ(100, tile.length);
	EXPECT_EQ(100, tile.iterations);
	tile = equant_tiles_next(&tiles, FIRST, 100, 1);
	EXPECT_EQ(1, tile.tried);
}

TEST(all_iterations_are_computed_whatever_the_strips_are)
{
	struct swept s = loop_of(short_is_fast, 1e-7);

	s.noise = 0.5;
	for (int i = 0; i < 2 * SWEEPS; i++) {
		s.strips.iterations = 1 + random_below(&s.random, 300);
		s.pace = i % 2 ? short_is_fast : long_is_fast;
		sweep(&s);
		EXPECT_LE(1, s.block);
		EXPECT_LE(s.block, s.strips.iterations);
	}
}

TEST(a_sweep_of_one_iteration_learns_nothing_and_knows_it)
{
	struct swept s = loop_of(even, 1e-6);

	s.strips.iterations = 1;
	sweep(&s);
	EXPECT_EQ(0, s.tried);
	EXPECT_EQ(1, equant_tiles_known(&s.tiles));
	sweeps(&s, SWEEPS);
	EXPECT_EQ(1, s.block);
}

TEST(one_rank_alone_has_one_strip_and_short_tiles)
{
	struct swept s = loop_of(short_is_fast, 1e-6);

	s.strips.ranks = 1;
	sweeps(&s, 5);
	EXPECT_EQ(1000, s.block);
	EXPECT_GE(3, s.tile);
}

TEST_HARNESS_MAIN
