// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A program that knows nothing of equant: program_worker WORK...
 *
 *	calls	of which this thread makes 18
 *	times	rank 0 computes for 300 ms of CPU time, the last one sleeps 200 ms; both outside of MPI
 *	threads	a second thread makes 100 calls, this one 1
 *	works	each rank computes for 300 ms of CPU time
 *	killed	rank 1 kills itself, the others wait for it
 *	aborts	rank 0 aborts the job, the others wait for it
 *	exits	all end without MPI_Finalize()
 *	messages  ranks 0 and 1 send a number to and fro and say how long that took
 *	silent	nothing: what MPI_Init() and MPI_Finalize() do
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#define TRIPS 300000

static int rank, ranks;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void calls(void)
{
	int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, mine = rank, other, sum;
	MPI_Request requests[2];

	for (int i = 0; i < 5; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++) {
		MPI_Irecv(&other, 1, MPI_INT, last, i, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(&mine, 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Sendrecv(&mine, 1, MPI_INT, next, 9, &other, 1, MPI_INT, last, 9, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	/* not one that waits, and none that is told */
	MPI_Comm_rank(MPI_COMM_WORLD, &mine);
	if (other != last || mine != rank || (!rank && sum != ranks * (ranks - 1) / 2))
		MPI_Abort(MPI_COMM_WORLD, 1);
}

static void compute(void)
{
	uint64_t start = cpu_ns();

	while (cpu_ns() - start < 300000000)
		;
}

static void times(void)
{
	struct timespec left = { .tv_nsec = 200000000 };

	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		compute();
	while (rank == ranks - 1 && nanosleep(&left, &left) && errno == EINTR)
		;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void *call_much(void *comm)
{
	for (int i = 0; i < 100; i++)
		MPI_Barrier(*(MPI_Comm *)comm);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (pthread_create(&thread, NULL, call_much, &comm))
		MPI_Abort(MPI_COMM_WORLD, 1);
	pthread_join(thread, NULL);
}

static void killed(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		raise(SIGKILL);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Before anything is told of it. */
static void early(void)
{
	if (rank == 1)
		raise(SIGKILL);
}

static void works(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	compute();
	MPI_Barrier(MPI_COMM_WORLD);
}

static void aborts(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank) {
		compute();
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void exits(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	compute();
	exit(3);
}

static void messages(void)
{
	double start = MPI_Wtime(), end;
	int number = 0;

	for (int i = 0; i < TRIPS && rank < 2; i++) {
		if (!rank)
			MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&number, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank)
			MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	end = MPI_Wtime();
	if (!rank)
		printf("messages: elapsed=%.6f\n", end - start);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = { { "calls", calls },	  { "times", times },	    { "threads", threads },
		    { "killed", killed }, { "messages", messages }, { "works", works },
		    { "aborts", aborts }, { "exits", exits },	    { "early", early } };
	int provided;

	if (argc > 1 && !strcmp(argv[1], "threads"))
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 1; i < argc; i++)
		for (size_t w = 0; w < sizeof(all) / sizeof(*all); w++)
			if (!strcmp(argv[i], all[w].name))
				all[w].run();
	MPI_Finalize();
	return 0;
}
