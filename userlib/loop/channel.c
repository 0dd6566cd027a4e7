// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Strips to the next rank of the same node.  A strip is a few bytes, and there are hundreds of them in a
 * sweep.  As messages they cost more than they carry, and they need their sender: what finds no room on
 * its way stays with it until it calls MPI again, and where it sleeps, or a competitor has its
 * CPU, the ranks after it wait for what has long been computed.
 *
 * So a rank writes its strips to memory that the next rank reads, a ring of bytes with one writer and one
 * reader, and room for a whole boundary.  Neither side calls MPI or the kernel for it, but for ringing a
 * reader that sleeps.
 *
 * Who is next may change when units move.  Before that the writer waits until everything has been
 * read, and afterwards says by which boundaries it writes: one that is ahead must not take what is for another.
 * The reader's number would not do, as it may have been the reader before and become so again: between a look at
 * who is addressed and one at what is there, bytes for the one in between may come.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control/node.h"
#include "control/send.h"
#include "core/message.h"
#include "loop/loop_internal.h"

#define ROOM_MOST ((size_t)1 << 26) /* bytes; strips of longer boundaries are long messages */

/**
 * struct equant_channel_memory - the writer's and the reader's lines of the cache apart
 * @room: of @bytes, a power of two
 * @draws: how often boundaries had been drawn when what has not been taken was written
 * @written: bytes so far
 * @taken: of these
 */
struct equant_channel_memory {
	uint64_t cookie;
	uint64_t room;
	uint64_t pad[6];
	uint64_t written;
	uint64_t draws;
	uint64_t pad_written[6];
	uint64_t taken;
	uint64_t pad_taken[7];
	char bytes[];
};

_Static_assert(offsetof(struct equant_channel_memory, written) == 64, "a cache line");
_Static_assert(offsetof(struct equant_channel_memory, taken) == 128, "a cache line");

/* ---- this rank's ------------------------------------------------------------------------ */

static void drop(struct equant_channel_memory **memory, struct equant_invitation *own)
{
	if (*memory) {
		munmap(*memory, own->size);
		close((int)own->fd);
	}
	*memory = NULL;
	own->fd = -1;
}

void equant_channel_settle(struct equant_channel *channel)
{
	drop(&channel->former, &channel->former_own);
}

static void outgrow(struct equant_channel *channel)
{
	equant_channel_settle(channel);
	channel->former = channel->out;
	channel->former_own = channel->own;
	channel->out = NULL;
}

void equant_channel_prepare(struct equant_loop *loop, double bytes)
{
	struct equant_channel *channel = &loop->pipeline->channel;
	const struct equant_node *node = loop->eq->waiter.node;
	size_t room = 64;

	while ((double)room < bytes && room <= ROOM_MOST)
		room *= 2;
	if (channel->room >= room)
		return;
	outgrow(channel);
	channel->own.fd = -1;
	channel->written = channel->room = 0;
	if (!node || node->ranks == 1 || room > ROOM_MOST)
		return;
	channel->out = equant_segment_make(sizeof(*channel->out) + room, &channel->own);
	if (channel->out)
		channel->out->room = channel->room = room;
}

static int is_near(const struct equant_loop *loop, int rank)
{
	const struct equant_node *node = loop->eq->waiter.node;

	return node && node->local[rank] >= 0;
}

int equant_channel_reaches(const struct equant_loop *loop, int rank)
{
	return loop->pipeline->channel.out && is_near(loop, rank);
}

/* ---- other ranks' ----------------------------------------------------------------------- */

static void drop_inlet(struct equant_inlet *inlet)
{
	if (inlet->memory)
		munmap(inlet->memory, inlet->size);
	inlet->memory = NULL;
}

static int join(struct equant_inlet *inlet, const struct equant_invitation *own)
{
	drop_inlet(inlet);
	inlet->memory = equant_segment_join(own);
	inlet->cookie = own->cookie;
	inlet->size = own->size;
	return inlet->memory ? 0 : -errno;
}

int equant_channel_open(struct equant_loop *loop, int rank, const struct equant_invitation *own)
{
	struct equant_channel *channel = &loop->pipeline->channel;
	struct equant_inlet *inlet;
	int error = 0;

	channel->in = NULL;
	if (own->fd < 0 || !is_near(loop, rank))
		return 0;
	if (!channel->inlets)
		channel->inlets = calloc((size_t)loop->ranks, sizeof(*channel->inlets));
	if (!channel->inlets)
		return -ENOMEM;
	inlet = &channel->inlets[rank];
	if (!inlet->memory || inlet->cookie != own->cookie)
		error = join(inlet, own);
	if (error)
		equant_message("loop %s, rank %d: rank %d's memory for strips: %s", loop->name,
			       loop->rank, rank, strerror(-error));
	channel->in = inlet->memory;
	return error;
}

void equant_channel_release(struct equant_channel *channel, int ranks)
{
	equant_channel_settle(channel);
	drop(&channel->out, &channel->own);
	for (int r = 0; channel->inlets && r < ranks; r++)
		drop_inlet(&channel->inlets[r]);
	free(channel->inlets);
}

/* ---- bytes ------------------------------------------------------------------------------ */

int equant_channel_has(const struct equant_channel *channel, size_t bytes)
{
	const struct equant_channel_memory *in = channel->in;

	return __atomic_load_n(&in->draws, __ATOMIC_ACQUIRE) == channel->draws &&
	       __atomic_load_n(&in->written, __ATOMIC_ACQUIRE) - in->taken >= bytes;
}

int equant_channel_room(const struct equant_channel *channel, size_t bytes)
{
	const struct equant_channel_memory *out = channel->out;

	return !out || channel->written + bytes - __atomic_load_n(&out->taken, __ATOMIC_ACQUIRE) <=
			       out->room;
}

/* How many of @bytes from place @at on are there before the ring begins again. */
static size_t before_end(const struct equant_channel_memory *memory, size_t at, size_t bytes)
{
	return bytes < memory->room - at ? bytes : memory->room - at;
}

void equant_channel_address(struct equant_channel *channel)
{
	__atomic_store_n(&channel->out->draws, channel->draws, __ATOMIC_RELEASE);
}

void equant_channel_put(struct equant_channel *channel, const void *from, size_t bytes)
{
	struct equant_channel_memory *out = channel->out;
	size_t at = channel->written & (out->room - 1), first = before_end(out, at, bytes);

	memcpy(out->bytes + at, from, first);
	memcpy(out->bytes, (const char *)from + first, bytes - first);
	channel->written += bytes;
}

void equant_channel_ring(struct equant_loop *loop, int rank)
{
	struct equant_channel *channel = &loop->pipeline->channel;

	equant_delay(&loop->eq->waiter);
	__atomic_store_n(&channel->out->written, channel->written, __ATOMIC_RELEASE);
	equant_node_ring(loop->eq->waiter.node, rank);
}

void equant_channel_get(struct equant_channel *channel, void *to, size_t bytes)
{
	struct equant_channel_memory *in = channel->in;
	size_t at = in->taken & (in->room - 1), first = before_end(in, at, bytes);

	memcpy(to, in->bytes + at, first);
	memcpy((char *)to + first, in->bytes, bytes - first);
	__atomic_store_n(&in->taken, in->taken + bytes, __ATOMIC_RELEASE);
}
