// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Every rank's item to every rank in ceil(log2 P) rounds of one message each
 * way (Bruck et al., Efficient Algorithms for All-to-All Communications in
 * Multiport Message-Passing Systems, IEEE TPDS 8(11), 1997): in round k a
 * rank sends all it knows to rank - 2^k and receives as much from rank +
 * 2^k.  Any P; point-to-point only, so that the rounds progress between
 * hooks and nobody waits for a collective.
 *
 * Each message begins with its sender's own item, and behind every item is room for a clock, as
 * Lamport's: it counts the messages that had to come one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/exchange.h"
#include "control/send.h"
#include "core/mpi_error.h"

struct equant_exchange {
	struct equant_waiter *waiter;
	MPI_Comm comm;
	int tag;
	int rank;
	int ranks;
	int distance; /* 2^k of the round under way; >= ranks: complete */
	int active; /* requests[] are in use */
	size_t size; /* of an item */
	size_t stride; /* of an item and its clock */
	uint64_t clock;
	long messages;
	MPI_Request requests[2]; /* send, receive */
	char *rotated; /* item of rank + i at index i, with clocks */
	char *items; /* item of rank i at index i */
};

struct equant_exchange *equant_exchange_new(struct equant_waiter *waiter, MPI_Comm comm, int tag,
					    size_t size)
{
	struct equant_exchange *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->waiter = waiter;
	x->comm = comm;
	x->tag = tag;
	x->size = size;
	x->stride = size + sizeof(x->clock);
	x->requests[0] = x->requests[1] = MPI_REQUEST_NULL;
	if (equant_mpi_error(MPI_Comm_rank(comm, &x->rank), "MPI_Comm_rank") ||
	    equant_mpi_error(MPI_Comm_size(comm, &x->ranks), "MPI_Comm_size")) {
		free(x);
		errno = EIO;
		return NULL;
	}
	x->distance = x->ranks;
	x->rotated = calloc((size_t)x->ranks, x->stride);
	x->items = calloc((size_t)x->ranks, size);
	if (!x->rotated || !x->items) {
		equant_exchange_free(x);
		errno = ENOMEM;
		return NULL;
	}
	return x;
}

void equant_exchange_retag(struct equant_exchange *x, int tag)
{
	x->tag = tag;
}

void equant_exchange_free(struct equant_exchange *x)
{
	if (!x)
		return;
	free(x->rotated);
	free(x->items);
	free(x);
}

static int start_round(struct equant_exchange *x)
{
	int known = x->distance, missing = x->ranks - x->distance;
	size_t bytes = (size_t)(known < missing ? known : missing) * x->stride;
	int to = (x->rank - x->distance + x->ranks) % x->ranks;
	int from = (x->rank + x->distance) % x->ranks;
	int error;

	x->clock++;
	memcpy(x->rotated + x->size, &x->clock, sizeof(x->clock));
	x->requests[0] = x->requests[1] = MPI_REQUEST_NULL;
	error = MPI_Irecv(x->rotated + (size_t)x->distance * x->stride, (int)bytes, MPI_BYTE, from,
			  x->tag, x->comm, &x->requests[1]);
	if (error == MPI_SUCCESS)
		error = equant_send(x->waiter, x->rotated, (int)bytes, MPI_BYTE, to, x->tag,
				    x->comm, &x->requests[0]);
	if (error != MPI_SUCCESS)
		x->requests[0] = MPI_REQUEST_NULL;
	x->active = error == MPI_SUCCESS;
	x->messages += x->active;
	return equant_mpi_error(error, "sending a sample");
}

int equant_exchange_start(struct equant_exchange *x, const void *item)
{
	memcpy(x->rotated, item, x->size);
	x->distance = 1;
	x->clock = 0;
	return x->ranks > 1 ? start_round(x) : 0;
}

/* The round's messages have come and gone. */
static int end_round(struct equant_exchange *x)
{
	uint64_t clock;

	memcpy(&clock, x->rotated + (size_t)x->distance * x->stride + x->size, sizeof(clock));
	if (clock > x->clock)
		x->clock = clock;
	x->active = 0;
	x->distance *= 2;
	return x->distance < x->ranks ? start_round(x) : 0;
}

int equant_exchange_progress(struct equant_exchange *x)
{
	int done, error;

	while (x->distance < x->ranks) {
		error = equant_mpi_error(equant_mpi_test(2, x->requests, &done),
					 "exchanging samples");
		if (error)
			return error;
		if (!done)
			return 0;
		error = end_round(x);
		if (error)
			return error;
	}
	return 1;
}

int equant_exchange_finish(struct equant_exchange *x, double timeout, uint64_t *waited_ns)
{
	int error, i;

	while (x->distance < x->ranks) {
		error = equant_wait_requests(x->waiter, x->requests, 2, MPI_STATUSES_IGNORE,
					     timeout, waited_ns);
		if (error)
			return error;
		error = end_round(x);
		if (error)
			return error;
	}
	for (i = 0; i < x->ranks; i++)
		memcpy(x->items + (size_t)((x->rank + i) % x->ranks) * x->size,
		       x->rotated + (size_t)i * x->stride, x->size);
	return 0;
}

long equant_exchange_chain(const struct equant_exchange *x)
{
	return (long)x->clock;
}

long equant_exchange_messages(const struct equant_exchange *x)
{
	return x->messages;
}

const void *equant_exchange_items(const struct equant_exchange *x)
{
	return x->items;
}

int equant_exchange_awaited(const struct equant_exchange *x, int *itself)
{
	*itself = x->distance == 1;
	return x->distance < x->ranks ? (x->rank + x->distance) % x->ranks : -1;
}

void equant_exchange_cancel(struct equant_exchange *x)
{
	/* MPI may still read or write it: what is given up is not freed. */
	if (equant_requests_drop(x->requests, 2))
		x->rotated = NULL;
	x->active = 0;
	x->distance = x->ranks;
}
