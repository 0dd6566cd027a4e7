// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Networks for redistributions, measured on the ranks of this job, by hand and by the transfers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/transfer.h>

#include "libworker.h"

#define SECONDS 0.3

static struct equant_redist_network *measured(MPI_Comm comm)
{
	struct equant_redist_network *network;

	demand_equal(0, equant_calibrate_network(comm, SECONDS, &network));
	demand(network != NULL);
	return network;
}

static void demand_same_double(double value)
{
	long bits;

	memcpy(&bits, &value, sizeof(bits));
	demand_same(bits);
}

/* Schedules are made on all ranks: they are the same only if this is. */
static void every_rank_has_the_same_network(void)
{
	struct equant_redist_network *network = measured(MPI_COMM_WORLD);

	demand_equal(ranks, network->ranks);
	for (int i = 0; i < ranks; i++)
		for (int j = 0; j < ranks; j++) {
			struct equant_redist_link link = equant_redist_network_link(network, i, j);

			demand_same_double(link.startup);
			demand_same_double(link.bandwidth);
			/* A copy in memory takes less than a second per byte, and more than 0. */
			demand(link.startup >= 0 && link.startup < 1);
			demand(ranks == 1 || (link.bandwidth > 1e6 && link.bandwidth < 1e12));
		}
	/* One host has no port that anything goes through. */
	demand_equal(0, network->hosts);
	equant_redist_network_free(network);
}

/* Of ranks in another order, and of some of them. */
static void any_communicator_is_measured(void)
{
	struct equant_redist_network *network;
	MPI_Comm half;
	int size;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_size(half, &size);
	network = measured(half);
	demand_equal(size, network->ranks);
	equant_redist_network_free(network);
	MPI_Comm_free(&half);
}

static void refused(MPI_Comm comm, double seconds, int error)
{
	struct equant_redist_network *network = (void *)&error;

	demand_equal(error, equant_calibrate_network(comm, seconds, &network));
	demand(!network);
}

static void bad_arguments_are_refused_on_all_ranks(void)
{
	int last = rank == ranks - 1;

	refused(MPI_COMM_WORLD, -1, -EINVAL);
	refused(MPI_COMM_WORLD, 1e-3, -EINVAL);
	refused(MPI_COMM_NULL, 1, -EINVAL);
	refused(MPI_COMM_WORLD, last ? NAN : SECONDS, last ? -EINVAL : -ECANCELED);
	demand_equal(last ? -EINVAL : -ECANCELED,
		     equant_calibrate_network(MPI_COMM_WORLD, SECONDS,
					      last ? NULL :
						     &(struct equant_redist_network *){ 0 }));
	if (ranks > 1)
		refused(MPI_COMM_WORLD, last ? 2 * SECONDS : SECONDS, -EINVAL);
}

/* ---- what transfers see of it ------------------------------------------------------------ */

#define ELEMENTS 100000

static const int64_t stride[1] = { 1 };

static int64_t place(const struct equant_redist_cyclic *cyclic, int64_t k)
{
	return (k / cyclic->block * ranks + rank) * cyclic->block + k % cyclic->block;
}

static void demand_right(struct equant_transfer *transfer, const struct equant_redist_array *array)
{
	int64_t out = equant_redist_local(ELEMENTS, array->from, rank);
	int64_t in = equant_redist_local(ELEMENTS, array->to, rank);
	int64_t *a = calloc((size_t)out + 1, sizeof(*a)), *b = calloc((size_t)in + 1, sizeof(*b));

	demand(a && b);
	for (int64_t k = 0; k < out; k++)
		a[k] = place(array->from, k);
	demand_equal(0, equant_transfer_run(transfer, stride, a, stride, b));
	for (int64_t k = 0; k < in; k++)
		demand_equal(place(array->to, k), b[k]);
	free(a);
	free(b);
}

static struct equant_redist_array all_to_all(void)
{
	return (struct equant_redist_array){
		.dimensions = 1,
		.extent = { ELEMENTS },
		.from = { { 1, ranks, 0, 0 } },
		.to = { { 7, ranks, 0, 0 } },
	};
}

/* A thousand bytes per second is not what there is. */
static struct equant_transfer *by_a_wrong_network(const struct equant_redist_array *array,
						  const char *router)
{
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 1e3, NULL, 0);
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .network = network,
						   .scheduler = router ? NULL : "preemptive",
						   .router = router,
						   .largest = 500,
						   .node = EQUANT_TRANSFER_NODE_MESSAGES };
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, array, sizeof(int64_t), &options);

	demand(transfer != NULL);
	/* Its own copy is what changes. */
	equant_redist_network_free(network);
	return transfer;
}

