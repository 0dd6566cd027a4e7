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
 * In a look, parts of strips are computed in tiles of each length in turn, several times.  The least
 * time counts: that one was disturbed least.  What is hopeless in the first round is left out of the
 * others, and of later looks if it was absurd.  The first look has long strips to itself; later ones,
 * ever less often, try again what fits into the strips there are.
 *
 * All ranks then cut the next sweep by the paces of the rank that takes longest: the model's block,
 * rounded to whole tiles, or a longer one if its tiles are so much faster.
 */
#include <equant/advise.h>
#include <string.h>

#include "loop/tiles.h"

#define SAMPLE 32 /* iterations that are tried at once, at least */
#define HOPELESS 1.3
#define ABSURD 2
#define GAIN 0.02 /* of a shorter tile */
#define ROUNDS_LEAST 3
#define ROUNDS_MOST 20
#define LONG_ENOUGH 1e-3 /* seconds of a look */
#define REST 64 /* sweeps, until the next look */
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

static int is_above(const float *pace, int k, double factor)
{
	float least = pace[k];

	for (int i = 0; i < EQUANT_TILES; i++)
		least = pace[i] > 0 && pace[i] < least ? pace[i] : least;
	return (double)pace[k] > factor * (double)least;
}

/* In the first round by what an earlier look has found, and that may have changed. */
static int is_hopeless(const struct equant_tiles *t, int k)
{
	return t->round ? is_above(t->seen, k, HOPELESS) : is_above(t->pace, k, ABSURD);
}

static void end(struct equant_tiles *t)
{
	for (int k = 0; k < EQUANT_TILES; k++)
		if (t->seen[k] > 0)
			t->pace[k] = t->seen[k];
	t->rest = t->rest ? 4 * t->rest : REST;
	t->rest = t->rest < REST_MOST ? t->rest : REST_MOST;
	t->pause = t->rest;
	t->looking = 0;
}

static void end_round(struct equant_tiles *t)
{
	t->at = 0;
	t->round++;
	if (t->round >= ROUNDS_MOST || (t->round >= ROUNDS_LEAST && t->seconds >= LONG_ENOUGH))
		end(t);
}

/* To the next length that a strip is long enough for. */
static void go_on(struct equant_tiles *t, long strip)
{
	while (t->looking) {
		if (t->at == EQUANT_TILES)
			end_round(t);
		else if (length_of(t->at) > strip || is_hopeless(t, t->at))
			t->at++;
		else
			return;
	}
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
		long most = left < SAMPLE ? left : SAMPLE;

		tile.length = length_of(t->at);
		tile.iterations = tile.length > most ? tile.length :
						       most / tile.length * tile.length;
		tile.tried = 1;
		return tile;
	}
	tile.length = best_for(t->pace, left, &pace);
	return tile;
}

void equant_tiles_took(struct equant_tiles *t, double seconds, double work)
{
	float pace = (float)(seconds / work);
	float *seen = &t->seen[t->at];

	*seen = *seen > 0 && *seen < pace ? *seen : pace;
	t->seconds += seconds;
	t->at++;
}

int equant_tiles_known(const struct equant_tiles *t)
{
	return t->fixed || t->rest > 0;
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

long equant_tiles_block(const float *pace, const struct equant_strips *strips, long before,
			long modelled)
{
	long best = modelled;
	double then, least;

	best_for(pace, before, &then);
	least = time_of(pace, strips, then, modelled);
	for (int k = 0; k < EQUANT_TILES; k++) {
		long block = round_to(modelled, length_of(k), strips->iterations);
		double time;

		if (!(pace[k] > 0))
			continue;
		time = time_of(pace, strips, then, block);
		if (!(time < least))
			continue;
		least = time;
		best = block;
	}
	return best;
}
