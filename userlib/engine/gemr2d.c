// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * p?gemr2d for elements of any type: each rank looks at its own arguments and arrays, then all
 * find a plan and carry it out.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/mpi_error.h"
#include "engine/gemr2d_internal.h"
#include "engine/transfer_internal.h"

/* ---- arguments --------------------------------------------------------------------------- */

static bool reaches(int64_t all, int64_t begin, int64_t length)
{
	return begin >= 0 && begin <= all && length <= all - begin;
}

static int check_grid(const struct equant_gemr2d_plans *plans, const struct equant_gemr2d_matrix *m,
		      int side)
{
	int rows = m->grid_rows, columns = m->grid_columns;

	if (rows < 1 || columns < 1)
		return REFUSE(-EINVAL, plans, side, "a grid of %d x %d processes", rows, columns);
	if ((int64_t)rows * columns > plans->ranks)
		return REFUSE(-EINVAL, plans, side,
			      "a grid of %d x %d processes, and only %d ranks", rows, columns,
			      plans->ranks);
	if (m->my_row < 0 || m->my_row >= rows || m->my_column < 0 || m->my_column >= columns)
		return REFUSE(-EINVAL, plans, side, "this is process (%d, %d) of %d x %d",
			      m->my_row, m->my_column, rows, columns);
	if (m->first_row < 0 || m->first_row >= rows || m->first_column < 0 ||
	    m->first_column >= columns)
		return REFUSE(-EINVAL, plans, side,
			      "the first block is on process (%d, %d) of %d x %d", m->first_row,
			      m->first_column, rows, columns);
	return 0;
}

static int check_matrix(const struct equant_gemr2d_plans *plans,
			const struct equant_gemr2d_call *call, const struct equant_gemr2d_matrix *m,
			int side)
{
	long long rows = m->rows, columns = m->columns;

	if (m->row_block < 1 || m->column_block < 1)
		return REFUSE(-EINVAL, plans, side, "blocks of %lld x %lld elements",
			      (long long)m->row_block, (long long)m->column_block);
	if (rows > EQUANT_REDIST_ELEMENTS || columns > EQUANT_REDIST_ELEMENTS)
		return REFUSE(-EOVERFLOW, plans, side,
			      "%lld x %lld elements, 2^42 each way at most", rows, columns);
	if (!reaches(rows, m->row, call->rows) || !reaches(columns, m->column, call->columns))
		return REFUSE(-EINVAL, plans, side,
			      "%lld x %lld elements from (%lld, %lld) on, of %lld x %lld",
			      (long long)call->rows, (long long)call->columns, (long long)m->row,
			      (long long)m->column, rows, columns);
	return 0;
}

static int check_type(const struct equant_gemr2d_plans *plans, MPI_Datatype type, int64_t *element)
{
	MPI_Aint low, extent, true_low, true_extent;
	int error = -EINVAL;

	if (type != MPI_DATATYPE_NULL)
		error = equant_mpi_error(MPI_Type_get_extent(type, &low, &extent),
					 "MPI_Type_get_extent");
	if (!error)
		error = equant_mpi_error(MPI_Type_get_true_extent(type, &true_low, &true_extent),
					 "MPI_Type_get_true_extent");
	if (error || low || true_low < 0 || true_extent < 1 || true_low + true_extent > extent) {
		equant_message("rank %d: equant_gemr2d: no elements can be of this MPI type",
			       plans->rank);
		return -EINVAL;
	}
	*element = extent;
	return 0;
}

/* ---- the call ---------------------------------------------------------------------------- */

static void describe(int64_t fields[GEMR2D_FIELDS], const struct equant_gemr2d_matrix *m)
{
	for (int i = 0; i < GEMR2D_FIELDS; i++)
		fields[i] = GEMR2D_ABSENT;
	if (!m)
		return;
	fields[GEMR2D_ROWS] = m->rows;
	fields[GEMR2D_COLUMNS] = m->columns;
	fields[GEMR2D_ROW_BLOCK] = m->row_block;
	fields[GEMR2D_COLUMN_BLOCK] = m->column_block;
	fields[GEMR2D_GRID_ROWS] = m->grid_rows;
	fields[GEMR2D_GRID_COLUMNS] = m->grid_columns;
	fields[GEMR2D_FIRST_ROW] = m->first_row;
	fields[GEMR2D_FIRST_COLUMN] = m->first_column;
	fields[GEMR2D_ROW] = m->row;
	fields[GEMR2D_COLUMN] = m->column;
	fields[GEMR2D_MY_ROW] = m->my_row;
	fields[GEMR2D_MY_COLUMN] = m->my_column;
}

static int check_side(const struct equant_gemr2d_plans *plans, struct equant_gemr2d_task *task,
		      int side, void *local)
{
	const struct equant_gemr2d_matrix *m = task->matrix[side];
	int error = check_grid(plans, m, side);

	if (!error)
		error = check_matrix(plans, &task->call, m, side);
	return error ? error : equant_gemr2d_find_part(plans, task, side, local);
}

static int prepare(const struct equant_gemr2d_plans *plans, struct equant_gemr2d_task *task,
		   MPI_Datatype type, void *const local[2])
{
	int error = 0;

	if (task->call.rows < 0 || task->call.columns < 0) {
		equant_message("rank %d: equant_gemr2d: a part of %lld x %lld elements",
			       plans->rank, (long long)task->call.rows,
			       (long long)task->call.columns);
		return -EINVAL;
	}
	if (!task->call.rows || !task->call.columns) {
		task->call.rows = task->call.columns = 0;
		task->matrix[0] = task->matrix[1] = NULL;
	} else {
		error = check_type(plans, type, &task->call.element);
	}
	for (int side = 0; side < 2 && !error; side++) {
		describe(task->call.matrix[side], task->matrix[side]);
		if (task->matrix[side])
			error = check_side(plans, task, side, local[side]);
	}
	return error ? error : equant_gemr2d_check_memory(plans, task);
}

static int run(const struct equant_gemr2d_task *task, struct equant_transfer *transfer)
{
	int64_t from_strides[2] = { task->part[0].leading, 1 };
	int64_t to_strides[2] = { task->part[1].leading, 1 };

	return equant_transfer_run(transfer, from_strides, equant_gemr2d_origin(task, 0),
				   to_strides, equant_gemr2d_origin(task, 1));
}

int equant_gemr2d(struct equant_gemr2d_plans *plans, int64_t rows, int64_t columns,
		  MPI_Datatype type, const struct equant_gemr2d_matrix *a, const void *from,
		  const struct equant_gemr2d_matrix *b, void *to)
{
	struct equant_gemr2d_task task = { .call = { .rows = rows, .columns = columns },
					   .matrix = { a, b } };
	void *const local[2] = { (void *)from, to };
	struct equant_gemr2d_plan *plan;
	int error, failed;

	if (plans->broken || equant_mpi_is_over())
		return -EPIPE;
	plan = equant_gemr2d_find(plans, &task.call, prepare(plans, &task, type, local), &error);
	if (plan)
		error = run(&task, plan->transfer);
	/* MPI's errors not all ranks need have: they may wait for each other next time. */
	plans->broken = plan ? plan->transfer->broken : equant_gemr2d_breaks(error);
	/* And others may go on reading what they have been offered. */
	if (!plan || !plans->broken)
		free(task.copy);
	if (plans->broken)
		return error;
	failed = equant_gemr2d_trim(plans);
	return error ? error : failed;
}
