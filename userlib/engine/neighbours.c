// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Ranks of a node get at each other's memory in two ways: they read it with process_vm_readv(2),
 * and they map a segment that the other lets them see.
 *
 * Whether a rank may depends on users, on namespaces, on Yama and on seccomp filters, so each tries
 * both with a number in the memory of every other.
 *
 * Segments are anonymous memory that others open by way of /proc, so nothing is left of them
 * wherever a job ends.  One becomes another where more is needed, and is never made smaller.
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

#include "core/memfd.h"
#include "core/mpi_error.h"
#include "engine/neighbours.h"

#define HEADER 4096 /* bytes of a segment before what is used of it: the number */

/**
 * struct door - what a rank tries to get at
 * @pid: the process
 * @at: address of @number
 * @number: that is there, and at the beginning of the segment
 * @file: descriptor of a new segment, or -1
 * @size: of that
 */
struct door {
	int64_t pid;
	uint64_t at;
	uint64_t number;
	int64_t file;
	uint64_t size;
};

/* ---- this rank's segment ------------------------------------------------------------------ */

/* A file that is too large is a signal. */
static bool may_have(size_t size)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && size <= limit.rlim_cur;
}

/*
 * All pages are there from now on, so that there is no signal when they are written.  The file, or
 * -1 if everything stays as it was.
 */
