// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Transfers that plan again, with a clock that goes on by a second whenever it is looked at, and
 * with collectives that are counted and one that may fail.
 */
#include <equant/transfer.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "libworker.h"

#define ELEMENTS 40 /* of 8 bytes, that a rank sends to each receiver, each of them a piece */

static double clock_now;
static double (*waited)(int piece); /* what the clock goes on by, if not a second */
static int pieces; /* of which the clock has been looked at */
static int collectives; /* so far */
static int fatal = -1; /* the one of them that fails */
static int fault = MPI_ERR_OTHER; /* and with what */

double MPI_Wtime(void)
{
	return clock_now += waited ? waited(++pieces) : 1;
}

static int end_collective(int error)
{
	return collectives++ == fatal ? fault : error;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
		  MPI_Comm comm)
{
	return end_collective(PMPI_Allreduce(from, to, count, type, op, comm));
}

int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to, int to_count,
		   MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
	return end_collective(
		PMPI_Iallgather(from, count, type, to, to_count, to_type, comm, request));
}

int MPI_Allgatherv(const void *from, int count, MPI_Datatype type, void *to, const int counts[],
		   const int starts[], MPI_Datatype to_type, MPI_Comm comm)
{
	return end_collective(
		PMPI_Allgatherv(from, count, type, to, counts, starts, to_type, comm));
}

/* Each of the first two of 4 ranks sends to one of the others: a piece comes every second. */
static struct equant_transfer *make(const struct equant_redist_network *network)
{
	static const int senders[] = { 0, 1 }, receivers[] = { 2, 3 };
	const struct equant_redist_array array = { .dimensions = 1,
						   .extent = { 2 * ELEMENTS },
						   .from = { { 1, 2, 0, 0 } },
						   .to = { { 1, 2, 0, 0 } } };
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .senders = senders,
						   .receivers = receivers,
						   .network = network,
						   .largest = sizeof(double),
						   .node = EQUANT_TRANSFER_NODE_MESSAGES };
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, &array, sizeof(double), &options);

	demand(transfer);
	return transfer;
}

static int run(struct equant_transfer *transfer)
{
	static const int64_t stride[] = { 1 };
	static const double from[ELEMENTS];
	static double to[ELEMENTS];

	return equant_transfer_run(transfer, stride, from, stride, to);
}

/* Two ranks on each host. */
static struct equant_redist_network *network_of_ports(double bandwidth, double port)
{
	struct equant_redist_network *network =
		equant_redist_network_new(ranks, 0, bandwidth, NULL, 0);
	const struct equant_redist_host host = { port, port };

	demand(network);
	for (int h = 0; h < 2; h++)
		demand_equal(h, equant_redist_network_host(network, &host, NULL, 0));
	for (int r = 0; r < ranks; r++)
		demand_equal(0, equant_redist_network_place(network, r, r / 2, NULL, 0));
	return network;
}

/* Links that are others after a run, of those that have 16 bytes per second and share @port. */
static int changed_beside(double port)
{
	struct equant_redist_network *network = network_of_ports(16, port);
	struct equant_transfer *transfer = make(network);
	int changed = -1;

	demand_equal(0, run(transfer));
	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	demand_equal(0, equant_transfer_free(transfer));
	equant_redist_network_free(network);
	return changed;
}

/* 8 bytes per second are what two messages get of 16 each, and too little of 24. */
static void a_port_is_shared(void)
{
	demand_equal(0, changed_beside(16));
	demand_equal(2, changed_beside(24));
}

/* How many collectives it took. */
static int must_refresh(struct equant_transfer *transfer, int expected)
{
	int before = collectives, changed = -1;

	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	demand_equal(expected, changed);
	return collectives - before;
}

/* The collective @which fails on the first @count ranks. */
static void refresh_that_fails(const struct equant_redist_network *network, int which, int count)
{
	struct equant_transfer *transfer = make(network);
	int changed = -1;

	demand_equal(0, run(transfer));
	fatal = rank < count ? collectives + which : -1;
	demand_equal(rank < count ? -EIO : 0, equant_transfer_refresh(transfer, &changed));
	if (rank < count) {
		demand_equal(-1, changed);
		demand_equal(-EPIPE, run(transfer));
		demand_equal(-EPIPE, equant_transfer_refresh(transfer, &changed));
	}
	demand_equal(0, equant_transfer_free(transfer));
}

