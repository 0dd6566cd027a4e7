// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The scattered table (Siegell 1995, section 6.2.1, figure 6.4): an array of pointers by unit, NULL
 * for those that are elsewhere.  A step to the next slice has to search for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/table.h"

int equant_store_by_unit(struct equant_store *s)
{
	s->data = calloc((size_t)s->units + 1, sizeof(*s->data));
	return s->data ? 0 : -ENOMEM;
}

void equant_store_release(struct equant_store *s)
{
	free(s->data);
	free(s->index);
	free(s->reverse);
	memset(s, 0, sizeof(*s));
}

static void *find(const struct equant_store *s, long unit)
{
	return s->data[unit];
}

static int put(struct equant_store *s, long unit, void *slice)
{
	s->data[unit] = slice;
	s->count++;
	return 0;
}

static void *take(struct equant_store *s, long unit)
{
	void *slice = s->data[unit];

	s->data[unit] = NULL;
	s->count--;
	return slice;
}

static void *next(const struct equant_store *s, long *cursor, long *unit)
{
	while (*cursor < s->units && !s->data[*cursor])
		++*cursor;
	if (*cursor == s->units)
		return NULL;
	*unit = (*cursor)++;
	return s->data[*unit];
}

const struct equant_store_ops equant_store_scattered = {
	.init = equant_store_by_unit,
	.find = find,
	.put = put,
	.take = take,
	.next = next,
};
