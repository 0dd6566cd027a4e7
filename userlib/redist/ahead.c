// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Asking for memory some time before it is copied.
 *
 * Of arrays that no cache holds every line comes from memory, and a processor that has only seen
 * blocks and gaps asks for few of them at once.  Here the copy's own loops go ahead of it.  Small
 * blocks in lines that follow on each other are left out: for those the copy's innermost loop asks, if on
 * both sides they do.  So are those of which few follow on each other: to go from loop to loop for each
 * takes longer than it saves.
 */
#include "redist/ahead.h"

#define AHEAD 16384 /* bytes of lines that are under way */
#define STEP 1024 /* bytes of lines that are asked for at once */
#define MANY \
	(2 * AHEAD / EQUANT_REDIST_LINE) /* blocks of a loop: as many as are under way, and more */

static const struct equant_redist_level once = { 1, 0, 0 };

static const struct equant_redist_level *innermost(const struct equant_redist_shape *shape)
{
	return shape->levels ? &shape->level[shape->levels - 1] : &once;
}

static bool is_worth_it(int64_t block, const struct equant_redist_level *inner, int64_t step)
{
	bool gaps = step >= EQUANT_REDIST_LINE || step <= -EQUANT_REDIST_LINE;

	return block >= EQUANT_REDIST_LINE || (gaps && inner->count >= MANY);
}

void equant_redist_ahead_begin(struct equant_redist_ahead *ahead,
			       const struct equant_redist_shape *shape, const int64_t *turn,
			       struct equant_redist_place from, struct equant_redist_place to,
			       int64_t skip, int64_t end)
{
	int64_t lines = equant_redist_max(shape->block, EQUANT_REDIST_LINE), rest = skip;
	const struct equant_redist_level *inner = innermost(shape);

	ahead->reads = shape->fetched && is_worth_it(shape->block, inner, inner->from);
	ahead->writes = shape->written && is_worth_it(shape->block, inner, inner->to);
	ahead->shape = shape;
	ahead->lead = AHEAD * shape->block / lines;
	ahead->step = STEP * shape->block / lines;
	ahead->at = skip;
	ahead->end = end;
	ahead->from = (uintptr_t)from.base + (uintptr_t)from.at;
	ahead->to = (uintptr_t)to.base + (uintptr_t)to.at;
	for (int i = 0; i < shape->levels; i++) {
		ahead->index[i] = rest / turn[i];
		ahead->from += (uintptr_t)(ahead->index[i] * shape->level[i].from);
		ahead->to += (uintptr_t)(ahead->index[i] * shape->level[i].to);
		rest %= turn[i];
	}
	ahead->within = rest;
}

/* From the end of loop @i to where the loops around it lead. */
static void carry(struct equant_redist_ahead *ahead, int i)
{
	const struct equant_redist_level *level = &ahead->shape->level[i];

	for (; i && ahead->index[i] == level->count; i--, level--) {
		ahead->from += (uintptr_t)(level[-1].from - level->count * level->from);
		ahead->to += (uintptr_t)(level[-1].to - level->count * level->to);
		ahead->index[i] = 0;
		ahead->index[i - 1]++;
	}
}

/* Over @count turns of the innermost loop, which has as many left. */
static void pass(struct equant_redist_ahead *ahead, int64_t count)
{
	const struct equant_redist_level *inner = innermost(ahead->shape);
	int last = ahead->shape->levels - 1;

	ahead->within = 0;
	if (last < 0)
		return;
	ahead->index[last] += count;
	ahead->from += (uintptr_t)(count * inner->from);
	ahead->to += (uintptr_t)(count * inner->to);
	if (ahead->index[last] == inner->count)
		carry(ahead, last);
}

/* A part of a turn, up to byte @at of the copy, or all of it. */
static void go_within(struct equant_redist_ahead *ahead, int64_t at)
{
	int64_t block = ahead->shape->block;
	int64_t size = equant_redist_min(block - ahead->within, at - ahead->at);

	if (ahead->reads)
		equant_redist_ask(ahead->from + (uintptr_t)ahead->within, size, false);
	if (ahead->writes)
		equant_redist_ask(ahead->to + (uintptr_t)ahead->within, size, true);
	ahead->at += size;
	ahead->within += size;
	if (ahead->within == block)
		pass(ahead, 1);
}

void equant_redist_ahead_go(struct equant_redist_ahead *ahead, int64_t at)
{
	at = equant_redist_min(at + ahead->lead, ahead->end);
	while (ahead->at < at)
		go_within(ahead, at);
}

int64_t equant_redist_ahead_along(struct equant_redist_ahead *ahead, const char *from,
				  const char *to, int64_t at, int64_t most, int64_t *by)
{
	const struct equant_redist_level *inner = innermost(ahead->shape);
	int64_t block = ahead->shape->block, count;

	*by = (ahead->at - at) / block;
	if (!ahead->shape->levels || ahead->within || *by < 1 ||
	    ahead->from != (uintptr_t)from + (uintptr_t)(*by * inner->from) ||
	    ahead->to != (uintptr_t)to + (uintptr_t)(*by * inner->to))
		return 0;
	count = inner->count - ahead->index[ahead->shape->levels - 1];
	count = equant_redist_min(count, most);
	ahead->at += count * block;
	pass(ahead, count);
	return count;
}
