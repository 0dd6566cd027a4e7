// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Strided copies.  At block size 1 everything is in the innermost loop, so that has one form
 * for each power of two up to 16 bytes, in which a block is a load and a store, and one for
 * every other size up to 64, in which it is two of each that overlap in the middle.  The loop
 * around that one is in the same form, since the innermost may have few turns.
 *
 * Of arrays that no cache holds what is copied is asked for before it is its turn: by what goes ahead of all
 * loops, which cuts them, or where there is nothing for that, small blocks in lines that follow on each other, by
 * the innermost loop itself.  Longer blocks are written past the caches.
 */
#include <string.h>

#include "redist/ahead.h"
#include "redist/shape.h"
#include "redist/stream.h"

#define EIGHT 8 /* turns that are taken together */
#define SOON 4096 /* bytes from where they are to what is asked for */

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

/**
 * struct plane - two loops
 * @rows: the outer one
 * @columns: the inner one
 * @ahead: what asks for what is copied some time later, or NULL
 * @by: how many turns of the inner one later
 * @reads: without @ahead: lines that are read are asked for by the inner one
 * @writes: the same
 */
struct plane {
	struct equant_redist_level rows;
	struct equant_redist_level columns;
	const struct equant_redist_ahead *ahead;
	int64_t by;
	bool reads;
	bool writes;
};

static inline __attribute__((always_inline)) void ask(const struct plane *plane, const char *read,
						      const char *written, size_t size)
{
	const struct equant_redist_level *columns = &plane->columns;

	if (plane->ahead->reads)
		equant_redist_ask((uintptr_t)read + (uintptr_t)(plane->by * columns->from),
				  (int64_t)size, false);
	if (plane->ahead->writes)
		equant_redist_ask((uintptr_t)written + (uintptr_t)(plane->by * columns->to),
				  (int64_t)size, true);
}

/* Blocks of @half to 2 @half bytes; @half is a constant wherever this is called. */
static inline __attribute__((always_inline)) void copy_halves(char *written, const char *read,
							      size_t size, size_t half)
{
	memcpy(written, read, half);
	if (size > half)
		memcpy(written + (size - half), read + (size - half), half);
}

static inline __attribute__((always_inline)) void copy_eight(char *written, const char *read,
							     const struct equant_redist_level *step,
							     size_t size, size_t half)
{
	for (int i = 0; i < EIGHT; i += 4) {
		copy_halves(written, read, size, half);
		copy_halves(written + step->to, read + step->from, size, half);
		copy_halves(written + 2 * step->to, read + 2 * step->from, size, half);
		copy_halves(written + 3 * step->to, read + 3 * step->from, size, half);
		read += 4 * step->from;
		written += 4 * step->to;
	}
}

static inline __attribute__((always_inline)) void
ask_for_eight(const struct plane *plane, const char *read, const char *written)
{
	if (plane->reads)
		equant_redist_ask((uintptr_t)read + SOON, EIGHT * plane->columns.from, false);
	if (plane->writes)
		equant_redist_ask((uintptr_t)written + SOON, EIGHT * plane->columns.to, true);
}

/* @asks: there is something to be asked for in each turn; a constant, too. */
static inline __attribute__((always_inline)) void copy_rows(const struct plane *plane,
							    const char *from, char *to, size_t size,
							    size_t half, bool asks)
{
	struct equant_redist_level columns = plane->columns;

	for (int64_t row = 0; row < plane->rows.count; row++) {
		const char *restrict read = from + row * plane->rows.from;
		char *restrict written = to + row * plane->rows.to;
		int64_t i = 0;

		for (; !asks && i + EIGHT <= columns.count; i += EIGHT) {
			ask_for_eight(plane, read, written);
			copy_eight(written, read, &columns, size, half);
			read += EIGHT * columns.from;
			written += EIGHT * columns.to;
		}
		for (; i < columns.count; i++) {
			if (asks)
				ask(plane, read, written, size);
			copy_halves(written, read, size, half);
			read += columns.from;
			written += columns.to;
		}
	}
}

static inline __attribute__((always_inline)) void
copy_small(const struct plane *plane, const char *from, char *to, size_t size, size_t half)
{
	if (plane->ahead)
		copy_rows(plane, from, to, size, half, true);
	else
		copy_rows(plane, from, to, size, half, false);
}

static void copy_block(char *to, const char *from, size_t size, bool streamed)
{
	if (streamed)
		equant_redist_stream(to, from, size);
	else
		memcpy(to, from, size);
}

/* Blocks of more than 64 bytes, or of whole lines. */
static void copy_large(const struct equant_redist_shape *shape, const struct plane *plane,
		       const char *from, char *to)
{
	struct equant_redist_level columns = plane->columns;

	for (int64_t row = 0; row < plane->rows.count; row++) {
		const char *read = from + row * plane->rows.from;
		char *written = to + row * plane->rows.to;

		for (int64_t i = 0; i < columns.count; i++) {
			if (plane->ahead)
				ask(plane, read, written, (size_t)shape->block);
			copy_block(written, read, (size_t)shape->block, shape->streamed);
			read += columns.from;
			written += columns.to;
		}
	}
}

