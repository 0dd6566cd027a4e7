// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A network that fails while a transfer is under way.  These are MPI's own functions but for one
 * rank's, which can send no more from some message on, and for those who wait, whom MPI tells after
 * a while.
 */
#include <equant/transfer.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <time.h>

#include "libsetup.h"
#include "libworker.h"

#define PATIENCE 1 /* seconds */

static bool cut; /* from now on this rank may be cut off */
static long left; /* messages that it can still send */

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	if (cut && !left--)
		return MPI_ERR_OTHER;
	return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}

int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
	       MPI_Request *request)
{
	if (cut && !left--)
		return MPI_ERR_OTHER;
	return PMPI_Issend(buffer, count, type, peer, tag, comm, request);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
	time_t end = time(NULL) + PATIENCE;
	int error = MPI_SUCCESS;

	*done = 0;
	while (!error && !*done) {
		error = PMPI_Testsome(count, requests, done, indices, statuses);
		if (time(NULL) > end)
			return MPI_ERR_OTHER;
		sched_yield();
	}
	return error;
}

/* All 4 have at least 4 bytes for all, each of them a message, so nobody can come to the end. */
static void one_is_cut_off(void)
{
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .largest = 1,
						   .node = EQUANT_TRANSFER_NODE_MESSAGES };
	struct random random = common_random();
	struct equant_transfer *transfer;
	struct setup s;
	int done = 0;

	setup_small(&s, &random);
	transfer = must_transfer(&s, &options);
	setup_fill(&s, 0);
	demand_equal(0, setup_run(transfer, &s));
	setup_check(&s);
	left = rank ? LONG_MAX : random_below(&random, 4);
	cut = true;
	demand_equal(-EIO, setup_run(transfer, &s));
	demand_equal(-EPIPE, setup_run(transfer, &s));
	demand_equal(-EPIPE, equant_transfer_test(transfer, &done));
	demand_equal(1, done);
	demand_equal(-EPIPE, equant_transfer_wait(transfer));
	demand_equal(0, equant_transfer_free(transfer));
	setup_free(&s);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = { CASE(one_is_cut_off) };

	return worker_main(argc, argv, cases, 1);
}
