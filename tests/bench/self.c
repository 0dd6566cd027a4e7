// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * self [CHUNKS]: what a chunk costs the rank that asks for it, ns, while all ranks do nothing
 * else; by each way there is, and by MPI_Fetch_and_op on a window of MPI_Win_allocate.
 */
#include <equant/self.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;

/* The mean over the ranks: each has had its part of the chunks meanwhile. */
static void print(const char *name, double elapsed, double chunks)
{
	double ns = chunks > 0 ? elapsed / chunks * 1e9 : 0, all;
	int ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Reduce(&ns, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%s %.6g\n", name, all / ranks);
}

static void by_scheme(struct equant *eq, const char *name, const char *scheme, int64_t chunks)
{
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop),
		.scheme = scheme,
		.dimensions = 1,
		.extents = { chunks },
		.first = 1,
		.chunk = 1,
	};
	const struct equant_self_options options = { .sz = sizeof(options), .loop = &loop };
	struct equant_self_chunk chunk = { 0 };
	struct equant_self *self = equant_self_new(eq, &options);
	double elapsed, n = 0;

	if (!self)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	elapsed = -MPI_Wtime();
	while (equant_self_next(self, &chunk) == 1)
		n++;
	elapsed += MPI_Wtime();
	if (equant_self_free(self))
		MPI_Abort(MPI_COMM_WORLD, 1);
	print(name, elapsed, n);
}

static void by_mpi(long chunks)
{
	long *counter, one = 1, got = 0, n = -1;
	double elapsed;
	MPI_Win window;

	MPI_Win_allocate(rank ? 0 : sizeof(*counter), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
			 &window);
	if (!rank)
		*counter = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, window);
	elapsed = -MPI_Wtime();
	for (; got < chunks; n++) {
		MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, window);
		MPI_Win_flush(0, window);
	}
	elapsed += MPI_Wtime();
	MPI_Win_unlock_all(window);
	MPI_Win_free(&window);
	print("fetch_and_op", elapsed, (double)n);
}

int main(int argc, char **argv)
{
	long chunks = argc > 1 ? strtol(argv[1], NULL, 10) : 10000000;
	struct equant *eq;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (equant_open(&eq, MPI_COMM_WORLD, NULL))
		MPI_Abort(MPI_COMM_WORLD, 1);
	by_scheme(eq, "ss", "ss", chunks);
	by_scheme(eq, "tss", "tss", chunks);
	by_scheme(eq, "dtss", "dtss", chunks);
	by_scheme(eq, "trees", "trees", chunks / 10);
	by_mpi(chunks / 10);
	equant_close(eq);
	MPI_Finalize();
	return 0;
}
