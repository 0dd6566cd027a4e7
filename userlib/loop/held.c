// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Two questions that a decision asks about a rank's share: how long has it been what it is, and
 * how long do shares hold?
 *
 * An epoch of the probe ends with every short visitor, and that the share is what it was before
 * is seen here only: a share that comes back after a visit is as old as it was.
 *
 * The mean is taken from one change to another.  From one status to another it would
 * be a matter of luck whether three changes fall into it or four.
 */
#include "core/clock.h"
#include "loop/held.h"

#define WINDOW_NS 2000000000u
#define DRIFT (1.0 / 16) /* less is the drift of a group's weight, as in the probe */

static int differs(double share, double from)
{
	double change = share > from ? share - from : from - share;

	return change > from * DRIFT;
}

static uint64_t since(const struct equant_held *held)
{
	return differs(held->share, held->lasting) ? held->since_ns : held->lasting_ns;
}

static void mark(struct equant_held *held, const struct equant_status *status)
{
	struct equant_held_mark now = { status->now.t_ns, since(held), status->changes };

	if (!held->marks[1].t_ns)
		held->marks[0] = held->marks[1] = now;
	if (now.t_ns - held->marks[1].t_ns > WINDOW_NS) {
		held->marks[0] = held->marks[1];
		held->marks[1] = now;
	}
	held->now = now;
}

void equant_held_note(struct equant_held *held, const struct equant_status *status)
{
	if (differs(status->settled, held->share)) {
		held->share = status->settled;
		held->since_ns = status->t_epoch_ns;
	}
	if (differs(held->share, held->lasting) &&
	    status->now.t_ns - held->since_ns >= status->quantum_ns) {
		held->lasting = held->share;
		held->lasting_ns = held->since_ns;
	}
	mark(held, status);
}

double equant_held_age(const struct equant_held *held)
{
	return 1e-9 * (double)(held->now.t_ns - held->now.changed_ns);
}

/* What is not known was quiet.  Changes between two statuses may leave the share as it was: then it seems older. */
double equant_held_mean(const struct equant_held *held)
{
	const struct equant_held_mark *first = &held->marks[0], *now = &held->now;
	uint64_t window = equant_since(now->changed_ns, first->changed_ns);
	uint64_t time = now->t_ns - first->t_ns, hold;
	uint32_t changes = now->changes - first->changes;

	if (changes < 2)
		return 0;
	hold = time / changes;
	if (time < WINDOW_NS)
		window = WINDOW_NS;
	else if (window + hold < time)
		window = time - hold;
	else if (window > time + 2 * hold)
		window = time + 2 * hold;
	return 1e-9 * (double)window / changes;
}
