// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A rank that stops in the middle of a move, a sweep or a fetch of neighbours does not come to where others wait for
 * it.  It tells them, and who waits looks for such words now and then.
 */
#include <errno.h>

#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

static void tell(struct equant_loop *loop)
{
	MPI_Request request;

	if (loop->aborted)
		return;
	loop->aborted = 1;
	for (int r = 0; r < loop->ranks; r++) {
		if (r == loop->rank || MPI_Isend(NULL, 0, MPI_BYTE, r, EQUANT_TAG_ABORT, loop->comm,
						 &request) != MPI_SUCCESS)
			continue;
		MPI_Request_free(&request);
		equant_node_ring(loop->eq->waiter.node, r);
	}
}

void equant_loop_abort(struct equant_loop *loop)
{
	for (struct equant_loop *l = loop->leader ? loop->leader : loop; l; l = l->follower)
		tell(l);
}

/* The words stay where they are until ranks part (part.c): each wait sees them. */
int equant_aborted(MPI_Comm comm, int *rank)
{
	MPI_Status status;
	int there, error;

	error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, EQUANT_TAG_ABORT, comm, &there,
					    &status),
				 "looking for failed ranks");
	*rank = -1;
	if (error || !there)
		return error;
	*rank = status.MPI_SOURCE;
	return -ECANCELED;
}

/* A wait has lasted for EQUANT_LOOK seconds more. */
static int go_on_waiting(struct equant_loop *loop, uint64_t waited)
{
	const struct equant_waiter *waiter = &loop->eq->waiter;
	int rank, error = equant_aborted(loop->comm, &rank);

	if (error == -ECANCELED)
		equant_message("loop %s, rank %d: rank %d has failed", loop->name, loop->rank,
			       rank);
	if (error || !waiter->limit || 1e-9 * (double)waited <= waiter->limit)
		return error;
	equant_waited_on_give_up(waiter);
	return -ETIMEDOUT;
}

int equant_loop_await(struct equant_loop *loop, struct equant_waited_on *on, MPI_Request *requests,
		      int n, MPI_Status *statuses)
{
	struct equant_waiter *waiter = &loop->eq->waiter;
	uint64_t waited = 0;
	int error, over;

	equant_waited_on_begin(waiter, on);
	do {
		error = equant_wait_requests(waiter, requests, n, statuses, EQUANT_LOOK, &waited);
		over = error != -ETIMEDOUT;
		if (!over)
			error = go_on_waiting(loop, waited);
	} while (!over && !error);
	equant_waited_on_end(waiter);
	return error;
}
