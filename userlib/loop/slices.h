/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_SLICES_H
#define EQUANT_LOOP_SLICES_H

#include <equant/equant.h>

#include "loop/units.h"

struct equant_table;

/**
 * struct equant_array - slices of one size
 * @base: of unit 0 in the caller's memory, or NULL
 * @slice: bytes
 * @table: that holds them, or NULL
 */
struct equant_array {
	char *base;
	size_t slice;
	struct equant_table *table;
};

/** equant_array_slice() - of a unit that this rank owns */
char *equant_array_slice(const struct equant_array *array, long unit);

/** equant_array_place() - where a copy of a unit's slice goes that another rank owns; NULL = no memory */
char *equant_array_place(const struct equant_array *array, long unit);

/** equant_array_swap() - the contents of two slices that this rank owns */
void equant_array_swap(const struct equant_array *array, long a, long b);

struct equant_data {
	struct equant_data_ops ops;
	void *ctx;
};

/**
 * struct equant_slices - everything that moves with a unit
 */
struct equant_slices {
	struct equant_array *arrays;
	struct equant_data *data;
	int nr_arrays;
	int nr_data;
};

/** equant_slices_have() - is an array at this address registered? */
int equant_slices_have(const struct equant_slices *s, const void *base);

int equant_slices_add_array(struct equant_slices *s, long units, void *base, size_t slice);

/** equant_slices_add_table() - the registry frees it; 0 or -ENOMEM */
int equant_slices_add_table(struct equant_slices *s, struct equant_table *table);
int equant_slices_add_data(struct equant_slices *s, const struct equant_data_ops *ops, void *ctx);
void equant_slices_release(struct equant_slices *s);

/* What happens to units happens to their slices in all tables; see table.h. */
int equant_slices_arrive(const struct equant_slices *s, const struct equant_runs *units);
int equant_slices_leave(const struct equant_slices *s, const struct equant_runs *units);
void equant_slices_settle(const struct equant_slices *s);
int equant_slices_rest(const struct equant_slices *s, struct equant_range units);
int equant_slices_wake(const struct equant_slices *s, struct equant_range units);

/** equant_slices_rename() - units @a and @b change names, where this rank has one or both; 0 or -ENOMEM */
int equant_slices_rename(const struct equant_slices *s, long a, long b, int has_a, int has_b);

/** equant_slices_forget() - tables' copies of @units */
void equant_slices_forget(const struct equant_slices *s, const struct equant_range *units);

/** equant_slices_tables() - how many of the arrays are tables */
int equant_slices_tables(const struct equant_slices *s);

/** equant_slices_layout() - differs when the arrays, their slices or the data do */
uint64_t equant_slices_layout(const struct equant_slices *s);

/** equant_slices_bytes() - bytes of a unit; packed data by what @unit would pack now */
size_t equant_slices_bytes(const struct equant_slices *s, long unit);

/**
 * equant_slices_pack() - call the pack callbacks
 * @s: the registry
 * @units: units that leave
 * @buffer: receives a malloc'ed buffer, NULL when there are no callbacks
 * @size: its size
 *
 * Layout: per unit and callback, in order, a uint64_t size and the bytes.
 *
 * Return: 0 or -ENOMEM.
 */
int equant_slices_pack(const struct equant_slices *s, const struct equant_runs *units,
		       char **buffer, size_t *size);

/** equant_slices_unpack() - the reverse; 0, -EBADMSG for a malformed buffer, or a callback's error */
int equant_slices_unpack(const struct equant_slices *s, const struct equant_runs *units,
			 const char *buffer, size_t size);

/** equant_slices_checksum() - of the arrays' slices of @units; a sum over units */
uint64_t equant_slices_checksum(const struct equant_slices *s, const struct equant_runs *units);

#endif /* EQUANT_LOOP_SLICES_H */
