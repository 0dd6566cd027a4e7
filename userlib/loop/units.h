/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_UNITS_H
#define EQUANT_LOOP_UNITS_H

#include <equant/equant.h>
#include <stdint.h>

/* splitmix64's finaliser (Steele, Lea, Flood 2014): a good mix of one word. */
static inline uint64_t equant_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

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
	struct equant_runs *owned; /* by rank */
	long *counts; /* owned[r].total, as the balancer wants them */
};

/** equant_units_init() - blocks, earlier ranks take the remainder; 0 or -ENOMEM */
int equant_units_init(struct equant_units *u, long units, int ranks);
void equant_units_release(struct equant_units *u);

/**
 * equant_units_move() - the instruction's units change hands
 * @u: ownership
 * @move: who gives how many to whom; not more than the giver owns
 * @moved: receives the units
 *
 * The giver parts with the end of its units that lies towards the receiver,
 * so that ranks keep few ranges.
 *
 * Return: 0, -EPROTO for an instruction that cannot be, -ENOMEM.
 */
int equant_units_move(struct equant_units *u, const struct equant_instruction *move,
		      struct equant_runs *moved);

/** equant_units_owner() - rank or -EINVAL */
int equant_units_owner(const struct equant_units *u, long unit);

#endif /* EQUANT_LOOP_UNITS_H */