static void copy_plane(const struct equant_redist_shape *shape, const struct plane *plane,
		       const char *from, char *to)
{
	size_t size = (size_t)shape->block;

	if (shape->streamed)
		copy_large(shape, plane, from, to);
	else if (size == 1)
		copy_small(plane, from, to, 1, 1);
	else if (size == 2)
		copy_small(plane, from, to, 2, 2);
	else if (size == 4)
		copy_small(plane, from, to, 4, 4);
	else if (size == 8)
		copy_small(plane, from, to, 8, 8);
	else if (size == 16)
		copy_small(plane, from, to, 16, 16);
	else if (size < 4)
		copy_small(plane, from, to, size, 2);
	else if (size < 8)
		copy_small(plane, from, to, size, 4);
	else if (size < 16)
		copy_small(plane, from, to, size, 8);
	else if (size <= 32)
		copy_small(plane, from, to, size, 16);
	else if (size <= 64)
		copy_small(plane, from, to, size, 32);
	else
		copy_large(shape, plane, from, to);
}

/* ---- parts of them -------------------------------------------------------------------- */

/**
 * struct loops - a shape, what one turn of each of its loops has, and how far it has been copied
 * @turn: bytes
 * @ahead: what has been asked for, or NULL
 * @at: bytes that have been copied, from the shape's first byte on
 */
struct loops {
	const struct equant_redist_shape *shape;
	int64_t turn[EQUANT_REDIST_LEVELS];
	struct equant_redist_ahead *ahead;
	int64_t at;
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

static void copy_row(struct loops *loops, struct equant_redist_level row, const char *from,
		     char *to)
{
	int64_t most = equant_redist_max(loops->ahead->step / loops->shape->block, 1), at = 0;
	struct plane part = { .rows.count = 1, .columns = row };

	while (at < row.count) {
		const char *read = from + at * row.from;
		char *written = to + at * row.to;
		int64_t count = equant_redist_ahead_along(loops->ahead, read, written, loops->at,
							  row.count - at, &part.by);

		part.ahead = count ? loops->ahead : NULL;
		if (!count) {
			equant_redist_ahead_go(loops->ahead, loops->at);
			count = equant_redist_min(most, row.count - at);
		}
		part.columns.count = count;
		copy_plane(loops->shape, &part, read, written);
		loops->at += count * loops->shape->block;
		at += count;
	}
}

/*
 * Do blocks that are @step bytes apart have a part of each line?  What comes after a short row may be another message's,
 * which is copied soon, too.
 */
static bool follow(int64_t step)
{
	return step > 0 && step < EQUANT_REDIST_LINE;
}

/* Cut up into parts between which there is something to be asked for. */
static void copy_parts(struct loops *loops, const struct plane *plane, const char *from, char *to)
{
	int64_t row = plane->columns.count * loops->shape->block, at = 0;
	struct equant_redist_level rows = plane->rows;
	struct plane part = *plane;

	if (!loops->ahead) {
		part.reads = loops->shape->fetched && follow(plane->columns.from);
		part.writes = loops->shape->written && follow(plane->columns.to);
		copy_plane(loops->shape, &part, from, to);
		return;
	}
	if (row > loops->ahead->step) {
		for (; at < rows.count; at++)
			copy_row(loops, plane->columns, from + at * rows.from, to + at * rows.to);
		return;
	}
	for (; at < rows.count; at += part.rows.count) {
		part.rows.count = equant_redist_min(loops->ahead->step / row, rows.count - at);
		equant_redist_ahead_go(loops->ahead, loops->at);
		copy_plane(loops->shape, &part, from + at * rows.from, to + at * rows.to);
		loops->at += part.rows.count * row;
	}
}

/* The first @count turns of loop @at. */
static void copy_turns(struct loops *loops, int at, int64_t count, const char *from, char *to)
{
	const struct equant_redist_level *level = &loops->shape->level[at];
	struct plane plane = { .rows.count = 1, .columns = { count, level->from, level->to } };

	if (at >= loops->shape->levels - 2) {
		if (at == loops->shape->levels - 2) {
			plane.rows = plane.columns;
			plane.columns = level[1];
		}
		copy_parts(loops, &plane, from, to);
		return;
	}
	for (int64_t i = 0; i < count; i++)
		copy_turns(loops, at + 1, level[1].count, from + i * level->from,
			   to + i * level->to);
}

/* A part of a block; of lines that are written past the caches none is cut. */
static void copy_bytes(struct loops *loops, const char *from, char *to, int64_t size)
{
	int64_t step = loops->ahead ? loops->ahead->step : size;
	int64_t length = step + (int64_t)(-(uintptr_t)to % EQUANT_REDIST_LINE);

	for (int64_t at = 0; at < size; at += length, length = step) {
		length = equant_redist_min(length, size - at);
		if (loops->ahead)
			equant_redist_ahead_go(loops->ahead, loops->at);
		copy_block(to + at, from + at, (size_t)length, loops->shape->streamed);
		loops->at += length;
	}
}

static struct equant_redist_place later(struct equant_redist_place place, int64_t bytes)
{
	place.at += bytes;
	return place;
}

/* From byte @skip to below byte @end of what loop @at and those inside have. */
static void copy_range(struct loops *loops, int at, struct equant_redist_place from,
		       struct equant_redist_place to, int64_t skip, int64_t end)
{
	const struct equant_redist_level *level = &loops->shape->level[at];
	int64_t turn = at < loops->shape->levels ? loops->turn[at] : 0, first, last;

	if (!turn) {
		copy_bytes(loops, from.base + (from.at + skip), to.base + (to.at + skip),
			   end - skip);
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
		copy_turns(loops, at, last - first, from.base + (from.at + first * level->from),
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
	struct equant_redist_ahead ahead;

	equant_redist_ahead_begin(&ahead, shape, loops.turn, from, to, skip, end);
	loops.ahead = ahead.reads || ahead.writes ? &ahead : NULL;
	loops.at = skip;
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
