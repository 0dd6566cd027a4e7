/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ENGINE_GEMR2D_INTERNAL_H
#define EQUANT_ENGINE_GEMR2D_INTERNAL_H

#include <errno.h>
#include <stdbool.h>

#include <equant/gemr2d.h>
#include <equant/transfer.h>

#include "core/message.h"
#include "control/meet.h"
#include "engine/neighbours.h"

/* What of a matrix all ranks of its grid say alike; the last two are each rank's own. */
enum {
	GEMR2D_ROWS,
	GEMR2D_COLUMNS,
	GEMR2D_ROW_BLOCK,
	GEMR2D_COLUMN_BLOCK,
	GEMR2D_GRID_ROWS,
	GEMR2D_GRID_COLUMNS,
	GEMR2D_FIRST_ROW,
	GEMR2D_FIRST_COLUMN,
	GEMR2D_ROW,
	GEMR2D_COLUMN,
	GEMR2D_COMMON,
	GEMR2D_MY_ROW = GEMR2D_COMMON,
	GEMR2D_MY_COLUMN,
	GEMR2D_FIELDS,
};

#define GEMR2D_ABSENT INT64_MIN /* in all fields of a rank that is not in the grid */

/**
 * struct equant_gemr2d_call - what a rank asks for, and what its plan is found by
 * @rows: of the part
 * @columns: likewise
 * @element: bytes
 * @matrix: of a and b, in the order of the enum
 */
struct equant_gemr2d_call {
	int64_t rows;
	int64_t columns;
	int64_t element;
	int64_t matrix[2][GEMR2D_FIELDS];
};

/**
 * struct equant_gemr2d_plan - a place for one plan; the same places are taken on all ranks
 * @call: what this rank asked for
 * @transfer: the plan; NULL: the place is free
 * @memory: bytes of its messages, on the rank that has most
 * @used: the last call that it was used by
 */
struct equant_gemr2d_plan {
	struct equant_gemr2d_call call;
	struct equant_transfer *transfer;
	int64_t memory;
	int64_t used;
};

/**
 * struct equant_gemr2d_plans - plans kept
 * @comm: for them alone: a plan is made or carried out after the other
 * @neighbours: likewise of all plans
 * @rank: in @comm
 * @ranks: of @comm
 * @most: plans kept after a call
 * @memory: bytes of all plans kept; 0: no limit
 * @options: how they are made; its network and names are the plans' own
 * @network: that of @options, or NULL
 * @calls: so far
 * @made: plans, so far
 * @limits: of waits for ranks that have not come
 * @mine: what this rank says before a call, in which places its plan may be
 * @all: what all say
 * @broken: MPI has failed, or ranks have not come
 * @plan: one place more than are kept: for the call that is carried out
 */
struct equant_gemr2d_plans {
	MPI_Comm comm;
	struct equant_neighbours *neighbours;
	int rank;
	int ranks;
	int most;
	int64_t memory;
	struct equant_transfer_options options;
	struct equant_redist_network *network;
	int64_t calls;
	int64_t made;
	struct equant_limits limits;
	uint64_t mine;
	uint64_t all;
	bool broken;
	struct equant_gemr2d_plan plan[EQUANT_GEMR2D_PLANS + 1];
};

/**
 * struct equant_gemr2d_rectangle - what a rank has of the part, in its local array
 * @row: first local row
 * @column: first local column
 * @rows: of the rectangle; 0 if there are no columns
 * @columns: likewise
 * @leading: elements from one column to the next
 * @local: the local array
 */
struct equant_gemr2d_rectangle {
	int64_t row;
	int64_t column;
	int64_t rows;
	int64_t columns;
	int64_t leading;
	char *local;
};

/**
 * struct equant_gemr2d_task - a call, as this rank sees it
 * @call: its numbers
 * @matrix: a and b, or NULL
 * @part: of both
 * @copy: of what is read, where it lies between what is written; or NULL
 */
struct equant_gemr2d_task {
	struct equant_gemr2d_call call;
	const struct equant_gemr2d_matrix *matrix[2];
	struct equant_gemr2d_rectangle part[2];
	char *copy;
};

/* @error, after a line about one of the matrices. */
#define REFUSE(error, plans, side, what, ...)                                                    \
	(equant_message("rank %d: equant_gemr2d: matrix %c: " what, (plans)->rank, 'a' + (side), \
			__VA_ARGS__),                                                            \
	 (error))

/* Is it an error that ranks need not have alike? */
static inline bool equant_gemr2d_breaks(int error)
{
	return error == -EIO || error == -EPROTO || error == -EPIPE || error == -ETIMEDOUT;
}

/* ---- gemr2d_part.c --------------------------------------------------------------------- */

/* Where the part is in @local, of a matrix that has been checked.  0, -EINVAL, -EOVERFLOW. */
int equant_gemr2d_find_part(const struct equant_gemr2d_plans *plans,
			    struct equant_gemr2d_task *task, int side, void *local);

/* What is read may not be written, and gets a copy where it lies between.  0, -EINVAL, -ENOMEM. */
int equant_gemr2d_check_memory(const struct equant_gemr2d_plans *plans,
			       struct equant_gemr2d_task *task);

/* Element 0 of the local array, from which a transfer counts; it may lie before a copy. */
void *equant_gemr2d_origin(const struct equant_gemr2d_task *task, int side);

/* ---- gemr2d_agree.c -------------------------------------------------------------------- */

/*
 * Collective: plan a call that no rank has refused, after all have compared what they ask for.
 * NULL and *@error, the same on all ranks, where that cannot be; NULL and 0 if there is nothing
 * to do.  *@memory is the bytes of its messages, on the rank that has most.
 */
struct equant_transfer *equant_gemr2d_plan(const struct equant_gemr2d_plans *plans,
					   const struct equant_gemr2d_call *call, int64_t *memory,
					   int *error);

/* ---- gemr2d_plans.c -------------------------------------------------------------------- */

/*
 * Collective: the plan of a call, an old one or a new one.  NULL and *@error if @refused is an
 * error here or on another rank, and as above.
 */
struct equant_gemr2d_plan *equant_gemr2d_find(struct equant_gemr2d_plans *plans,
					      const struct equant_gemr2d_call *call, int refused,
					      int *error);

/* Collective: forget all. */
int equant_gemr2d_forget(struct equant_gemr2d_plans *plans);

/* Collective: free what is not to be kept. */
int equant_gemr2d_trim(struct equant_gemr2d_plans *plans);

#endif /* EQUANT_ENGINE_GEMR2D_INTERNAL_H */
