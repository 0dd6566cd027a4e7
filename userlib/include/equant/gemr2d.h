/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Matrices from one grid of processes to another: what ScaLAPACK's p?gemr2d does, for elements of
 * any type, without BLACS.
 *
 *	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(comm, 8, 0);
 *
 *	error = equant_gemr2d(plans, rows, columns, MPI_DOUBLE, &a, local_a, &b, local_b);
 *	...
 *	equant_gemr2d_plans_free(plans);
 *
 * A call is planned once: as long as the plan is kept, the same call finds it again; for which
 * network, and with how much memory, equant_gemr2d_plans_use() says.  Rows and
 * columns are counted from 0, and local arrays are column-major as in Fortran.  Errors are as in
 * equant.h; functions are collective.  Plans belong to one thread at a time.
 */
#ifndef EQUANT_GEMR2D_H
#define EQUANT_GEMR2D_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>
#include <equant/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQUANT_GEMR2D_PLANS 32 /* at most */

struct equant_gemr2d_plans;

/**
 * struct equant_gemr2d_matrix - a block-cyclic matrix, this rank's place, and where a part begins
 * @rows: of the whole matrix (ScaLAPACK's M_)
 * @columns: likewise (N_)
 * @row_block: consecutive rows that a row of the grid has (MB_)
 * @column_block: consecutive columns that a column of the grid has (NB_)
 * @grid_rows: rows of the grid of processes
 * @grid_columns: its columns
 * @first_row: row of the grid that has the matrix's first row (RSRC_)
 * @first_column: column of the grid that has the matrix's first column (CSRC_)
 * @row: the part's first row (IA - 1)
 * @column: the part's first column (JA - 1)
 * @my_row: this rank's row of the grid
 * @my_column: its column
 * @leading: elements of this rank's local array from one column to the next (LLD_)
 *
 * The last three are each rank's own, everything else is the same on all ranks of the grid.
 */
struct equant_gemr2d_matrix {
	int64_t rows;
	int64_t columns;
	int64_t row_block;
	int64_t column_block;
	int grid_rows;
	int grid_columns;
	int first_row;
	int first_column;
	int64_t row;
	int64_t column;
	int my_row;
	int my_column;
	int64_t leading;
};

/**
 * equant_gemr2d_plans_new() - where calls find their plans again; collective
 * @comm: an intracommunicator with all ranks of all grids, of which a copy is made
 * @plans: kept after a call, at most; 0 to EQUANT_GEMR2D_PLANS.  What was not used for longest
 *	goes first.
 * @memory: bytes that the messages of all plans kept may have on a rank; 0: no limit.  What ranks
 *	of a node share of them stays, as much as one plan has needed.
 *
 * Return: no plans yet, or NULL and errno on all ranks: EINVAL for a communicator or a number
 * that is none and for numbers that differ between ranks, ECANCELED where another rank has
 * refused, ENOMEM, MPI's errors; with EQUANT_CHECK=on ETIMEDOUT where ranks have not come in time,
 * after which @comm must be neither used nor freed.
 */
EQUANT_API struct equant_gemr2d_plans *equant_gemr2d_plans_new(MPI_Comm comm, int plans,
							       size_t memory);

/**
 * equant_gemr2d_plans_use() - how plans are made from now on; collective
 * @plans: those that are kept are forgotten
 * @options: as for equant_transfer_new(), the same on all ranks but for @memory; NULL: as before
 *	the first call.  The network has the ranks of the plans' communicator.  The grids say who sends
 *	and who receives, so @senders, @receivers, @group and @beside must be 0; @window 0 leaves the
 *	window to the length of blocks on one node; on several without @network it is 8, and
 *	@largest 0 is 60000 then.
 *
 * Everything is copied.
 *
 * Return: 0; before anything was changed, and on all ranks, -EINVAL for what equant_transfer_new()
 * refuses and for options that differ between ranks, -ECANCELED where another rank has refused,
 * -ENOMEM; MPI's errors and, with EQUANT_CHECK=on, -ETIMEDOUT where ranks have not come in time,
 * after which the plans can only be freed, and -EPIPE then.
 */
EQUANT_API int equant_gemr2d_plans_use(struct equant_gemr2d_plans *plans,
				       const struct equant_transfer_options *options);

/**
 * equant_gemr2d_plans_free() - forget all plans; collective; NULL is nothing
 *
 * Return: 0 or MPI's error.
 */
EQUANT_API int equant_gemr2d_plans_free(struct equant_gemr2d_plans *plans);

/**
 * equant_gemr2d_plans_made() - how many calls have not found their plan and made one; the same on
 * all ranks
 */
EQUANT_API int64_t equant_gemr2d_plans_made(const struct equant_gemr2d_plans *plans);

/**
 * equant_gemr2d() - copy a part of one matrix into another; collective over the plans' communicator
 * @plans: where the plan is, or will be
 * @rows: of the part
 * @columns: likewise
 * @type: an element's MPI type; its whole extent is copied, gaps included
 * @a: the matrix that is read; NULL on a rank that is not in its grid
 * @from: this rank's local array of @a, not looked at if it has nothing of the part
 * @b: the matrix that is written; NULL on a rank that is not in its grid
 * @to: this rank's local array of @b, likewise
 *
 * Element (@a->row + i, @a->column + j) of @a becomes element (@b->row + i, @b->column + j) of
 * @b; of @b nothing else is written.  A rank may be in both grids, in one, or in none.  Both
 * local arrays may be the same if no element is read and written, or if nothing changes its
 * place and both are divided by the same blocks.  If there are no rows or no columns, nothing else is looked at.
 *
 * Return: 0; before any element was moved, and on all ranks, -EINVAL for arguments that cannot be
 * or differ between ranks, grids with a place that no rank or more than one has, and elements
 * that are read and written; -ECANCELED where another rank has refused; -EOVERFLOW, -ENOMEM;
 * -ENOBUFS where the memory that equant_gemr2d_plans_use() allows is not enough.
 * What reading another rank's memory fails with, on both ranks and no others, if it did not when
 * the plan was made: some elements have not been moved then, and the plans go on.  MPI's errors
 * and, with EQUANT_CHECK=on, -ETIMEDOUT where ranks have not come in time, after which the plans can
 * only be freed, and -EPIPE then.
 */
EQUANT_API int equant_gemr2d(struct equant_gemr2d_plans *plans, int64_t rows, int64_t columns,
			     MPI_Datatype type, const struct equant_gemr2d_matrix *a,
			     const void *from, const struct equant_gemr2d_matrix *b, void *to);

#ifdef __cplusplus
}
#endif

#endif /* EQUANT_GEMR2D_H */
