// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Preloaded into an MPI program: each message costs its sender BENCH_DELAY_US microseconds of
 * CPU time more, the "artificial delay added to communication" of Siegell 1995, table 7.2.
 * Through MPI's profiling interface, so the program and the library both pay it, and measure it.
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void delay(void)
{
	const char *text = getenv("BENCH_DELAY_US");
	double end = now() + (text ? 1e-6 * atof(text) : 0);

	while (now() < end)
		;
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	delay();
	return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	delay();
	return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
