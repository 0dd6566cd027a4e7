// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a rank has of a part.  Rows that follow each other follow each other in the local array of
 * the process that has them, and so do columns: it is a rectangle there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gemr2d_internal.h"

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

int equant_gemr2d_find_part(const struct equant_gemr2d_plans *plans,
			    struct equant_gemr2d_task *task, int side, void *local)
{
	const struct equant_gemr2d_matrix *m = task->matrix[side];
	struct equant_gemr2d_rectangle *part = &task->part[side];
	int64_t all = rows_below(m, m->rows), columns = columns_below(m, m->columns), size;

	if (m->leading < all)
		return REFUSE(-EINVAL, plans, side,
			      "columns are %lld elements apart (leading), %lld rows are here",
			      (long long)m->leading, (long long)all);
	if (__builtin_mul_overflow(m->leading, columns, &size) ||
	    __builtin_mul_overflow(size, task->call.element, &size))
		return REFUSE(-EOVERFLOW, plans, side, "%lld columns are %lld elements apart",
			      (long long)columns, (long long)m->leading);
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
	return REFUSE(-EINVAL, plans, side, "no local array, %lld x %lld elements are here",
		      (long long)part->rows, (long long)part->columns);
}

static uintptr_t column_at(const struct equant_gemr2d_rectangle *r, int64_t element, int64_t column)
{
	return (uintptr_t)r->local +
	       (uintptr_t)(((r->column + column) * r->leading + r->row) * element);
}

/* Does an element of one lie in the other?  The columns of either come one after the other. */
static bool meet(const struct equant_gemr2d_rectangle *a, const struct equant_gemr2d_rectangle *b,
		 int64_t element)
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

static uintptr_t end_of(const struct equant_gemr2d_rectangle *r, int64_t element)
{
	return column_at(r, element, r->columns - 1) + (uintptr_t)(r->rows * element);
}

static bool interleave(const struct equant_gemr2d_rectangle *a,
		       const struct equant_gemr2d_rectangle *b, int64_t element)
{
	if (!a->columns || !b->columns)
		return false;
	return column_at(a, element, 0) < end_of(b, element) &&
	       column_at(b, element, 0) < end_of(a, element);
}

/*
 * Everything stays where it is.  How large the matrices are around what is moved makes no difference, nor do
 * the blocks of a dimension that one process has all of.
 */
static bool stays(const struct equant_gemr2d_task *task)
{
	const int64_t *a = task->call.matrix[0], *b = task->call.matrix[1];
	int64_t differ = 0;

	for (int i = GEMR2D_ROW_BLOCK; i < GEMR2D_FIELDS; i++) {
		if ((i == GEMR2D_ROW_BLOCK && a[GEMR2D_GRID_ROWS] == 1) ||
		    (i == GEMR2D_COLUMN_BLOCK && a[GEMR2D_GRID_COLUMNS] == 1))
			continue;
		differ |= a[i] ^ b[i];
	}
	return !differ && !memcmp(&task->part[0], &task->part[1], sizeof(task->part[0]));
}

/* A transfer wants what it reads not to begin before the end of what it writes: it gets a copy. */
static int copy_apart(struct equant_gemr2d_task *task)
{
	struct equant_gemr2d_rectangle *a = &task->part[0];
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

int equant_gemr2d_check_memory(const struct equant_gemr2d_plans *plans,
			       struct equant_gemr2d_task *task)
{
	const struct equant_gemr2d_rectangle *a = &task->part[0], *b = &task->part[1];
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

void *equant_gemr2d_origin(const struct equant_gemr2d_task *task, int side)
{
	const struct equant_gemr2d_matrix *m = task->matrix[side];
	const struct equant_gemr2d_rectangle *part = &task->part[side];
	int64_t row, column;

	if (!m || !part->rows)
		return part->local;
	row = rows_below(m, m->row) - part->row;
	column = columns_below(m, m->column) - part->column;
	return (void *)((uintptr_t)part->local -
			(uintptr_t)((column * part->leading + row) * task->call.element));
}
