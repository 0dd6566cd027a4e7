/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_AHEAD_H
#define EQUANT_REDIST_AHEAD_H

#include "redist/shape.h"
#include "redist/stream.h"

/**
 * struct equant_redist_ahead - how far a copy's memory has been asked for
 * @shape: the copy
 * @reads: what is read is
 * @writes: what is written is
 * @lead: bytes of the copy that it is ahead of what is copied
 * @step: bytes of the copy, about, after which to ask again
 * @at: bytes of the copy that have been asked for
 * @end: of those that are copied
 * @from: address of the next turn of the innermost loop
 * @to: the same
 * @index: turns of each loop that are over
 * @within: bytes of the next turn that have been asked for
 */
struct equant_redist_ahead {
	const struct equant_redist_shape *shape;
	bool reads;
	bool writes;
	int64_t lead;
	int64_t step;
	int64_t at;
	int64_t end;
	uintptr_t from;
	uintptr_t to;
	int64_t index[EQUANT_REDIST_LEVELS];
	int64_t within;
};

/*
 * Begin with the copy that equant_redist_shape_copy() is called for; a turn of each of its loops
 * copies @turn bytes.
 */
void equant_redist_ahead_begin(struct equant_redist_ahead *ahead,
			       const struct equant_redist_shape *shape, const int64_t *turn,
			       struct equant_redist_place from, struct equant_redist_place to,
			       int64_t skip, int64_t end);

/* Bytes before @at have been copied: ask for what comes some time later. */
void equant_redist_ahead_go(struct equant_redist_ahead *ahead, int64_t at);

/*
 * How many turns of the innermost loop, @most at most, have what is to be asked for *@by turns after
 * them, if byte @at comes next, @from and @to: who copies them asks for it.  Or 0, and
 * equant_redist_ahead_go() has to.
 */
int64_t equant_redist_ahead_along(struct equant_redist_ahead *ahead, const char *from,
				  const char *to, int64_t at, int64_t most, int64_t *by);

/* Into the second cache: the first one has too few places for what is under way. */
static inline __attribute__((always_inline)) void equant_redist_ask(uintptr_t at, int64_t size,
								    bool write)
{
	uintptr_t end = at + (uintptr_t)size;

	for (at -= at % EQUANT_REDIST_LINE; at < end; at += EQUANT_REDIST_LINE) {
		if (write)
			__builtin_prefetch((const void *)at, 1, 2);
		else
			__builtin_prefetch((const void *)at, 0, 2);
	}
}

#endif /* EQUANT_REDIST_AHEAD_H */
