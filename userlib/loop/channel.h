/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_CHANNEL_H
#define EQUANT_LOOP_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include "control/segment.h"

struct equant_loop;
struct equant_channel_memory;

/**
 * struct equant_inlet - another rank's channel, if this rank has read of it
 * @cookie: which one
 */
struct equant_inlet {
	uint64_t cookie;
	size_t size;
	struct equant_channel_memory *memory;
};

/**
 * struct equant_channel - strips to and from ranks of the same node; see channel.c
 * @own: how others find the memory that this rank writes to, @fd -1 = there is none
 * @out: that memory
 * @former, @former_own: what it was before it had to grow, until all ranks are done with it
 * @room: bytes that may be written and not yet read
 * @written: bytes written so far
 * @draws: how often the boundaries were drawn, the same on all ranks
 * @inlets: by rank; NULL = none yet
 * @in: what the rank before writes to, NULL = it sends messages
 */
struct equant_channel {
	struct equant_invitation own;
	struct equant_channel_memory *out;
	struct equant_invitation former_own;
	struct equant_channel_memory *former;
	size_t room;
	uint64_t written;
	uint64_t draws;
	struct equant_inlet *inlets;
	struct equant_channel_memory *in;
};

/**
 * equant_channel_prepare() - memory for what this rank will write
 * @loop: between two sweeps
 * @bytes: that may be under way at once
 *
 * Where there is none @own says so, and messages go instead.  A rank that is late may have to find and read what
 * was written in the sweep before: that memory stays until equant_channel_settle().
 */
void equant_channel_prepare(struct equant_loop *loop, double bytes);

/** equant_channel_settle() - all ranks have come to the end of the last sweep */
void equant_channel_settle(struct equant_channel *channel);

/** equant_channel_reaches() - does this rank write to that one, instead of sending messages? */
int equant_channel_reaches(const struct equant_loop *loop, int rank);

/**
 * equant_channel_open() - where the rank before writes to
 * @rank: it
 * @own: as it has told in the agreement
 *
 * Return: 0, also where it sends messages; -errno after a message.
 */
int equant_channel_open(struct equant_loop *loop, int rank, const struct equant_invitation *own);

/**
 * equant_channel_address() - what is written from now on is for this rank's next one
 *
 * ... as it is since boundaries were last drawn.  All before has been read.
 */
void equant_channel_address(struct equant_channel *channel);

/** equant_channel_put() - write some bytes, of which the reader knows after equant_channel_ring() */
void equant_channel_put(struct equant_channel *channel, const void *from, size_t bytes);
void equant_channel_ring(struct equant_loop *loop, int rank);

/** equant_channel_get() - read some bytes, which are there */
void equant_channel_get(struct equant_channel *channel, void *to, size_t bytes);

/** equant_channel_has() - are so many bytes for this rank there? */
int equant_channel_has(const struct equant_channel *channel, size_t bytes);

/** equant_channel_room() - can so many be written?  All of @room can when everything has been read. */
int equant_channel_room(const struct equant_channel *channel, size_t bytes);

void equant_channel_release(struct equant_channel *channel, int ranks);

#endif /* EQUANT_LOOP_CHANNEL_H */
