// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reductions over the units of a loop whose result depends on the values alone: not on
 * the number of ranks, nor on who owns which unit (Siegell 1995, section 6.6.4 leaves the
 * order of a reduction to the distribution).  Sums are exact and rounded once; a
 * tie between extremes goes to the lowest unit.
 */
#include <errno.h>

#include "core/exact.h"
#include "core/extreme.h"
#include "core/message.h"
#include "loop/loop_internal.h"

#define CALL "equant_allreduce_units()"

static int sum(struct equant_loop *loop, const double *values, double *result)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	struct equant_exact all = { 0 };
	int error;

	for (int i = 0; i < own->n; i++)
		equant_exact_add(&all, values + own->ranges[i].first, own->ranges[i].count);
	error = equant_allreduce_in(loop->eq, CALL, &all, EQUANT_EXACT_WORDS, MPI_INT64_T, MPI_SUM);
	if (!error)
		*result = equant_exact_value(&all);
	return error;
}

static struct equant_extreme own_maximum(const struct equant_loop *loop, const double *values,
					 double sign)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	struct equant_extreme best = EQUANT_EXTREME_NONE;

	for (int i = 0; i < own->n; i++) {
		const struct equant_range *r = &own->ranges[i];

		for (long u = r->first; u < r->first + r->count; u++)
			equant_extreme_add(&best, sign * values[u], u);
	}
	return best;
}

static int extreme(struct equant_loop *loop, const double *values, double sign, double *result,
		   long *unit)
{
	struct equant_extreme best = own_maximum(loop, values, sign);
	int error = equant_extreme_allreduce(loop->eq, CALL, &best);

	if (error)
		return error;
	*result = sign * best.value;
	if (unit)
		*unit = (long)best.index;
	return 0;
}

static int check(const struct equant_loop *loop, const double *values,
		 enum equant_reduction operation, const double *result)
{
	const char *fault = NULL;

	if (equant_async_forbids(loop, "equant_allreduce_units"))
		return -EINVAL;
	if (!result || (!values && loop->units.counts[loop->rank]))
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
