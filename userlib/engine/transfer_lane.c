// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a rank sends, or what it receives, in the schedule's order and with bounded memory.
 *
 * A letter needs memory from the moment its first chunk may begin until its last one is
 * through.  Chunk k begins only when chunk k - window is through, so a letter whose last chunk is l
 * has given its box back once chunk l + window begins: boxes can be dealt out when the plan is
 * made.
 */
#include <errno.h>
#include <limits.h>
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
	return 0;
}

int equant_lane_add(struct equant_lane *lane, int64_t letter, size_t end, size_t largest)
{
	struct equant_letter *l = &lane->letters[letter];
	size_t at = 0;
	int error = 0;

	if (l->last >= 0)
		at = lane->chunks[l->last].at + (size_t)lane->chunks[l->last].length;
	while (at < end && !error) {
		size_t length = end - at < largest ? end - at : largest;

		if (l->last < 0)
			l->first = lane->chunk_count;
		l->last = lane->chunk_count;
		error = add_chunk(lane, letter, at, length);
		at += length;
	}
	return error;
}

/* A box that is free when @letter begins, the largest of them, or a new one. */
static int find_box(struct equant_lane *lane, const struct equant_letter *letter)
{
	int best = lane->box_count;

	for (int i = 0; i < lane->box_count; i++)
		if (lane->boxes[i].free_from <= letter->first &&
		    (best == lane->box_count || lane->boxes[i].size > lane->boxes[best].size))
			best = i;
	return best;
}

int equant_lane_pack_boxes(struct equant_lane *lane, int window)
{
	struct equant_box *more;

	lane->window = window;
	lane->box_count = 0;
	for (int64_t i = 0; i < lane->letter_count; i++) {
		struct equant_letter *letter = &lane->letters[i];

		letter->box = find_box(lane, letter);
		if (letter->box == lane->box_count) {
			more = reallocarray(lane->boxes, (size_t)lane->box_count + 1,
					    sizeof(*more));
			if (!more)
				return -ENOMEM;
			lane->boxes = more;
			lane->boxes[lane->box_count++] = (struct equant_box){ 0 };
		}
		if (lane->boxes[letter->box].size < letter->bytes)
			lane->boxes[letter->box].size = letter->bytes;
		lane->boxes[letter->box].free_from = letter->last + window;
	}
	return 0;
}

size_t equant_lane_size(const struct equant_lane *lane)
{
	size_t size = 0;

	for (int i = 0; i < lane->box_count; i++)
		if (__builtin_add_overflow(size, lane->boxes[i].size, &size))
			return SIZE_MAX;
	return size;
}

int equant_lane_allocate(struct equant_lane *lane)
{
	for (int i = 0; i < lane->box_count; i++) {
		lane->boxes[i].memory = malloc(lane->boxes[i].size);
		if (!lane->boxes[i].memory)
			return -ENOMEM;
	}
	return 0;
}

void equant_lane_release(struct equant_lane *lane, int under_way)
{
	for (int64_t i = 0; i < lane->letter_count; i++)
		equant_redist_part_free(lane->letters[i].part);
	for (int i = 0; i < lane->box_count && !under_way; i++)
		free(lane->boxes[i].memory);
	free(lane->letters);
	free(lane->chunks);
	free(lane->boxes);
}
