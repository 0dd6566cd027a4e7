// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * p?gemr2d for elements of any type: each rank looks at its own arguments and arrays, then all find a plan
 * and carry it out.
 *
 * Rows that follow each other follow each other in the local array of the process that has them, so
 * what a process has of the part is a rectangle there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/gemr2d_internal.h"

/**
 * struct rectangle - what a rank has of the part, in its local array
 * @row: first local row
 * @column: first local column
 * @rows: of the rectangle; 0 if there are no columns
 * @columns: likewise
 * @leading: elements from one column to the next
 * @local: the local array
 */
struct rectangle {
	int64_t row;
	int64_t column;
	int64_t rows;
	int64_t columns;
	int64_t leading;
	char *local;
};

/**
 * struct task - a call, as this rank sees it
 * @call: its numbers
 * @matrix: a and b, or NULL
 * @part: of both
 * @copy: of what is read, where it lies between what is written; or NULL
 */
struct task {
	struct equant_gemr2d_call call;
	const struct equant_gemr2d_matrix *matrix[2];
	struct rectangle part[2];
	char *copy;
};

static int refuse(const struct equant_gemr2d_plans *plans, int side, const char *what, int64_t x,
		  int64_t y)
{
	equant_message("rank %d: equant_gemr2d: matrix %c: %s %lld x %lld", plans->rank, 'a' + side,
		       what, (long long)x, (long long)y);
	return -EINVAL;
}

/* ---- arguments --------------------------------------------------------------------------- */

static bool reaches(int64_t all, int64_t begin, int64_t length)
{
	return begin >= 0 && begin <= all && length <= all - begin;
}

