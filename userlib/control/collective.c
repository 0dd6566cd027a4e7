// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A barrier, a broadcast and a reduction whose ranks wait as equant waits, made of
 * point-to-point messages.
 *
 * The barrier disseminates (Hensgen, Finkel, Manber, Two Algorithms for Barrier
 * Synchronization, International Journal of Parallel Programming 17(1), 1988): in
 * round k a rank tells rank + 2^k that it and those that it has heard of are here.
 *
 * The reduction goes up a binomial tree in which a rank holds the result of the
 * 2^k ranks from its own on, and takes the next 2^k from rank + 2^k: always
 * neighbouring ranges, the lower one left of the operator, so that an
 * operation that does not commute sees the order of ranks, and one that rounds gives the same
 * bits each time.  The result goes down the same tree, as a broadcast does, in which
 * ranks are counted from the root on.
 *
 * A rank on which something has failed does its part of the reduction all the same, with messages without
 * elements whose tag says what has failed: nobody waits for ever, and all ranks hear of it.  Between two
 * ranks messages keep their order, so that any tag can be received.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "control/collective.h"
#include "control/node.h"
#include "control/send.h"
#include "core/message.h"
#include "core/mpi_error.h"

/* Only collectives use this communicator, and all ranks call them in the same order. */
enum { TAG_BARRIER = 1, TAG_UP, TAG_DOWN, TAG_COPY, TAG_FAILED };

/* Added to the first ones for each reduction that comes after; an errno is less. */
#define TAG_AFTER 1000

/**
 * struct peer - who is waited for
 * @ranks: of @comm
 */
struct peer {
	const struct equant_waiter *waiter;
	MPI_Comm comm;
	int ranks;
};

/* Among leaders a peer is not the context's rank, but its node's. */
static bool is_among_nodes(const struct equant_waiter *waiter, MPI_Comm comm)
{
	return waiter->node && comm == waiter->node->leaders;
}

static const char *kind_of(const struct equant_waiter *waiter, MPI_Comm comm)
{
	return is_among_nodes(waiter, comm) ? "the first rank of node" : "rank";
}

/* Of two ranks the other one waits for nobody else. */
static void say_peer(const struct equant_waited_on *on, double seconds)
{
	const struct peer *peer = on->of;
	bool alone = peer->ranks == 2 && !is_among_nodes(peer->waiter, peer->comm);

	equant_message("%s: %s %d%s has not come within %g s", on->what,
		       kind_of(peer->waiter, peer->comm), on->rank,
		       alone ? "" : ", or a rank that it waits for,", seconds);
}

static int await_peer(struct equant_waiter *waiter, MPI_Comm comm, int rank, MPI_Request *requests,
		      int n, MPI_Status *statuses)
{
	struct peer peer = { .waiter = waiter, .comm = comm };
	struct equant_waited_on on = {
		.say = say_peer, .of = &peer, .what = waiter->call, .rank = rank
	};
	uint64_t waited = 0;
	int error, over;

	MPI_Comm_size(comm, &peer.ranks);
	equant_waited_on_begin(waiter, &on);
	do {
		error = equant_wait_requests(waiter, requests, n, statuses, EQUANT_LOOK, &waited);
		over = error != -ETIMEDOUT;
		if (!over)
			error = waiter->hears(waiter, waited);
	} while (!over && !error);
	equant_waited_on_end(waiter);
	if (!over)
		equant_requests_drop(requests, n);
	return error;
}

int equant_collective_barrier(struct equant_waiter *waiter, MPI_Comm comm)
{
	int rank, ranks, distance, error = 0;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	for (distance = 1; distance < ranks && !error; distance *= 2) {
		int to = (rank + distance) % ranks, from = (rank - distance + ranks) % ranks;
		MPI_Request requests[2];

		error = MPI_Irecv(NULL, 0, MPI_BYTE, from, TAG_BARRIER, comm, &requests[0]);
		equant_delay(waiter);
		if (error == MPI_SUCCESS)
			error = MPI_Isend(NULL, 0, MPI_BYTE, to, TAG_BARRIER, comm, &requests[1]);
		error = equant_mpi_error(error, "equant_barrier");
		if (!error)
			error = await_peer(waiter, comm, from, requests, 2, MPI_STATUSES_IGNORE);
	}
	return error;
}

