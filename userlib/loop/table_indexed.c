// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The scattered table with an index (Siegell 1995, section 6.2.2, figure 6.5): pointers by unit,
 * and a list of the units that are here, so that a step need not search.  The thesis sends
 * the units at the end of the list; here who goes is decided for all ranks alike by the ownership of
 * ranges, so that a unit is looked for from the end on, where those that came last are.
 */
#include "loop/table.h"

static void *find(const struct equant_store *s, long unit)
{
	return s->data[unit];
}

static int put(struct equant_store *s, long unit, void *slice)
{
	int error = equant_store_append(s, unit, slice, 0);

	if (!error)
		s->data[unit] = slice;
	return error;
}

static void *take(struct equant_store *s, long unit)
{
	void *slice = s->data[unit];
	long at = s->count - 1;

	while (s->index[at] != unit)
		at--;
	s->index[at] = s->index[--s->count];
	s->data[unit] = NULL;
	return slice;
}

static void *next(const struct equant_store *s, long *cursor, long *unit)
{
	if (*cursor >= s->count)
		return NULL;
	*unit = s->index[(*cursor)++];
	return s->data[*unit];
}

const struct equant_store_ops equant_store_indexed = {
	.init = equant_store_by_unit,
	.find = find,
	.put = put,
	.take = take,
	.next = next,
};
