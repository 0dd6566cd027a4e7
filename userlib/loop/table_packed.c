// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The packed table (Siegell 1995, section 6.2.2, figure 6.6): the pointers without gaps, and beside
 * each its unit.  Steps read one array from the start to the end; a certain unit has
 * to be searched for, from the end on.  Nothing in it is as large as the loop.
 */
#include <errno.h>
#include <stdlib.h>

#include "loop/table.h"

static int grow(struct equant_store *s, int packed)
{
	long room = s->room ? 2 * s->room : 16;
	long *index = realloc(s->index, (size_t)room * sizeof(*index));
	void **data;

	if (!index)
		return -ENOMEM;
	s->index = index;
	if (packed) {
		data = realloc(s->data, (size_t)room * sizeof(*data));
		if (!data)
			return -ENOMEM;
		s->data = data;
	}
	s->room = room;
	return 0;
}

int equant_store_append(struct equant_store *s, long unit, void *slice, int packed)
{
	if (s->count == s->room && grow(s, packed))
		return -ENOMEM;
	s->index[s->count] = unit;
	if (packed)
		s->data[s->count] = slice;
	s->count++;
	return 0;
}

void *equant_store_step(const struct equant_store *s, long *cursor, long *unit)
{
	if (*cursor >= s->count)
		return NULL;
	*unit = s->index[*cursor];
	return s->data[(*cursor)++];
}

static int init(struct equant_store *s)
{
	return grow(s, 1);
}

static long place(const struct equant_store *s, long unit)
{
	long at = s->count - 1;

	while (at >= 0 && s->index[at] != unit)
		at--;
	return at;
}

static void *find(const struct equant_store *s, long unit)
{
	long at = place(s, unit);

	return at < 0 ? NULL : s->data[at];
}

static int put(struct equant_store *s, long unit, void *slice)
{
	return equant_store_append(s, unit, slice, 1);
}

static void *take(struct equant_store *s, long unit)
{
	long at = place(s, unit), last = --s->count;
	void *slice = s->data[at];

	s->index[at] = s->index[last];
	s->data[at] = s->data[last];
	return slice;
}

const struct equant_store_ops equant_store_packed = {
	.init = init,
	.find = find,
	.put = put,
	.take = take,
	.next = equant_store_step,
};
