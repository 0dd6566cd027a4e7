// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A call that no plan is kept for.  A rank knows the matrices only in whose grids it is, so all
 * say what they know: it must be the same, and every place of a grid must have one rank.  What
 * comes out is the same everywhere, and so is whether it is an error.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/mpi_error.h"
#include "engine/gemr2d_internal.h"

#define COMMON (3 + 2 * GEMR2D_COMMON)

static const char *const names[COMMON] = {
	"rows of the part",
	"columns of the part",
	"bytes of an element",
	"rows of a",
	"columns of a",
	"row blocks of a",
	"column blocks of a",
	"rows of a's grid",
	"columns of a's grid",
	"first row of a's grid",
	"first column of a's grid",
	"row of a where the part begins",
	"column of a where the part begins",
	"rows of b",
	"columns of b",
	"row blocks of b",
	"column blocks of b",
	"rows of b's grid",
	"columns of b's grid",
	"first row of b's grid",
	"first column of b's grid",
	"row of b where the part begins",
	"column of b where the part begins",
};

/**
 * struct grid - who is where
 * @rows: of the grid
 * @columns: of it
 * @ranks: of process (i, j) at j * @rows + i: the transfer's column-major count
 */
struct grid {
	int rows;
	int columns;
	int *ranks;
};

/* ---- what is the same ---------------------------------------------------------------- */

/* The largest value that any rank says, and the smallest, of those that say one. */
static int compare(const struct equant_gemr2d_plans *plans, const struct equant_gemr2d_call *call,
		   int64_t most[COMMON], int64_t least[COMMON])
{
	int64_t mine[2 * COMMON], all[2 * COMMON];
	int error;

	mine[0] = call->rows;
	mine[1] = call->columns;
	mine[2] = call->element;
	for (int side = 0; side < 2; side++)
		memcpy(mine + 3 + side * GEMR2D_COMMON, call->matrix[side],
		       GEMR2D_COMMON * sizeof(*mine));
	for (int i = 0; i < COMMON; i++)
		mine[COMMON + i] = mine[i] == GEMR2D_ABSENT ? GEMR2D_ABSENT : -mine[i];
	error = equant_mpi_error(MPI_Allreduce(mine, all, 2 * COMMON, MPI_INT64_T, MPI_MAX,
					       plans->comm),
				 "comparing arguments of equant_gemr2d");
	for (int i = 0; i < COMMON && !error; i++) {
		most[i] = all[i];
		least[i] = all[i] == GEMR2D_ABSENT ? GEMR2D_ABSENT : -all[COMMON + i];
	}
	return error;
}

static int same(const struct equant_gemr2d_plans *plans, const int64_t most[COMMON],
		const int64_t least[COMMON])
{
	for (int i = 0; i < COMMON; i++) {
		if (most[i] == least[i])
			continue;
		if (!plans->rank)
			equant_message("equant_gemr2d: %s: %lld on one rank, %lld on another",
				       names[i], (long long)least[i], (long long)most[i]);
		return -EINVAL;
	}
	return 0;
}

/* ---- grids ----------------------------------------------------------------------------- */

static int check_grid(const struct equant_gemr2d_plans *plans, int side, const int64_t *common)
{
	int64_t rows = common[GEMR2D_GRID_ROWS], columns = common[GEMR2D_GRID_COLUMNS];
	int64_t size;

	if (rows == GEMR2D_ABSENT) {
		if (!plans->rank)
			equant_message("equant_gemr2d: no rank is in the grid of %c", 'a' + side);
		return -EINVAL;
	}
	if (!__builtin_mul_overflow(rows, columns, &size) && size <= plans->ranks)
		return 0;
	if (!plans->rank)
		equant_message("equant_gemr2d: the grid of %c is %lld x %lld, there are %d ranks",
			       'a' + side, (long long)rows, (long long)columns, plans->ranks);
	return -EINVAL;
}

/* A place of which the largest rank that has it and the smallest are not one rank. */
static int refuse_place(const struct equant_gemr2d_plans *plans, int side, const struct grid *grid,
			int place, int most, int least)
{
	int row = place % grid->rows, column = place / grid->rows;

	if (!plans->rank && most < 0)
		equant_message("equant_gemr2d: no rank is process (%d, %d) of the grid of %c", row,
			       column, 'a' + side);
	else if (!plans->rank)
		equant_message(
			"equant_gemr2d: ranks %d and %d are process (%d, %d) of the grid of %c",
			least, most, row, column, 'a' + side);
	return -EINVAL;
}

