// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Networks by chance: each ordered pair of ranks has its own bandwidth.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 5, step 1.
 */
#include <errno.h>

#include "core/draw.h"
#include "redist/redist_internal.h"

static int fill(struct equant_redist_network *network, double slowest, double fastest,
		uint64_t seed)
{
	double mean = (slowest + fastest) / 2, spread = (fastest - slowest) / (fastest + slowest);
	struct equant_redist_link link = network->usual;
	int error = 0;

	for (link.from = 0; link.from < network->ranks; link.from++) {
		for (link.to = 0; link.to < network->ranks && !error; link.to++) {
			link.bandwidth = equant_draw(&seed, mean, spread);
			error = equant_redist_network_set(network, &link, NULL, 0);
		}
	}
	return error;
}

struct equant_redist_network *equant_redist_network_random(int ranks, double startup,
							   double slowest, double fastest,
							   uint64_t seed, char *why,
							   size_t why_size)
{
	struct equant_redist_network *network;
	int error = 0;

	if (!(slowest > 0 && fastest >= slowest && fastest <= 1e300))
		error = equant_redist_refuse(-EINVAL, why, why_size,
					     "bandwidths from %g to %g bytes/s", slowest, fastest);
	if (error) {
		errno = -error;
		return NULL;
	}
	network = equant_redist_network_new(ranks, startup, slowest, why, why_size);
	if (!network)
		return NULL;
	error = fill(network, slowest, fastest, seed);
	if (!error)
		return network;
	equant_redist_network_free(network);
	errno = -error;
	return NULL;
}
