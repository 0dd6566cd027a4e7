// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Straight into place: a receiver on the sender's node reads what is its own out of the sender's
 * memory with process_vm_readv(2), so that nothing is packed and MPI copies nothing.
 *
 * In a run a sender offers its array to its neighbours, or says how else its elements come: the
 * kernel looks up pages for every block of the sender's, so small blocks are packed, and into slots
 * that both see larger ones, too.  What the receiver has read it confirms, and until then the
 * sender's run goes on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"

#define VECTORS 512 /* of a call; UIO_MAXIOV is 1024 */
#define LOOKED_AT 64 /* blocks, of a message */
#define BLOCK_SENT 2048 /* bytes: from here on it is faster not to pack into messages */
#define BLOCK_SHARED 32768 /* nor into slots that the receiver sees */
#define BLOCK_RECEIVED 256 /* and not to unpack */

/* ---- who is near ----------------------------------------------------------------------------- */

int equant_near_find(struct equant_transfer *transfer)
{
	for (int side = 0; side < 2; side++) {
		struct equant_lane *lane = &transfer->lanes[side];

		lane->near = calloc((size_t)lane->letter_count + 1, sizeof(*lane->near));
		if (!lane->near)
			return -ENOMEM;
		/* What is sent on is not where it is from. */
		for (int64_t i = 0; i < lane->letter_count && !transfer->route; i++) {
			struct equant_letter *letter = &lane->letters[i];

			letter->neighbour =
				equant_neighbours_find(transfer->neighbours, letter->peer);
			if (letter->neighbour)
				lane->near[lane->near_count++] = i;
		}
	}
	return 0;
}

/* ---- offers ------------------------------------------------------------------------------- */

/* Bytes of a letter's first blocks, and how many they are. */
struct blocks {
	int64_t bytes;
	int count;
};

static bool count_block(void *to, int64_t at, int64_t length)
{
	struct blocks *blocks = to;

	(void)at;
	blocks->bytes += length;
	return ++blocks->count < LOOKED_AT;
}

/* Are the blocks that it has in the local array long ones? */
static bool has_blocks_of(const struct equant_transfer *transfer,
			  const struct equant_letter *letter, int side, int64_t least)
{
	struct blocks blocks = { 0, 0 };

	equant_redist_blocks(letter->part, transfer->element, transfer->view.strides[side], !side,
			     0, (int64_t)letter->bytes, count_block, &blocks);
	return blocks.bytes >= least * blocks.count;
}

/* A byte that the kernel lets nobody read, not even this process, though it may be loaded. */
static bool is_hidden(uintptr_t address)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)address, 1 };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0 && errno == EFAULT;
}

static bool find_block(void *to, int64_t at, int64_t length)
{
	(void)length;
	*(int64_t *)to = at;
	return false;
}

/* Memory of a device and secret memory are: one look at each end tells, since an array is of one piece. */
static bool is_hidden_from(const struct equant_transfer *transfer,
			   const struct equant_letter *letter)
{
	uintptr_t base = (uintptr_t)transfer->view.base[0];
	int64_t ends[2] = { 0, (int64_t)letter->bytes - 1 }, at = 0;

	for (int i = 0; i < 2; i++) {
		equant_redist_blocks(letter->part, transfer->element, transfer->view.strides[0],
				     true, ends[i], 1, find_block, &at);
		if (is_hidden(base + (uintptr_t)at))
			return true;
	}
	return false;
}

static enum equant_way way_of(const struct equant_transfer *transfer,
			      const struct equant_letter *letter)
{
	bool seen = letter->neighbour->reached & EQUANT_REACH_SEES && !transfer->lanes[0].private;

	if (letter->neighbour->reached & EQUANT_REACH_READS &&
	    has_blocks_of(transfer, letter, 0, seen ? BLOCK_SHARED : BLOCK_SENT) &&
	    !is_hidden_from(transfer, letter))
		return EQUANT_WAY_DIRECT;
	return seen ? EQUANT_WAY_SLOTS : EQUANT_WAY_MESSAGES;
}

static int send_offer(struct equant_transfer *transfer, struct equant_letter *letter,
		      MPI_Request *notes)
{
	struct equant_offer *offer = &letter->offer;
	int error;

	offer->way = way_of(transfer, letter);
	offer->base = (uint64_t)(uintptr_t)transfer->view.base[0];
	memcpy(offer->strides, transfer->view.strides[0], sizeof(offer->strides));
	letter->taken = 0;
	error = equant_mpi_error(MPI_Isend(offer, sizeof(*offer), MPI_BYTE, letter->peer,
					   EQUANT_TRANSFER_OFFER, transfer->comm, &notes[0]),
				 "offering an array");
	if (error || offer->way != EQUANT_WAY_DIRECT)
		return error;
	return equant_mpi_error(MPI_Irecv(&letter->taken, 1, MPI_INT, letter->peer,
					  EQUANT_TRANSFER_TAKEN, transfer->comm, &notes[1]),
				"waiting until an array has been read");
}

