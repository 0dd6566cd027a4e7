// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The grain of a pipeline: the block size of the least modelled time (equant_block_size()).
 *
 * The cost of a message is measured in the first sweep, and again when sweeps no longer fit it
 * (shift_cost.c, shift_watch.c).  The time of an iteration is
 * that of the last sweep: seconds in compute sections per unit and inner iteration, times the
 * units a rank has now; the rank that would take longest counts (eq. 3.1), and one that has
 * computed nothing is taken for the slowest.  The seconds are wall time, so that a rank that
 * shares its CPU is slow.  In the first sweep nothing has been measured yet: it is cut
 * for a bound of eq. 3.6 of at least 4/5, and so are a few more, if need be, until all ranks know how fast
 * tiles of any length are (tiles.c).  With a grain in quanta asked for, the costs do not matter (eq. 3.1).
 *
 * Reference: Siegell 1995, sections 3.3.1 and 3.3.4.  The thesis measures a copy of the loop
 * body before the start and keeps to it; that would change the program's data here.
 */
#include <equant/advise.h>

#include "loop/pipeline.h"

#define FIRST_BLOCKS 4 /* per rank beyond the first: M / (M + P - 1) = 4/5 */
#define LEARNING 4 /* sweeps at most */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* The rank that takes longest for an iteration: its units and its time for one. */
static int find_slowest(const struct equant_intent *all, const long *units,
			struct equant_strips *strips)
{
	double unknown = 0;
	int slowest = 0;

	for (int r = 0; r < strips->ranks; r++)
		unknown = larger(unknown, all[r].unit_time);
	for (int r = 0; r < strips->ranks; r++) {
		double time = all[r].unit_time > 0 ? all[r].unit_time : unknown;

		if ((double)units[r] * time <= (double)strips->units * strips->unit_time)
			continue;
		strips->units = units[r];
		strips->unit_time = time;
		slowest = r;
	}
	return slowest;
}

/* Does a rank that computes still try how fast tiles are? */
static int is_learning(const struct equant_intent *all, const long *units, int ranks)
{
	if (all->sweeps >= LEARNING)
		return 0;
	for (int r = 0; r < ranks; r++)
		if (units[r] && !all[r].tiles_known)
			return 1;
	return 0;
}

/* Of the next sweep, by the costs in use; returns the slowest rank. */
static int model(const struct equant_intent *all, const long *units, int ranks, double bytes,
		 struct equant_strips *strips)
{
	*strips = (struct equant_strips){
		.ranks = ranks, .iterations = (long)all->length, .units = 1, .bytes = bytes
	};
	for (int r = 0; r < ranks; r++) {
		strips->shift_fixed = larger(strips->shift_fixed, all[r].shift_fixed);
		strips->byte_time = larger(strips->byte_time, all[r].byte_time);
	}
	return find_slowest(all, units, strips);
}

long equant_block_best(const struct equant_intent *all, const long *units, int ranks, double bytes,
		       double grain, long before)
{
	struct equant_strips strips;
	int slowest = model(all, units, ranks, bytes, &strips);
	long blocks = FIRST_BLOCKS * (ranks - 1L);
	struct equant_block best;
	double quantum = 0;

	for (int r = 0; r < ranks; r++)
		quantum = larger(quantum, all[r].quantum);
	if (grain > 0 && strips.unit_time > 0)
		return equant_block_for_grain(&strips, grain * quantum, NULL, 0);
	if (!(strips.unit_time > 0) || is_learning(all, units, ranks) ||
	    equant_block_size(&strips, &best, NULL, 0))
		return blocks ? (strips.iterations + blocks - 1) / blocks : strips.iterations;
	return equant_tiles_block(all[slowest].tiles, &strips, before, best.size);
}

int equant_block_doubtful(struct equant_shift_watch *watch, const struct equant_intent *all,
			  const long *units, int ranks, double bytes, long before)
{
	struct equant_strips strips;
	double sent = 0;

	for (int r = 0; r < ranks; r++)
		sent = larger(sent, all[r].sent);
	model(all, units, ranks, bytes, &strips);
	return equant_shift_watch(watch, &strips, before, sent);
}
