// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Ranks of a node get at each other's memory in two ways: arrays are read with
 * process_vm_readv(2), and the slots that a rank packs into are mapped by those that it sends to,
 * who unpack straight out of them.
 *
 * Whether a rank may depends on users, on namespaces, on Yama and on seccomp filters, so when a
 * transfer is made each tries both with a number in the memory of every rank of its node that it
 * receives from.  Where neither works there are messages.
 *
 * Slots are anonymous memory that others open by way of /proc, so nothing is left of them wherever
 * a job ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/mpi_error.h"
#include "engine/transfer_internal.h"

#define HEADER 4096 /* bytes of a segment before its slots: the number */

enum reach {
	READS = 1,
	SHARES = 2,
};

/**
 * struct door - what a rank of the node tries to get at
 * @rank: in the transfer's communicator
 * @pid: its process
 * @at: address of @number
 * @number: that is there, and at the beginning of the segment
 * @file: descriptor of the segment, or -1
 * @size: of the segment
 * @step: from one slot to the next
 */
struct door {
	int64_t rank;
	int64_t pid;
	uint64_t at;
	uint64_t number;
	int64_t file;
	uint64_t size;
	uint64_t step;
};

/**
 * struct node - the ranks of this node
 * @comm: theirs
 * @count: of them
 * @doors: of each
 * @reaches: how this one gets at each
 * @reached: how each gets at this one
 */
struct node {
	MPI_Comm comm;
	int count;
	struct door *doors;
	int *reaches;
	int *reached;
};

/* ---- this rank's segment ------------------------------------------------------------------ */

/* A file that is too large is a signal. */
static bool may_have(size_t size)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && size <= limit.rlim_cur;
}

/*
 * Of all slots, or none: then they are memory of this rank alone.  All pages are there from now on,
 * so that there is no signal when they are written.
 */
static int make_segment(struct equant_lane *lane, uint64_t number)
{
	size_t size = HEADER + (size_t)lane->slot_count * equant_lane_step(lane);
	void *segment = MAP_FAILED;
	int file = -1;

	if (lane->letter_count && lane->slot_count <= EQUANT_TRANSFER_TAGS)
		file = memfd_create("equant-transfer", MFD_CLOEXEC);
	if (file < 0)
		return -1;
	if (may_have(size) && !ftruncate(file, (off_t)size) && !fallocate(file, 0, 0, (off_t)size))
		segment = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (segment == MAP_FAILED) {
		close(file);
		return -1;
	}
	*(uint64_t *)segment = number;
	lane->segment = segment;
	lane->segment_size = size;
	for (int i = 0; i < lane->slot_count; i++)
		lane->slots[i].memory = lane->segment + HEADER + (size_t)i * equant_lane_step(lane);
	return file;
}

/* ---- others' ------------------------------------------------------------------------------ */

static bool can_read(const struct door *door)
{
	uint64_t found = 0;
	struct iovec here = { &found, sizeof(found) };
	struct iovec there = { (void *)(uintptr_t)door->at, sizeof(found) };

	return process_vm_readv((pid_t)door->pid, &here, 1, &there, 1, 0) == sizeof(found) &&
	       found == door->number;
}

static bool is_segment(const struct stat *status, const struct door *door)
{
	return S_ISREG(status->st_mode) && status->st_size == (off_t)door->size;
}

static void *map(const struct door *door)
{
	void *segment = MAP_FAILED;
	struct stat status;
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)door->pid,
		 (long long)door->file);
	/* With a pid namespace of its own that may be anything, of any process. */
	if (door->file < 0 || stat(path, &status) || !is_segment(&status, door))
		return NULL;
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return NULL;
	if (!fstat(file, &status) && is_segment(&status, door))
		segment = mmap(NULL, door->size, PROT_READ, MAP_SHARED, file, 0);
	close(file);
	if (segment == MAP_FAILED)
		return NULL;
	if (*(uint64_t *)segment == door->number)
		return segment;
	munmap(segment, door->size);
	return NULL;
}

