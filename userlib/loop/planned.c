// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A loop starts from a static schedule: what is known beforehand needs no moving later.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <equant/plan.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static const char *fault_of(const struct equant_loop *loop, const struct equant_plan *plan)
{
	if (!plan)
		return "no plan";
	if (plan->iterations != loop->units.units)
		return "the plan has another number of iterations than the loop units";
	if (plan->processors != loop->ranks)
		return "the plan has another number of processors than the loop ranks";
	return NULL;
}

/* Spans of a plan that is not ours may be anything. */
static bool is_span(const struct equant_plan *plan, const struct equant_plan_span *span)
{
	if (span->first < 0 || span->first >= plan->iterations || span->count < 1 || span->step < 1)
		return false;
	return span->count - 1 <= (plan->iterations - 1 - span->first) / span->step;
}

/* By unit, rank + 1; 0 where the plan, which is not ours, has nobody or two. */
static int *owners_of(const struct equant_plan *plan)
{
	int *owners = calloc((size_t)plan->iterations + 1, sizeof(*owners));

	for (int i = 0; owners && i < plan->processors; i++)
		for (long s = plan->starts[i]; s < plan->starts[i + 1]; s++) {
			const struct equant_plan_span *span = &plan->spans[s];
			long count = is_span(plan, span) ? span->count : 0;

			for (long k = 0; k < count; k++) {
				int *owner = &owners[span->first + k * span->step];

				*owner = *owner ? -1 : i + 1;
			}
		}
	return owners;
}

/* Where units keep their order, ranks have blocks in theirs. */
static const char *owners_fault(const struct equant_loop *loop, const int *owners)
{
	for (long unit = 0; unit < loop->units.units; unit++) {
		if (owners[unit] < 1)
			return "the plan assigns some iteration to nobody or to two processors";
		if (loop->restricted && unit && owners[unit] < owners[unit - 1])
			return "the plan's iterations are not in the order of the ranks, but the loop's units stay in it";
	}
	return NULL;
}

static int prepare(const struct equant_loop *loop, const struct equant_plan *plan,
		   struct equant_units *units, long *hash)
{
	const char *fault = fault_of(loop, plan);
	int error = fault ? -EINVAL : 0, *owners = fault ? NULL : owners_of(plan);

	if (!error && !owners)
		error = -ENOMEM;
	if (!error) {
		fault = owners_fault(loop, owners);
		error = fault ? -EINVAL : 0;
	}
	if (!error)
		error = equant_units_init(units, loop->units.units, loop->ranks, EQUANT_BLOCK);
	if (!error)
		error = equant_units_assign(units, owners);
	*hash = 0;
	for (long unit = 0; !error && unit < loop->units.units; unit++)
		*hash = (long)(equant_mix((uint64_t)*hash + (uint64_t)owners[unit]) >> 2);
	free(owners);
	if (error)
		equant_message("loop %s, rank %d: equant_loop_distribute_plan: %s", loop->name,
			       loop->rank, fault ? fault : strerror(-error));
	return error;
}

/* Every rank must start from the same plan: compare smallest and largest. */
static int same(const struct equant_loop *loop, long hash)
{
	long mine[2] = { hash, -hash }, all[2];
	int error = equant_mpi_error(MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_MAX, loop->comm),
				     "comparing plans");

	if (error || all[0] == -all[1])
		return error;
	equant_message("loop %s: equant_loop_distribute_plan: the plan differs between ranks",
		       loop->name);
	return -EINVAL;
}

int equant_loop_distribute_plan(struct equant_loop *loop, const struct equant_plan *plan)
{
	struct equant_units units = { 0 };
	const char *settled = equant_loop_settled(loop);
	long hash = 0;
	int error = settled ? -EBUSY : prepare(loop, plan, &units, &hash);

	if (settled)
		equant_message("loop %s, rank %d: equant_loop_distribute_plan: %s", loop->name,
			       loop->rank, settled);
	error = equant_check_always(loop, EQUANT_AT_PLAN, 0, error);
	if (!error)
		error = same(loop, hash);
	if (error) {
		equant_units_release(&units);
		return error;
	}
	equant_units_release(&loop->units);
	loop->units = units;
	return 0;
}
