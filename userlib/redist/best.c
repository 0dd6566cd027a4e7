// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which schedule to make: planning takes time, too, and all ranks wait for it.  What a better
 * plan can gain at most is known, the difference to the bound; so a better scheduler is asked
 * only if it takes less than that, improving stops when it has taken as long, and the shortest
 * schedule that was found is kept.
 *
 * How long schedulers take is computed and not measured, so that all ranks choose the same.
 */
#include <errno.h>
#include <stdlib.h>

#include "redist/schedule.h"

/* On a machine of 2020; a third more or less changes little. */
#define PASS 100e-9 /* seconds per message of a greedy schedule, or a turn of improving it */
#define SPLIT 10e-9 /* seconds per message and rank of the preemptive one */

static double pass(const struct equant_redist_draft *draft)
{
	return PASS * (double)draft->costs->count;
}

static double split(const struct equant_redist_draft *draft)
{
	double ranks = draft->costs->ranks;

	return SPLIT * ranks * ((double)draft->costs->count + 2 * ranks);
}

/* As often as pays at most. */
static int improve(struct equant_redist_draft *draft)
{
	return equant_redist_improve(draft, draft->gain / pass(draft));
}

int equant_redist_best(struct equant_redist_draft *draft)
{
	double bound = draft->schedule->bound;
	struct equant_redist_schedule best = { .pieces = NULL };
	int error = equant_redist_greedy(draft);

	equant_redist_keep(draft, &best);
	draft->gain = best.makespan - bound;
	if (!error && draft->gain > pass(draft)) {
		error = improve(draft);
		equant_redist_keep(draft, &best);
	}
	draft->gain = best.makespan - bound;
	if (!error && draft->gain > split(draft)) {
		error = equant_redist_preemptive(draft);
		equant_redist_keep(draft, &best);
	}
	*draft->schedule = best;
	draft->room = best.count;
	return error;
}
