// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Strided copies.  At block size 1 everything is in the innermost loop, so that has one form
 * for each power of two up to 16 bytes, in which a block is a load and a store, and one for
 * every other size up to 64, in which it is two of each that overlap in the middle.  The loop
 * around that one is in the same form, since the innermost may have few turns.
 *
 * Of arrays that no cache holds, longer blocks are asked for before it is their turn, as their
 * gaps end what a processor fetches by itself, and are written past the caches.
 */
#include <string.h>

#include "redist/shape.h"
#include "redist/stream.h"

#define AHEAD 2048 /* bytes that are asked for before; a longer block is fetched by itself */

static void append(struct equant_redist_shape *shape, struct equant_redist_level level)
{
	struct equant_redist_level *inner = &shape->level[shape->levels - 1];

	if (level.count == 1)
		return;
	if (!shape->levels && level.from == shape->block && level.to == shape->block) {
		shape->block *= level.count;
	} else if (shape->levels && level.from == inner->count * inner->from &&
		   level.to == inner->count * inner->to) {
		inner->count *= level.count;
	} else {
		shape->level[shape->levels++] = level;
	}
}

void equant_redist_shape_simplify(struct equant_redist_shape *shape)
{
	struct equant_redist_shape inverse = { .block = shape->block };

	for (int i = shape->levels - 1; i >= 0; i--)
		append(&inverse, shape->level[i]);
	shape->block = inverse.block;
	shape->levels = inverse.levels;
	for (int i = 0; i < inverse.levels; i++)
		shape->level[i] = inverse.level[inverse.levels - 1 - i];
}

/* ---- whole loops --------------------------------------------------------------------- */

/* Two loops: @rows times @columns blocks. */
struct plane {
	struct equant_redist_level rows;
	struct equant_redist_level columns;
};

/* @size is a constant wherever this is called. */
static inline __attribute__((always_inline)) void
copy_whole(const struct plane *plane, const char *from, char *to, size_t size)
{
	struct equant_redist_level columns = plane->columns;

	for (int64_t row = 0; row < plane->rows.count; row++) {
		const char *restrict read = from + row * plane->rows.from;
		char *restrict written = to + row * plane->rows.to;

		for (int64_t i = 0; i < columns.count; i++) {
			memcpy(written, read, size);
			read += columns.from;
			written += columns.to;
		}
	}
}

/* Blocks of @half to 2 @half bytes; @half is a constant. */
static inline __attribute__((always_inline)) void
copy_halves(const struct plane *plane, const char *from, char *to, size_t size, size_t half)
{
	struct equant_redist_level columns = plane->columns;
	size_t second = size - half;

	for (int64_t row = 0; row < plane->rows.count; row++) {
		const char *restrict read = from + row * plane->rows.from;
		char *restrict written = to + row * plane->rows.to;

		for (int64_t i = 0; i < columns.count; i++) {
			memcpy(written, read, half);
			memcpy(written + second, read + second, half);
			read += columns.from;
			written += columns.to;
		}
	}
}

static void fetch(const char *block, size_t size)
{
	for (size_t at = 0; at < size; at += EQUANT_REDIST_LINE)
		__builtin_prefetch(block + at);
}

static void copy_block(char *to, const char *from, size_t size, bool streamed)
{
	if (streamed)
		equant_redist_stream(to, from, size);
	else
		memcpy(to, from, size);
}

/* Blocks of more than 64 bytes. */
static void copy_large(const struct equant_redist_shape *shape, const struct plane *plane,
		       const char *from, char *to)
{
	struct equant_redist_level columns = plane->columns;
	size_t size = (size_t)shape->block;
	int64_t ahead = AHEAD / shape->block, fetched = 0;

	if (shape->fetched && ahead && columns.from != shape->block)
		fetched = columns.count - ahead;
	for (int64_t row = 0; row < plane->rows.count; row++) {
		const char *read = from + row * plane->rows.from;
		char *written = to + row * plane->rows.to;

		for (int64_t i = 0; i < columns.count; i++) {
			if (i < fetched)
				fetch(read + ahead * columns.from, size);
			copy_block(written, read, size, shape->streamed);
			read += columns.from;
			written += columns.to;
		}
	}
}

