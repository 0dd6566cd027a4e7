// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a rank sends, or what it receives, in the schedule's order and with bounded memory.
 *
 * Chunk k is packed into slot k modulo the number of slots, or received there, once chunk k - slots
 * has left it.  There are two slots for each message of the window: while one chunk is under way,
 * the next is packed or the last is unpacked.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/transfer_internal.h"

static int add_chunk(struct equant_lane *lane, int64_t letter, size_t at, size_t length)
{
	if (lane->chunk_count == lane->chunk_room) {
		int64_t room = 2 * lane->chunk_room + 16;
		struct equant_chunk *more = reallocarray(lane->chunks, (size_t)room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		lane->chunks = more;
		lane->chunk_room = room;
	}
	lane->chunks[lane->chunk_count++] = (struct equant_chunk){ letter, at, (int)length };
	if (length > lane->longest)
		lane->longest = length;
	return 0;
}

int equant_lane_add(struct equant_lane *lane, int64_t letter, size_t end, size_t largest)
{
	struct equant_letter *l = &lane->letters[letter];
	int error = 0;

	while (l->end < end && !error) {
		size_t length = end - l->end < largest ? end - l->end : largest;

		error = add_chunk(lane, letter, l->end, length);
		l->end += length;
	}
	return error;
}

void equant_lane_resize(struct equant_lane *lane, int slots)
{
	int64_t most = lane->chunk_count ? lane->chunk_count : 1;

	lane->slot_count = slots < most ? slots : (int)most;
	lane->window = (lane->slot_count + 1) / 2;
}

size_t equant_lane_size(const struct equant_lane *lane)
{
	size_t size;

	return __builtin_mul_overflow((size_t)lane->slot_count, lane->longest, &size) ? SIZE_MAX :
											size;
}

int equant_lane_allocate(struct equant_lane *lane)
{
	lane->slots = calloc((size_t)lane->slot_count, sizeof(*lane->slots));
	for (int i = 0; lane->slots && i < lane->slot_count; i++) {
		lane->slots[i].memory = malloc(lane->longest + 1);
		if (!lane->slots[i].memory)
			return -ENOMEM;
	}
	return lane->slots ? 0 : -ENOMEM;
}

void equant_lane_release(struct equant_lane *lane, bool under_way)
{
	for (int64_t i = 0; i < lane->letter_count; i++)
		equant_redist_part_free(lane->letters[i].part);
	for (int i = 0; lane->slots && i < lane->slot_count && !under_way; i++)
		free(lane->slots[i].memory);
	if (!under_way)
		free(lane->letters);
	free(lane->chunks);
	free(lane->slots);
	free(lane->near);
}
