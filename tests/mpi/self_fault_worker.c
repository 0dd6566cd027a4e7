// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A worker for whom MPI fails while its messages are under way: what becomes of their memory. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/self_messages.h"
#include "libworker.h"

#define BLOCKS 1000

/* Of what the library has begun to send and to receive, the last message of each tag. */
static struct {
	const void *memory;
	size_t size;
	MPI_Request request;
} messages[EQUANT_SELF_TAG_TREE + 1];

static int watched, fails;

static void note(int tag, const void *memory, int size, MPI_Request request)
{
	if (!watched || tag > EQUANT_SELF_TAG_TREE)
		return;
	messages[tag].memory = memory;
	messages[tag].size = (size_t)size;
	messages[tag].request = request;
}

/* These are found before those of the library that MPI is. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	int code = PMPI_Isend(buffer, count, type, to, tag, comm, request);

	note(tag, buffer, count, *request);
	return code;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	int code = PMPI_Irecv(buffer, count, type, from, tag, comm, request);

	note(tag, buffer, count, *request);
	return code;
}

int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
	return fails ? MPI_ERR_OTHER : PMPI_Testsome(count, requests, done, indices, statuses);
}

/* Nobody else is given memory that has a message in it. */
static void demand_kept(int tag, const unsigned char *block, size_t size)
{
	uintptr_t at = (uintptr_t)messages[tag].memory, from = (uintptr_t)block;

	demand(messages[tag].memory);
	demand(at + messages[tag].size <= from || from + size <= at);
}

static void demand_all_kept(void)
{
	const size_t sizes[] = { 16, 256, 2000, 7000 };
	unsigned char *block[BLOCKS];

	for (int i = 0; i < BLOCKS; i++) {
		size_t size = sizes[i % 4];

		block[i] = malloc(size);
		demand(block[i]);
		demand_kept(EQUANT_SELF_TAG_NOTICE, block[i], size);
		demand_kept(EQUANT_SELF_TAG_WORD, block[i], size);
	}
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
}

/* Rank 1 leaves, and does not see how that goes. */
static void mpi_fails(void)
{
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop), .scheme = "ss", .dimensions = 1, .extents = { 10 }
	};
	const struct equant_self_options options = { .sz = sizeof(options),
						     .loop = &loop,
						     .engine = "master" };
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_self_chunk chunk = { 0 };
	struct equant_self *self;

	watched = rank;
	self = equant_self_new(eq, &options);
	demand(self);
	while (!rank && equant_self_next(self, &chunk) == 1)
		;
	fails = rank;
	demand_equal(rank ? -EIO : 0, equant_self_free(self));
	fails = watched = 0;
	if (rank) {
		demand_all_kept();
		/* Rank 0 waits for this one, and has said its last word before. */
		demand_equal(0, equant_barrier(eq));
		MPI_Wait(&messages[EQUANT_SELF_TAG_NOTICE].request, MPI_STATUS_IGNORE);
		MPI_Wait(&messages[EQUANT_SELF_TAG_WORD].request, MPI_STATUS_IGNORE);
	}
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(mpi_fails),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
