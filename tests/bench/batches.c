// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * batches: how long ranks on other nodes than that of rank 0 wait for what it hands out, us, while
 * it computes too.  By the engine that fetches ahead and by the one that does not, for chunks
 * that take 1 and 10 ms; and for an addition by MPI_Fetch_and_op to a rank that computes for 100 ms.
 */
#include <equant/self.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNKS 200 /* of each rank; half as long of long ones */
#define ITERATIONS 10 /* in a chunk */
#define ADDITIONS 20
#define BUSY 0.1 /* s */

static int rank, ranks;

static void compute(double seconds)
{
	double end = MPI_Wtime() + seconds;

	while (MPI_Wtime() < end)
		;
}

/* Of all ranks but the first, us. */
static void print(const char *name, double waited, double times)
{
	double us = rank && times > 0 ? waited / times * 1e6 : 0, all;

	MPI_Reduce(&us, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%s %.6g\n", name, all / (ranks - 1));
}

/* @ms: what a chunk takes. */
static void by_engine(struct equant *eq, const char *name, const char *engine, int ms)
{
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop),
		.scheme = "css",
		.dimensions = 1,
		.extents = { (int64_t)ranks * CHUNKS * ITERATIONS / (ms > 1 ? 2 : 1) },
		.chunk = ITERATIONS,
	};
	const struct equant_self_options options = { .sz = sizeof(options),
						     .loop = &loop,
						     .engine = engine };
	struct equant_self *self = equant_self_new(eq, &options);
	struct equant_self_chunk chunk = { 0 };
	double waited = 0, chunks = 0;
	int got = 1;

	if (!self)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	while (got == 1) {
		double asked = MPI_Wtime(), got_at;

		got = equant_self_next(self, &chunk);
		got_at = MPI_Wtime();
		/* The first chunk has been fetched by nobody, and after the last none comes. */
		if (got == 1 && chunks++ > 0)
			waited += got_at - asked;
		for (int64_t i = 0; got == 1 && i < chunk.count; i++)
			compute(ms * 1e-3 / ITERATIONS);
	}
	if (equant_self_free(self))
		MPI_Abort(MPI_COMM_WORLD, 1);
	print(name, waited, chunks - 1);
}

/* Rank 0 is inside of MPI for an instant after each of its computations. */
static void by_mpi(void)
{
	long *counter, one = 1, got;
	double waited = 0;
	MPI_Win window;

	MPI_Win_allocate(rank ? 0 : sizeof(*counter), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
			 &window);
	if (!rank)
		*counter = 0;
	for (int n = 0; n < ADDITIONS; n++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (!rank) {
			compute(BUSY);
			continue;
		}
		compute(BUSY / 100);
		waited -= MPI_Wtime();
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
		MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, window);
		MPI_Win_unlock(0, window);
		waited += MPI_Wtime();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&window);
	print("fetch_and_op", waited, ADDITIONS);
}

int main(int argc, char **argv)
{
	struct equant *eq;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks < 2) {
		fprintf(stderr, "batches: two ranks are needed, on two nodes\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	if (equant_open(&eq, MPI_COMM_WORLD, NULL))
		MPI_Abort(MPI_COMM_WORLD, 1);
	by_engine(eq, "two_level_1", "two-level", 1);
	by_engine(eq, "two_level_10", "two-level", 10);
	by_engine(eq, "master_1", "master", 1);
	by_engine(eq, "master_10", "master", 10);
	by_mpi();
	equant_close(eq);
	MPI_Finalize();
	return 0;
}
