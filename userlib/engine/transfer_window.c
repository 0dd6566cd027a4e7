// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How many messages a rank has under way at once, if the network is to say it: as many as the part
 * of its host's port that is its own can carry at the pace of their links, and one more, since
 * others send to the same receivers and each gets only a part of those.  Where links are what
 * limits that is everything.  The same on all ranks: the largest that any of them needs.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "engine/transfer_internal.h"

#define WINDOW_MOST 16 /* each takes memory */

/**
 * struct traffic - what a rank sends, or receives, through its host's port
 * @bandwidth: of the links, their sum
 * @pieces: how many
 */
struct traffic {
	double bandwidth;
	int64_t pieces;
};

/* What a rank may have of its host's port if all ranks there send, or receive. */
static double share_of_port(const struct equant_redist_network *network, const int *together,
			    int rank, int side)
{
	int host = network->places[rank];

	if (host < 0)
		return INFINITY;
	return (side ? network->host[host].receive : network->host[host].send) / together[host];
}

static void count_traffic(const struct equant_redist_schedule *schedule,
			  const struct equant_redist_network *network, struct traffic *traffic)
{
	for (int64_t i = 0; i < schedule->count; i++) {
		int ends[2] = { schedule->pieces[i].from, schedule->pieces[i].to };
		int host = network->places[ends[0]];

		if (host >= 0 && host == network->places[ends[1]])
			continue;
		for (int side = 0; side < 2; side++) {
			struct traffic *one = &traffic[2 * ends[side] + side];

			one->bandwidth +=
				equant_redist_network_link(network, ends[0], ends[1]).bandwidth;
			one->pieces++;
		}
	}
}

static double largest_window(const struct equant_redist_network *network,
			     const struct traffic *traffic, const int *together)
{
	double most = 1;

	for (int i = 0; i < 2 * network->ranks; i++) {
		const struct traffic *one = &traffic[i];
		double share = share_of_port(network, together, i / 2, i % 2);

		if (one->pieces && !isinf(one->bandwidth))
			most = fmax(most, 1 + ceil(share * (double)one->pieces / one->bandwidth));
	}
	return fmin(most, WINDOW_MOST);
}

int *equant_transfer_sharers(const struct equant_redist_schedule *schedule,
			     const struct equant_redist_network *network, int window)
{
	struct traffic *traffic = calloc(2 * (size_t)network->ranks, sizeof(*traffic));
	int *sharers = calloc(2 * (size_t)network->hosts + 1, sizeof(*sharers));

	if (!traffic || !sharers) {
		free(traffic);
		free(sharers);
		return NULL;
	}
	count_traffic(schedule, network, traffic);
	for (int i = 0; i < 2 * network->ranks; i++) {
		int host = network->places[i / 2];
		int64_t pieces = traffic[i].pieces;

		if (host >= 0)
			sharers[2 * host + i % 2] += pieces < window ? (int)pieces : window;
	}
	free(traffic);
	return sharers;
}

int equant_transfer_window(const struct equant_redist_schedule *schedule,
			   const struct equant_redist_network *network)
{
	struct traffic *traffic = calloc(2 * (size_t)network->ranks, sizeof(*traffic));
	int *together = calloc((size_t)network->hosts + 1, sizeof(*together));
	int window = -ENOMEM;

	if (traffic && together) {
		for (int r = 0; r < network->ranks; r++)
			if (network->places[r] >= 0)
				together[network->places[r]]++;
		count_traffic(schedule, network, traffic);
		window = (int)largest_window(network, traffic, together);
	}
	free(traffic);
	free(together);
	return window;
}
