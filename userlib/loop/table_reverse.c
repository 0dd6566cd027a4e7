// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The packed table with a reverse index (Siegell 1995, section 6.2.2, figure 6.7): as the packed one,
 * and for every unit of the loop its place in it, so that nothing is searched for.
 */
#include <errno.h>
#include <stdlib.h>

#include "loop/table.h"

static int init(struct equant_store *s)
{
	s->reverse = calloc((size_t)s->units + 1, sizeof(*s->reverse));
	return s->reverse ? 0 : -ENOMEM;
}

static void *find(const struct equant_store *s, long unit)
{
	long at = s->reverse[unit];

	return at ? s->data[at - 1] : NULL;
}

static int put(struct equant_store *s, long unit, void *slice)
{
	int error = equant_store_append(s, unit, slice, 1);

	if (!error)
		s->reverse[unit] = s->count;
	return error;
}

static void *take(struct equant_store *s, long unit)
{
	long at = s->reverse[unit] - 1, last = --s->count;
	void *slice = s->data[at];

	s->index[at] = s->index[last];
	s->data[at] = s->data[last];
	s->reverse[s->index[at]] = at + 1;
	s->reverse[unit] = 0;
	return slice;
}

const struct equant_store_ops equant_store_reverse = {
	.init = init,
	.find = find,
	.put = put,
	.take = take,
	.next = equant_store_step,
};
