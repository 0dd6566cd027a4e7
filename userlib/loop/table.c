// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A slice table: three stores of one kind, of active, inactive and borrowed slices (Siegell 1995,
 * sections 6.2 and 6.3), and the memory they share.  A slice changes stores by its address;
 * its bytes stay where they are.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/message.h"
#include "loop/loop_internal.h"
#include "loop/table.h"

static const struct equant_store_ops *const kinds[] = {
	[EQUANT_TABLE_SCATTERED] = &equant_store_scattered,
	[EQUANT_TABLE_INDEXED] = &equant_store_indexed,
	[EQUANT_TABLE_PACKED] = &equant_store_packed,
	[EQUANT_TABLE_REVERSE] = &equant_store_reverse,
	[EQUANT_TABLE_RESTRICTED] = &equant_store_restricted,
};

static int init_store(struct equant_store *s, enum equant_table_kind kind, long units)
{
	s->ops = kinds[kind];
	s->units = units;
	return s->ops->init(s);
}

/* A new slice for each unit of the set. */
static int fill(struct equant_table *table, struct equant_store *s, const struct equant_runs *runs)
{
	for (int i = 0; i < runs->n; i++) {
		const struct equant_range *r = &runs->ranges[i];

		for (long unit = r->first; unit < r->first + r->count; unit++) {
			void *slice = equant_pool_take(&table->pool);

			if (!slice || s->ops->put(s, unit, slice))
				return -ENOMEM;
		}
	}
	return 0;
}

static int build(struct equant_table *table, long units, const struct equant_runs *active,
		 const struct equant_runs *resting)
{
	int error = init_store(&table->active, table->kind, units);

	if (!error)
		error = init_store(&table->resting, table->kind, units);
	if (!error)
		error = init_store(&table->copies, table->kind, units);
	if (!error)
		error = equant_pool_reserve(&table->pool, active->total + resting->total);
	if (!error)
		error = fill(table, &table->active, active);
	return error ? error : fill(table, &table->resting, resting);
}

struct equant_table *equant_table_new(size_t slice, enum equant_table_kind kind, long units,
				      const struct equant_runs *active,
				      const struct equant_runs *resting)
{
	struct equant_table *table = calloc(1, sizeof(*table));
	int error;

	if (!table)
		return NULL;
	table->kind = kind;
	table->pool.slice = slice;
	error = build(table, units, active, resting);
	if (!error)
		return table;
	equant_table_free(table);
	errno = -error;
	return NULL;
}

void equant_table_free(struct equant_table *table)
{
	if (!table)
		return;
	equant_store_release(&table->active);
	equant_store_release(&table->resting);
	equant_store_release(&table->copies);
	equant_pool_release(&table->pool);
	free(table->leaving);
	free(table);
}

static void drop_copy(struct equant_table *table, long unit)
{
	struct equant_store *copies = &table->copies;

	if (copies->count && copies->ops->find(copies, unit))
		equant_pool_give(&table->pool, copies->ops->take(copies, unit));
}

int equant_table_arrive(struct equant_table *table, const struct equant_runs *units)
{
	for (int i = 0; i < units->n; i++)
		for (long n = 0; n < units->ranges[i].count; n++)
			drop_copy(table, units->ranges[i].first + n);
	return fill(table, &table->active, units);
}

