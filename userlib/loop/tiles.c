// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Tiles: the parts of a strip that the body computes at once.
 *
 * The model of section 3.3 (Siegell 1995) takes the time of an iteration for the same whatever the
 * block.  It is not: a few iterations of one unit overlap with those of the next one in the processor,
 * many do not, and may be computed as vectors instead.  No model knows, so it is tried.  But strips
 * need not be as short as that, which would cost messages: a rank computes a strip in tiles,
 * and how long they are is its own affair, which it finds out within a sweep.
 *
 * In a look, parts of strips are computed in tiles of each length in turn, several times.  The first two
 * times are short, and what is hopeless then is left out from then on, and of later looks if it was
 * absurd.  The others are samples, long enough for caches and the prediction of branches to be as they
 * will be; the median counts.  The first look has long strips to itself; later ones,
 * ever less often, try again what fits into the strips there are.
 *
 * All ranks then cut the next sweep by the paces of the rank that takes longest: the model's block,
 * rounded to whole tiles, or a longer one if its tiles are so much faster.  The model's time has a flat
 * bottom: the block is one there that tiles of most lengths divide.  It is kept until another one gains
 * something.
 */
#include <equant/advise.h>
#include <stdlib.h>
#include <string.h>

#include "loop/tiles.h"

#define SHORT_ROUNDS 2
#define SHORT 32 /* iterations at least */
#define SAMPLE 96
#define HOPELESS 1.5 /* after the short rounds */
#define WORSE 1.25 /* after one of samples */
#define ABSURD 2
#define GAIN 0.02 /* of a shorter tile */
#define FLAT 0.005 /* above the least time */
#define WORTH 0.01 /* of another block than the one before */
#define LONGER 7 /* blocks that are tried: up to four times the model's */
#define ROUNDS_LEAST (SHORT_ROUNDS + 3)
#define LONG_ENOUGH 2e-3 /* seconds of a look */
#define REST 4 /* sweeps, until the next look: in the first ones much is as it will not be */
#define REST_MOST 4096

static long length_of(int k)
{
	return (k % 2 ? 3L : 2L) << k / 2;
}

/* ---- how fast ------------------------------------------------------------------------------- */

/* The slower one of the next shorter length that is known and the next longer one; 0 = none is known. */
static double pace_of(const float *pace, long length)
{
	double shorter = 0;

	for (int k = 0; k < EQUANT_TILES; k++) {
		if (!(pace[k] > 0))
			continue;
		if (length_of(k) >= length)
			return length_of(k) == length || pace[k] > shorter ? pace[k] : shorter;
		shorter = pace[k];
	}
	return shorter;
}

/*
 * The length for a strip: all of it, unless shorter tiles, with what they leave as the last one, are
 * faster.  @least: seconds of an iteration, 0 = not known.
 */
static long best_for(const float *pace, long strip, double *least)
{
	long best = strip;

	*least = pace_of(pace, strip);
	for (int k = EQUANT_TILES - 1; k >= 0; k--) {
		long length = length_of(k), rest = strip % length;
		double time = (double)pace[k] * (double)(strip - rest);

		if (!(pace[k] > 0) || length > strip)
			continue;
		time = (time + pace_of(pace, rest) * (double)rest) / (double)strip;
		if (time >= (1 - GAIN) * *least)
			continue;
		best = length;
		*least = time;
	}
	return best;
}

/* ---- looking ------------------------------------------------------------------------------------ */

void equant_tiles_sweep(struct equant_tiles *t)
{
	if (t->fixed || t->looking || t->pause-- > 0)
		return;
	memset(t->seen, 0, sizeof(t->seen));
	t->looking = 1;
	t->at = t->round = 0;
	t->seconds = 0;
}

static float least_of(const float *samples)
{
	float least = 0;

	for (int i = 0; i < EQUANT_TILE_ROUNDS; i++)
		if (samples[i] > 0 && !(least > 0 && least < samples[i]))
			least = samples[i];
	return least;
}

