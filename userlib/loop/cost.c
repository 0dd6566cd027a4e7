// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Costs measured once before the first phase (Siegell 1995, sections 4.3.1
 * and 5.6.1): an interaction, a transfer, a byte.  All ranks use the largest
 * values that any of them has seen, so that their decisions agree.
 */
#include <errno.h>
#include <stdlib.h>

#include "control/send.h"
#include "core/affinity.h"
#include "core/clock.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "loop/loop_internal.h"

#define ROUNDS 5
#define BYTES 65536
#define SPIN_NS 1000000u

/* The least: what is above it is waiting for a rank that has lost its CPU. */
static double least(const double *values, int n)
{
	double least = values[0];
	int i;

	for (i = 1; i < n; i++)
		if (values[i] < least)
			least = values[i];
	return least;
}

/* To sleep and be woken takes longer than the message: then all rounds may tell that and nothing else. */
static int swap(struct equant_loop *loop, int peer, char *out, char *in, int bytes)
{
	struct equant_waiter waiter = loop->eq->waiter;
	struct equant_waited_on on = { .say = equant_say_rank,
				       .what = "measuring transfers",
				       .rank = peer };
	MPI_Request requests[2];
	uint64_t waited = 0;
	int error;

	waiter.wake_ns = SPIN_NS;
	equant_waited_on_begin(&waiter, &on);
	error = MPI_Irecv(in, bytes, MPI_BYTE, peer, EQUANT_TAG_COST, loop->comm, &requests[1]);
	if (error == MPI_SUCCESS)
		error = equant_send(&waiter, out, bytes, MPI_BYTE, peer, EQUANT_TAG_COST,
				    loop->comm, &requests[0]);
	if (error != MPI_SUCCESS)
		return equant_mpi_error(error, "measuring transfers");
	return equant_wait_requests(&waiter, requests, 2, MPI_STATUSES_IGNORE, 0, &waited);
}

/* Seconds to swap messages of this size with a rank; 0 without one. */
static int measure_swap(struct equant_loop *loop, int peer, char *buffer, int bytes,
			double *seconds)
{
	double times[ROUNDS];
	int i, error;
	uint64_t t;

	*seconds = 0;
	if (peer < 0)
		return 0;
	for (i = 0; i < ROUNDS; i++) {
		t = equant_now_ns();
		error = swap(loop, peer, buffer, buffer + BYTES, bytes);
		if (error)
			return error;
		times[i] = 1e-9 * (double)(equant_now_ns() - t);
	}
	*seconds = least(times, ROUNDS);
	return 0;
}

int equant_costs_neighbour(const struct equant_loop *loop, int round)
{
	int peer = loop->rank % 2 == round ? loop->rank + 1 : loop->rank - 1;

	return peer < loop->ranks ? peer : -1;
}

int equant_costs_of_messages(struct equant_loop *loop, int peer, double *fixed, double *per_byte)
{
	double small, large;
	char *buffer;
	int error;

	*fixed = *per_byte = 0;
	buffer = calloc(2, BYTES);
	error = equant_check_place(loop, EQUANT_AT_START, 0, buffer ? 0 : -ENOMEM);
	if (error) {
		free(buffer);
		return error;
	}
	error = measure_swap(loop, peer, buffer, (int)sizeof(struct equant_header), &small);
	if (!error)
		error = measure_swap(loop, peer, buffer, BYTES, &large);
	/* Where MPI has failed it may still write there. */
	if (error)
		return error;
	free(buffer);
	*fixed = small;
	*per_byte = large > small ? (large - small) / BYTES : 0;
	return 0;
}

static int measure_transfers(struct equant_loop *loop, struct equant_costs *costs)
{
	const struct equant_runs *own = &loop->units.owned[loop->rank];
	double fixed, byte, per_byte = 0;
	int error = 0;

	costs->fixed = 0;
	for (int round = 0; round < 2 && !error; round++) {
		error = equant_costs_of_messages(loop, equant_costs_neighbour(loop, round), &fixed,
						 &byte);
		costs->fixed = fixed > costs->fixed ? fixed : costs->fixed;
		per_byte = byte > per_byte ? byte : per_byte;
	}
	if (error)
		return error;
	costs->per_unit = 0;
	for (const struct equant_loop *l = loop; l && own->total; l = l->follower)
		costs->per_unit +=
			per_byte * (double)equant_slices_bytes(&l->slices, own->ranges[0].first);
	return 0;
}

static void take_largest(const struct equant_costs *all, int n, struct equant_costs *costs)
{
	int r;

	for (r = 0; r < n; r++) {
		costs->interact = all[r].interact > costs->interact ? all[r].interact :
								      costs->interact;
		costs->fixed = all[r].fixed > costs->fixed ? all[r].fixed : costs->fixed;
		costs->per_unit = all[r].per_unit > costs->per_unit ? all[r].per_unit :
								      costs->per_unit;
	}
}

/* What one rank sends the others must expect; all see the same and agree. */
static int compare_layouts(const struct equant_loop *loop, const struct equant_costs *all)
{
	int r;

	for (r = 1; r < loop->ranks; r++) {
		if (all[r].layout == all[0].layout)
			continue;
		equant_message("loop %s: ranks 0 and %d have registered different arrays or data",
			       loop->name, r);
		return -EINVAL;
	}
	return 0;
}

static int exchange(struct equant_exchange *x, const struct equant_costs *costs)
{
	uint64_t waited = 0;
	int error = equant_exchange_start(x, costs);

	return error ? error : equant_exchange_finish(x, 0, &waited);
}

static void take_affinities(const struct equant_costs *all, int n,
			    struct equant_affinity *affinities)
{
	for (int r = 0; r < n; r++)
		affinities[r] = all[r].affinity;
}

int equant_costs_measure(struct equant_loop *loop, struct equant_costs *costs,
			 struct equant_affinity *all)
{
	struct equant_exchange *x;
	double times[ROUNDS];
	uint64_t t;
	int i, error;

	x = equant_exchange_new(&loop->eq->waiter, loop->comm, EQUANT_TAG_COST, sizeof(*costs));
	error = equant_check_place(loop, EQUANT_AT_START, 0, x ? 0 : -errno);
	if (error) {
		equant_exchange_free(x);
		return error;
	}
	costs->interact = 0;
	costs->affinity = equant_affinity(loop->machine);
	loop->cpus = costs->affinity.cpus;
	costs->layout = 0;
	for (const struct equant_loop *l = loop; l; l = l->follower)
		costs->layout = equant_mix(costs->layout) ^ equant_slices_layout(&l->slices);
	error = measure_transfers(loop, costs);
	for (i = 0; i < ROUNDS && !error; i++) {
		t = equant_now_ns();
		error = exchange(x, costs);
		times[i] = 1e-9 * (double)(equant_now_ns() - t);
	}
	if (!error) {
		costs->interact = least(times, ROUNDS);
		error = exchange(x, costs);
	}
	if (!error)
		error = compare_layouts(loop, equant_exchange_items(x));
	if (!error && all)
		take_affinities(equant_exchange_items(x), loop->ranks, all);
	if (!error)
		take_largest(equant_exchange_items(x), loop->ranks, costs);
	else
		equant_exchange_cancel(x);
	equant_exchange_free(x);
	return error;
}
