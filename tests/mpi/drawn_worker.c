// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Transfers drawn at random, the same ones in every job: on ranks of several nodes, between two groups
 * of which both have some ranks or none, in networks with hosts, with windows that these make, and in
 * as little memory as will do.
 */
#include <equant/transfer.h>
#include <errno.h>
#include <stdlib.h>

#include "engine/transfer_internal.h"
#include "libsetup.h"
#include "libworker.h"

#define ROUNDS 24
#define SEED 20
#define TAG 7

/**
 * struct drawn - a transfer
 * @comm: that it is made on
 * @inter: that is an intercommunicator
 * @lists: of senders and of receivers, in @comm or in its groups
 * @world: the rank in MPI_COMM_WORLD of each rank of the transfer
 */
struct drawn {
	struct setup s;
	struct equant_transfer_options options;
	MPI_Comm comm;
	bool inter;
	int lists[2][MOST];
	int world[MOST];
};

static int node_of[MOST]; /* the lowest rank of each rank's node */

static int find_nodes(void)
{
	int leader = rank, nodes = 0;
	MPI_Comm node;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Bcast(&leader, 1, MPI_INT, 0, node);
	MPI_Comm_free(&node);
	MPI_Allgather(&leader, 1, MPI_INT, node_of, 1, MPI_INT, MPI_COMM_WORLD);
	for (int r = 0; r < ranks; r++)
		nodes += node_of[r] == r;
	return nodes;
}

/* ---- groups ------------------------------------------------------------------------------- */

static void number(int *list, int count)
{
	for (int i = 0; i < count; i++)
		list[i] = i;
}

/* Senders and receivers are others, the same, or some of each: how many of either there can be. */
static int draw_ranks(struct random *random, struct drawn *d)
{
	int order[2 * MOST], most = 1 + (int)random_below(random, ranks);
	int second = (int)random_below(random, ranks - most + 1);

	d->comm = MPI_COMM_WORLD;
	number(order, ranks);
	random_order(random, order, ranks);
	number(d->world, ranks);
	if (random_below(random, 2) && ranks > 1) {
		most = ranks / 2;
		second = most;
	}
	for (int i = 0; i < most; i++) {
		d->s.senders[i] = d->lists[0][i] = order[i];
		d->s.receivers[i] = d->lists[1][i] = order[second + i];
	}
	return most;
}

/* The first ranks and the others are the groups of an intercommunicator. */
static int draw_groups(struct random *random, struct drawn *d)
{
	int first = 1 + (int)random_below(random, ranks - 1), forth = (int)random_below(random, 2);
	int counts[2] = { forth ? first : ranks - first, forth ? ranks - first : first };
	int starts[2] = { forth ? 0 : first, forth ? first : 0 };
	bool low = rank < first;
	MPI_Comm group;

	d->inter = true;
	MPI_Comm_split(MPI_COMM_WORLD, low, rank, &group);
	MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, low ? first : 0, TAG, &d->comm);
	MPI_Comm_free(&group);
	d->options.group = low == forth ? EQUANT_TRANSFER_SENDS : EQUANT_TRANSFER_RECEIVES;
	for (int side = 0; side < 2; side++) {
		int *real = side ? d->s.receivers : d->s.senders;

		number(d->lists[side], counts[side]);
		random_order(random, d->lists[side], counts[side]);
		for (int i = 0; i < counts[side]; i++) {
			real[i] = starts[side] + d->lists[side][i];
			d->world[side * counts[0] + i] = starts[side] + i;
		}
	}
	return counts[0] < counts[1] ? counts[0] : counts[1];
}

/* ---- networks ------------------------------------------------------------------------------ */

static double draw_bandwidth(struct random *random)
{
	return 1e6 * (double)(1 + random_below(random, 100));
}

/* Every link another one, and a port for each node. */
static struct equant_redist_network *draw_network(struct random *random, const int *world)
{
	struct equant_redist_network *network =
		equant_redist_network_new(ranks, 1e-5, 1e7, NULL, 0);
	int hosts[MOST];

