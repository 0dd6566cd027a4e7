/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Slice tables: distributed data whose memory the library holds, for programs whose data
 * do not fit on every rank (Siegell 1995, section 6.2).
 *
 *	struct equant_table *b = equant_loop_table(loop, n * sizeof(double), EQUANT_TABLE_AUTO);
 *	double *row;
 *
 *	equant_for_each_slice(b, r, row)
 *		compute(r, row);
 *
 * A table has a slice for every unit that its rank owns and none for the others.  Slices move with
 * their units, as those of registered arrays do; the memory of those that have gone is used again
 * before more is asked for.  A table belongs to its loop and goes with it.
 */
#ifndef EQUANT_TABLE_H
#define EQUANT_TABLE_H

#include <stddef.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum equant_table_kind - how a table finds its slices (table 6.2)
 *
 * One access to the slice of a certain unit, and one step of a loop over all slices, take
 *
 *	kind		a certain unit		each
 *	SCATTERED	one load		a search for the next one
 *	INDEXED		one load		two loads
 *	PACKED		a search		one load
 *	REVERSE		two loads		one load
 *	RESTRICTED	one load		one load
 */
enum equant_table_kind {
	EQUANT_TABLE_AUTO, /* RESTRICTED for EQUANT_BLOCK_ORDER, else REVERSE */
	EQUANT_TABLE_SCATTERED, /* pointers by unit: figure 6.4 */
	EQUANT_TABLE_INDEXED, /* ... and a list of the units that are here: figure 6.5 */
	EQUANT_TABLE_PACKED, /* pointers without gaps and that list: figure 6.6 */
	EQUANT_TABLE_REVERSE, /* ... and the place of every unit in it: figure 6.7 */
	EQUANT_TABLE_RESTRICTED, /* pointers by unit and the ends of the block: figure 6.8 */
};

struct equant_loop;
struct equant_table;

/**
 * equant_loop_table() - add a table to a loop
 * @loop: the loop, before its first section and hook; tell its distribution before
 * @slice: bytes of a unit, > 0
 * @kind: how slices are found
 *
 * Every rank adds the same tables and arrays in the same order, as with equant_loop_array().
 * Slices are zero at first.
 *
 * The rule behind EQUANT_TABLE_AUTO is that of section 6.2.3: where work moves between neighbours
 * only, the restricted table, which is the best in everything but needs that; else a packed one,
 * with the reverse index, because moves, boundaries and broadcasts ask for certain units.  A
 * program with very many units per rank that only ever steps through them saves a word a unit with
 * EQUANT_TABLE_PACKED.
 *
 * Return: the table, or NULL and errno: EINVAL no bytes, no such kind, or
 * EQUANT_TABLE_RESTRICTED for a loop that is not of EQUANT_BLOCK_ORDER; EBUSY; ENOMEM; EOVERFLOW.
 */
EQUANT_API struct equant_table *equant_loop_table(struct equant_loop *loop, size_t slice,
						  enum equant_table_kind kind);

/**
 * equant_table_kind() - the kind that EQUANT_TABLE_AUTO has become
 */
EQUANT_API enum equant_table_kind equant_table_kind(const struct equant_table *table);

/**
 * equant_table_slice() - the slice of a unit that this rank owns, active or not
 * @table: the table
 * @unit: any
 *
 * Return: its address, valid until the next hook, pass or activation; NULL if another rank owns the unit, or there is
 * none such.
 */
EQUANT_API void *equant_table_slice(const struct equant_table *table, long unit);

/**
 * equant_table_copy() - a copy of a slice that another rank owns
 * @table: the table
 * @unit: any
 *
 * Copies come by equant_loop_ghosts_start(), equant_loop_neighbours(), equant_loop_broadcast() and
 * equant_loop_copy(), for reading.  They stay until the unit itself comes, the next
 * exchange of boundaries begins, a sweep, if the unit is active, or equant_table_forget().
 *
 * Return: its address; NULL if there is none.
 */
EQUANT_API const void *equant_table_copy(const struct equant_table *table, long unit);

/**
 * equant_table_forget() - drop all copies; their memory is used again
 */
EQUANT_API void equant_table_forget(struct equant_table *table);

/**
 * equant_table_next() - step through the slices of active units that this rank owns
 * @table: the table
 * @cursor: 0 at the start
 * @unit: receives the unit
 *
 * The order is the table's own: ascending for SCATTERED and RESTRICTED, else any.  It holds until
 * the next hook, activation or deactivation.
 *
 * Return: the slice, or NULL after the last one.
 */
EQUANT_API void *equant_table_next(const struct equant_table *table, long *cursor, long *unit);

/**
 * equant_for_each_slice() - iterate over this rank's active units and their slices
 * @table: the table
 * @unit: name of a long declared by the macro
 * @slice: a pointer variable
 */
#define equant_for_each_slice(table, unit, slice) \
	for (long eq_at_ = 0, unit = 0; ((slice) = equant_table_next(table, &eq_at_, &unit));)

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_TABLE_H */
