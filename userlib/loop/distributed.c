// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Communication with distributed data: single slices by the unit they belong to
 * (Siegell 1995, section 6.6).  Every rank knows every owner, so nobody asks, and
 * who has no part in a copy or an exchange returns at once.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "control/collective.h"
#include "control/handover.h"
#include "control/node.h"
#include "control/send.h"
#include "control/shared.h"
#include "control/wait.h"
#include "core/message.h"
#include "core/mix.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

/* The owner's slice, or where a copy of it goes. */
static char *slice_or_place(const struct equant_loop *loop, const struct equant_array *array,
			    long unit, int owner)
{
	char *slice = loop->rank == owner ? equant_array_slice(array, unit) :
					    equant_array_place(array, unit);

	if (!slice)
		equant_message("loop %s, rank %d: no memory for a copy of unit %ld", loop->name,
			       loop->rank, unit);
	return slice;
}

static int refuse(const struct equant_loop *loop, const char *function, const char *fault, long n)
{
	equant_message("loop %s, rank %d: %s: %s (%ld)", loop->name, loop->rank, function, fault,
		       n);
	return -EINVAL;
}

static int check(const struct equant_loop *loop, const char *function, long unit)
{
	if (unit < 0 || unit >= loop->units.units)
		return refuse(loop, function, "no such unit", unit);
	for (int i = 0; i < loop->slices.nr_arrays; i++)
		if (loop->slices.arrays[i].slice > INT_MAX)
			return refuse(loop, function, "slices of more than 2 GiB", unit);
	return equant_async_forbids(loop, function);
}

static int wait_for(struct equant_loop *loop, int code, int peer, MPI_Request *requests, int n)
{
	struct equant_waited_on on = { .say = equant_say_rank,
				       .what = loop->eq->waiter.call,
				       .rank = peer };
	int error;

	if (code != MPI_SUCCESS)
		return equant_mpi_error(code, "sending a slice");
	error = equant_loop_await(loop, &on, requests, n, MPI_STATUSES_IGNORE);
	/* The peer has not come, and may never. */
	if (error == -ETIMEDOUT || error == -ECANCELED)
		equant_requests_drop(requests, n);
	return error == -ETIMEDOUT ? equant_lose_pair(loop->eq, error) : error;
}

static int broadcast(struct equant_loop *loop, char *slice, size_t bytes, int owner)
{
	struct equant_waiter *waiter = &loop->eq->waiter;

	waiter->call = "equant_loop_broadcast()";
	if (equant_shared_sends(waiter, bytes))
		return equant_met(loop->eq, equant_shared_broadcast(waiter, slice, bytes, owner));
	return equant_met(loop->eq,
			  equant_collective_broadcast(waiter, loop->eq->collectives, slice,
						      (int)bytes, MPI_BYTE, owner));
}

int equant_loop_broadcast(struct equant_loop *loop, long unit)
{
	int error = check(loop, "equant_loop_broadcast", unit), owner;

	error = equant_check_call(loop, EQUANT_AT_BROADCAST, (uint64_t)unit, error);
	if (error)
		return error;
	loop->eq->meetings++;
	owner = equant_units_owner(&loop->units, unit);
	for (int i = 0; i < loop->slices.nr_arrays && !error; i++) {
		const struct equant_array *array = &loop->slices.arrays[i];
		char *slice = slice_or_place(loop, array, unit, owner);

		error = slice ? broadcast(loop, slice, array->slice, owner) : -ENOMEM;
	}
	/* The others go on with what this one does not take. */
	return error == -ENOMEM ? equant_lose(loop->eq, error) : error;
}

/*
 * In checked mode one that has given up must not be taken for one that is there: MPI keeps a short message for
 * who comes late, also if its sender lets go of it.
 */
static int send(struct equant_loop *loop, const char *slice, int bytes, int to,
		MPI_Request *request)
{
	const struct equant_waiter *waiter = &loop->eq->waiter;

	return equant_send_by(loop->eq->options.check ? MPI_Issend : MPI_Isend, waiter, slice,
			      bytes, MPI_BYTE, to, EQUANT_TAG_SLICE, loop->comm, request);
}

/* Once others have been told not to wait for this rank they do not. */
static int is_over(const struct equant_loop *loop)
{
	if (loop->eq->lost)
		return loop->eq->lost;
	return loop->aborted ? loop->error : 0;
}

static int copy_array(struct equant_loop *loop, char *slice, int bytes, int from, int to)
{
	MPI_Request request;
	int code;

	if (loop->rank == from)
		code = send(loop, slice, bytes, to, &request);
	else
		code = MPI_Irecv(slice, bytes, MPI_BYTE, from, EQUANT_TAG_SLICE, loop->comm,
				 &request);
	code = wait_for(loop, code, loop->rank == from ? to : from, &request, 1);
	/* A long message ends for its sender when it has been taken. */
	if (loop->rank != from)
		equant_node_ring(loop->eq->node, from);
	return code;
}

