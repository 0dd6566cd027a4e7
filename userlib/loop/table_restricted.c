// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The restricted table (Siegell 1995, section 6.2.2, figure 6.8): pointers by unit, and the
 * ends of the block of units that are here.  Steps go from one end to the other, work comes
 * and goes at the ends, nothing is searched for.  A loop that keeps its units in order may
 * have inactive ones amid a block, whose slices are in a store of their own: there are gaps then, which
 * steps pass over.
 */
#include "loop/table.h"

static void *find(const struct equant_store *s, long unit)
{
	return s->data[unit];
}

static int put(struct equant_store *s, long unit, void *slice)
{
	if (!s->count++) {
		s->low = unit;
		s->high = unit + 1;
	}
	if (unit < s->low)
		s->low = unit;
	if (unit >= s->high)
		s->high = unit + 1;
	s->data[unit] = slice;
	return 0;
}

static void *take(struct equant_store *s, long unit)
{
	void *slice = s->data[unit];

	s->data[unit] = NULL;
	if (!--s->count)
		s->high = s->low;
	while (s->low < s->high && !s->data[s->low])
		s->low++;
	while (s->low < s->high && !s->data[s->high - 1])
		s->high--;
	return slice;
}

static void *next(const struct equant_store *s, long *cursor, long *unit)
{
	long at = *cursor > s->low ? *cursor : s->low;

	while (at < s->high && !s->data[at])
		at++;
	if (at >= s->high)
		return NULL;
	*unit = at;
	*cursor = at + 1;
	return s->data[at];
}

const struct equant_store_ops equant_store_restricted = {
	.init = equant_store_by_unit,
	.find = find,
	.put = put,
	.take = take,
	.next = next,
};
