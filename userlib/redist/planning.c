// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What planning takes.  Computed and not measured, so that all ranks choose the same plan; on a
 * machine of 2020, where a third more or less changes little.
 */
#include <math.h>

#include "redist/planning.h"

#define PASS 100e-9 /* per message */
#define SPLIT 10e-9 /* per message and rank */
#define COLOUR 3e-9 /* per message and rank */
#define REPLAY 100e-9 /* per message and rank */

#define CIRCLE 20e-9 /* per rank and rank */
#define HOP 150e-9 /* per hop of a part of a message */
#define TIMED 500e-9 /* per message: legs of its parts, their network and their order */
#define WEIGHED 100e-9 /* per rank and rank */
#define LOOK 5e-9

double equant_redist_planning_replay(int ranks, int64_t count)
{
	return REPLAY * ranks * (double)count;
}

double equant_redist_planning_pass(int64_t count)
{
	return PASS * (double)count;
}

double equant_redist_planning_direct(int ranks, int64_t count)
{
	return COLOUR * ranks * (double)count;
}

/* With start-ups it is made several times, of greedy and of eager as well (preemptive.c). */
double equant_redist_planning_preemptive(const struct equant_redist_costs *costs)
{
	double split = SPLIT * costs->ranks * ((double)costs->count + 2 * costs->ranks);
	double pay = equant_redist_planning_pass(costs->count + 2 * costs->ranks);

	if (!equant_redist_have_startups(costs))
		return split;
	return 2 * equant_redist_planning_pass(costs->count) + EQUANT_REDIST_SLACKS * (split + pay);
}

double equant_redist_planning_legs(int64_t count)
{
	return TIMED * (double)count;
}

/* A message goes half of the steps, of which there are as many as the number of ranks has bits. */
double equant_redist_planning_combine(int ranks, int64_t count)
{
	return CIRCLE * ranks * ranks + HOP * (double)count * (1 + log2(ranks) / 2);
}

double equant_redist_planning_relay(int ranks, int64_t count, double looks)
{
	return WEIGHED * ranks * ranks + HOP * (double)count + LOOK * looks;
}
