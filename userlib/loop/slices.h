/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_SLICES_H
#define EQUANT_LOOP_SLICES_H

#include <equant/equant.h>

#include "loop/units.h"

struct equant_array {
	char *base;
	size_t slice;
};

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

int equant_slices_add_array(struct equant_slices *s, long units, void *base, size_t slice);
int equant_slices_add_data(struct equant_slices *s, const struct equant_data_ops *ops, void *ctx);
void equant_slices_release(struct equant_slices *s);

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
