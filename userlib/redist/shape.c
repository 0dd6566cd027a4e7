// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Strided copies.  At block size 1 everything is in the innermost loop, so that has one form
 * for each power of two up to 16 bytes, in which a block is a load and a store, and one for
 * every other size up to 64, in which it is two of each that overlap in the middle.
 */
#include <string.h>

#include "redist/shape.h"

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

/* @size is a constant wherever this is called. */
static inline __attribute__((always_inline)) void
copy_whole(const struct equant_redist_level *level, const char *restrict from, char *restrict to,
	   size_t size)
{
	for (int64_t i = 0; i < level->count; i++) {
		memcpy(to, from, size);
		from += level->from;
		to += level->to;
	}
}

/* Blocks of @half to 2 @half bytes; @half is a constant. */
static inline __attribute__((always_inline)) void
copy_halves(const struct equant_redist_level *level, const char *restrict from, char *restrict to,
	    size_t size, size_t half)
{
	size_t second = size - half;

	for (int64_t i = 0; i < level->count; i++) {
		memcpy(to, from, half);
		memcpy(to + second, from + second, half);
		from += level->from;
		to += level->to;
	}
}

static void copy_level(const struct equant_redist_level *level, const char *from, char *to,
		       size_t size)
{
	if (size == 1)
		copy_whole(level, from, to, 1);
	else if (size == 2)
		copy_whole(level, from, to, 2);
	else if (size == 4)
		copy_whole(level, from, to, 4);
	else if (size == 8)
		copy_whole(level, from, to, 8);
	else if (size == 16)
		copy_whole(level, from, to, 16);
	else if (size < 4)
		copy_halves(level, from, to, size, 2);
	else if (size < 8)
		copy_halves(level, from, to, size, 4);
	else if (size < 16)
		copy_halves(level, from, to, size, 8);
	else if (size <= 32)
		copy_halves(level, from, to, size, 16);
	else if (size <= 64)
		copy_halves(level, from, to, size, 32);
	else
		copy_whole(level, from, to, size);
}

static void copy_from(const struct equant_redist_shape *shape, int at, const char *from, char *to)
{
	const struct equant_redist_level *level = &shape->level[at];

	if (at == shape->levels - 1) {
		copy_level(level, from, to, (size_t)shape->block);
		return;
	}
	for (int64_t i = 0; i < level->count; i++)
		copy_from(shape, at + 1, from + i * level->from, to + i * level->to);
}

void equant_redist_shape_copy(const struct equant_redist_shape *shape, const char *from, char *to)
{
	if (shape->levels)
		copy_from(shape, 0, from, to);
	else
		memcpy(to, from, (size_t)shape->block);
}
