/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What ScaLAPACK's library has of the BLACS, which comes without a header: the C interface.
 * INTEGER is int, as in every build of it that is not said to be ILP64.
 */
#ifndef EQUANT_GEMR2D_BLACS_H
#define EQUANT_GEMR2D_BLACS_H

#include <mpi.h>

#define BLACS_SYSTEM 0 /* what blacs_get() is asked for: the context of all processes */
#define BLACS_OF_CONTEXT 10 /* and the communicator that a context has */

void Cblacs_pinfo(int *process, int *processes);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *my_row, int *my_column);
void Cblacs_gridexit(int context);
void Cblacs_abort(int context, int error);
MPI_Comm Cblacs2sys_handle(int handle);

/* Entries of a descriptor. */
enum {
	BLACS_DTYPE,
	BLACS_CTXT,
	BLACS_M,
	BLACS_N,
	BLACS_MB,
	BLACS_NB,
	BLACS_RSRC,
	BLACS_CSRC,
	BLACS_LLD,
};

/**
 * struct equant_blacs_side - one matrix of a call, as ScaLAPACK's interface has it
 * @local: its local array
 * @row: the part's first row, from 1
 * @column: likewise
 * @descriptor: of the matrix
 */
struct equant_blacs_side {
	void *local;
	int row;
	int column;
	const int *descriptor;
};

struct equant_gemr2d_plans;

/* ---- network.c --------------------------------------------------------------------------- */

/*
 * Plans of @comm are made for the network that the environment names, if it does; collective.  0, or
 * -errno after a message, on all ranks.
 */
int equant_blacs_use_network(struct equant_gemr2d_plans *plans, MPI_Comm comm);

/* ---- gemr2d.c ---------------------------------------------------------------------------- */

/* @rows x @columns elements of @type from @a to @b; ends the job if that cannot be. */
void equant_blacs_gemr2d(const char *name, MPI_Datatype type, int rows, int columns,
			 const struct equant_blacs_side *a, const struct equant_blacs_side *b,
			 int context);

/* The same over all processes that there are. */
void equant_blacs_gemr2do(const char *name, MPI_Datatype type, int rows, int columns,
			  const struct equant_blacs_side *a, const struct equant_blacs_side *b);

#endif /* EQUANT_GEMR2D_BLACS_H */
