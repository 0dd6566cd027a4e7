// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The largest of some numbers, which depends on neither their order nor who has them. */
#include <math.h>

#include "core/extreme.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static int is_better(const struct equant_extreme *a, const struct equant_extreme *b)
{
	if (a->index < 0 || b->index < 0)
		return a->index >= 0;
	if (isnan(a->value) || isnan(b->value))
		return isnan(a->value) && (!isnan(b->value) || a->index < b->index);
	return a->value > b->value || (a->value == b->value && a->index < b->index);
}

void equant_extreme_add(struct equant_extreme *best, double value, int64_t index)
{
	const struct equant_extreme here = { value, index };

	if (is_better(&here, best))
		*best = here;
}

/* An MPI_User_function. */
static void choose(void *in, void *inout, int *count, MPI_Datatype *type)
{
	const struct equant_extreme *left = in;
	struct equant_extreme *right = inout;

	(void)type;
	for (int i = 0; i < *count; i++)
		if (is_better(&left[i], &right[i]))
			right[i] = left[i];
}

void equant_extreme_release(struct equant *eq)
{
	if (eq->larger != MPI_OP_NULL)
		MPI_Op_free(&eq->larger);
	if (eq->extreme != MPI_DATATYPE_NULL)
		MPI_Type_free(&eq->extreme);
}

/* Made once: a program may look for its extremes thousands of times a second. */
static int make_operation(struct equant *eq)
{
	int error = equant_mpi_error(MPI_Type_contiguous((int)sizeof(struct equant_extreme),
							 MPI_BYTE, &eq->extreme),
				     "MPI_Type_contiguous");

	if (!error)
		error = equant_mpi_error(MPI_Type_commit(&eq->extreme), "MPI_Type_commit");
	if (!error)
		error = equant_mpi_error(MPI_Op_create(choose, 1, &eq->larger), "MPI_Op_create");
	if (error)
		equant_extreme_release(eq);
	return error;
}

int equant_extreme_allreduce(struct equant *eq, const char *call, struct equant_extreme *best)
{
	int error = eq->larger == MPI_OP_NULL ? make_operation(eq) : 0;

	return error ? error : equant_allreduce_in(eq, call, best, 1, eq->extreme, eq->larger);
}
