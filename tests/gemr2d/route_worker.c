// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * route_worker FROM TO: on five processes a matrix goes from one distribution to another over a context of all
 * but the first, in another order than theirs.  Says how many bytes process FROM has sent process TO meanwhile,
 * and how many it had for it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalapack.h"

#define ROWS 8000
#define COLUMNS 7
#define PROCESSES 4 /* of the context */

static int me, to;
static long sent;

/* ---- what goes to @to ----------------------------------------------------------------------- */

static void count(int elements, MPI_Datatype type, int peer, MPI_Comm comm)
{
	MPI_Group some, all;
	int world, size;

	MPI_Comm_group(comm, &some);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_translate_ranks(some, 1, &peer, all, &world);
	MPI_Group_free(&some);
	MPI_Group_free(&all);
	MPI_Type_size(type, &size);
	if (world == to)
		sent += (long)elements * size;
}

int MPI_Isend(const void *buffer, int elements, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	count(elements, type, peer, comm);
	return PMPI_Isend(buffer, elements, type, peer, tag, comm, request);
}

int MPI_Issend(const void *buffer, int elements, MPI_Datatype type, int peer, int tag,
	       MPI_Comm comm, MPI_Request *request)
{
	count(elements, type, peer, comm);
	return PMPI_Issend(buffer, elements, type, peer, tag, comm, request);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void fail(const char *what)
{
	fprintf(stderr, "FAILED on process %d: %s\n", me, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Rows in blocks of @block over the context, down its only column. */
static double *make(int *desc, int context, int block)
{
	const int one = COLUMNS, zero = 0, rows = ROWS;
	int grid[4], local, info;

	Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
	local = numroc_(&rows, &block, &grid[2], &zero, &grid[0]);
	descinit_(desc, &rows, &one, &block, &one, &zero, &zero, &context, &local, &info);
	if (info)
		fail("descinit");
	return calloc((size_t)local * COLUMNS, sizeof(double));
}

static void move(int context)
{
	int a_desc[9], b_desc[9];
	double *a = make(a_desc, context, 100), *b = make(b_desc, context, 200);

	if (!a || !b)
		fail("no memory");
	for (int i = 0; i < a_desc[8] * COLUMNS; i++)
		a[i] = 1;
	Cpdgemr2d(ROWS, COLUMNS, a, 1, 1, a_desc, b, 1, 1, b_desc, context);
	for (int i = 0; i < b_desc[8] * COLUMNS; i++)
		if (b[i] < 1)
			fail("an element has not come");
	free(a);
	free(b);
}

int main(int argc, char **argv)
{
	int order[PROCESSES] = { 3, 1, 4, 2 }, processes, context;

	MPI_Init(&argc, &argv);
	Cblacs_pinfo(&me, &processes);
	if (argc != 3 || processes != PROCESSES + 1)
		fail("usage: route_worker FROM TO, on five processes");
	to = atoi(argv[2]);
	Cblacs_get(-1, 0, &context);
	Cblacs_gridmap(&context, order, PROCESSES, PROCESSES, 1);
	if (me) {
		move(context);
		Cblacs_gridexit(context);
	}
	/* Each has every other block of its own for either of two. */
	if (me == atoi(argv[1]))
		printf("sent %ld of %zu\n", sent, ROWS / PROCESSES / 2 * COLUMNS * sizeof(double));
	Cblacs_exit(1);
	MPI_Finalize();
	return 0;
}
