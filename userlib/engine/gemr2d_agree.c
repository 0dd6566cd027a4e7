// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A call that no plan is kept for.  A rank knows the matrices only in whose grids it is, so all
 * say what they know: it must be the same, and every place of a grid must have one rank.  What
 * comes out is the same everywhere, and so is whether it is an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/send.h"
#include "core/mpi_error.h"
#include "engine/gemr2d_internal.h"
#include "engine/transfer_internal.h"
#include "redist/stream.h"

#define COMMON (3 + 2 * GEMR2D_COMMON)
#define AT_ONCE 8 /* messages, at most */

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
 * struct lists - memory for who is where, of all ranks each
 * @places: of each rank in the grid of a, and in that of b, or -1; process (i, j) of a grid is place
 *	j times its rows + i: the transfer's column-major count
 * @ranks: of the grids' places
 */
struct lists {
	int *places;
	int *ranks[2];
};

/* ---- what is the same ---------------------------------------------------------------- */

/* The largest value that any rank says, and the smallest, of those that say one; and an error. */
static int compare(const struct equant_gemr2d_plans *plans, const struct equant_gemr2d_call *call,
		   int error, int64_t most[COMMON], int64_t least[COMMON])
{
	int64_t mine[2 * COMMON + 1], all[2 * COMMON + 1];
	int failed;

	mine[0] = call->rows;
	mine[1] = call->columns;
	mine[2] = call->element;
	for (int side = 0; side < 2; side++)
		memcpy(mine + 3 + side * GEMR2D_COMMON, call->matrix[side],
		       GEMR2D_COMMON * sizeof(*mine));
	for (int i = 0; i < COMMON; i++)
		mine[COMMON + i] = mine[i] == GEMR2D_ABSENT ? GEMR2D_ABSENT : -mine[i];
	mine[2 * COMMON] = error != 0;
	failed = equant_mpi_error(MPI_Allreduce(mine, all, 2 * COMMON + 1, MPI_INT64_T, MPI_MAX,
						plans->comm),
				  "comparing arguments of equant_gemr2d");
	if (error || failed)
		return error ? error : failed;
	if (all[2 * COMMON])
		return -ECANCELED;
	for (int i = 0; i < COMMON; i++) {
		most[i] = all[i];
		least[i] = all[i] == GEMR2D_ABSENT ? GEMR2D_ABSENT : -all[COMMON + i];
	}
	return 0;
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

/* Whoever is in it has looked at how large it is. */
static int check_grid(const struct equant_gemr2d_plans *plans, int side, const int64_t *common)
{
	if (common[GEMR2D_GRID_ROWS] != GEMR2D_ABSENT)
		return 0;
	if (!plans->rank)
		equant_message("equant_gemr2d: no rank is in the grid of %c", 'a' + side);
	return -EINVAL;
}

/* No rank has a @place, @rank being -1, or two have it. */
static int refuse_place(const struct equant_gemr2d_plans *plans, int side, const int64_t *common,
			int place, int rank, int other)
{
	int rows = (int)common[GEMR2D_GRID_ROWS], row = place % rows, column = place / rows;

	if (!plans->rank && rank < 0)
		equant_message("equant_gemr2d: no rank is process (%d, %d) of the grid of %c", row,
			       column, 'a' + side);
	else if (!plans->rank)
		equant_message(
			"equant_gemr2d: ranks %d and %d are process (%d, %d) of the grid of %c",
			rank, other, row, column, 'a' + side);
	return -EINVAL;
}

static int fill_grid(const struct equant_gemr2d_plans *plans, int side, const int64_t *common,
		     const struct lists *lists)
{
	int size = (int)(common[GEMR2D_GRID_ROWS] * common[GEMR2D_GRID_COLUMNS]);
	int *ranks = lists->ranks[side];

	for (int i = 0; i < size; i++)
		ranks[i] = -1;
	for (int r = 0; r < plans->ranks; r++) {
		int place = lists->places[2 * r + side];

		if (place >= 0 && ranks[place] >= 0)
			return refuse_place(plans, side, common, place, ranks[place], r);
		if (place >= 0)
			ranks[place] = r;
	}
	for (int i = 0; i < size; i++)
		if (ranks[i] < 0)
			return refuse_place(plans, side, common, i, -1, -1);
	return 0;
}

static int find_ranks(const struct equant_gemr2d_plans *plans,
		      const struct equant_gemr2d_call *call, const int64_t *common,
		      const struct lists *lists)
{
	int mine[2], error = 0;

	for (int side = 0; side < 2; side++) {
		const int64_t *m = call->matrix[side], *c = common + side * GEMR2D_COMMON;

		error = check_grid(plans, side, c);
		if (error)
			return error;
		mine[side] = -1;
		if (m[GEMR2D_MY_ROW] != GEMR2D_ABSENT)
			mine[side] =
				(int)(m[GEMR2D_MY_COLUMN] * c[GEMR2D_GRID_ROWS] + m[GEMR2D_MY_ROW]);
	}
	error = equant_mpi_error(MPI_Allgather(mine, 2, MPI_INT, lists->places, 2, MPI_INT,
					       plans->comm),
				 "finding the ranks of grids");
	for (int side = 0; side < 2 && !error; side++)
		error = fill_grid(plans, side, common + side * GEMR2D_COMMON, lists);
	return error;
}

/* ---- the plan -------------------------------------------------------------------------- */

/* Of a dimension that one process has all of, blocks are no borders. */
static struct equant_redist_cyclic cyclic(int64_t block, int64_t processes, int64_t first,
					  int64_t offset, int64_t extent)
{
	return (struct equant_redist_cyclic){ processes == 1 ? offset + extent : block,
					      (int)processes, (int)first, offset };
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
			       c[GEMR2D_FIRST_COLUMN], c[GEMR2D_COLUMN], common[1]);
		to[1] = cyclic(c[GEMR2D_ROW_BLOCK], c[GEMR2D_GRID_ROWS], c[GEMR2D_FIRST_ROW],
			       c[GEMR2D_ROW], common[0]);
	}
	return array;
}

