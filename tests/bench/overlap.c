// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * overlap ROUND NAME BYTES...: two ranks fetch a slice of so many bytes from each other and compute for some
 * 10 ms, again and again: one after the other, with the computation between equant_loop_ghosts_start() and
 * equant_loop_ghosts_finish(), and with one between a message's start and its end as a program by hand has it.
 * Prints a line of raw figures per size: seconds of a step, of the slower rank.
 */
#include <equant/equant.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 30
#define WORK 0.01 /* seconds */

static int rank;
static volatile double sink;

/**
 * struct bench - what ranks have for each other
 * @slices: of both
 * @bytes: of one
 * @turns: of a computation
 */
struct bench {
	struct equant_loop *loop;
	char *slices;
	size_t bytes;
	long turns;
};

static void fail(const char *what)
{
	fprintf(stderr, "overlap: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(int error)
{
	if (error)
		fail("an exchange failed");
}

static void compute(long turns)
{
	double x = 1;

	for (long i = 0; i < turns; i++)
		x = x * 0.999999 + 1e-9;
	sink = x;
}

/* Rank 0's, so that both have as much to do. */
static long turns_of(double seconds)
{
	const long tried = 10000000;
	double elapsed = -MPI_Wtime();
	long turns;

	compute(tried);
	elapsed += MPI_Wtime();
	turns = (long)((double)tried * seconds / elapsed);
	MPI_Bcast(&turns, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	return turns;
}

static void alone(struct bench *b)
{
	compute(b->turns);
}

static void after(struct bench *b)
{
	must(equant_loop_ghosts_start(b->loop, 1, 1));
	must(equant_loop_ghosts_finish(b->loop));
	compute(b->turns);
}

static void within(struct bench *b)
{
	must(equant_loop_ghosts_start(b->loop, 1, 1));
	compute(b->turns);
	must(equant_loop_ghosts_finish(b->loop));
}

static void by_hand(struct bench *b)
{
	MPI_Request requests[2];
	int other = 1 - rank;

	MPI_Irecv(b->slices + (size_t)other * b->bytes, (int)b->bytes, MPI_BYTE, other, 0,
		  MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(b->slices + (size_t)rank * b->bytes, (int)b->bytes, MPI_BYTE, other, 0,
		  MPI_COMM_WORLD, &requests[1]);
	compute(b->turns);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static double seconds(struct bench *b, void (*step)(struct bench *b))
{
	double elapsed, longest = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	elapsed = -MPI_Wtime();
	for (int i = 0; i < STEPS; i++)
		step(b);
	elapsed += MPI_Wtime();
	MPI_Allreduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return longest / STEPS;
}

static void measure(struct equant *eq, size_t bytes, long turns, const char *round,
		    const char *name)
{
	struct bench b = { .slices = calloc(2, bytes), .bytes = bytes, .turns = turns };
	double times[4];

	b.loop = equant_loop_new(eq, "rows", 2);
	if (!b.loop || !b.slices || equant_loop_array(b.loop, b.slices, bytes) ||
	    equant_loop_distribute(b.loop, EQUANT_BLOCK_ORDER))
		fail("no loop");
	seconds(&b, after); /* the first one finds cold memory and opens connections */
	times[0] = seconds(&b, alone);
	times[1] = seconds(&b, after);
	times[2] = seconds(&b, within);
	times[3] = seconds(&b, by_hand);
	if (rank == 0)
		printf("%s\t%s_%zu\talone=%.9g\tafter=%.9g\twithin=%.9g\tby_hand=%.9g\n", round,
		       name, bytes, times[0], times[1], times[2], times[3]);
	equant_loop_free(b.loop);
	free(b.slices);
}

int main(int argc, char **argv)
{
	struct equant *eq;
	int ranks;
	long turns;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc < 4 || ranks != 2)
		fail("usage: overlap ROUND NAME BYTES..., two ranks");
	if (equant_open(&eq, MPI_COMM_WORLD, NULL))
		fail("equant_open");
	turns = turns_of(WORK);
	for (int i = 3; i < argc; i++)
		measure(eq, (size_t)atol(argv[i]), turns, argv[1], argv[2]);
	equant_close(eq);
	MPI_Finalize();
	return 0;
}