static int check_matrix(const struct equant_gemr2d_plans *plans, const struct task *task, int side)
{
	const struct equant_gemr2d_matrix *m = task->matrix[side];

	if (m->row_block < 1 || m->column_block < 1)
		return refuse(plans, side, "blocks of", m->row_block, m->column_block);
	if (m->grid_rows < 1 || m->grid_columns < 1)
		return refuse(plans, side, "a grid of", m->grid_rows, m->grid_columns);
	if (m->my_row < 0 || m->my_row >= m->grid_rows || m->my_column < 0 ||
	    m->my_column >= m->grid_columns)
		return refuse(plans, side, "outside of the grid is process", m->my_row,
			      m->my_column);
	if (m->first_row < 0 || m->first_row >= m->grid_rows || m->first_column < 0 ||
	    m->first_column >= m->grid_columns)
		return refuse(plans, side, "the first block is on process", m->first_row,
			      m->first_column);
	if (m->rows < 0 || m->columns < 0)
		return refuse(plans, side, "it has", m->rows, m->columns);
	if (m->rows > EQUANT_REDIST_ELEMENTS || m->columns > EQUANT_REDIST_ELEMENTS) {
		refuse(plans, side, "too large is", m->rows, m->columns);
		return -EOVERFLOW;
	}
	if (!reaches(m->rows, m->row, task->call.rows) ||
	    !reaches(m->columns, m->column, task->call.columns)) {
		equant_message(
			"rank %d: equant_gemr2d: matrix %c: %lld x %lld elements from (%lld, %lld) on, of %lld x %lld",
			plans->rank, 'a' + side, (long long)task->call.rows,
			(long long)task->call.columns, (long long)m->row, (long long)m->column,
			(long long)m->rows, (long long)m->columns);
		return -EINVAL;
	}
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

/* ---- local arrays ------------------------------------------------------------------------ */

/* Local rows or columns of those below @index. */
static int64_t below(int64_t index, int64_t block, int processes, int first, int process)
{
	struct equant_redist_cyclic cyclic = { block, processes, first, 0 };

	return equant_redist_local(index, &cyclic, process);
}

static int64_t rows_below(const struct equant_gemr2d_matrix *m, int64_t row)
{
	return below(row, m->row_block, m->grid_rows, m->first_row, m->my_row);
}

static int64_t columns_below(const struct equant_gemr2d_matrix *m, int64_t column)
{
	return below(column, m->column_block, m->grid_columns, m->first_column, m->my_column);
}

static int find_rectangle(const struct equant_gemr2d_plans *plans, struct task *task, int side,
			  void *local)
{
	const struct equant_gemr2d_matrix *m = task->matrix[side];
	struct rectangle *part = &task->part[side];
	int64_t all = rows_below(m, m->rows);

	if (m->leading < all) {
		equant_message(
			"rank %d: equant_gemr2d: matrix %c: columns are %lld elements apart, %lld rows are here",
			plans->rank, 'a' + side, (long long)m->leading, (long long)all);
		return -EINVAL;
	}
	part->row = rows_below(m, m->row);
	part->column = columns_below(m, m->column);
	part->rows = rows_below(m, m->row + task->call.rows) - part->row;
	part->columns = columns_below(m, m->column + task->call.columns) - part->column;
	part->leading = m->leading;
	part->local = local;
	if (!part->rows || !part->columns)
		part->rows = part->columns = 0;
	if (!part->rows || local)
		return 0;
	equant_message("rank %d: equant_gemr2d: matrix %c: no local array, %lld x %lld are here",
		       plans->rank, 'a' + side, (long long)part->rows, (long long)part->columns);
	return -EINVAL;
}

static uintptr_t column_at(const struct rectangle *r, int64_t element, int64_t column)
{
	return (uintptr_t)r->local +
	       (uintptr_t)(((r->column + column) * r->leading + r->row) * element);
}

/* Does an element of one lie in the other?  The columns of either come one after the other. */
static bool meet(const struct rectangle *a, const struct rectangle *b, int64_t element)
{
	int64_t i = 0, j = 0;

	while (i < a->columns && j < b->columns) {
		uintptr_t x = column_at(a, element, i), y = column_at(b, element, j);
		uintptr_t x_end = x + (uintptr_t)(a->rows * element);
		uintptr_t y_end = y + (uintptr_t)(b->rows * element);

		if (x < y_end && y < x_end)
			return true;
		if (x < y)
			i++;
		else
			j++;
	}
	return false;
}

static uintptr_t end_of(const struct rectangle *r, int64_t element)
{
	return column_at(r, element, r->columns - 1) + (uintptr_t)(r->rows * element);
}

static bool interleave(const struct rectangle *a, const struct rectangle *b, int64_t element)
{
	if (!a->columns || !b->columns)
		return false;
	return column_at(a, element, 0) < end_of(b, element) &&
	       column_at(b, element, 0) < end_of(a, element);
}

/* Everything stays where it is. */
static bool stays(const struct task *task)
{
	return !memcmp(task->call.matrix[0], task->call.matrix[1], sizeof(task->call.matrix[0])) &&
	       !memcmp(&task->part[0], &task->part[1], sizeof(task->part[0]));
}

/* A transfer wants what it reads not to begin before the end of what it writes: it gets a copy. */
static int copy_apart(struct task *task)
{
	struct rectangle *a = &task->part[0];
	size_t bytes = (size_t)(a->rows * task->call.element);

	task->copy = reallocarray(NULL, (size_t)a->columns, bytes);
	if (!task->copy)
		return -ENOMEM;
	for (int64_t j = 0; j < a->columns; j++)
		memcpy(task->copy + (size_t)j * bytes,
		       (const char *)column_at(a, task->call.element, j), bytes);
	a->local = task->copy;
	a->leading = a->rows;
	a->row = a->column = 0;
	return 0;
}

static int check_memory(const struct equant_gemr2d_plans *plans, struct task *task)
{
	const struct rectangle *a = &task->part[0], *b = &task->part[1];
	int64_t element = task->call.element;

	if (!interleave(a, b, element))
		return 0;
	if (meet(a, b, element) && !stays(task)) {
		equant_message("rank %d: equant_gemr2d: elements are read and written",
			       plans->rank);
		return -EINVAL;
	}
	return copy_apart(task);
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

static int prepare(const struct equant_gemr2d_plans *plans, struct task *task, MPI_Datatype type,
		   void *const local[2])
{
	int error = 0;

	if (task->call.rows < 0 || task->call.columns < 0) {
		equant_message("rank %d: equant_gemr2d: a part of %lld x %lld elements",
			       plans->rank, (long long)task->call.rows,
			       (long long)task->call.columns);
		return -EINVAL;
	}
	if (!task->call.rows || !task->call.columns)
		task->matrix[0] = task->matrix[1] = NULL;
	else
		error = check_type(plans, type, &task->call.element);
	for (int side = 0; side < 2 && !error; side++) {
		describe(task->call.matrix[side], task->matrix[side]);
		if (task->matrix[side])
			error = check_matrix(plans, task, side);
		if (task->matrix[side] && !error)
			error = find_rectangle(plans, task, side, local[side]);
	}
	return error ? error : check_memory(plans, task);
}

/* Element 0 of the local array, from which a transfer counts; it may lie before a copy. */
static void *origin(const struct task *task, int side)
{
	const struct equant_gemr2d_matrix *m = task->matrix[side];
	const struct rectangle *part = &task->part[side];
	int64_t row, column;

	if (!m || !part->rows)
		return part->local;
	row = rows_below(m, m->row) - part->row;
	column = columns_below(m, m->column) - part->column;
	return (void *)((uintptr_t)part->local -
			(uintptr_t)((column * part->leading + row) * task->call.element));
}

static int run(const struct task *task, struct equant_transfer *transfer)
{
	int64_t from_strides[2] = { task->part[0].leading, 1 };
	int64_t to_strides[2] = { task->part[1].leading, 1 };

	return equant_transfer_run(transfer, from_strides, origin(task, 0), to_strides,
				   origin(task, 1));
}

int equant_gemr2d(struct equant_gemr2d_plans *plans, int64_t rows, int64_t columns,
		  MPI_Datatype type, const struct equant_gemr2d_matrix *a, const void *from,
		  const struct equant_gemr2d_matrix *b, void *to)
{
	struct task task = { .call = { .rows = rows, .columns = columns }, .matrix = { a, b } };
	void *const local[2] = { (void *)from, to };
	struct equant_gemr2d_plan *plan;
	int error, failed;

	if (plans->broken || equant_mpi_is_over())
		return -EPIPE;
	plan = equant_gemr2d_find(plans, &task.call, prepare(plans, &task, type, local), &error);
	if (plan)
		error = run(&task, plan->transfer);
	free(task.copy);
	plans->broken = error == -EIO || error == -EPROTO || error == -EPIPE;
	if (plans->broken)
		return error;
	failed = equant_gemr2d_trim(plans);
	return error ? error : failed;
}