/**
 * struct reduction - one under way, or a broadcast, which has but the first half
 * @after: reductions of the same call that come after
 * @failed: 0, or -errno of a rank heard of so far
 * @partial: the elements of the ranks combined so far
 * @other: what comes in
 * @room: the memory behind the two
 * @lent: ... which MPI may still read or write, as a wait has been given up
 */
struct reduction {
	struct equant_waiter *waiter;
	MPI_Comm comm;
	int rank, ranks;
	int count;
	MPI_Datatype datatype;
	MPI_Op op;
	int after;
	int failed;
	char *partial, *other;
	char *room[2];
	int lent;
};

static int await(struct reduction *r, int error, int peer, MPI_Request *request, MPI_Status *status)
{
	error = equant_mpi_error(error, "sending to all ranks");
	if (!error) {
		error = await_peer(r->waiter, r->comm, peer, request, 1, status);
		r->lent |= error != 0;
	}
	return error;
}

static void ring(const struct reduction *r, int peer)
{
	equant_node_ring(r->waiter->node, is_among_nodes(r->waiter, r->comm) ? -1 : peer);
}

static void send_to(struct reduction *r, const void *elements, int peer, int tag)
{
	int count = r->failed ? 0 : r->count, error;
	MPI_Request request;

	equant_delay(r->waiter);
	error = MPI_Isend(elements, count, r->datatype, peer,
			  r->failed ? TAG_FAILED - r->failed : tag + TAG_AFTER * r->after, r->comm,
			  &request);
	ring(r, peer);
	error = await(r, error, peer, &request, MPI_STATUSES_IGNORE);
	r->failed = r->failed ? r->failed : error;
}

static int check_after(const struct reduction *r, int peer, const MPI_Status *status)
{
	if (status->MPI_TAG / TAG_AFTER == r->after)
		return 0;
	equant_message("%s %d has elements for %d reductions more, this one for %d",
		       kind_of(r->waiter, r->comm), peer, status->MPI_TAG / TAG_AFTER, r->after);
	return -EPROTO;
}

/* What is longer is an error of MPI. */
static int check_count(const struct reduction *r, int peer, const MPI_Status *status)
{
	int count = 0, size = 0;
	int error = equant_mpi_error(MPI_Get_count(status, r->datatype, &count),
				     "sending to all ranks");

	if (error || count == r->count)
		return error;
	/* Of elements without bytes none are counted. */
	if (MPI_Type_size(r->datatype, &size) == MPI_SUCCESS && !size)
		return 0;
	equant_message("%s %d has sent fewer elements than the %d that this one has",
		       kind_of(r->waiter, r->comm), peer, r->count);
	return -EPROTO;
}

static void receive_from(struct reduction *r, void *elements, int peer)
{
	MPI_Request request;
	MPI_Status status;
	int error;

	error = await(
		r, MPI_Irecv(elements, r->count, r->datatype, peer, MPI_ANY_TAG, r->comm, &request),
		peer, &request, &status);
	/* A long message ends for its sender when it has been taken. */
	ring(r, peer);
	if (!error && status.MPI_TAG > TAG_FAILED && status.MPI_TAG < TAG_AFTER)
		error = TAG_FAILED - status.MPI_TAG;
	else if (!error)
		error = check_after(r, peer, &status) ?: check_count(r, peer, &status);
	r->failed = r->failed ? r->failed : error;
}

/* Elements only: gaps in the datatype stay as they are. */
static int copy(struct reduction *r, const void *from, void *to)
{
	int error = MPI_Sendrecv(from, r->count, r->datatype, r->rank, TAG_COPY, to, r->count,
				 r->datatype, r->rank, TAG_COPY, r->comm, MPI_STATUS_IGNORE);

	return equant_mpi_error(error, "equant_allreduce");
}

