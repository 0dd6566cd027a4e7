// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * ScaLAPACK's call, which has BLACS contexts, no plan and no error.
 *
 * Plans hang on the communicator of the context that the call goes over, as an attribute: MPI
 * frees them with it, when the program leaves that context by blacs_gridexit() or all of them by
 * blacs_exit().
 */
#include <errno.h>
#include <string.h>

#include <equant/gemr2d.h>

#include "core/message.h"
#include "gemr2d/blacs.h"

#define PLANS 16 /* kept for a context */
#define MEMORY ((size_t)256 << 20) /* of their messages, on a rank */

/* ---- the end of the job ------------------------------------------------------------------ */

/*
 * An error that all ranks have: none ends the job before the one that knows the reason has said
 * it.
 */
static void fail(const char *name, MPI_Comm comm, int context, int error)
{
	int me = 0;

	MPI_Comm_rank(comm, &me);
	if (!me)
		equant_message("%s: %s; the program ends", name, strerror(-error));
	if (error == -EINVAL || error == -ECANCELED || error == -EOVERFLOW || error == -ENOMEM ||
	    error == -ENOBUFS)
		MPI_Barrier(comm);
	Cblacs_abort(context, 1);
}

static void fail_here(const char *name, int context)
{
	equant_message("%s: this process is not in context %d, the last argument; the program ends",
		       name, context);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- plans ------------------------------------------------------------------------------- */

static int forget(MPI_Comm comm, int key, void *plans, void *unused)
{
	(void)comm;
	(void)key;
	(void)unused;
	return equant_gemr2d_plans_free(plans) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* BLACS has one thread, and state of its own. */
static struct equant_gemr2d_plans *plans_of(MPI_Comm comm)
{
	static int key = MPI_KEYVAL_INVALID;
	struct equant_gemr2d_plans *plans = NULL;
	int found = 0, error;

	if (key == MPI_KEYVAL_INVALID)
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
	MPI_Comm_get_attr(comm, key, &plans, &found);
	if (found)
		return plans;
	plans = equant_gemr2d_plans_new(comm, PLANS, MEMORY);
	if (!plans)
		return NULL;
	error = equant_blacs_use_network(plans, comm);
	if (error) {
		equant_gemr2d_plans_free(plans);
		errno = -error;
		return NULL;
	}
	MPI_Comm_set_attr(comm, key, plans);
	return plans;
}

/* ---- the call ---------------------------------------------------------------------------- */

/* Of a descriptor only the context is looked at where the process is not in its grid. */
static const struct equant_gemr2d_matrix *describe(const struct equant_blacs_side *side,
						   struct equant_gemr2d_matrix *m)
{
	const int *d = side->descriptor;

	Cblacs_gridinfo(d[BLACS_CTXT], &m->grid_rows, &m->grid_columns, &m->my_row, &m->my_column);
	if (m->my_row < 0 || m->my_column < 0)
		return NULL;
	m->rows = d[BLACS_M];
	m->columns = d[BLACS_N];
	m->row_block = d[BLACS_MB];
	m->column_block = d[BLACS_NB];
	m->first_row = d[BLACS_RSRC];
	m->first_column = d[BLACS_CSRC];
	m->leading = d[BLACS_LLD];
	m->row = (int64_t)side->row - 1;
	m->column = (int64_t)side->column - 1;
	return m;
}

void equant_blacs_gemr2d(const char *name, MPI_Datatype type, int rows, int columns,
			 const struct equant_blacs_side *a, const struct equant_blacs_side *b,
			 int context)
{
	struct equant_gemr2d_matrix from, to;
	struct equant_gemr2d_plans *plans;
	int grid[4], handle, error;
	MPI_Comm comm;

	Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
	if (grid[2] < 0) {
		if (rows && columns)
			fail_here(name, context);
		return;
	}
	Cblacs_get(context, BLACS_OF_CONTEXT, &handle);
	comm = Cblacs2sys_handle(handle);
	plans = plans_of(comm);
	error = -errno;
	if (plans)
		error = equant_gemr2d(plans, rows, columns, type, describe(a, &from), a->local,
				      describe(b, &to), b->local);
	if (error)
		fail(name, comm, context, error);
}

void equant_blacs_gemr2do(const char *name, MPI_Datatype type, int rows, int columns,
			  const struct equant_blacs_side *a, const struct equant_blacs_side *b)
{
	int process, processes, context;

	Cblacs_pinfo(&process, &processes);
	Cblacs_get(0, BLACS_SYSTEM, &context);
	Cblacs_gridinit(&context, "R", 1, processes);
	equant_blacs_gemr2d(name, type, rows, columns, a, b, context);
	Cblacs_gridexit(context);
}
