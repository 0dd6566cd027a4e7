// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The schedule of a transfer: what who has for whom takes in the network that there is. */
#include <errno.h>
#include <stdlib.h>

#include "core/message.h"
#include "engine/transfer_internal.h"

/*
 * What links are taken to be where no network says it, all of them: schedulers weigh seconds, of
 * messages, start-ups and planning, so bytes have to become some.  About what ranks of a node have.
 */
#define STARTUP 1e-6 /* seconds */
#define BANDWIDTH 1e9 /* bytes per second */

static int make_schedule(struct equant_transfer *transfer, const char *scheduler,
			 const struct equant_redist_network *network, int64_t count,
			 const struct equant_redist_volume *volumes, char *why, size_t why_size)
{
	struct equant_redist_costs *costs =
		equant_redist_network_costs(network, count, volumes, why, why_size);
	int error;

	if (!costs)
		return -errno;
	transfer->schedule = equant_redist_schedule_new(scheduler, costs, why, why_size);
	error = transfer->schedule ? 0 : -errno;
	equant_redist_costs_free(costs);
	return error;
}

static int schedule_volumes(struct equant_transfer *transfer,
			    const struct equant_transfer_options *options, int64_t count,
			    const struct equant_redist_volume *volumes)
{
	const struct equant_redist_network *network = options->network;
	struct equant_redist_network *uniform = NULL;
	char why[200] = "";
	int error;

	if (!network && !options->router) {
		uniform = equant_redist_network_new(transfer->ranks, STARTUP, BANDWIDTH, why,
						    sizeof(why));
		network = uniform;
	}
	if (options->router)
		error = equant_transfer_route_make(transfer, options, count, volumes, why,
						   sizeof(why));
	else if (network)
		error = make_schedule(transfer, options->scheduler ? options->scheduler : "greedy",
				      network, count, volumes, why, sizeof(why));
	else
		error = -errno;
	if (why[0])
		equant_message("rank %d: %s: %s", transfer->rank, transfer->call, why);
	equant_redist_network_free(uniform);
	return error;
}

int equant_transfer_schedule_make(struct equant_transfer *transfer,
				  const struct equant_transfer_options *options)
{
	int64_t count;
	struct equant_redist_volume *volumes =
		equant_redist_volumes(&transfer->array, transfer->element, transfer->lists[0],
				      transfer->lists[1], &count);
	int error;

	if (!volumes) {
		if (errno == EOVERFLOW)
			equant_message("rank %d: %s: a message of 2^62 bytes", transfer->rank,
				       transfer->call);
		return -errno;
	}
	error = schedule_volumes(transfer, options, count, volumes);
	/* Parcels of a route are parts of them. */
	if (transfer->route)
		transfer->volumes = volumes;
	else
		free(volumes);
	return error;
}
