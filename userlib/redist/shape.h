/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_SHAPE_H
#define EQUANT_REDIST_SHAPE_H

#include "redist/redist_internal.h"

/* A run has three loops: repetitions, pieces and elements. */
#define EQUANT_REDIST_LEVELS (3 * EQUANT_REDIST_DIMENSIONS)

/**
 * struct equant_redist_level - a loop
 * @count: how often
 * @from: bytes from one turn to the next in what is read
 * @to: and in what is written
 */
struct equant_redist_level {
	int64_t count;
	int64_t from;
	int64_t to;
};

/**
 * struct equant_redist_shape - nested loops around blocks of bytes
 * @fetched: what is read is in no cache, and is asked for some time before
 * @written: likewise what is written
 * @streamed: what is written goes past the caches
 * @block: bytes that are copied at a time
 * @levels: of @level
 * @level: the outermost first
 */
struct equant_redist_shape {
	bool fetched;
	bool written;
	bool streamed;
	int64_t block;
	int levels;
	struct equant_redist_level level[EQUANT_REDIST_LEVELS];
};

/**
 * struct equant_redist_place - memory that a copy reads or writes
 * @base: an address in it
 * @at: bytes from there to the shape's first byte; negative where that one is not copied and lies
 *	before
 */
struct equant_redist_place {
	char *base;
	int64_t at;
};

/*
 * The same copy in fewer loops: those of one turn go, those whose turns follow on what is
 * inside become one with it.  What is written where does not change, nor the order.
 */
void equant_redist_shape_simplify(struct equant_redist_shape *shape);

/*
 * Copy those bytes, of all in their order, from @skip to below @end; no byte is in both places.
 * After what is streamed the caller calls equant_redist_stream_end().
 */
void equant_redist_shape_copy(const struct equant_redist_shape *shape,
			      struct equant_redist_place from, struct equant_redist_place to,
			      int64_t skip, int64_t end);

/*
 * Call @emit for the blocks that are read of those bytes, each @at bytes from the shape's first
 * byte, until it gives false.
 */
bool equant_redist_shape_blocks(const struct equant_redist_shape *shape, int64_t skip, int64_t end,
				bool (*emit)(void *to, int64_t at, int64_t length), void *to);

#endif /* EQUANT_REDIST_SHAPE_H */
