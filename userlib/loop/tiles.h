/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* How many inner iterations of a strip are computed at once. */
#ifndef EQUANT_LOOP_TILES_H
#define EQUANT_LOOP_TILES_H

struct equant_strips;

#define EQUANT_TILES 16 /* lengths: 2, 3, 4, 6, 8, 12, ... 384 */
#define EQUANT_TILE_ROUNDS 9 /* of a look, at most */

/**
 * struct equant_tiles - how fast tiles of several lengths are, on this rank
 * @fixed: the length that all tiles have, and nothing is tried; 0 = the fastest
 * @pace: seconds of an iteration of a unit, by length; 0 = not known
 * @known: by a look, even if it is still under way
 * @seen: what that look has found, one sample a round; 0 = none
 * @looking: it is
 * @at: the length that is tried next
 * @round: how often all have been tried
 * @sampled: iterations of the sample that is under way
 * @took: seconds of the sample; @work: iterations of units
 * @seconds: that the look has taken
 * @pause: sweeps until the next look
 * @rest: it was so many
 */
struct equant_tiles {
	long fixed;
	float pace[EQUANT_TILES];
	int known;
	float seen[EQUANT_TILES][EQUANT_TILE_ROUNDS];
	int looking;
	int at;
	int round;
	long sampled;
	double took;
	double work;
	double seconds;
	long pause;
	long rest;
};

/**
 * struct equant_tile - what to compute next
 * @length: of a tile
 * @iterations: of all its tiles; the last one may be shorter
 * @tried: its time is of interest
 */
struct equant_tile {
	long length;
	long iterations;
	int tried;
};

/** equant_tiles_sweep() - a sweep begins: is it time to look? */
void equant_tiles_sweep(struct equant_tiles *t);

/** equant_tiles_next() - what to compute of a @strip of which @left iterations are left; @try: if need be */
struct equant_tile equant_tiles_next(struct equant_tiles *t, long strip, long left, int try);

/** equant_tiles_took() - what was tried, so many @iterations of @units, took so long */
void equant_tiles_took(struct equant_tiles *t, double seconds, long units, long iterations);

/** equant_tiles_round() - a block to whole tiles of a fixed length, but if it is shorter or all of the sweep */
long equant_tiles_round(const struct equant_tiles *t, long block, long sweep);

/** equant_tiles_known() - have all lengths been tried that strips were long enough for? */
int equant_tiles_known(const struct equant_tiles *t);

/**
 * equant_tiles_block() - the block size of the least time, for tiles as fast as that
 * @strips: the model's costs, those of the last sweep, which had blocks of @before
 * @modelled: the best block size where all tiles are as fast
 *
 * The same on all ranks, if their arguments are.
 */
long equant_tiles_block(const float *pace, const struct equant_strips *strips, long before,
			long modelled);

#endif /* EQUANT_LOOP_TILES_H */
