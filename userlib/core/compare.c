// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Do all ranks give the same?  What is largest is also smallest then, in one reduction. */
#include <errno.h>

#include "core/compare.h"
#include "core/message.h"
#include "core/mpi_error.h"

int equant_compare(MPI_Comm comm, const char *function, int error,
		   const struct equant_alike *things, int count)
{
	uint64_t mine[1 + 2 * EQUANT_COMPARED] = { error != 0 }, all[1 + 2 * EQUANT_COMPARED];
	int failed, rank = 0;

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
		MPI_Comm_rank(comm, &rank);
		if (!rank)
			equant_message("%s: %s differs between ranks", function, things[i].name);
		return -EINVAL;
	}
	return 0;
}
