// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which chunks can be had by adding to a counter.  Those of SS, FS, CSS and TSS have a
 * closed form.  GSS and FSS do not, but are the same for everybody: each rank works them out
 * once.  DTSS and WF add their power to the counter and take the sum of so many steps.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/message.h"
#include "engine/self_internal.h"

#define STEPS_MOST (INT64_C(1) << 24)

static int make_table(struct equant_self *self)
{
	const struct equant_scheme *scheme = self->chunks->scheme;
	struct equant_line line = self->chunks->line;

	while (line.left > 0 && self->steps <= STEPS_MOST) {
		equant_line_take(&line, scheme, 1);
		self->steps++;
	}
	if (self->steps > STEPS_MOST) {
		equant_message("equant_self_new: %s: more than %lld chunks", scheme->name,
			       (long long)STEPS_MOST);
		return -E2BIG;
	}
	self->edges = malloc((size_t)(self->steps + 1) * sizeof(*self->edges));
	if (!self->edges)
		return -ENOMEM;
	line = self->chunks->line;
	self->edges[0] = 0;
	for (int64_t i = 0; i < self->steps; i++)
		self->edges[i + 1] = self->edges[i] + equant_line_take(&line, scheme, 1);
	return 0;
}

/* The least number of steps that have all iterations. */
static int64_t find_end(const struct equant_self *self)
{
	const struct equant_line *line = &self->chunks->line;
	int64_t low = 0, high = self->total;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (self->chunks->scheme->before(line, middle) < self->total)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int equant_self_classify(struct equant_self *self)
{
	const struct equant_chunks *chunks = self->chunks;

	self->total = equant_chunks_total(chunks);
	if (chunks->learned || chunks->trees || self->role != EQUANT_SELF_ALL) {
		self->kind = EQUANT_SELF_LOCKED;
		return 0;
	}
	if (chunks->grid) {
		self->kind = EQUANT_SELF_RECTANGLES;
		self->steps = self->total;
		return 0;
	}
	if (chunks->scheme->before) {
		self->kind = EQUANT_SELF_CLOSED;
		self->steps = find_end(self);
		return 0;
	}
	self->kind = EQUANT_SELF_TABLE;
	return make_table(self);
}
