// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Straight into place: a receiver on the sender's node reads what is its own out of the sender's
 * memory with process_vm_readv(2), so that nothing is packed and MPI copies nothing.
 *
 * Whether it may depends on users, on namespaces, on Yama and on seccomp filters, so when a
 * transfer is made each rank tries it with a number in the memory of every rank of its node.  What
 * cannot be read comes in messages.
 *
 * In a run a sender offers its array to who can read it, or says that there will be messages: the
 * kernel looks up pages for every block of the sender's, so small blocks are packed.  What the
 * receiver has read it confirms, and until then the sender's run goes on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_internal.h"
#include "redist/pack.h"

#define VECTORS 512 /* of a call; UIO_MAXIOV is 1024 */
#define LOOKED_AT 64 /* blocks, of a message */
#define BLOCK_SENT 2048 /* bytes: from here on it is faster not to pack */
#define BLOCK_RECEIVED 256 /* and not to unpack */

/* ---- who can be read ---------------------------------------------------------------------- */

/**
 * struct door - what a rank of the node tries to read
 * @rank: in the transfer's communicator
 * @pid: its process
 * @at: address of @number
 * @number: that is there
 */
struct door {
	int64_t rank;
	int64_t pid;
	uint64_t at;
	uint64_t number;
};

static bool can_read(const struct door *door)
{
	uint64_t found = 0;
	struct iovec here = { &found, sizeof(found) };
	struct iovec there = { (void *)(uintptr_t)door->at, sizeof(found) };

	return process_vm_readv((pid_t)door->pid, &here, 1, &there, 1, 0) == sizeof(found) &&
	       found == door->number;
}

/**
 * struct node - the ranks of this node
 * @comm: theirs
 * @count: of them
 * @doors: of each
 * @reads: whether this one can read each
 * @read_by: whether each can read this one
 */
struct node {
	MPI_Comm comm;
	int count;
	struct door *doors;
	int *reads;
	int *read_by;
};

/*
 * That no other rank has, at whatever address: with a pid namespace of its own a rank may have the
 * pid of another, and would take its own memory for that one's.
 */
static uint64_t number_of(int rank)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint64_t)getpid();
	return (random & ~(uint64_t)UINT32_MAX) | (uint32_t)rank;
}

static int try_all(struct equant_transfer *transfer, struct node *node)
{
	uint64_t number = number_of(transfer->rank);
	struct door mine = { transfer->rank, getpid(), (uint64_t)(uintptr_t)&number, number };
	int error = equant_mpi_error(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, node->doors,
						   sizeof(mine), MPI_BYTE, node->comm),
				     "comparing processes of a node");

	for (int i = 0; i < node->count && !error; i++)
		node->reads[i] = can_read(&node->doors[i]);
	/* Nobody comes out of this before all have read. */
	if (!error)
		error = equant_mpi_error(MPI_Alltoall(node->reads, 1, MPI_INT, node->read_by, 1,
						      MPI_INT, node->comm),
					 "saying what can be read");
	return error;
}

static int mark(struct equant_transfer *transfer, const struct node *node, int side)
{
	struct equant_lane *lane = &transfer->lanes[side];

	lane->near = calloc((size_t)lane->letter_count + 1, sizeof(*lane->near));
	if (!lane->near)
		return -ENOMEM;
	for (int64_t i = 0; i < lane->letter_count; i++) {
		struct equant_letter *letter = &lane->letters[i];

		for (int j = 0; j < node->count; j++) {
			if (node->doors[j].rank != letter->peer || !letter->part)
				continue;
			letter->near = side ? node->reads[j] : node->read_by[j];
			letter->pid = (pid_t)node->doors[j].pid;
		}
		if (letter->near)
			lane->near[lane->near_count++] = i;
	}
	return 0;
}

static int look(struct equant_transfer *transfer, struct node *node)
{
	int error;

	MPI_Comm_size(node->comm, &node->count);
	node->doors = calloc((size_t)node->count, sizeof(*node->doors));
	node->reads = calloc((size_t)node->count, sizeof(*node->reads));
	node->read_by = calloc((size_t)node->count, sizeof(*node->read_by));
	error = node->doors && node->reads && node->read_by ? 0 : -ENOMEM;
	error = equant_mpi_agree(node->comm, error);
	if (!error)
		error = try_all(transfer, node);
	for (int side = 0; side < 2 && !error; side++)
		error = mark(transfer, node, side);
	free(node->doors);
	free(node->reads);
	free(node->read_by);
	return error;
}

int equant_near_find(struct equant_transfer *transfer, bool no)
{
	struct node node = { .comm = MPI_COMM_NULL };
	int error;

	if (no)
		return 0;
	error = equant_mpi_error(MPI_Comm_split_type(transfer->comm, MPI_COMM_TYPE_SHARED,
						     transfer->rank, MPI_INFO_NULL, &node.comm),
				 "MPI_Comm_split_type");
	if (error)
		return error;
	error = look(transfer, &node);
	MPI_Comm_free(&node.comm);
	return error;
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

static int send_offer(struct equant_transfer *transfer, struct equant_letter *letter,
		      MPI_Request *notes)
{
	struct equant_offer *offer = &letter->offer;
	int error;

	offer->direct = has_blocks_of(transfer, letter, 0, BLOCK_SENT);
	offer->base = (uint64_t)(uintptr_t)transfer->view.base[0];
	memcpy(offer->strides, transfer->view.strides[0], sizeof(offer->strides));
	letter->taken = 0;
	error = equant_mpi_error(MPI_Isend(offer, sizeof(*offer), MPI_BYTE, letter->peer,
					   EQUANT_TRANSFER_OFFER, transfer->comm, &notes[0]),
				 "offering an array");
	if (error || !offer->direct)
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
		got = process_vm_readv(letter->pid, here.vector, here.count, there.vector,
				       there.count, 0);
		if (got <= 0)
			return got ? -errno : -EFAULT;
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
			       letter->peer, (long)letter->pid, strerror(-error));
		letter->taken = -error;
		transfer->failure = error;
	} else if (!in_place && !letter->taken) {
		equant_redist_unpack_piece(letter->part, transfer->element,
					   transfer->view.strides[1], spare, at, chunk->length,
					   transfer->view.base[1]);
	}
	letter->left -= (size_t)chunk->length;
	return letter->left ? 0 : confirm(transfer, near);
}
