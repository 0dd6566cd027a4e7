// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A rank that stops in the middle of a move, a sweep or a fetch of neighbours does not come to where others wait for
 * it.  It tells them, and who waits looks for such words now and then.
 */
#include <errno.h>

#include "control/futex.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

void equant_tell_all(struct equant *eq, MPI_Comm comm, int tag)
{
	MPI_Request request;

	for (int r = 0; r < eq->ranks; r++) {
		if (r == eq->rank ||
		    MPI_Isend(NULL, 0, MPI_BYTE, r, tag, comm, &request) != MPI_SUCCESS)
			continue;
		MPI_Request_free(&request);
		equant_node_ring(eq->node, r);
	}
}

static void tell(struct equant_loop *loop)
{
	if (!loop->aborted)
		equant_tell_all(loop->eq, loop->comm, EQUANT_TAG_ABORT);
	loop->aborted = 1;
}

void equant_loop_abort(struct equant_loop *loop)
{
	for (struct equant_loop *l = loop->leader ? loop->leader : loop; l; l = l->follower)
		tell(l);
}

int equant_loop_stop(struct equant_loop *loop, int error)
{
	equant_loop_abort(loop);
	return equant_loop_fail(loop, error);
}

static int look_for(MPI_Comm comm, int tag, int *rank)
{
	MPI_Status status;
	int there, error;

	error = equant_mpi_error(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, &status),
				 "looking for failed ranks");
	*rank = -1;
	if (error || !there)
		return error;
	*rank = status.MPI_SOURCE;
	return -ECANCELED;
}

/* The words stay where they are until ranks part (part.c): each wait sees them. */
int equant_aborted(MPI_Comm comm, int *rank)
{
	return look_for(comm, EQUANT_TAG_ABORT, rank);
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

/* ---- waits that are of no loop --------------------------------------------------- */

static int lose(struct equant *eq, int error, bool tells)
{
	if (eq->lost || !error)
		return error;
	eq->lost = error;
	if (eq->node && error != -EPROTO)
		equant_word_add(&eq->node->memory->lost, 1);
	if (!tells)
		return error;
	equant_tell_all(eq, eq->comm, EQUANT_TAG_LOST);
	for (struct equant_loop *l = eq->loops; l; l = l->next)
		equant_loop_stop(l, error);
	return error;
}

/* That ranks do not match all find by themselves, and that not all of them come. */
int equant_lose(struct equant *eq, int error)
{
	return lose(eq, error, error != -ETIMEDOUT && error != -EPROTO);
}

int equant_lose_pair(struct equant *eq, int error)
{
	return lose(eq, error, true);
}

static int has_failed(const struct equant_loop *loop)
{
	int rank, error = equant_aborted(loop->comm, &rank);

	if (error == -ECANCELED)
		equant_message("%s: loop %s: rank %d has failed", loop->eq->waiter.call, loop->name,
			       rank);
	return error;
}

/* Where this rank has failed, too, or knows of it, the others may be on their way from there to here. */
static int has_failed_unheard(const struct equant *eq)
{
	int error = 0;

	for (struct equant_loop *l = eq->loops; l && !error; l = l->next)
		if (!l->error)
			error = has_failed(l);
	return error;
}

int equant_hears(const struct equant_waiter *waiter, uint64_t waited_ns)
{
	struct equant *eq = waiter->eq;
	int rank, error = look_for(eq->comm, EQUANT_TAG_LOST, &rank);

	if (error == -ECANCELED)
		equant_message("%s: rank %d has given up on another one", waiter->call, rank);
	if (!error && waiter->pair)
		return has_failed(waiter->pair);
	if (error || !(waiter->timeout > 0) || 1e-9 * (double)waited_ns <= waiter->timeout)
		return error;
	return has_failed_unheard(eq);
}
