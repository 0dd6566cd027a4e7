// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Two units change names.  Where rows of a matrix change places, it is as good if they stay where they are and each goes
 * by the other's number: every rank knows who owns what, so nobody sends anything, and nobody waits.
 *
 * An array in the caller's memory has a place for each number, so the slice is copied there on its own rank; in a
 * table its address is entered under the other number.
 */
#include <errno.h>

#include "core/message.h"
#include "loop/loop_internal.h"

static int refuse(const struct equant_loop *loop, const char *fault, long a, long b, int error)
{
	equant_message("loop %s, rank %d: equant_loop_rename: units %ld and %ld: %s", loop->name,
		       loop->rank, a, b, fault);
	return error;
}

static int check(const struct equant_loop *loop, long a, long b)
{
	long units = loop->units.units;

	if (a < 0 || a >= units || b < 0 || b >= units)
		return refuse(loop, "no such unit", a, b, -EINVAL);
	if (loop->restricted && loop->eq->options.movement == EQUANT_MOVE_IN_ORDER)
		return refuse(loop, "units keep their order: EQUANT_MOVEMENT=restricted", a, b,
			      -EINVAL);
	if (loop->restricted)
		return refuse(loop, "units of a loop that keeps its order cannot change names", a,
			      b, -EINVAL);
	if (equant_units_is_active(&loop->units, a) != equant_units_is_active(&loop->units, b))
		return refuse(loop, "one is active, the other is not", a, b, -EINVAL);
	for (const struct equant_loop *l = loop; l; l = l->follower) {
		if (l->below || l->above)
			return refuse(l, "their neighbours would not follow", a, b, -EINVAL);
		if (l->ghosts.under_way)
			return refuse(l, "before equant_loop_ghosts_finish()", a, b, -EBUSY);
		if (l->pass && l->pass->under_way)
			return refuse(l, "within a pass", a, b, -EBUSY);
	}
	return equant_async_forbids(loop, "equant_loop_rename");
}

/* What has left this rank lately may still be read from where the other slice goes. */
static int rename_one(struct equant_loop *loop, long a, long b)
{
	int error = equant_mover_complete(&loop->mover);

	if (!error)
		error = equant_slices_rename(&loop->slices, a, b,
					     equant_units_owner(&loop->units, a) == loop->rank,
					     equant_units_owner(&loop->units, b) == loop->rank);
	return error ? error : equant_units_rename(&loop->units, a, b);
}

int equant_loop_rename(struct equant_loop *loop, long a, long b)
{
	struct equant_loop *leader = loop->leader ? loop->leader : loop;
	int error = check(leader, a, b);

	if (error || a == b)
		return error;
	for (struct equant_loop *l = leader; l && !error; l = l->follower)
		error = rename_one(l, a, b);
	/* On this rank one of them may have no name now. */
	return error ? equant_loop_stop(leader, error) : 0;
}