int equant_near_begin(struct equant_transfer *transfer)
{
	struct equant_lane *out = &transfer->lanes[0], *in = &transfer->lanes[1];
	int error = 0;

	for (int i = 0; i < in->near_count && !error; i++) {
		struct equant_letter *letter = &in->letters[in->near[i]];

		letter->offered = false;
		letter->taken = 0;
		error = equant_mpi_error(MPI_Irecv(&letter->offer, sizeof(letter->offer), MPI_BYTE,
						   letter->peer, EQUANT_TRANSFER_OFFER,
						   transfer->comm, &in->notes[2 * i]),
					 "waiting for an array");
	}
	for (int i = 0; i < out->near_count && !error; i++)
		error = send_offer(transfer, &out->letters[out->near[i]], &out->notes[2 * i]);
	return error;
}

/* ---- reading ------------------------------------------------------------------------------- */

/**
 * struct vectors - some blocks
 * @base: element 0
 * @vector: blocks; those that follow on each other are one
 * @count: of them
 */
struct vectors {
	uintptr_t base;
	struct iovec vector[VECTORS];
	unsigned long count;
};

static bool add_block(void *to, int64_t at, int64_t length)
{
	struct vectors *vectors = to;
	uintptr_t address = vectors->base + (uintptr_t)at;
	struct iovec *last = &vectors->vector[vectors->count];

	if (vectors->count && (uintptr_t)last[-1].iov_base + last[-1].iov_len == address) {
		last[-1].iov_len += (size_t)length;
		return true;
	}
	if (vectors->count == VECTORS)
		return false;
	*last = (struct iovec){ (void *)address, (size_t)length };
	vectors->count++;
	return true;
}

/* Errors that all ranks have are others than those of a reader and its sender. */
static int fault_of(int code)
{
	return code == ENOMEM || code == EINVAL || code == EOVERFLOW || code == ECANCELED ? -EIO :
											    -code;
}

/* Bytes from @at to below @end, to @spare, or into place if that is NULL.  0 or -errno. */
static int read_bytes(const struct equant_transfer *transfer, const struct equant_letter *letter,
		      int64_t at, int64_t end, char *spare)
{
	struct vectors there, here;

	while (at < end) {
		ssize_t got;

		there.base = (uintptr_t)letter->offer.base;
		there.count = 0;
		equant_redist_blocks(letter->part, transfer->element, letter->offer.strides, true,
				     at, end - at, add_block, &there);
		here.base = (uintptr_t)transfer->view.base[1];
		here.count = 1;
		here.vector[0] = (struct iovec){ spare, (size_t)(end - at) };
		if (!spare) {
			here.count = 0;
			equant_redist_blocks(letter->part, transfer->element,
					     transfer->view.strides[1], false, at, end - at,
					     add_block, &here);
		}
		got = process_vm_readv(letter->neighbour->pid, here.vector, here.count,
				       there.vector, there.count, 0);
		if (got <= 0)
			return got ? fault_of(errno) : -EFAULT;
		at += got;
		spare = spare ? spare + got : NULL;
	}
	return 0;
}

static int confirm(struct equant_transfer *transfer, int64_t near)
{
	struct equant_lane *lane = &transfer->lanes[1];
	struct equant_letter *letter = &lane->letters[lane->near[near]];

	return equant_mpi_error(MPI_Isend(&letter->taken, 1, MPI_INT, letter->peer,
					  EQUANT_TRANSFER_TAKEN, transfer->comm,
					  &lane->notes[2 * near + 1]),
				"saying that an array has been read");
}

int equant_near_read(struct equant_transfer *transfer, int64_t near,
		     const struct equant_chunk *chunk, char *spare)
{
	struct equant_letter *letter = &transfer->lanes[1].letters[chunk->letter];
	bool in_place = has_blocks_of(transfer, letter, 1, BLOCK_RECEIVED);
	int64_t at = (int64_t)chunk->at;
	int error = 0;

	if (!letter->taken)
		error = read_bytes(transfer, letter, at, at + chunk->length,
				   in_place ? NULL : spare);
	if (error) {
		equant_message("rank %d: reading from rank %d, process %ld: %s", transfer->rank,
			       letter->peer, (long)letter->neighbour->pid, strerror(-error));
		letter->taken = -error;
		transfer->failure = error;
	} else if (!in_place && !letter->taken) {
		equant_redist_unpack_piece(letter->part, transfer->element,
					   equant_transfer_local(transfer, 1), at, chunk->length,
					   spare);
	}
	letter->left -= (size_t)chunk->length;
	return letter->left ? 0 : confirm(transfer, near);
}
