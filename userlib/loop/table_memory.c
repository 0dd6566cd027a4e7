// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Memory for slices of one size.  "This memory allocation and deallocation is an expensive
 * part of work movement" (Siegell 1995, section 6.2.2), so what is given back is kept, and
 * the system is asked for several slices at once.  The thesis keeps the spare slices behind
 * the others in a packed table's own array, and has no such list for the scattered
 * kinds; a stack beside the table costs no more and serves them all.
 *
 * Slices are as large as the program says, one behind the other: a block of units that was there
 * from the start is one piece of memory, and its messages are of one piece.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/table.h"

#define CHUNK_BYTES 65536
#define CHUNK_PART 8 /* a new chunk is this part of what there is, or larger */

static int add_chunk(struct equant_pool *pool, long slices)
{
	void **chunks, **spare;
	char *memory;

	chunks = realloc(pool->chunks, (size_t)(pool->nr_chunks + 1) * sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	pool->chunks = chunks;
	spare = realloc(pool->spare, (size_t)(pool->total + slices) * sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	pool->spare = spare;
	memory = calloc((size_t)slices, pool->slice);
	if (!memory)
		return -ENOMEM;
	pool->chunks[pool->nr_chunks++] = memory;
	pool->total += slices;
	/* The lowest comes first. */
	while (slices--)
		pool->spare[pool->nr_spare++] = memory + (size_t)slices * pool->slice;
	return 0;
}

int equant_pool_reserve(struct equant_pool *pool, long slices)
{
	return slices > pool->nr_spare ? add_chunk(pool, slices - pool->nr_spare) : 0;
}

void *equant_pool_take(struct equant_pool *pool)
{
	long slices = pool->total / CHUNK_PART;

	if (slices < (long)(CHUNK_BYTES / pool->slice))
		slices = (long)(CHUNK_BYTES / pool->slice);
	/* Where there is not enough for all of them there may be for one. */
	if (!pool->nr_spare && add_chunk(pool, slices > 0 ? slices : 1) && add_chunk(pool, 1))
		return NULL;
	return pool->spare[--pool->nr_spare];
}

void equant_pool_give(struct equant_pool *pool, void *slice)
{
	pool->spare[pool->nr_spare++] = slice;
}

void equant_pool_release(struct equant_pool *pool)
{
	while (pool->nr_chunks)
		free(pool->chunks[--pool->nr_chunks]);
	free(pool->chunks);
	free(pool->spare);
	memset(pool, 0, sizeof(*pool));
}
