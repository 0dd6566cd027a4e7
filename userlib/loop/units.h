/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_UNITS_H
#define EQUANT_LOOP_UNITS_H

#include <equant/equant.h>
#include <stdint.h>

#include "core/mix.h"

/**
 * struct equant_runs - a set of units as sorted, disjoint, non-touching ranges
 * @ranges: @n of them, room for @room
 * @total: units in all
 */
struct equant_runs {
	struct equant_range *ranges;
	int n;
	int room;
	long total;
};

void equant_runs_release(struct equant_runs *runs);

/** equant_runs_add() - add units not yet in the set; 0 or -ENOMEM */
int equant_runs_add(struct equant_runs *runs, struct equant_range range);

/**
 * equant_runs_take() - remove units from one end of the set
 * @runs: the set
 * @count: how many, at most @runs->total
 * @high: from the high end
 * @out: receives them (emptied first)
 *
 * Return: 0 or -ENOMEM, @runs unchanged.
 */
int equant_runs_take(struct equant_runs *runs, long count, int high, struct equant_runs *out);

/**
 * equant_runs_thin() - remove units evenly spread over the set
 * @runs: the set
 * @count: how many, at most @runs->total
 * @out: receives them (emptied first)
 *
 * Of any part of the set a fraction of about @count / total goes.
 *
 * Return: 0 or -ENOMEM, @runs unchanged.
 */
int equant_runs_thin(struct equant_runs *runs, long count, struct equant_runs *out);

/**
 * equant_runs_join() - add another set, which has no unit in common with this one
 *
 * In time linear in the ranges of both, where adding them one by one is not.
 *
 * Return: 0 or -ENOMEM, @runs unchanged.
 */
int equant_runs_join(struct equant_runs *runs, const struct equant_runs *other);

/**
 * equant_runs_cut() - remove what lies in a range from the set
 * @runs: the set
 * @range: any units, in the set or not
 * @out: another set; receives the units that were removed in addition to its own
 *
 * Return: 0 or -ENOMEM, both sets then being good for equant_runs_release() only.
 */
int equant_runs_cut(struct equant_runs *runs, struct equant_range range, struct equant_runs *out);

/** equant_runs_meet() - are any of the range's units in the set? */
int equant_runs_meet(const struct equant_runs *runs, const struct equant_range *range);

/** equant_runs_find() - is the unit in the set? */
int equant_runs_find(const struct equant_runs *runs, long unit);

/** equant_runs_hash() - depends on the set only; the hash of a union is the sum of the hashes */
uint64_t equant_runs_hash(const struct equant_runs *runs);

/**
 * struct equant_units - who owns what, kept by every rank for all ranks
 *
 * Decisions are the same on every rank, so each can follow all moves without
 * a message.
 */
struct equant_units {
	long units;
	int ranks;
	int in_turn; /* units were dealt out in turn, and each rank's are to stay a mixture */
	struct equant_runs *owned; /* by rank; active units, which alone count and move */
	struct equant_runs *resting; /* by rank; inactive ones */
	long *counts; /* owned[r].total, as the balancer wants them */
	int *owners; /* by unit, active or not: the same once more, for a quick answer */
};

/**
 * equant_units_init() - all active; 0 or -ENOMEM
 * @u: ownership
 * @units: how many
 * @ranks: how many
 * @distribution: blocks, of which earlier ranks have the larger ones, or one unit to each in turn
 */
int equant_units_init(struct equant_units *u, long units, int ranks,
		      enum equant_distribution distribution);
void equant_units_release(struct equant_units *u);

/** equant_units_copy() - the same once more; 0 or -ENOMEM */
int equant_units_copy(struct equant_units *to, const struct equant_units *from);

/**
 * equant_units_move() - the instruction's units change hands
 * @u: ownership
 * @move: who gives how many to whom; not more than the giver owns
 * @moved: receives the units
 *
 * The giver parts with the end of its units that lies towards the receiver,
 * so that ranks keep few ranges; where units were dealt out in turn, with some of everywhere.
 * Who deals them out in turn will let units rest one after the other: ends that were given would
 * make one rank own all that rest next, and lose its work faster than the others.
 *
 * Return: 0, -EPROTO for an instruction that cannot be, -ENOMEM.
 */
int equant_units_move(struct equant_units *u, const struct equant_instruction *move,
		      struct equant_runs *moved);

/**
 * equant_units_give() - as equant_units_move(), but of units that are named
 * @u: ownership
 * @move: who gives how many to whom
 * @named: which; the giver owns them
 * @moved: receives a copy of @named
 */
int equant_units_give(struct equant_units *u, const struct equant_instruction *move,
		      const struct equant_runs *named, struct equant_runs *moved);

/** equant_units_claim() - active units are a rank's, whosever they were taken for; 0 or -ENOMEM */
int equant_units_claim(struct equant_units *u, int rank, const struct equant_runs *units);

/**
 * equant_units_assign() - who owns which active unit
 * @u: ownership
 * @owner: by unit, rank + 1; not read for inactive units
 *
 * Return: 0, -EBADMSG an active unit without an owner, -ENOMEM.
 */
int equant_units_assign(struct equant_units *u, const int *owner);

/**
 * equant_units_rest() - units become inactive; they stay where they are
 * @u: ownership
 * @range: units, all of them active
 *
 * Return: 0, -EINVAL no such units, -EALREADY one is inactive, -ENOMEM.
 */
int equant_units_rest(struct equant_units *u, struct equant_range range);

/** equant_units_wake() - the other way round; -EALREADY one is active */
int equant_units_wake(struct equant_units *u, struct equant_range range);

/** equant_units_is_active() - is the unit? */
int equant_units_is_active(const struct equant_units *u, long unit);

/**
 * equant_units_rename() - two units change names and keep their owners
 * @u: ownership
 * @a: a unit
 * @b: another one, as active as @a
 *
 * Return: 0 or -ENOMEM.
 */
int equant_units_rename(struct equant_units *u, long a, long b);

/** equant_units_active() - active units on all ranks */
long equant_units_active(const struct equant_units *u);

/** equant_units_resting() - is any unit inactive? */
int equant_units_resting(const struct equant_units *u);

/** equant_units_owner() - rank or -EINVAL; of inactive units too */
int equant_units_owner(const struct equant_units *u, long unit);

#endif /* EQUANT_LOOP_UNITS_H */