int equant_table_leave(struct equant_table *table, const struct equant_runs *units)
{
	struct equant_store *s = &table->active;

	if (table->nr_leaving + units->total > table->leaving_room) {
		long room = table->nr_leaving + units->total;
		void **grown = realloc(table->leaving, (size_t)room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		table->leaving = grown;
		table->leaving_room = room;
	}
	for (int i = 0; i < units->n; i++)
		for (long n = 0; n < units->ranges[i].count; n++)
			table->leaving[table->nr_leaving++] =
				s->ops->take(s, units->ranges[i].first + n);
	return 0;
}

void equant_table_settle(struct equant_table *table)
{
	while (table->nr_leaving)
		equant_pool_give(&table->pool, table->leaving[--table->nr_leaving]);
}

static int change_state(struct equant_store *from, struct equant_store *to,
			struct equant_range units)
{
	for (long unit = units.first; unit < units.first + units.count; unit++) {
		void *slice = from->ops->find(from, unit);

		if (slice && to->ops->put(to, unit, slice))
			return -ENOMEM;
		if (slice)
			from->ops->take(from, unit);
	}
	return 0;
}

int equant_table_rest(struct equant_table *table, struct equant_range units)
{
	return change_state(&table->active, &table->resting, units);
}

int equant_table_wake(struct equant_table *table, struct equant_range units)
{
	return change_state(&table->resting, &table->active, units);
}

static int rename_in(struct equant_store *s, long a, long b)
{
	void *of_a = s->ops->find(s, a) ? s->ops->take(s, a) : NULL;
	void *of_b = s->ops->find(s, b) ? s->ops->take(s, b) : NULL;
	int error = of_a ? s->ops->put(s, b, of_a) : 0;

	return of_b && !error ? s->ops->put(s, a, of_b) : error;
}

int equant_table_rename(struct equant_table *table, long a, long b)
{
	int error = rename_in(&table->active, a, b);

	drop_copy(table, a);
	drop_copy(table, b);
	return error ? error : rename_in(&table->resting, a, b);
}

void *equant_table_place(struct equant_table *table, long unit)
{
	struct equant_store *copies = &table->copies;
	void *slice = copies->ops->find(copies, unit);

	if (slice)
		return slice;
	slice = equant_pool_take(&table->pool);
	if (!slice || !copies->ops->put(copies, unit, slice))
		return slice;
	equant_pool_give(&table->pool, slice);
	return NULL;
}

/* ---- public -------------------------------------------------------------------- */

enum equant_table_kind equant_table_kind(const struct equant_table *table)
{
	return table->kind;
}

void *equant_table_slice(const struct equant_table *table, long unit)
{
	const struct equant_store *s = &table->active;
	void *slice;

	if (unit < 0 || unit >= s->units)
		return NULL;
	slice = s->ops->find(s, unit);
	if (slice || !table->resting.count)
		return slice;
	return s->ops->find(&table->resting, unit);
}

const void *equant_table_copy(const struct equant_table *table, long unit)
{
	const struct equant_store *s = &table->copies;

	return unit < 0 || unit >= s->units || !s->count ? NULL : s->ops->find(s, unit);
}

void equant_table_forget_some(struct equant_table *table, const struct equant_range *units)
{
	struct equant_store *copies = &table->copies;
	long cursor, unit;
	bool found;

	/* A kind that fills the gap with the last one makes each step pass over one. */
	do {
		found = false;
		cursor = 0;
		while (copies->count && copies->ops->next(copies, &cursor, &unit)) {
			if (unit < units->first || unit - units->first >= units->count)
				continue;
			equant_pool_give(&table->pool, copies->ops->take(copies, unit));
			found = true;
		}
	} while (found);
}

void equant_table_forget(struct equant_table *table)
{
	equant_table_forget_some(table, &(struct equant_range){ 0, LONG_MAX });
}

void *equant_table_next(const struct equant_table *table, long *cursor, long *unit)
{
	return table->active.ops->next(&table->active, cursor, unit);
}

static int refuse(const struct equant_loop *loop, const char *fault, int error)
{
	equant_message("loop %s, rank %d: equant_loop_table: %s", loop->name, loop->rank, fault);
	return error;
}

static int check(const struct equant_loop *loop, size_t slice, enum equant_table_kind kind)
{
	size_t bytes;

	if (loop->started || loop->first.t_ns)
		return refuse(loop, "after the first section or hook", -EBUSY);
	if (!slice)
		return refuse(loop, "a slice of no bytes", -EINVAL);
	if ((int)kind < EQUANT_TABLE_AUTO || kind > EQUANT_TABLE_RESTRICTED)
		return refuse(loop, "no such kind", -EINVAL);
	if (kind == EQUANT_TABLE_RESTRICTED && !loop->restricted)
		return refuse(loop, "a restricted table needs EQUANT_BLOCK_ORDER", -EINVAL);
	if (__builtin_mul_overflow((size_t)loop->units.units, slice, &bytes) || bytes > PTRDIFF_MAX)
		return refuse(loop, "all slices together are too large", -EOVERFLOW);
	return 0;
}

struct equant_table *equant_loop_table(struct equant_loop *loop, size_t slice,
				       enum equant_table_kind kind)
{
	struct equant_table *table = NULL;
	int error = check(loop, slice, kind);

	if (kind == EQUANT_TABLE_AUTO)
		kind = loop->restricted ? EQUANT_TABLE_RESTRICTED : EQUANT_TABLE_REVERSE;
	if (!error) {
		table = equant_table_new(slice, kind, loop->units.units,
					 &loop->units.owned[loop->rank],
					 &loop->units.resting[loop->rank]);
		error = table ? equant_slices_add_table(&loop->slices, table) : -errno;
		if (error)
			refuse(loop, "no memory", error);
	}
	if (!error)
		return table;
	equant_table_free(table);
	errno = -error;
	return NULL;
}
