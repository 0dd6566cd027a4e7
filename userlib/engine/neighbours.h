/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_NEIGHBOURS_H
#define EQUANT_ENGINE_NEIGHBOURS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How a rank gets at another. */
enum equant_reach_how {
	EQUANT_REACH_READS = 1, /* its memory, with process_vm_readv(2) */
	EQUANT_REACH_SEES = 2, /* its segment */
};

/**
 * struct equant_neighbour - a rank of this node
 * @rank: in the communicator that all are of
 * @pid: its process
 * @reaches: how this rank gets at it
 * @reached: how it gets at this one
 * @segment: its segment, to be read only, @size bytes, or NULL
 */
struct equant_neighbour {
	int rank;
	pid_t pid;
	int reaches;
	int reached;
	void *segment;
	size_t size;
};

/**
 * struct equant_neighbours - the ranks of a communicator that are on this node
 * @comm: theirs
 * @me: this rank in @comm
 * @count: of them, this one too
 * @of: each
 * @number: of this rank alone: others that find it in its memory have the right process
 * @segment: memory of this rank that others see, @size bytes, or NULL
 * @asked: the most bytes that this rank has asked for
 */
struct equant_neighbours {
	MPI_Comm comm;
	int me;
	int count;
	struct equant_neighbour *of;
	uint64_t number;
	char *segment;
	size_t size;
	size_t asked;
};

/*
 * Collective, with an @error that has been before: those of @comm.  0, or -errno with NULL; -ENOMEM
 * need not be on all ranks.
 */
int equant_neighbours_new(MPI_Comm comm, int error, struct equant_neighbours **neighbours);

/* Has this rank to ask for @bytes that others see? */
bool equant_neighbours_lack(const struct equant_neighbours *neighbours, size_t bytes);

/*
 * Collective, for all neighbours if one of them lacks something: find out who gets at whom, and
 * have memory of @bytes that others see if the system allows that, or what was there before.
 * 0, or -errno if MPI fails.
 */
int equant_neighbours_share(struct equant_neighbours *neighbours, size_t bytes);

/* The memory of this rank that others see, if it has @bytes, or NULL. */
char *equant_neighbours_memory(const struct equant_neighbours *neighbours, size_t bytes);

/* A rank that is here, and not this one; or NULL, as without @neighbours. */
const struct equant_neighbour *equant_neighbours_find(const struct equant_neighbours *neighbours,
						      int rank);

/* Byte @at of the memory that a neighbour lets others see. */
const char *equant_neighbour_memory(const struct equant_neighbour *neighbour, int64_t at);

/* Free them; with @under_way their memory stays, since MPI may still use it. */
void equant_neighbours_free(struct equant_neighbours *neighbours, bool under_way);

#endif /* EQUANT_ENGINE_NEIGHBOURS_H */