/* Extents may be negative and elements may begin before their address. */
static int make_room(struct reduction *r)
{
	MPI_Aint lower, extent, true_lower, true_extent, reach, size, offset;

	if (MPI_Type_get_extent(r->datatype, &lower, &extent) != MPI_SUCCESS ||
	    MPI_Type_get_true_extent(r->datatype, &true_lower, &true_extent) != MPI_SUCCESS)
		return -EPROTO;
	if (__builtin_mul_overflow((MPI_Aint)(r->count - 1), extent, &reach) ||
	    __builtin_add_overflow(true_extent, reach < 0 ? -reach : reach, &size))
		return -EOVERFLOW;
	/* From the start of the memory to the first element. */
	offset = -true_lower - (reach < 0 ? reach : 0);
	r->room[0] = malloc(size > 0 ? (size_t)size : 1);
	r->room[1] = malloc(size > 0 ? (size_t)size : 1);
	if (!r->room[0] || !r->room[1])
		return -ENOMEM;
	r->partial = r->room[0] + offset;
	r->other = r->room[1] + offset;
	return 0;
}

/* MPI_Reduce_local() leaves "left op right" in the right operand. */
static int combine(struct reduction *r)
{
	char *left = r->partial;
	int error = MPI_Reduce_local(left, r->other, r->count, r->datatype, r->op);

	r->partial = r->other;
	r->other = left;
	return equant_mpi_error(error, "equant_allreduce");
}

/* What comes to a rank without memory of its own goes where the result would. */
static void go_up(struct reduction *r, void *result)
{
	int distance;

	for (distance = 1; distance < r->ranks; distance *= 2) {
		if (r->rank & distance) {
			send_to(r, r->partial, r->rank - distance, TAG_UP);
			return;
		}
		if (r->rank + distance >= r->ranks)
			continue;
		receive_from(r, r->failed ? result : r->other, r->rank + distance);
		if (!r->failed)
			r->failed = combine(r);
	}
}

/* From the parent to the children: the farthest first, which has most to hand on. */
static void go_down(struct reduction *r, void *elements, int root)
{
	int below = (r->rank - root + r->ranks) % r->ranks; /* the root is 0 */
	int distance = 1;

	while (distance < r->ranks && !(below & distance))
		distance *= 2;
	if (below)
		receive_from(r, elements, (r->rank - distance + r->ranks) % r->ranks);
	for (distance /= 2; distance; distance /= 2)
		if (below + distance < r->ranks)
			send_to(r, elements, (r->rank + distance) % r->ranks, TAG_DOWN);
}

int equant_collective_broadcast(struct equant_waiter *waiter, MPI_Comm comm, void *buffer,
				int count, MPI_Datatype datatype, int root)
{
	struct reduction r = {
		.waiter = waiter, .comm = comm, .count = count, .datatype = datatype
	};

	MPI_Comm_rank(comm, &r.rank);
	MPI_Comm_size(comm, &r.ranks);
	go_down(&r, buffer, root);
	return r.failed;
}

int equant_collective_allreduce(struct equant_waiter *waiter, MPI_Comm comm, const void *send,
				void *recv, int count, MPI_Datatype datatype, MPI_Op op, int after,
				int failed)
{
	struct reduction r = { .waiter = waiter,
			       .comm = comm,
			       .count = count,
			       .datatype = datatype,
			       .op = op,
			       .after = after };

	if (!count)
		return 0;
	MPI_Comm_rank(comm, &r.rank);
	MPI_Comm_size(comm, &r.ranks);
	r.failed = failed ? failed : make_room(&r);
	if (!r.failed)
		r.failed = copy(&r, send == MPI_IN_PLACE ? recv : send, r.partial);
	go_up(&r, recv);
	if (!r.failed && !r.rank)
		r.failed = copy(&r, r.partial, recv);
	go_down(&r, recv, 0);
	if (!r.lent) {
		free(r.room[0]);
		free(r.room[1]);
	}
	return r.failed;
}