static int make_segment(struct equant_neighbours *neighbours, size_t size)
{
	void *segment = MAP_FAILED;
	int file = equant_memfd("equant");

	if (file < 0)
		return -1;
	if (may_have(size) && !ftruncate(file, (off_t)size) && !fallocate(file, 0, 0, (off_t)size))
		segment = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (segment == MAP_FAILED) {
		close(file);
		return -1;
	}
	*(uint64_t *)segment = neighbours->number;
	if (neighbours->segment)
		munmap(neighbours->segment, neighbours->size);
	neighbours->segment = segment;
	neighbours->size = size;
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
	if (stat(path, &status) || !is_segment(&status, door))
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

static void unmap(struct equant_neighbour *neighbour)
{
	if (neighbour->segment)
		munmap(neighbour->segment, neighbour->size);
	neighbour->segment = NULL;
}

static void reach(struct equant_neighbour *neighbour, const struct door *door)
{
	if (door->file >= 0) {
		unmap(neighbour);
		neighbour->segment = map(door);
		neighbour->size = door->size;
	}
	neighbour->pid = (pid_t)door->pid;
	neighbour->reaches = (can_read(door) ? EQUANT_REACH_READS : 0) |
			     (neighbour->segment ? EQUANT_REACH_SEES : 0);
}

/* ---- trying --------------------------------------------------------------------------------- */

/**
 * struct trial - what is needed while all try
 * @doors: of all
 * @reaches: how this rank gets at each
 * @reached: how each gets at this one
 */
struct trial {
	struct door *doors;
	int *reaches;
	int *reached;
};

static int try_all(struct equant_neighbours *neighbours, const struct trial *trial,
		   const struct door *mine)
{
	int error = equant_mpi_error(MPI_Allgather(mine, sizeof(*mine), MPI_BYTE, trial->doors,
						   sizeof(*mine), MPI_BYTE, neighbours->comm),
				     "comparing processes of a node");

	for (int i = 0; i < neighbours->count && !error; i++) {
		if (i != neighbours->me)
			reach(&neighbours->of[i], &trial->doors[i]);
		trial->reaches[i] = neighbours->of[i].reaches;
	}
	/* Nobody comes out of this before all have tried. */
	if (!error)
		error = equant_mpi_error(MPI_Alltoall(trial->reaches, 1, MPI_INT, trial->reached, 1,
						      MPI_INT, neighbours->comm),
					 "saying what can be got at");
	for (int i = 0; i < neighbours->count && !error; i++)
		neighbours->of[i].reached = trial->reached[i];
	return error;
}

int equant_neighbours_share(struct equant_neighbours *neighbours, size_t bytes)
{
	size_t count = (size_t)neighbours->count;
	struct trial trial = {
		.doors = calloc(count, sizeof(*trial.doors)),
		.reaches = calloc(count, sizeof(*trial.reaches)),
		.reached = calloc(count, sizeof(*trial.reached)),
	};
	struct door mine = {
		.pid = getpid(),
		.at = (uint64_t)(uintptr_t)&neighbours->number,
		.number = neighbours->number,
		.file = -1,
	};
	bool there = trial.doors && trial.reaches && trial.reached;
	int error = equant_mpi_agree(neighbours->comm, there ? 0 : -ENOMEM);

	if (!error) {
		if (bytes && equant_neighbours_lack(neighbours, bytes))
			mine.file = make_segment(neighbours, HEADER + bytes);
		mine.size = neighbours->size;
		neighbours->asked = bytes > neighbours->asked ? bytes : neighbours->asked;
		error = try_all(neighbours, &trial, &mine);
	}
	if (mine.file >= 0)
		close((int)mine.file);
	free(trial.doors);
	free(trial.reaches);
	free(trial.reached);
	return error;
}

/* ---- new and free --------------------------------------------------------------------------- */

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

/* What their ranks are in @comm. */
static int find_ranks(struct equant_neighbours *neighbours, MPI_Comm comm)
{
	int *here = calloc(2 * (size_t)neighbours->count, sizeof(*here));
	MPI_Group all, near;

	neighbours->of = calloc((size_t)neighbours->count, sizeof(*neighbours->of));
	if (!here || !neighbours->of) {
		free(here);
		return -ENOMEM;
	}
	for (int i = 0; i < neighbours->count; i++)
		here[i] = i;
	MPI_Comm_group(comm, &all);
	MPI_Comm_group(neighbours->comm, &near);
	MPI_Group_translate_ranks(near, neighbours->count, here, all, here + neighbours->count);
	MPI_Group_free(&near);
	MPI_Group_free(&all);
	for (int i = 0; i < neighbours->count; i++)
		neighbours->of[i].rank = here[neighbours->count + i];
	free(here);
	return 0;
}

int equant_neighbours_new(MPI_Comm comm, int error, struct equant_neighbours **neighbours)
{
	struct equant_neighbours *new = calloc(1, sizeof(*new));
	int rank;

	*neighbours = NULL;
	error = equant_mpi_agree(comm, !error && !new ? -ENOMEM : error);
	MPI_Comm_rank(comm, &rank);
	if (!error)
		error = equant_mpi_error(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank,
							     MPI_INFO_NULL, &new->comm),
					 "MPI_Comm_split_type");
	if (error) {
		free(new);
		return error;
	}
	MPI_Comm_set_errhandler(new->comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(new->comm, &new->me);
	MPI_Comm_size(new->comm, &new->count);
	new->number = number_of(rank);
	error = find_ranks(new, comm);
	if (error)
		equant_neighbours_free(new, false);
	else
		*neighbours = new;
	return error;
}

void equant_neighbours_free(struct equant_neighbours *neighbours, bool under_way)
{
	if (!neighbours)
		return;
	if (!equant_mpi_is_over())
		MPI_Comm_free(&neighbours->comm);
	if (under_way)
		return;
	for (int i = 0; i < neighbours->count && neighbours->of; i++)
		unmap(&neighbours->of[i]);
	if (neighbours->segment)
		munmap(neighbours->segment, neighbours->size);
	free(neighbours->of);
	free(neighbours);
}

/* ---- looking ---------------------------------------------------------------------------------- */

bool equant_neighbours_lack(const struct equant_neighbours *neighbours, size_t bytes)
{
	return neighbours && neighbours->count > 1 && bytes > neighbours->asked;
}

char *equant_neighbours_memory(const struct equant_neighbours *neighbours, size_t bytes)
{
	if (!neighbours || !neighbours->segment || bytes > neighbours->size - HEADER)
		return NULL;
	return neighbours->segment + HEADER;
}

const struct equant_neighbour *equant_neighbours_find(const struct equant_neighbours *neighbours,
						      int rank)
{
	for (int i = 0; neighbours && i < neighbours->count; i++)
		if (neighbours->of[i].rank == rank && i != neighbours->me)
			return &neighbours->of[i];
	return NULL;
}

const char *equant_neighbour_memory(const struct equant_neighbour *neighbour, int64_t at)
{
	return (const char *)neighbour->segment + HEADER + at;
}