static void collectives_fail(void)
{
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 16, NULL, 0);
	struct equant_transfer *transfer = make(network);
	int count;

	demand_equal(0, run(transfer));
	count = must_refresh(transfer, 2);
	demand_equal(1, must_refresh(transfer, 0));
	demand_equal(0, run(transfer));
	demand_equal(1, must_refresh(transfer, 0));
	demand_equal(0, equant_transfer_free(transfer));
	for (int i = 0; i < 2; i++) {
		fault = i ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
		for (int which = 0; which < count; which++)
			refresh_that_fails(network, which, ranks);
		/* Where all others have come to the end and have another plan. */
		refresh_that_fails(network, count - 1, 1);
	}
	equant_redist_network_free(network);
}

/* Pieces 9, 17, 25 and 33 come after eight seconds, each with the seven that follow. */
static double in_bursts(int piece)
{
	return piece % 8 == 1 ? 8 : 0;
}

/* A second for each, from the 23rd on two. */
static double slower(int piece)
{
	return piece < 23 ? 1 : 2;
}

static double slow(int piece)
{
	(void)piece;
	return 2;
}

static double faster(int piece)
{
	(void)piece;
	return 1;
}

static double hardly_slower(int piece)
{
	(void)piece;
	return 1.12;
}

static double varied(int piece)
{
	(void)piece;
	return 2.4;
}

/* A run, after which @expected links are others, and the one from here or to here has @bandwidth. */
static void run_and_see(struct equant_transfer *transfer, double (*clock)(int piece), int expected,
			double bandwidth)
{
	struct equant_redist_link link;

	waited = clock;
	pieces = 0;
	demand_equal(0, run(transfer));
	must_refresh(transfer, expected);
	link = equant_redist_network_link(equant_transfer_network(transfer), rank % 2,
					  rank % 2 + 2);
	demand(fabs(link.bandwidth / bandwidth - 1) < 1e-12);
	waited = NULL;
}

static void rates_are_those_of_whole_bursts(void)
{
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 16, NULL, 0);
	struct equant_transfer *transfer = make(network);

	run_and_see(transfer, in_bursts, 2, 8);
	demand_equal(0, equant_transfer_free(transfer));
	equant_redist_network_free(network);
}

/* 13 pieces of a second and 18 of two; then 4 bytes per second, which is less by a quarter only. */
static void a_link_that_changed_is_looked_at_again_once(void)
{
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 8, NULL, 0);
	struct equant_transfer *transfer = make(network);

	run_and_see(transfer, slower, 2, 31 * 8 / 49.);
	run_and_see(transfer, slow, 2, 4);
	run_and_see(transfer, varied, 0, 4);
	demand_equal(0, equant_transfer_free(transfer));
	equant_redist_network_free(network);
}

/* Of a port that is shared one message may get somewhat less at any time. */
static void what_ports_leave_is_not_looked_at_more_closely(void)
{
	struct equant_redist_network *network = network_of_ports(4, 16);
	struct equant_transfer *transfer = make(network);

	run_and_see(transfer, faster, 2, 8);
	run_and_see(transfer, hardly_slower, 0, 8);
	demand_equal(0, equant_transfer_free(transfer));
	equant_redist_network_free(network);
}

#define MANY ((int64_t)1 << 21)

/* The only link that is used turns out to be slow, and what goes another way has no room there. */
static void a_plan_that_is_too_large_is_not_taken(void)
{
	static const int64_t stride[] = { 1 };
	static const int receivers[] = { 1 };
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 1e12, NULL, 0);
	const struct equant_redist_array array = { .dimensions = 1,
						   .extent = { MANY },
						   .from = { { MANY, 1, 0, 0 } },
						   .to = { { MANY, 1, 0, 0 } } };
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .receivers = receivers,
						   .network = network,
						   .router = "relay",
						   .memory = 1 << 21,
						   .node = EQUANT_TRANSFER_NODE_MESSAGES };
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, &array, sizeof(double), &options);
	double *from = calloc(MANY, sizeof(double)), *to = calloc(MANY, sizeof(double));
	int error, changed, refused;

	demand(transfer && from && to);
	for (int64_t i = 0; i < MANY && !rank; i++)
		from[i] = (double)i;
	for (int i = 0; i < 3; i++) {
		demand_equal(0, equant_transfer_run(transfer, stride, from, stride, to));
		error = equant_transfer_refresh(transfer, &changed);
		refused = error == -ENOBUFS;
		demand(refused || error == -ECANCELED);
		MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		demand(refused > 0);
	}
	for (int64_t i = 0; i < MANY && rank == 1; i++)
		demand(to[i] == (double)i);
	demand_equal(0, equant_transfer_free(transfer));
	equant_redist_network_free(network);
	free(from);
	free(to);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(a_port_is_shared),
		CASE(collectives_fail),
		CASE(rates_are_those_of_whole_bursts),
		CASE(a_link_that_changed_is_looked_at_again_once),
		CASE(what_ports_leave_is_not_looked_at_more_closely),
		CASE(a_plan_that_is_too_large_is_not_taken)
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
