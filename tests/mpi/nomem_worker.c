// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* MPI says that it has no memory, or something else, when it is told to: what the library makes of it. */
#include <equant/gemr2d.h>
#include <equant/self.h>
#include <equant/transfer.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/mpi_error.h"
#include "libworker.h"

#define BUFFERS 64
#define LARGE 65536 /* bytes of a buffer that is remembered, and has pages of its own */

/* What the functions below end with; all but those that wait have done their work before. */
static int reduction = MPI_SUCCESS, window = MPI_SUCCESS, waiting = MPI_SUCCESS;
static void *buffers[BUFFERS]; /* that something may still be received into */
static int count;

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	int code = PMPI_Allreduce(from, to, n, type, op, comm);

	return reduction == MPI_SUCCESS ? code : reduction;
}

int MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
		   MPI_Request *request)
{
	int code = PMPI_Iallreduce(from, to, n, type, op, comm, request);

	return reduction == MPI_SUCCESS ? code : reduction;
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
			    MPI_Win *given)
{
	MPI_Win made;
	int code = PMPI_Win_allocate_shared(size, unit, info, comm, base, &made);

	if (window != MPI_SUCCESS)
		return window;
	*given = made;
	return code;
}

void *reallocarray(void *memory, size_t n, size_t size)
{
	void *got = realloc(memory, n * size);

	if (n * size >= LARGE && count < BUFFERS)
		buffers[count++] = got;
	return got;
}

static bool is_large(int n, MPI_Datatype type)
{
	return type == MPI_BYTE && n >= LARGE && count < BUFFERS;
}

int MPI_Irecv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	if (is_large(n, type))
		buffers[count++] = buffer;
	return PMPI_Irecv(buffer, n, type, from, tag, comm, request);
}

/* Fails while there is something under way. */
int MPI_Waitsome(int n, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
	if (waiting != MPI_SUCCESS)
		return waiting;
	return PMPI_Waitsome(n, requests, done, indices, statuses);
}

/* ---- errors ------------------------------------------------------------------------------- */

/* The library's own lack of memory all ranks know of, and go on; this one need not be known. */
static void is_a_failure_of_MPI(void)
{
	demand_equal(0, equant_mpi_error(MPI_SUCCESS, "nothing"));
	demand_equal(-EIO, equant_mpi_error(MPI_ERR_NO_MEM, "looking for memory"));
	demand_equal(-EIO, equant_mpi_error(MPI_ERR_WIN, "looking at a window"));
}

static int move(struct equant_gemr2d_plans *plans)
{
	struct equant_gemr2d_matrix a = { .rows = ranks,
					  .columns = 1,
					  .row_block = 1,
					  .column_block = 1,
					  .grid_rows = ranks,
					  .grid_columns = 1,
					  .my_row = rank,
					  .leading = 1 },
				    b = a;
	double from = rank, to = -1;
	int error;

	b.first_row = 1 % ranks;
	error = equant_gemr2d(plans, ranks, 1, MPI_DOUBLE, &a, &from, &b, &to);
	demand(error || to == (rank + ranks - 1) % ranks);
	return error;
}

/* Nobody is waited for afterwards, who may have had no error. */
static void plans_are_broken(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 2, 0);

	demand(plans);
	demand_equal(0, move(plans));
	reduction = MPI_ERR_NO_MEM;
	demand_equal(-EIO, move(plans));
	reduction = MPI_SUCCESS;
	if (!rank)
		demand_equal(-EPIPE, move(plans));
	demand_equal(0, equant_gemr2d_plans_free(plans));
}

static struct equant_self *loop_new(struct equant *eq)
{
	struct equant_chunks_options loop = {
		.sz = sizeof(loop), .scheme = "gss", .dimensions = 1, .extents = { 100 }
	};
	struct equant_self_options options = { .sz = sizeof(options), .loop = &loop };

	errno = 0;
	return equant_self_new(eq, &options);
}

/* The others have one, and cannot give it back without the last rank.  Later all is well. */
static void one_has_no_window(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_self *self;

	for (int i = 0; i < 2; i++) {
		window = rank == ranks - 1 ? MPI_ERR_NO_MEM : MPI_SUCCESS;
		demand(!loop_new(eq));
		demand_equal(rank == ranks - 1 ? EIO : ECANCELED, errno);
		window = MPI_SUCCESS;
		self = loop_new(eq);
		demand(self);
		equant_self_cancel(self);
		demand_equal(0, equant_self_free(self));
	}
	must_close(eq);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void demand_there(const void *buffer)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	unsigned char in_core;

	demand_equal(0, mincore((void *)((uintptr_t)buffer / page * page), 1, &in_core));
}

static void flows_that_fail(int with, int error)
{
	struct equant_redist_network *network;

	count = 0;
	waiting = with;
	demand_equal(error, equant_calibrate_network(MPI_COMM_WORLD, 1, &network));
	waiting = MPI_SUCCESS;
	demand(!network);
	demand(!rank || count > 0);
	for (int i = 0; i < count; i++)
		demand_there(buffers[i]);
}

/* Whatever the error is, what is under way to a buffer may still come. */
static void memory_stays_where_messages_may_come(void)
{
	/* What is freed is gone at once. */
	mallopt(M_MMAP_THRESHOLD, LARGE);
	flows_that_fail(MPI_ERR_TRUNCATE, -EPROTO);
	flows_that_fail(MPI_ERR_NO_MEM, -EIO);
}

#define ROWS 8192L
#define COLUMNS 4

/* Of each column the upper half goes to the lower half of the other rank: it is read out of a copy. */
static int swap(struct equant_gemr2d_plans *plans, double *columns)
{
	struct equant_gemr2d_matrix a = { .rows = 2 * ROWS,
					  .columns = COLUMNS,
					  .row_block = ROWS,
					  .column_block = COLUMNS,
					  .grid_rows = 2,
					  .grid_columns = 1,
					  .my_row = rank,
					  .leading = 2 * ROWS },
				    b = a;

	b.first_row = 1;
	for (int j = 0; j < COLUMNS; j++)
		for (int i = 0; i < 2 * ROWS; i++)
			columns[2 * ROWS * j + i] = i < ROWS ? rank : -1;
	return equant_gemr2d(plans, 2 * ROWS, COLUMNS, MPI_DOUBLE, &a, columns, &b, columns + ROWS);
}

/* The other rank may have read what it was offered, or be about to, when this one fails. */
static void copies_stay_where_others_may_read(void)
{
	static double columns[2 * ROWS * COLUMNS];
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 2, 0);

	mallopt(M_MMAP_THRESHOLD, LARGE);
	demand(plans);
	demand_equal(0, swap(plans, columns));
	demand_equal(!rank, columns[ROWS]);
	count = 0;
	waiting = MPI_ERR_OTHER;
	demand_equal(-EIO, swap(plans, columns));
	waiting = MPI_SUCCESS;
	demand(count > 0);
	demand_there(buffers[0]);
	demand_equal(-EPIPE, swap(plans, columns));
	MPI_Barrier(MPI_COMM_WORLD);
	demand_equal(0, equant_gemr2d_plans_free(plans));
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(is_a_failure_of_MPI),
		CASE(plans_are_broken),
		CASE(one_has_no_window),
		CASE(memory_stays_where_messages_may_come),
		CASE(copies_stay_where_others_may_read),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