	demand(network);
	for (int i = 0; i < ranks * ranks; i++) {
		struct equant_redist_link link = { i / ranks, i % ranks, 1e-5,
						   draw_bandwidth(random) };

		demand_equal(0, equant_redist_network_set(network, &link, NULL, 0));
	}
	for (int r = 0; r < ranks; r++) {
		struct equant_redist_host port = { draw_bandwidth(random), draw_bandwidth(random) };

		hosts[r] = node_of[r] == r ? equant_redist_network_host(network, &port, NULL, 0) :
					     hosts[node_of[r]];
	}
	for (int r = 0; r < ranks; r++)
		demand_equal(0, equant_redist_network_place(network, r, hosts[world[r]], NULL, 0));
	return network;
}

/* ---- transfers ----------------------------------------------------------------------------- */

static void draw(struct random *random, struct drawn *d)
{
	int most;

	*d = (struct drawn){ .options.sz = sizeof(d->options) };
	most = ranks > 1 && random_below(random, 2) ? draw_groups(random, d) :
						      draw_ranks(random, d);
	do
		random_array(random, &d->s.array, most);
	while (!setup_make(&d->s, random));
	d->options.senders = d->lists[0];
	d->options.receivers = d->lists[1];
	d->options.network = draw_network(random, d->world);
	d->options.largest = random_below(random, 3) ? 1 + (size_t)random_below(random, 2000) : 0;
	d->options.window = (int)random_below(random, 8);
	if (d->options.window > 3)
		d->options.window = EQUANT_TRANSFER_WINDOW_NETWORK;
	d->options.node = (enum equant_transfer_node)random_below(random, 2);
	if (random_below(random, 3))
		d->options.scheduler = equant_redist_scheduler_name((int)random_below(random, 10));
	else
		d->options.router = equant_redist_router_name((int)random_below(random, 4));
}

static struct equant_transfer *make(const struct drawn *d)
{
	struct equant_transfer *transfer =
		equant_transfer_new(d->comm, &d->s.array, d->s.element, &d->options);

	demand(transfer);
	demand_same(transfer->window);
	if (d->options.window == EQUANT_TRANSFER_WINDOW_NETWORK)
		demand_equal(equant_transfer_window(equant_transfer_schedule(transfer),
						    d->options.network),
			     transfer->window);
	return transfer;
}

/* A slot of each lane, and what is sent on. */
static size_t least_memory(const struct equant_transfer *transfer)
{
	return transfer->lanes[0].longest + transfer->lanes[1].longest + transfer->transit_size;
}

/* Some limit on each rank, down to the least; with a byte less on one there is no transfer. */
static void run_in_memory(struct drawn *d, size_t least, size_t all)
{
	struct random random = random_from(SEED + (uint64_t)rank);
	struct equant_transfer *transfer;
	int lacks, any;

	d->options.memory = least + (size_t)random_below(&random, (long)(all - least) + 1);
	transfer = make(d);
	demand(!d->options.memory || equant_transfer_memory(transfer) <= d->options.memory);
	must_run(transfer, &d->s);
	demand_equal(0, equant_transfer_free(transfer));

	lacks = rank == ranks - 1 && least > 1;
	MPI_Allreduce(&lacks, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (!any)
		return;
	d->options.memory = lacks ? least - 1 : 0;
	errno = 0;
	demand(!equant_transfer_new(d->comm, &d->s.array, d->s.element, &d->options));
	demand_equal(lacks ? ENOBUFS : ECANCELED, errno);
}

static void transfers(void)
{
	struct random random = random_from(SEED);

	demand_equal(atoi(getenv("NODES")), find_nodes());
	for (int round = 0; round < ROUNDS; round++) {
		struct equant_transfer *transfer;
		size_t least, all;
		struct drawn d;

		draw(&random, &d);
		transfer = make(&d);
		least = least_memory(transfer);
		all = equant_transfer_memory(transfer);
		must_run(transfer, &d.s);
		demand_equal(0, equant_transfer_free(transfer));
		run_in_memory(&d, least, all);
		setup_free(&d.s);
		equant_redist_network_free((struct equant_redist_network *)d.options.network);
		if (d.inter)
			MPI_Comm_free(&d.comm);
	}
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = { CASE(transfers) };

	return worker_main(argc, argv, cases, 1);
}