int equant_loop_copy(struct equant_loop *loop, long unit, int to)
{
	int error = is_over(loop), from;

	if (!error)
		error = check(loop, "equant_loop_copy", unit);
	if (error)
		return error;
	if (to < 0 || to >= loop->ranks)
		return refuse(loop, "equant_loop_copy", "no such rank", to);
	loop->eq->waiter.call = "equant_loop_copy()";
	from = equant_units_owner(&loop->units, unit);
	if (from == to || (loop->rank != from && loop->rank != to))
		return 0;
	for (int i = 0; i < loop->slices.nr_arrays && !error; i++) {
		const struct equant_array *array = &loop->slices.arrays[i];
		char *slice = slice_or_place(loop, array, unit, from);

		error = slice ? copy_array(loop, slice, (int)array->slice, from, to) : -ENOMEM;
	}
	/* The other one has sent what this one does not take. */
	return error == -ENOMEM ? equant_loop_stop(loop, error) : error;
}

static int pass_both_ways(struct equant_loop *loop, const char *out, char *in, int bytes, int peer)
{
	MPI_Request requests[2];
	int code, error;

	code = MPI_Irecv(in, bytes, MPI_BYTE, peer, EQUANT_TAG_SLICE, loop->comm, &requests[1]);
	if (code == MPI_SUCCESS)
		code = send(loop, out, bytes, peer, &requests[0]);
	error = wait_for(loop, code, peer, requests, 2);
	equant_node_ring(loop->eq->node, peer);
	return error;
}

/* What comes in must not overwrite what is still going out.  In checked mode both say first what they mean. */
static int swap_with(struct equant_loop *loop, char *mine, int bytes, int peer, uint64_t what)
{
	uint64_t *words = malloc(2 * sizeof(*words) + (size_t)bytes);
	char *room = (char *)(words + 2);
	int error = 0;

	if (!words)
		return equant_loop_stop(loop, -ENOMEM);
	words[0] = words[1] = what;
	if (loop->eq->options.check)
		error = pass_both_ways(loop, (char *)words, (char *)(words + 1), sizeof(*words),
				       peer);
	if (!error && words[1] == what)
		error = pass_both_ways(loop, mine, room, bytes, peer);
	/* Of what was given up MPI may still write there. */
	if (error)
		return error;
	error = words[1] == what ? 0 : -EPROTO;
	if (!error)
		memcpy(mine, room, (size_t)bytes);
	free(words);
	return error;
}

/* Both owners are here: in the memory of a node they need no message. */
static int swap(struct equant_loop *loop, int array, char *mine, int peer, uint64_t what)
{
	struct equant_waiter *waiter = &loop->eq->waiter;
	size_t bytes = loop->slices.arrays[array].slice;
	int error;

	if (!equant_handover_takes(waiter, peer, bytes)) {
		error = swap_with(loop, mine, (int)bytes, peer, what + (uint64_t)array);
	} else {
		waiter->pair = loop;
		error = equant_handover_swap(waiter, peer, mine, bytes, what + (uint64_t)array);
		waiter->pair = NULL;
		if (error == -ETIMEDOUT)
			equant_lose_pair(loop->eq, error);
	}
	if (error == -EPROTO)
		equant_message("loop %s, rank %d: rank %d exchanges something else", loop->name,
			       loop->rank, peer);
	return error;
}

int equant_loop_exchange(struct equant_loop *loop, long a, long b)
{
	int error = is_over(loop), owner_a, owner_b;
	uint64_t what;

	if (!error)
		error = check(loop, "equant_loop_exchange", a);
	if (!error)
		error = check(loop, "equant_loop_exchange", b);
	if (error || a == b)
		return error;
	what = equant_mix_word(equant_mix_word(loop->order, (uint64_t)(a < b ? a : b)),
			       (uint64_t)(a + b));
	loop->eq->waiter.call = "equant_loop_exchange()";
	owner_a = equant_units_owner(&loop->units, a);
	owner_b = equant_units_owner(&loop->units, b);
	for (int i = 0; i < loop->slices.nr_arrays && !error; i++) {
		const struct equant_array *array = &loop->slices.arrays[i];

		if (loop->rank == owner_a && loop->rank == owner_b)
			equant_array_swap(array, a, b);
		else if (loop->rank == owner_a)
			error = swap(loop, i, equant_array_slice(array, a), owner_b, what);
		else if (loop->rank == owner_b)
			error = swap(loop, i, equant_array_slice(array, b), owner_a, what);
	}
	return error;
}