static void copy_plane(const struct equant_redist_shape *shape, const struct plane *plane,
		       const char *from, char *to)
{
	size_t size = (size_t)shape->block;

	if (size == 1)
		copy_whole(plane, from, to, 1);
	else if (size == 2)
		copy_whole(plane, from, to, 2);
	else if (size == 4)
		copy_whole(plane, from, to, 4);
	else if (size == 8)
		copy_whole(plane, from, to, 8);
	else if (size == 16)
		copy_whole(plane, from, to, 16);
	else if (size < 4)
		copy_halves(plane, from, to, size, 2);
	else if (size < 8)
		copy_halves(plane, from, to, size, 4);
	else if (size < 16)
		copy_halves(plane, from, to, size, 8);
	else if (size <= 32)
		copy_halves(plane, from, to, size, 16);
	else if (size <= 64)
		copy_halves(plane, from, to, size, 32);
	else
		copy_large(shape, plane, from, to);
}

/* The first @count turns of loop @at. */
static void copy_turns(const struct equant_redist_shape *shape, int at, int64_t count,
		       const char *from, char *to)
{
	const struct equant_redist_level *level = &shape->level[at];
	struct plane plane = { { .count = 1 }, { count, level->from, level->to } };

	if (at >= shape->levels - 2) {
		if (at == shape->levels - 2) {
			plane.rows = plane.columns;
			plane.columns = level[1];
		}
		copy_plane(shape, &plane, from, to);
		return;
	}
	for (int64_t i = 0; i < count; i++)
		copy_turns(shape, at + 1, level[1].count, from + i * level->from,
			   to + i * level->to);
}

/* ---- parts of them -------------------------------------------------------------------- */

/**
 * struct loops - a shape and what one turn of each of its loops has
 * @turn: bytes
 */
struct loops {
	const struct equant_redist_shape *shape;
	int64_t turn[EQUANT_REDIST_LEVELS];
};

static struct loops loops_of(const struct equant_redist_shape *shape)
{
	struct loops loops = { .shape = shape };
	int64_t bytes = shape->block;

	for (int i = shape->levels - 1; i >= 0; i--) {
		loops.turn[i] = bytes;
		bytes *= shape->level[i].count;
	}
	return loops;
}

static struct equant_redist_place later(struct equant_redist_place place, int64_t bytes)
{
	place.at += bytes;
	return place;
}

/* From byte @skip to below byte @end of what loop @at and those inside have. */
static void copy_range(const struct loops *loops, int at, struct equant_redist_place from,
		       struct equant_redist_place to, int64_t skip, int64_t end)
{
	const struct equant_redist_level *level = &loops->shape->level[at];
	int64_t turn = at < loops->shape->levels ? loops->turn[at] : 0, first, last;

	if (!turn) {
		copy_block(to.base + (to.at + skip), from.base + (from.at + skip),
			   (size_t)(end - skip), loops->shape->streamed);
		return;
	}
	first = skip / turn;
	last = end / turn;
	if (skip > first * turn) {
		copy_range(loops, at + 1, later(from, first * level->from),
			   later(to, first * level->to), skip - first * turn,
			   equant_redist_min(end - first * turn, turn));
		first++;
	}
	if (first < last)
		copy_turns(loops->shape, at, last - first,
			   from.base + (from.at + first * level->from),
			   to.base + (to.at + first * level->to));
	if (first <= last && end > last * turn)
		copy_range(loops, at + 1, later(from, last * level->from),
			   later(to, last * level->to), 0, end - last * turn);
}

void equant_redist_shape_copy(const struct equant_redist_shape *shape,
			      struct equant_redist_place from, struct equant_redist_place to,
			      int64_t skip, int64_t end)
{
	struct loops loops = loops_of(shape);

	copy_range(&loops, 0, from, to, skip, end);
}

/* ---- blocks ---------------------------------------------------------------------------- */

/* Who gets the blocks. */
struct taker {
	bool (*emit)(void *to, int64_t at, int64_t length);
	void *to;
};

static bool emit_range(const struct loops *loops, int at, const struct taker *taker, int64_t from,
		       int64_t skip, int64_t end)
{
	const struct equant_redist_level *level = &loops->shape->level[at];
	int64_t turn = at < loops->shape->levels ? loops->turn[at] : 0;

	if (!turn)
		return taker->emit(taker->to, from + skip, end - skip);
	for (int64_t i = skip / turn; i * turn < end; i++)
		if (!emit_range(loops, at + 1, taker, from + i * level->from,
				equant_redist_max(skip - i * turn, 0),
				equant_redist_min(end - i * turn, turn)))
			return false;
	return true;
}

bool equant_redist_shape_blocks(const struct equant_redist_shape *shape, int64_t skip, int64_t end,
				bool (*emit)(void *to, int64_t at, int64_t length), void *to)
{
	struct loops loops = loops_of(shape);
	struct taker taker = { emit, to };

	return emit_range(&loops, 0, &taker, 0, skip, end);
}
