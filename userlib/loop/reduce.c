// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reductions over the units of a loop whose result depends on the values alone: not on
 * the number of ranks, nor on who owns which unit (Siegell 1995, section 6.6.4 leaves the
 * order of a reduction to the distribution).  Sums are exact and rounded once; a
 * tie between extremes goes to the lowest unit.
 */
#include <errno.h>
#include <math.h>

#include "core/exact.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static int sum(struct equant_loop *loop, const double *values, double *result)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	struct equant_exact mine = { 0 }, all = { 0 };
	int error;

	for (int i = 0; i < own->n; i++)
		equant_exact_add(&mine, values + own->ranges[i].first, own->ranges[i].count);
	error = equant_allreduce(loop->eq, &mine, &all, EQUANT_EXACT_WORDS, MPI_INT64_T, MPI_SUM);
	if (!error)
		*result = equant_exact_value(&all);
	return error;
}

/* A candidate: NaN is larger than all, so that it is never lost. */
struct extreme {
	double value;
	long unit; /* -1 = none */
};

static int is_better(const struct extreme *a, const struct extreme *b)
{
	if (a->unit < 0 || b->unit < 0)
		return a->unit >= 0;
	if (isnan(a->value) || isnan(b->value))
		return isnan(a->value) && (!isnan(b->value) || a->unit < b->unit);
	return a->value > b->value || (a->value == b->value && a->unit < b->unit);
}

static struct extreme own_maximum(const struct equant_loop *loop, const double *values, double sign)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	struct extreme best = { .unit = -1 };

	for (int i = 0; i < own->n; i++) {
		const struct equant_range *r = &own->ranges[i];

		for (long u = r->first; u < r->first + r->count; u++) {
			const struct extreme here = { sign * values[u], u };

			if (is_better(&here, &best))
				best = here;
		}
	}
	return best;
}

/* An MPI_User_function. */
static void choose(void *in, void *inout, int *count, MPI_Datatype *type)
{
	const struct extreme *left = in;
	struct extreme *right = inout;

	(void)type;
	for (int i = 0; i < *count; i++)
		if (is_better(&left[i], &right[i]))
			right[i] = left[i];
}

static int reduce_extremes(struct equant_loop *loop, struct extreme *best)
{
	MPI_Datatype type;
	MPI_Op op;
	int error;

	error = equant_mpi_error(MPI_Type_contiguous((int)sizeof(*best), MPI_BYTE, &type),
				 "MPI_Type_contiguous");
	if (error)
		return error;
	error = equant_mpi_error(MPI_Type_commit(&type), "MPI_Type_commit");
	if (!error)
		error = equant_mpi_error(MPI_Op_create(choose, 1, &op), "MPI_Op_create");
	if (!error) {
		error = equant_allreduce(loop->eq, MPI_IN_PLACE, best, 1, type, op);
		MPI_Op_free(&op);
	}
	MPI_Type_free(&type);
	return error;
}

static int extreme(struct equant_loop *loop, const double *values, double sign, double *result,
		   long *unit)
{
	struct extreme best = own_maximum(loop, values, sign);
	int error = reduce_extremes(loop, &best);

	if (error)
		return error;
	*result = sign * best.value;
	if (unit)
		*unit = best.unit;
	return 0;
}

static int check(const struct equant_loop *loop, const double *values,
		 enum equant_reduction operation, const double *result)
{
	const char *fault = NULL;

	if (equant_async_forbids(loop, "equant_allreduce_units"))
		return -EINVAL;
	if (!result || (!values && equant_loop_count(loop)))
		fault = "no values or no place for the result";
	else if (operation < EQUANT_SUM || operation > EQUANT_MAX)
		fault = "no such operation";
	else if (operation != EQUANT_SUM && !equant_units_active(&loop->units))
		fault = "no units have no extreme";
	if (!fault)
		return 0;
	equant_message("loop %s, rank %d: equant_allreduce_units: %s", loop->name, loop->rank,
		       fault);
	return -EINVAL;
}

int equant_allreduce_units(struct equant_loop *loop, const double *values,
			   enum equant_reduction operation, double *result, long *unit)
{
	int error = check(loop, values, operation, result);

	error = equant_check_call(loop, EQUANT_AT_REDUCTION, (uint64_t)operation, error);
	if (error)
		return error;
	if (operation == EQUANT_SUM)
		return sum(loop, values, result);
	return extreme(loop, values, operation == EQUANT_MAX ? 1 : -1, result, unit);
}
