// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Do all ranks give the same?  What is largest is also smallest then, in one reduction. */
#include <errno.h>

#include "core/compare.h"
#include "core/message.h"
#include "core/mpi_error.h"

/* All come here with a thing that is not the same everywhere: which rank has another one than rank 0? */
static void say_where(MPI_Comm comm, const char *function, const struct equant_alike *thing)
{
	uint64_t first = thing->sum;
	int rank, ranks, lowest;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	if (MPI_Bcast(&first, 1, MPI_UINT64_T, 0, comm) != MPI_SUCCESS)
		return;
	lowest = thing->sum == first ? ranks : rank;
	if (MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && !rank)
		equant_message("%s: %s differs between ranks: that of %d is not that of 0",
			       function, thing->name, lowest);
}

int equant_compare(MPI_Comm comm, const char *function, int error,
		   const struct equant_alike *things, int count)
{
	uint64_t mine[1 + 2 * EQUANT_COMPARED] = { error != 0 }, all[1 + 2 * EQUANT_COMPARED];
	int failed;

	for (int i = 0; i < count && !error; i++) {
		mine[1 + 2 * i] = things[i].sum;
		mine[2 + 2 * i] = ~things[i].sum;
	}
	failed = equant_mpi_error(
		MPI_Allreduce(mine, all, 1 + 2 * count, MPI_UINT64_T, MPI_MAX, comm), function);
	if (error || failed)
		return error ? error : failed;
	if (all[0])
		return -ECANCELED;
	for (int i = 0; i < count; i++) {
		if (all[1 + 2 * i] == ~all[2 + 2 * i])
			continue;
		say_where(comm, function, &things[i]);
		return -EINVAL;
	}
	return 0;
}