static void transfers_learn_what_the_network_is(void)
{
	const struct equant_redist_array array = all_to_all();
	struct equant_transfer *transfer = by_a_wrong_network(&array, NULL);
	const struct equant_redist_network *network;
	double before = equant_transfer_schedule(transfer)->makespan;
	int changed = -1;

	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	demand_equal(0, changed);
	demand_right(transfer, &array);
	demand(equant_transfer_schedule(transfer)->makespan == before);
	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	demand_same(changed);
	demand(ranks == 1 || equant_transfer_schedule(transfer)->makespan < before / 10);
	network = equant_transfer_network(transfer);
	for (int i = 0; i < ranks; i++)
		for (int j = 0; j < ranks; j++) {
			double bandwidth = equant_redist_network_link(network, i, j).bandwidth;

			demand_same_double(bandwidth);
			demand(i == j || bandwidth > 1e4);
		}
	demand_equal(ranks * (ranks - 1), changed);
	demand_right(transfer, &array);
	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	demand_right(transfer, &array);
	demand_equal(0, equant_transfer_free(transfer));
}

static void routed_transfers_learn_and_have_no_file(void)
{
	const struct equant_redist_array array = all_to_all();
	struct equant_transfer *transfer = by_a_wrong_network(&array, "relay");
	double before = equant_transfer_schedule(transfer)->makespan;
	int changed;

	demand_equal(ranks * (ranks - 1), equant_transfer_schedule(transfer)->count);
	demand_right(transfer, &array);
	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	demand_equal(ranks * (ranks - 1), changed);
	demand(ranks == 1 || equant_transfer_schedule(transfer)->makespan < before / 10);
	demand_right(transfer, &array);
	demand_equal(0, equant_transfer_free(transfer));
}

/* A link of a tenth: parts of its messages go over the other ranks, which need memory for them. */
static void thin_links_are_relieved(void)
{
	const struct equant_redist_array array = all_to_all();
	const struct equant_redist_link thin = { 0, ranks - 1, 0, 1e2 };
	struct equant_redist_network *network = equant_redist_network_new(ranks, 0, 1e3, NULL, 0);
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .network = network,
						   .router = "relay",
						   .window = 3,
						   .largest = 5000 };
	struct equant_transfer *transfer;

	demand_equal(0, equant_redist_network_set(network, &thin, NULL, 0));
	transfer = equant_transfer_new(MPI_COMM_WORLD, &array, sizeof(int64_t), &options);
	demand(transfer != NULL);
	demand(equant_transfer_schedule(transfer)->count > ranks * (ranks - 1));
	demand_right(transfer, &array);
	demand_right(transfer, &array);
	demand_equal(0, equant_transfer_free(transfer));

	/* Enough for a piece each way, and not for what is sent on. */
	options.memory = 2 * options.largest + 100;
	errno = 0;
	demand(!equant_transfer_new(MPI_COMM_WORLD, &array, sizeof(int64_t), &options));
	demand(errno == ENOBUFS || errno == ECANCELED);
	equant_redist_network_free(network);
}

static void only_a_transfer_with_a_network_learns(void)
{
	const struct equant_redist_array array = { .dimensions = 1,
						   .from = { { 1, 1, 0, 0 } },
						   .to = { { 1, 1, 0, 0 } } };
	struct equant_transfer *transfer = equant_transfer_new(MPI_COMM_WORLD, &array, 1, NULL);
	int changed;

	demand(transfer != NULL);
	demand(!equant_transfer_network(transfer));
	demand_equal(-EINVAL, equant_transfer_refresh(transfer, &changed));
	demand_equal(0, equant_transfer_free(transfer));
	transfer = by_a_wrong_network(&array, NULL);
	demand_equal(rank ? -ECANCELED : -EINVAL,
		     equant_transfer_refresh(transfer, rank ? &changed : NULL));
	demand_equal(0, equant_transfer_refresh(transfer, &changed));
	demand_equal(0, equant_transfer_free(transfer));
}

/* Less than a megabyte is no second: the best does not split anything to save some. */
static void without_a_network_bytes_are_no_seconds(void)
{
	static const char *const schedulers[] = { "greedy", "best", "preemptive" };
	const struct equant_redist_array array = all_to_all();

	for (int i = 0; i < 3; i++) {
		struct equant_transfer_options options = { .sz = sizeof(options),
							   .scheduler = schedulers[i] };
		struct equant_transfer *transfer =
			equant_transfer_new(MPI_COMM_WORLD, &array, sizeof(int64_t), &options);
		const struct equant_redist_schedule *schedule;

		demand(transfer != NULL);
		schedule = equant_transfer_schedule(transfer);
		demand(i == 2 || schedule->count == ranks * (ranks - 1));
		demand(ranks == 1 || schedule->makespan > 1e-6);
		demand(schedule->makespan < 0.01);
		demand_right(transfer, &array);
		demand_equal(0, equant_transfer_free(transfer));
	}
}

static void all_of_it(void)
{
	without_a_network_bytes_are_no_seconds();
	transfers_learn_what_the_network_is();
	routed_transfers_learn_and_have_no_file();
	if (ranks > 1)
		thin_links_are_relieved();
	only_a_transfer_with_a_network_learns();
	every_rank_has_the_same_network();
	any_communicator_is_measured();
	bad_arguments_are_refused_on_all_ranks();
}

int main(int argc, char **argv)
{
	/* It is jobs that take time. */
	static const struct worker_case cases[] = { CASE(all_of_it) };

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