/* Ranks of all places, largest and negative smallest beside each other. */
static int gather(const struct equant_gemr2d_plans *plans, const struct equant_gemr2d_call *call,
		  int side, struct grid *grid, int *pairs)
{
	int size = grid->rows * grid->columns, error;
	const int64_t *mine = call->matrix[side];

	for (int i = 0; i < 2 * size; i++)
		pairs[i] = INT_MIN;
	if (mine[GEMR2D_MY_ROW] != GEMR2D_ABSENT) {
		int place = (int)(mine[GEMR2D_MY_COLUMN] * grid->rows + mine[GEMR2D_MY_ROW]);

		pairs[2 * place] = plans->rank;
		pairs[2 * place + 1] = -plans->rank;
	}
	error = equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, pairs, 2 * size, MPI_INT, MPI_MAX,
					       plans->comm),
				 "finding the ranks of a grid");
	for (int i = 0; i < size && !error; i++) {
		grid->ranks[i] = pairs[2 * i];
		if (pairs[2 * i] < 0 || pairs[2 * i] != -pairs[2 * i + 1])
			error = refuse_place(plans, side, grid, i, pairs[2 * i], -pairs[2 * i + 1]);
	}
	return error;
}

/* Both grids; their ranks belong to the caller, also after an error. */
static int find_ranks(const struct equant_gemr2d_plans *plans,
		      const struct equant_gemr2d_call *call, const int64_t *common,
		      struct grid grids[2])
{
	int *pairs, error;

	for (int side = 0; side < 2; side++) {
		const int64_t *c = common + side * GEMR2D_COMMON;

		error = check_grid(plans, side, c);
		if (error)
			return error;
		grids[side].rows = (int)c[GEMR2D_GRID_ROWS];
		grids[side].columns = (int)c[GEMR2D_GRID_COLUMNS];
		grids[side].ranks = calloc((size_t)plans->ranks, sizeof(int));
	}
	pairs = calloc((size_t)plans->ranks, 2 * sizeof(*pairs));
	error = equant_mpi_agree(plans->comm,
				 pairs && grids[0].ranks && grids[1].ranks ? 0 : -ENOMEM);
	for (int side = 0; side < 2 && !error; side++)
		error = gather(plans, call, side, &grids[side], pairs);
	free(pairs);
	return error;
}

/* ---- the plan -------------------------------------------------------------------------- */

static struct equant_redist_cyclic cyclic(int64_t block, int64_t processes, int64_t first,
					  int64_t offset)
{
	return (struct equant_redist_cyclic){ block, (int)processes, (int)first, offset };
}

/*
 * Columns are the outer dimension, as in memory; so processes are counted down the grid's
 * columns.
 */
static struct equant_redist_array array_of(const int64_t common[COMMON])
{
	struct equant_redist_array array = { .dimensions = 2,
					     .extent = { common[1], common[0] },
					     .from_order = EQUANT_REDIST_ROW_MAJOR,
					     .to_order = EQUANT_REDIST_ROW_MAJOR };

	for (int side = 0; side < 2; side++) {
		struct equant_redist_cyclic *to = side ? array.to : array.from;
		const int64_t *c = common + 3 + side * GEMR2D_COMMON;

		to[0] = cyclic(c[GEMR2D_COLUMN_BLOCK], c[GEMR2D_GRID_COLUMNS],
			       c[GEMR2D_FIRST_COLUMN], c[GEMR2D_COLUMN]);
		to[1] = cyclic(c[GEMR2D_ROW_BLOCK], c[GEMR2D_GRID_ROWS], c[GEMR2D_FIRST_ROW],
			       c[GEMR2D_ROW]);
	}
	return array;
}

struct equant_transfer *equant_gemr2d_plan(const struct equant_gemr2d_plans *plans,
					   const struct equant_gemr2d_call *call, int *error)
{
	struct equant_transfer_options options = { .sz = sizeof(options) };
	int64_t most[COMMON], least[COMMON];
	struct equant_transfer *transfer = NULL;
	struct grid grids[2] = { { 0 } };
	struct equant_redist_array array;

	*error = compare(plans, call, most, least);
	if (!*error)
		*error = same(plans, most, least);
	if (*error || !call->rows || !call->columns)
		return NULL;
	*error = find_ranks(plans, call, most + 3, grids);
	if (!*error) {
		array = array_of(most);
		options.senders = grids[0].ranks;
		options.receivers = grids[1].ranks;
		transfer =
			equant_transfer_new(plans->comm, &array, (size_t)call->element, &options);
		*error = transfer ? 0 : -errno;
	}
	free(grids[0].ranks);
	free(grids[1].ranks);
	return transfer;
}
