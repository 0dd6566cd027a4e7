// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What messages take between each two ranks: half of the way there and back, the least of several, for
 * two sizes.  Pairs are measured one after the other, since that is how the model has a channel to
 * itself.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/send.h"
#include "core/clock.h"
#include "core/compare.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/dag_run_internal.h"
#include "loop/loop_internal.h"

#define ROUNDS 7
#define LARGE ((size_t)1 << 20)
#define PART 16 /* the small message is this part of the large one */

/* As messages of a run: with the same waits. */
static int send(struct equant *eq, const char *memory, int size, int peer)
{
	MPI_Request request;
	int error = equant_mpi_error(equant_send(&eq->waiter, memory, size, MPI_BYTE, peer, 0,
						 eq->collectives, &request),
				     "measuring messages");

	return error ? error : equant_wait(eq, &request, MPI_STATUS_IGNORE);
}

static int receive(struct equant *eq, char *memory, int size, int peer)
{
	MPI_Request request;
	int error = equant_mpi_error(MPI_Irecv(memory, size, MPI_BYTE, peer, 0, eq->collectives,
					       &request),
				     "measuring messages");

	return error ? error : equant_wait(eq, &request, MPI_STATUS_IGNORE);
}

static int there_and_back(struct equant *eq, char *memory, int size, int peer, bool first)
{
	int error = first ? send(eq, memory, size, peer) : receive(eq, memory, size, peer);

	if (error)
		return error;
	return first ? receive(eq, memory, size, peer) : send(eq, memory, size, peer);
}

static int time_message(struct equant *eq, char *memory, size_t size, int peer, bool first,
			double *seconds)
{
	int error = 0;

	*seconds = INFINITY;
	for (int i = 0; i < ROUNDS && !error; i++) {
		uint64_t before = equant_now_ns();

		error = there_and_back(eq, memory, (int)size, peer, first);
		*seconds = fmin(*seconds, 0.5e-9 * (double)(equant_now_ns() - before));
	}
	return error;
}

/* Two numbers of a link: what each message takes, and each byte. */
static int measure(struct equant *eq, char *memory, size_t most, int peer, bool first,
		   double link[2])
{
	double small, large;
	int error = time_message(eq, memory, most / PART, peer, first, &small);

	if (!error)
		error = time_message(eq, memory, most, peer, first, &large);
	if (error)
		return error;
	link[1] = fmax((large - small) / (double)(most - most / PART), 1e-12);
	link[0] = fmax(small - link[1] * (double)(most / PART), 0);
	return 0;
}

static int set_links(struct equant_dag_machine *machine, const double *links)
{
	int p = machine->processors, error = 0;

	for (int i = 0; i < p * p && !error; i++) {
		int low = i / p < i % p ? i / p : i % p, high = i / p + i % p - low;
		const double *link = &links[2 * (low * p + high)];

		if (low != high)
			error = equant_dag_machine_link(machine, i / p, i % p, link[0], link[1]);
	}
	return error;
}

static int measure_all(struct equant *eq, size_t most, char *memory, double *links)
{
	int p = eq->ranks, error = 0;

	for (int k = 0; k < p && !error; k++) {
		for (int l = k + 1; l < p && !error; l++) {
			error = equant_barrier_in(eq, "equant_dag_calibrate()");
			if (error || (eq->rank != k && eq->rank != l))
				continue;
			error = measure(eq, memory, most, eq->rank == k ? l : k, eq->rank == k,
					&links[2 * (k * p + l)]);
			/* The lower rank's figures are those of both. */
			if (eq->rank == l)
				memset(&links[2 * (k * p + l)], 0, 2 * sizeof(*links));
		}
	}
	if (error)
		return error;
	return equant_allreduce_in(eq, "equant_dag_calibrate()", links, 2 * p * p, MPI_DOUBLE,
				   MPI_SUM);
}

int equant_dag_calibrate(struct equant *eq, struct equant_dag_machine *machine, size_t most)
{
	size_t p = (size_t)(unsigned int)eq->ranks;
	int error = equant_dag_meet(eq, "equant_dag_calibrate");
	double *links;
	char *memory;

	if (error)
		return error;
	links = calloc(2 * p * p, sizeof(*links));
	most = most < PART ? LARGE : most;
	memory = most <= INT32_MAX ? malloc(most) : NULL;
	error = links && memory ? 0 : -ENOMEM;
	if (memory)
		memset(memory, 1, most);
	if (most > INT32_MAX) {
		equant_message(
			"rank %d: equant_dag_calibrate: messages of %zu bytes, 2^31 - 1 at most",
			eq->rank, most);
		error = -EINVAL;
	}
	if (machine->processors != eq->ranks) {
		equant_message("rank %d: equant_dag_calibrate: %d processors, and %d ranks",
			       eq->rank, machine->processors, eq->ranks);
		error = -EINVAL;
	}
	error = equant_compare(eq->collectives, "equant_dag_calibrate", error,
			       (struct equant_alike[]){ { "the largest message", most } }, 1);
	if (!error) {
		error = measure_all(eq, most, memory, links);
		/* Where MPI has failed it may still send from there, or receive. */
		if (error)
			return error;
		error = set_links(machine, links);
	}
	free(memory);
	free(links);
	return error;
}