static int is_less(const void *a, const void *b)
{
	return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* Of the samples, or of what was hopeless before there were any. */
static float median_of(const float *samples)
{
	float sorted[EQUANT_TILE_ROUNDS - SHORT_ROUNDS];
	int count = 0;

	for (int i = SHORT_ROUNDS; i < EQUANT_TILE_ROUNDS; i++)
		if (samples[i] > 0)
			sorted[count++] = samples[i];
	if (!count)
		return least_of(samples);
	qsort(sorted, (size_t)count, sizeof(*sorted), is_less);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static int is_above(const float *pace, int k, double factor)
{
	float least = pace[k];

	for (int i = 0; i < EQUANT_TILES; i++)
		least = pace[i] > 0 && pace[i] < least ? pace[i] : least;
	return (double)pace[k] > factor * (double)least;
}

/* By the least times: in others a virtual CPU may have stood still. */
static int is_slow(const struct equant_tiles *t, int k, double factor)
{
	float least[EQUANT_TILES];

	for (int i = 0; i < EQUANT_TILES; i++)
		least[i] = least_of(t->seen[i]);
	return !(least[k] > 0) || is_above(least, k, factor);
}

/*
 * In the short rounds by what an earlier look has found, and that may have changed; those of long
 * tiles are not short, half the length has to do.
 */
static int is_hopeless(const struct equant_tiles *t, int k)
{
	if (t->round > SHORT_ROUNDS)
		return is_slow(t, k, WORSE);
	if (t->round == SHORT_ROUNDS)
		return is_slow(t, k, HOPELESS);
	return is_above(t->pace, k, ABSURD) ||
	       (length_of(k) > SAMPLE && is_slow(t, k - 2, HOPELESS));
}

static void publish(struct equant_tiles *t)
{
	for (int k = 0; k < EQUANT_TILES; k++) {
		float pace = median_of(t->seen[k]);

		if (pace > 0)
			t->pace[k] = pace;
	}
	t->known = 1;
}

static void end(struct equant_tiles *t)
{
	t->rest = t->rest ? 4 * t->rest : REST;
	t->rest = t->rest < REST_MOST ? t->rest : REST_MOST;
	t->pause = t->rest;
	t->looking = 0;
}

static void end_round(struct equant_tiles *t)
{
	t->at = 0;
	t->round++;
	if (t->round > SHORT_ROUNDS)
		publish(t);
	if (t->round == EQUANT_TILE_ROUNDS ||
	    (t->round >= ROUNDS_LEAST && t->seconds >= LONG_ENOUGH))
		end(t);
}

static void next_length(struct equant_tiles *t)
{
	t->at++;
	t->sampled = 0;
	t->took = t->work = 0;
}

/* To the next length that a strip is long enough for. */
static void go_on(struct equant_tiles *t, long strip)
{
	while (t->looking) {
		if (t->at == EQUANT_TILES)
			end_round(t);
		else if (length_of(t->at) > strip || is_hopeless(t, t->at))
			next_length(t);
		else
			return;
	}
}

/* Iterations of a sample, which may be of several strips. */
static long sample_of(const struct equant_tiles *t)
{
	return t->round < SHORT_ROUNDS ? SHORT : SAMPLE;
}

struct equant_tile equant_tiles_next(struct equant_tiles *t, long strip, long left, int try)
{
	struct equant_tile tile = { .length = left, .iterations = left };
	double pace;

	if (t->fixed) {
		tile.length = t->fixed < left ? t->fixed : left;
		return tile;
	}
	if (try)
		go_on(t, strip);
	if (try && t->looking && length_of(t->at) <= left) {
		long missing = sample_of(t) - t->sampled;
		long most = left < missing ? left : missing;

		tile.length = length_of(t->at);
		tile.iterations = tile.length > most ? tile.length :
						       most / tile.length * tile.length;
		tile.tried = 1;
		return tile;
	}
	tile.length = best_for(t->pace, left, &pace);
	return tile;
}

void equant_tiles_took(struct equant_tiles *t, double seconds, long units, long iterations)
{
	t->sampled += iterations;
	t->took += seconds;
	t->work += (double)units * (double)iterations;
	t->seconds += seconds;
	if (t->sampled < sample_of(t))
		return;
	t->seen[t->at][t->round] = (float)(t->took / t->work);
	next_length(t);
}

int equant_tiles_known(const struct equant_tiles *t)
{
	return t->fixed || t->known;
}

/* ---- what follows for strips --------------------------------------------------------------------- */

static double time_of(const float *pace, const struct equant_strips *strips, double before,
		      long block)
{
	struct equant_strips tiled = *strips;
	double now;

	best_for(pace, block, &now);
	if (before > 0 && now > 0)
		tiled.unit_time *= now / before;
	return equant_strips_time(&tiled, block);
}

long equant_tiles_round(const struct equant_tiles *t, long block, long sweep)
{
	if (!t->fixed || block < t->fixed || block == sweep)
		return block;
	return block - block % t->fixed;
}

/* Of whole tiles, as near to the model's as can be. */
static long round_to(long block, long length, long most)
{
	long tiles = (block + length / 2) / length;

	block = (tiles ? tiles : 1) * length;
	return block < most ? block : most;
}

/* Another rank may have tiles of another length, and one more that is shorter costs what nobody knows. */
static int is_better(long block, long other)
{
	int more = 0;

	for (int k = 0; k < EQUANT_TILES; k++)
		more += !(block % length_of(k)) - !(other % length_of(k));
	return more > 0 || (!more && block > other);
}

long equant_tiles_block(const float *pace, const struct equant_strips *strips, long before,
			long modelled)
{
	long blocks[LONGER * EQUANT_TILES + 1] = { modelled }, best = 0;
	double times[LONGER * EQUANT_TILES + 1];
	double then, least = 0;
	int count = 1;

	if (strips->ranks < 2)
		return strips->iterations;
	for (int k = 0; k < EQUANT_TILES; k++)
		for (int i = 0; i < LONGER && pace[k] > 0; i++)
			blocks[count++] = round_to(modelled + i * modelled / 2, length_of(k),
						   strips->iterations);
	best_for(pace, before, &then);
	for (int i = 0; i < count; i++) {
		times[i] = time_of(pace, strips, then, blocks[i]);
		least = !i || times[i] < least ? times[i] : least;
	}
	if (time_of(pace, strips, then, before) * (1 - WORTH) <= least)
		return before;
	for (int i = 0; i < count; i++)
		if (times[i] <= (1 + FLAT) * least && (!best || is_better(blocks[i], best)))
			best = blocks[i];
	return best;
}
