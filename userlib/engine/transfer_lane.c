// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a rank sends, or what it receives, in the schedule's order and with bounded memory.
 *
 * Each message of the window has a stream of its own with two slots at least: while one chunk is
 * under way the next is packed, or the last is unpacked.  Of short chunks more are under way.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/transfer_internal.h"
#include "redist/stream.h"

#define ROOM ((size_t)1 << 19) /* bytes of a stream's slots: what is on a link and in its queues */
#define DEPTH_LEAST 2
#define DEPTH_MOST 8

static int add_chunk(struct equant_lane *lane, int64_t letter, size_t at, size_t length)
{
	struct equant_letter *of = &lane->letters[letter];

	if (lane->chunk_count == lane->chunk_room) {
		int64_t room = 2 * lane->chunk_room + 16;
		struct equant_chunk *more = reallocarray(lane->chunks, (size_t)room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		lane->chunks = more;
		lane->chunk_room = room;
	}
	if (at)
		lane->chunks[of->last].next = lane->chunk_count;
	else
		of->first = lane->chunk_count;
	of->last = lane->chunk_count++;
	lane->chunks[of->last] = (struct equant_chunk){ letter, at, (int)length, -1, false };
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

/* Slots of a stream: ROOM bytes, and not more than its longest letter needs, but two to take turns. */
static int depth_of(const struct equant_lane *lane)
{
	size_t longest = lane->longest ? lane->longest : 1;
	size_t depth = DEPTH_LEAST, room = ROOM / longest;

	for (int64_t i = 0; i < lane->letter_count; i++) {
		size_t needs = (lane->letters[i].bytes + longest - 1) / longest;

		needs = needs < room ? needs : room;
		depth = needs > depth ? needs : depth;
	}
	return depth < DEPTH_MOST ? (int)depth : DEPTH_MOST;
}

void equant_lane_resize(struct equant_lane *lane, int window, int slots)
{
	int depth = depth_of(lane), streams = slots / depth < window ? slots / depth : window;
	int64_t chunks;

	streams = lane->letter_count < streams ? (int)lane->letter_count : streams;
	lane->stream_count = streams ? streams : 1;
	chunks = lane->chunk_count / lane->stream_count;
	depth = depth < slots ? depth : slots;
	depth = depth < chunks ? depth : (int)chunks;
	lane->depth = depth ? depth : 1;
	lane->slot_count = lane->stream_count * lane->depth;
}

size_t equant_lane_size(const struct equant_lane *lane)
{
	size_t size;

	return __builtin_mul_overflow((size_t)lane->slot_count, lane->longest, &size) ? SIZE_MAX :
											size;
}

/* From one slot to the next: no two ranks' data are in a line of the cache. */
static size_t step_of(const struct equant_lane *lane)
{
	return (lane->longest / EQUANT_REDIST_LINE + 1) * EQUANT_REDIST_LINE;
}

int equant_lane_allocate(struct equant_lane *lane)
{
	lane->streams = calloc((size_t)lane->stream_count, sizeof(*lane->streams));
	lane->slots = calloc((size_t)lane->slot_count, sizeof(*lane->slots));
	return lane->slots && lane->streams ? 0 : -ENOMEM;
}

size_t equant_lane_room(const struct equant_lane *lane)
{
	return lane->letter_count ? (size_t)lane->slot_count * step_of(lane) : 0;
}

int equant_lane_fill(struct equant_lane *lane)
{
	lane->private = malloc(equant_lane_room(lane) + 1);
	return lane->private ? 0 : -ENOMEM;
}

size_t equant_lane_place(const struct equant_lane *lane, int s)
{
	return (size_t)s * step_of(lane);
}

char *equant_lane_slot(const struct equant_lane *lane, int s)
{
	return lane->memory + equant_lane_place(lane, s);
}

void equant_lane_release(struct equant_lane *lane, bool under_way)
{
	for (int i = 0; i < lane->part_count; i++)
		equant_redist_part_free(lane->parts[i]);
	free(lane->parts);
	free(lane->parcels);
	if (!under_way) {
		free(lane->private);
		free(lane->letters);
		free(lane->slots);
	}
	free(lane->chunks);
	free(lane->streams);
	free(lane->near);
}
