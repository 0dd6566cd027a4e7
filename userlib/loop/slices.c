// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The data that belongs to a unit: arrays in place, tables, and whatever callbacks pack. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/struct.h"
#include "loop/slices.h"
#include "loop/table.h"

char *equant_array_slice(const struct equant_array *array, long unit)
{
	if (array->table)
		return equant_table_slice(array->table, unit);
	return array->base + (size_t)unit * array->slice;
}

char *equant_array_place(const struct equant_array *array, long unit)
{
	if (array->table)
		return equant_table_place(array->table, unit);
	return array->base + (size_t)unit * array->slice;
}

static int add(struct equant_slices *s, struct equant_array array)
{
	struct equant_array *grown;

	grown = realloc(s->arrays, (size_t)(s->nr_arrays + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->arrays = grown;
	s->arrays[s->nr_arrays++] = array;
	return 0;
}

int equant_slices_have(const struct equant_slices *s, const void *base)
{
	for (int i = 0; i < s->nr_arrays; i++)
		if (base && s->arrays[i].base == base)
			return 1;
	return 0;
}

int equant_slices_add_array(struct equant_slices *s, long units, void *base, size_t slice)
{
	size_t bytes;

	if (!base || !slice)
		return -EINVAL;
	if (__builtin_mul_overflow((size_t)units, slice, &bytes) || bytes > PTRDIFF_MAX)
		return -EOVERFLOW;
	if (units && equant_slices_have(s, base))
		return -EEXIST;
	return add(s, (struct equant_array){ .base = base, .slice = slice });
}

int equant_slices_add_table(struct equant_slices *s, struct equant_table *table)
{
	return add(s, (struct equant_array){ .slice = table->pool.slice, .table = table });
}

int equant_slices_arrive(const struct equant_slices *s, const struct equant_runs *units)
{
	int error = 0;

	for (int i = 0; i < s->nr_arrays && !error; i++)
		if (s->arrays[i].table)
			error = equant_table_arrive(s->arrays[i].table, units);
	return error;
}

int equant_slices_leave(const struct equant_slices *s, const struct equant_runs *units)
{
	int error = 0;

	for (int i = 0; i < s->nr_arrays && !error; i++)
		if (s->arrays[i].table)
			error = equant_table_leave(s->arrays[i].table, units);
	return error;
}

void equant_slices_settle(const struct equant_slices *s)
{
	for (int i = 0; i < s->nr_arrays; i++)
		if (s->arrays[i].table)
			equant_table_settle(s->arrays[i].table);
}

int equant_slices_rest(const struct equant_slices *s, struct equant_range units)
{
	int error = 0;

	for (int i = 0; i < s->nr_arrays && !error; i++)
		if (s->arrays[i].table)
			error = equant_table_rest(s->arrays[i].table, units);
	return error;
}

int equant_slices_wake(const struct equant_slices *s, struct equant_range units)
{
	int error = 0;

	for (int i = 0; i < s->nr_arrays && !error; i++)
		if (s->arrays[i].table)
			error = equant_table_wake(s->arrays[i].table, units);
	return error;
}

void equant_array_swap(const struct equant_array *array, long a, long b)
{
	char *at_a = equant_array_slice(array, a), *at_b = equant_array_slice(array, b);
	size_t bytes = array->slice;
	char block[512];

	while (bytes) {
		size_t n = bytes < sizeof(block) ? bytes : sizeof(block);

		memcpy(block, at_a, n);
		memcpy(at_a, at_b, n);
		memcpy(at_b, block, n);
		at_a += n;
		at_b += n;
		bytes -= n;
	}
}

static void rename_in_place(const struct equant_array *array, long a, long b, int has_a, int has_b)
{
	char *at_a = equant_array_slice(array, a), *at_b = equant_array_slice(array, b);

	if (has_a && has_b)
		equant_array_swap(array, a, b);
	else if (has_a)
		memcpy(at_b, at_a, array->slice);
	else if (has_b)
		memcpy(at_a, at_b, array->slice);
}

int equant_slices_rename(const struct equant_slices *s, long a, long b, int has_a, int has_b)
{
	int error = 0;

	for (int i = 0; i < s->nr_arrays && !error; i++) {
		if (s->arrays[i].table)
			error = equant_table_rename(s->arrays[i].table, a, b);
		else
			rename_in_place(&s->arrays[i], a, b, has_a, has_b);
	}
	return error;
}

void equant_slices_forget(const struct equant_slices *s, const struct equant_range *units)
{
	for (int i = 0; i < s->nr_arrays; i++)
		if (s->arrays[i].table)
			equant_table_forget_some(s->arrays[i].table, units);
}

int equant_slices_tables(const struct equant_slices *s)
{
	int tables = 0;

	for (int i = 0; i < s->nr_arrays; i++)
		tables += s->arrays[i].table != NULL;
	return tables;
}

static int check_ops(const struct equant_data_ops *ops)
{
	if (!ops || ops->sz < sizeof(*ops) || !ops->size || !ops->pack || !ops->unpack)
		return -EINVAL;
	return equant_struct_unknown(ops, sizeof(*ops), ops->sz) ? -EINVAL : 0;
}

int equant_slices_add_data(struct equant_slices *s, const struct equant_data_ops *ops, void *ctx)
{
	struct equant_data *grown;
	int error = check_ops(ops);

	if (error)
		return error;
	grown = realloc(s->data, (size_t)(s->nr_data + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->data = grown;
	s->data[s->nr_data++] = (struct equant_data){ *ops, ctx };
	return 0;
}

void equant_slices_release(struct equant_slices *s)
{
	for (int i = 0; i < s->nr_arrays; i++)
		equant_table_free(s->arrays[i].table);
	free(s->arrays);
	free(s->data);
	memset(s, 0, sizeof(*s));
}

uint64_t equant_slices_layout(const struct equant_slices *s)
{
	uint64_t hash = (uint64_t)s->nr_arrays << 32 | (uint64_t)s->nr_data;
	int i;

	for (i = 0; i < s->nr_arrays; i++)
		hash = (hash ^ s->arrays[i].slice << 1 ^ (s->arrays[i].table != NULL)) *
		       0x9e3779b97f4a7c15ull;
	return hash;
}

size_t equant_slices_bytes(const struct equant_slices *s, long unit)
{
	size_t bytes = 0;
	int i;

	for (i = 0; i < s->nr_arrays; i++)
		bytes += s->arrays[i].slice;
	for (i = 0; i < s->nr_data; i++)
		bytes += s->data[i].ops.size(s->data[i].ctx, unit);
	return bytes;
}

/* Calls @visit for every unit and callback; stops at the first error. */
static int visit_data(const struct equant_slices *s, const struct equant_runs *units,
		      int (*visit)(void *arg, const struct equant_data *data, long unit), void *arg)
{
	int r, i, error;
	long u;

	for (r = 0; r < units->n; r++) {
		for (u = units->ranges[r].first;
		     u < units->ranges[r].first + units->ranges[r].count; u++) {
			for (i = 0; i < s->nr_data; i++) {
				error = visit(arg, &s->data[i], u);
				if (error)
					return error;
			}
		}
	}
	return 0;
}

/* Of a unit's data: how much it is, and the data, where anything may lie. */
#define ALIGNED _Alignof(max_align_t)

static size_t record_size(uint64_t size)
{
	return ALIGNED + (size + ALIGNED - 1) / ALIGNED * ALIGNED;
}

struct writer {
	char *at;
	size_t size;
};

static int add_size(void *arg, const struct equant_data *data, long unit)
{
	*(size_t *)arg += record_size(data->ops.size(data->ctx, unit));
	return 0;
}

static int pack_one(void *arg, const struct equant_data *data, long unit)
{
	struct writer *w = arg;
	uint64_t size = data->ops.size(data->ctx, unit);

	memset(w->at, 0, ALIGNED);
	memcpy(w->at, &size, sizeof(size));
	data->ops.pack(data->ctx, unit, w->at + ALIGNED);
	memset(w->at + ALIGNED + size, 0, record_size(size) - ALIGNED - size);
	w->at += record_size(size);
	return 0;
}

int equant_slices_pack(const struct equant_slices *s, const struct equant_runs *units,
		       char **buffer, size_t *size)
{
	struct writer w;

	*buffer = NULL;
	*size = 0;
	if (!s->nr_data)
		return 0;
	visit_data(s, units, add_size, size);
	*buffer = malloc(*size);
	if (!*buffer)
		return -ENOMEM;
	w.at = *buffer;
	return visit_data(s, units, pack_one, &w);
}

struct reader {
	const char *at;
	size_t left;
};

static int unpack_one(void *arg, const struct equant_data *data, long unit)
{
	struct reader *r = arg;
	uint64_t size;
	int error;

	if (r->left < ALIGNED)
		return -EBADMSG;
	memcpy(&size, r->at, sizeof(size));
	if (r->left < size || r->left < record_size(size))
		return -EBADMSG;
	error = data->ops.unpack(data->ctx, unit, r->at + ALIGNED, size);
	r->at += record_size(size);
	r->left -= record_size(size);
	/* The library's own mean that a rank has been given up. */
	if (error == -ETIMEDOUT || error == -ECANCELED)
		return -EIO;
	return error > 0 ? -EINVAL : error;
}

int equant_slices_unpack(const struct equant_slices *s, const struct equant_runs *units,
			 const char *buffer, size_t size)
{
	struct reader r = { buffer, size };
	int error = visit_data(s, units, unpack_one, &r);

	if (!error && r.left)
		return -EBADMSG;
	return error;
}

/*
 * FNV-1a, seeded with the unit and the array so that exchanged slices show;
 * stirred at the end, or a swap of short slices would cancel out in the sum.
 */
static uint64_t slice_hash(const char *bytes, size_t size, uint64_t seed)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull);
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3ull;
	return equant_mix(hash);
}

uint64_t equant_slices_checksum(const struct equant_slices *s, const struct equant_runs *units)
{
	uint64_t sum = 0;
	int r, i;
	long u;

	for (r = 0; r < units->n; r++) {
		for (u = units->ranges[r].first;
		     u < units->ranges[r].first + units->ranges[r].count; u++) {
			for (i = 0; i < s->nr_arrays; i++)
				sum += slice_hash(equant_array_slice(&s->arrays[i], u),
						  s->arrays[i].slice,
						  (uint64_t)u * 64 + (uint64_t)i);
		}
	}
	return sum;
}
