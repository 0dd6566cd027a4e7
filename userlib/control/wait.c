// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>

#include "control/wait.h"
#include "core/clock.h"
#include "core/mpi_error.h"

#define SPIN_NS 50000u /* some round trips of a short message */
#define SLEEP_NS 20000 /* becomes about 75 us with the default timer slack */

int equant_wait_requests(MPI_Request *requests, int n, double timeout, uint64_t *waited_ns)
{
	static const struct timespec nap = { .tv_nsec = SLEEP_NS };
	uint64_t start = 0, now;
	int done = 0, error;

	for (;;) {
		error = MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
		if (error != MPI_SUCCESS || (done && !start))
			return equant_mpi_error(error, "waiting for another rank");
		now = equant_now_ns();
		if (!start)
			start = now;
		if (done || (timeout > 0 && (double)(now - start) > timeout * 1e9))
			break;
		if (now - start > SPIN_NS)
			nanosleep(&nap, NULL);
	}
	*waited_ns += now - start;
	return done ? 0 : -ETIMEDOUT;
}