/* Of rows; where one process has them all there are none. */
static int64_t block_of(const struct equant_redist_cyclic *rows)
{
	return rows->processes == 1 ? INT64_MAX : rows->block;
}

/*
 * Where blocks are shorter than a line of the cache all messages go at once: a line is packed for
 * all, or unpacked from all, while it is in a cache.
 */
static int window_of(const struct equant_redist_array *array, int64_t element)
{
	int64_t a = block_of(&array->from[1]), b = block_of(&array->to[1]);

	return (a < b ? a : b) <= (EQUANT_REDIST_LINE - 1) / element ? AT_ONCE : 1;
}

/*
 * Nobody has said how.  Between nodes that nothing is known of one message at a time waits for the slowest
 * link, and large pieces, of which the receiver is asked first, behind each other.
 */
static void choose_window(const struct equant_gemr2d_plans *plans,
			  struct equant_transfer_options *options, int window)
{
	bool nodes = plans->neighbours->count < plans->ranks;

	options->window = nodes && !options->network ? AT_ONCE : window;
	if (nodes && !options->network && !options->largest)
		options->largest = EQUANT_SEND_PROMPT;
}

static int plan(const struct equant_gemr2d_plans *plans, const struct equant_gemr2d_call *call,
		const struct lists *lists, struct equant_transfer *transfer, int error,
		int64_t *memory)
{
	struct equant_transfer_options options = plans->options;
	int64_t most[COMMON], least[COMMON];
	struct equant_redist_array array;

	error = compare(plans, call, error, most, least);
	if (!error)
		error = same(plans, most, least);
	if (error || !call->rows || !call->columns)
		return error;
	error = find_ranks(plans, call, most + 3, lists);
	if (error)
		return error;
	array = array_of(most);
	options.senders = lists->ranks[0];
	options.receivers = lists->ranks[1];
	if (!options.window)
		choose_window(plans, &options, window_of(&array, call->element));
	return equant_transfer_plan_alike(transfer, &array, (size_t)call->element, &options,
					  memory);
}

struct equant_transfer *equant_gemr2d_plan(const struct equant_gemr2d_plans *plans,
					   const struct equant_gemr2d_call *call, int64_t *memory,
					   int *error)
{
	bool near = plans->options.node != EQUANT_TRANSFER_NODE_MESSAGES;
	struct equant_transfer *transfer =
		equant_transfer_lend(plans->comm, near ? plans->neighbours : NULL, &plans->limits);
	size_t ranks = (size_t)plans->ranks;
	int *numbers = calloc(ranks, 4 * sizeof(*numbers));
	struct lists lists = { numbers, { NULL, NULL } };

	*error = transfer && numbers ? 0 : -ENOMEM;
	for (size_t side = 0; side < 2 && numbers; side++)
		lists.ranks[side] = numbers + (2 + side) * ranks;
	*error = plan(plans, call, &lists, transfer, *error, memory);
	free(numbers);
	if (!*error && call->rows && call->columns) {
		/* Of all ranks' messages: what this one does of it, it knows by now. */
		equant_redist_schedule_free(transfer->schedule);
		transfer->schedule = NULL;
		return transfer;
	}
	equant_transfer_free(transfer);
	return NULL;
}
