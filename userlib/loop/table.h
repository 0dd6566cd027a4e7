/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_TABLE_H
#define EQUANT_LOOP_TABLE_H

#include <equant/table.h>

#include "loop/units.h"

/* ---- table_memory.c: memory for slices ----------------------------------------- */

/**
 * struct equant_pool - slices of one size
 * @slice: bytes
 * @chunks: what was asked of the system: @nr_chunks of them
 * @total: slices in all of them
 * @spare: slices that nobody uses: @nr_spare of them, room for all there are
 */
struct equant_pool {
	size_t slice;
	void **chunks;
	long nr_chunks;
	long total;
	void **spare;
	long nr_spare;
};

/** equant_pool_reserve() - so many slices at least are spare; 0 or -ENOMEM */
int equant_pool_reserve(struct equant_pool *pool, long slices);

/** equant_pool_take() - a slice, or NULL: no memory.  New ones are zero */
void *equant_pool_take(struct equant_pool *pool);

/** equant_pool_give() - it is spare now */
void equant_pool_give(struct equant_pool *pool, void *slice);

void equant_pool_release(struct equant_pool *pool);

/* ---- table_KIND.c: finding slices ------------------------------------------------ */

/**
 * struct equant_store - the slices of some units
 * @units: of the loop
 * @count: slices in it
 * @data: by unit, or packed
 * @index: units that are in it, @count of them; of kinds that have it
 * @room: of @index, and of @data where that is packed
 * @reverse: by unit, its place in @index and 1, 0 = it is not in it
 * @low, @high: all units in it are from @low to @high - 1; of the restricted kind
 */
struct equant_store {
	const struct equant_store_ops *ops;
	long units;
	long count;
	void **data;
	long *index;
	long room;
	long *reverse;
	long low, high;
};

/**
 * struct equant_store_ops - a kind
 * @init: of a zeroed store; 0 or -ENOMEM
 * @find: a unit's slice, NULL = it is not in it
 * @put: a unit that is not in it; 0 or -ENOMEM
 * @take: one that is, out of it
 * @next: see equant_table_next()
 */
struct equant_store_ops {
	int (*init)(struct equant_store *s);
	void *(*find)(const struct equant_store *s, long unit);
	int (*put)(struct equant_store *s, long unit, void *slice);
	void *(*take)(struct equant_store *s, long unit);
	void *(*next)(const struct equant_store *s, long *cursor, long *unit);
};

extern const struct equant_store_ops equant_store_scattered, equant_store_indexed,
	equant_store_packed, equant_store_reverse, equant_store_restricted;

/* table_scattered.c: pointers by unit, which four of the kinds have in one form or another */
int equant_store_by_unit(struct equant_store *s);

/* table_packed.c: one more unit at the end of the index, its slice too where @data is packed */
int equant_store_append(struct equant_store *s, long unit, void *slice, int packed);
void *equant_store_step(const struct equant_store *s, long *cursor, long *unit);

void equant_store_release(struct equant_store *s);

/* ---- table.c ---------------------------------------------------------------------- */

/**
 * struct equant_table - the slices of one rank
 * @active: of units it owns that are active
 * @resting: of those that are not
 * @copies: of slices that other ranks own
 * @leaving: slices of units that have gone, which messages may still read: @nr_leaving
 */
struct equant_table {
	enum equant_table_kind kind;
	struct equant_pool pool;
	struct equant_store active, resting, copies;
	void **leaving;
	long nr_leaving, leaving_room;
};

/**
 * equant_table_new() - a table with a slice for every unit in the sets
 * @slice: bytes
 * @kind: not EQUANT_TABLE_AUTO
 * @units: of the loop
 * @active: active units that the rank owns
 * @resting: inactive ones
 *
 * Return: the table, or NULL and errno.
 */
struct equant_table *equant_table_new(size_t slice, enum equant_table_kind kind, long units,
				      const struct equant_runs *active,
				      const struct equant_runs *resting);

void equant_table_free(struct equant_table *table);

/** equant_table_arrive() - room for units that come; 0 or -ENOMEM */
int equant_table_arrive(struct equant_table *table, const struct equant_runs *units);

/** equant_table_leave() - units that go: their slices stay until equant_table_settle() */
int equant_table_leave(struct equant_table *table, const struct equant_runs *units);

/** equant_table_settle() - no message reads what has gone any more */
void equant_table_settle(struct equant_table *table);

/** equant_table_rest() - which of the units are here have become inactive; 0 or -ENOMEM */
int equant_table_rest(struct equant_table *table, struct equant_range units);

/** equant_table_wake() - ... active */
int equant_table_wake(struct equant_table *table, struct equant_range units);

/** equant_table_rename() - slices of @a and @b change names, where they are here; copies of both go; 0 or -ENOMEM */
int equant_table_rename(struct equant_table *table, long a, long b);

/** equant_table_forget_some() - equant_table_forget(), but for copies of other units than @units */
void equant_table_forget_some(struct equant_table *table, const struct equant_range *units);

/** equant_table_place() - where a copy of the unit's slice goes; NULL = no memory */
void *equant_table_place(struct equant_table *table, long unit);

#endif /* EQUANT_LOOP_TABLE_H */
