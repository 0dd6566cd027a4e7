// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * When the phases of recorded passes were: each rank's trace has the pass of its next phase and the units
 * that it computes before that, and as each has to know those of all, they are exchanged once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/mpi_error.h"
#include "loop/loop_internal.h"
#include "loop/replay.h"

static void take_own(const struct equant_replay *replay, int64_t *quotas)
{
	for (long k = 0; k < replay->nr_plans; k++)
		quotas[k] = replay->phases[k].quota;
}

int equant_replay_gather(struct equant_loop *loop)
{
	struct equant_replay *replay = loop->replay;
	size_t plans = (size_t)replay->nr_plans, ranks = (size_t)loop->ranks;
	int64_t *own = calloc(plans + 1, sizeof(*own));
	int error;

	replay->quotas = calloc(plans * ranks + 1, sizeof(*replay->quotas));
	error = equant_mpi_agree(loop->comm, own && replay->quotas ? 0 : -ENOMEM);
	if (!error) {
		take_own(replay, own);
		error = equant_mpi_error(MPI_Allgather(own, (int)plans, MPI_INT64_T, replay->quotas,
						       (int)plans, MPI_INT64_T, loop->comm),
					 "exchanging when phases were");
	}
	free(own);
	return error;
}

int equant_replay_plan(const struct equant_loop *loop, long *due, long *quota)
{
	const struct equant_replay *replay = loop->replay;
	long k = loop->phases;

	if (!replay || k >= replay->nr_plans)
		return 0;
	*due = (long)replay->phases[k].due;
	for (int r = 0; r < loop->ranks; r++)
		quota[r] = (long)replay->quotas[(long)r * replay->nr_plans + k];
	return 1;
}
