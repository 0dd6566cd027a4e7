// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Networks for redistributions, measured on the ranks of this job. */
#include <errno.h>
#include <math.h>
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

static void all_of_it(void)
{
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