static int reach(struct equant_letter *letter, const struct door *door)
{
	letter->segment = map(door);
	letter->segment_size = door->size;
	letter->step = door->step;
	return (can_read(door) ? READS : 0) | (letter->segment ? SHARES : 0);
}

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

/* ---- letters ------------------------------------------------------------------------------- */

/* All that a rank of the node sends, or gets, in a lane. */
static struct equant_letter *letter_of(struct equant_lane *lane, int64_t peer)
{
	for (int64_t i = 0; i < lane->letter_count; i++)
		if (lane->letters[i].peer == peer)
			return &lane->letters[i];
	return NULL;
}

static void mark(struct equant_letter *letter, const struct door *door, int how)
{
	letter->near = how & READS;
	letter->shared = how & SHARES;
	letter->pid = (pid_t)door->pid;
}

static int list_near(struct equant_lane *lane)
{
	lane->near = calloc((size_t)lane->letter_count + 1, sizeof(*lane->near));
	if (!lane->near)
		return -ENOMEM;
	for (int64_t i = 0; i < lane->letter_count; i++)
		if (lane->letters[i].near)
			lane->near[lane->near_count++] = i;
	return 0;
}

static int try_all(struct equant_transfer *transfer, struct node *node, struct door *mine)
{
	int error = equant_mpi_error(MPI_Allgather(mine, sizeof(*mine), MPI_BYTE, node->doors,
						   sizeof(*mine), MPI_BYTE, node->comm),
				     "comparing processes of a node");

	for (int i = 0; i < node->count && !error; i++) {
		struct equant_letter *letter = letter_of(&transfer->lanes[1], node->doors[i].rank);

		if (!letter)
			continue;
		node->reaches[i] = reach(letter, &node->doors[i]);
		mark(letter, &node->doors[i], node->reaches[i]);
	}
	/* Nobody comes out of this before all have tried. */
	if (!error)
		error = equant_mpi_error(MPI_Alltoall(node->reaches, 1, MPI_INT, node->reached, 1,
						      MPI_INT, node->comm),
					 "saying what can be got at");
	for (int i = 0; i < node->count && !error; i++) {
		struct equant_letter *letter = letter_of(&transfer->lanes[0], node->doors[i].rank);

		if (letter)
			mark(letter, &node->doors[i], node->reached[i]);
	}
	return error;
}

static int look(struct equant_transfer *transfer, struct node *node)
{
	uint64_t number = number_of(transfer->rank);
	struct equant_lane *lanes = transfer->lanes;
	struct door mine = {
		.rank = transfer->rank,
		.pid = getpid(),
		.at = (uint64_t)(uintptr_t)&number,
		.number = number,
		.file = -1,
	};
	int error;

	MPI_Comm_size(node->comm, &node->count);
	node->doors = calloc((size_t)node->count, sizeof(*node->doors));
	node->reaches = calloc((size_t)node->count, sizeof(*node->reaches));
	node->reached = calloc((size_t)node->count, sizeof(*node->reached));
	error = node->doors && node->reaches && node->reached ? 0 : -ENOMEM;
	error = equant_mpi_agree(node->comm, error);
	if (!error && node->count > 1) {
		mine.file = make_segment(&lanes[0], number);
		mine.size = lanes[0].segment_size;
		mine.step = equant_lane_step(&lanes[0]);
	}
	if (!error)
		error = try_all(transfer, node, &mine);
	if (mine.file >= 0)
		close((int)mine.file);
	for (int side = 0; side < 2 && !error; side++)
		error = list_near(&lanes[side]);
	free(node->doors);
	free(node->reaches);
	free(node->reached);
	return error;
}

int equant_transfer_node_find(struct equant_transfer *transfer, bool no)
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

const char *equant_transfer_slot(const struct equant_letter *letter, int number)
{
	return letter->segment + HEADER + (size_t)number * letter->step;
}

void equant_transfer_node_release(struct equant_lane *lane)
{
	if (lane->segment)
		munmap(lane->segment, lane->segment_size);
	for (int64_t i = 0; i < lane->letter_count; i++)
		if (lane->letters[i].segment)
			munmap(lane->letters[i].segment, lane->letters[i].segment_size);
}
