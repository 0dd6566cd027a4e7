// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What messages take in a network, and what all of them take at least.
 *
 * The paper's bound is that of ranks that send and receive one message at a time.  Where several
 * are under way at once, three things are left that cannot be had faster: the slowest message, and
 * for each host what leaves by its port and what comes in, by the port's capacity.
 *
 * Source: Bhat, Prasanna, Raghavendra, sections 3 and 4.2; ports are an addition.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/ports.h"

/* The ports that a message from @from to @to goes through: NULL where there are none. */
static void ports(const struct equant_redist_network *network, int from, int to,
		  const struct equant_redist_host **out, const struct equant_redist_host **in)
{
	int a = network->places[from], b = network->places[to];

	*out = a >= 0 && a != b ? &network->host[a] : NULL;
	*in = b >= 0 && a != b ? &network->host[b] : NULL;
}

double equant_redist_network_through(const struct equant_redist_network *network, int from, int to,
				     double bandwidth)
{
	const struct equant_redist_host *out, *in;

	ports(network, from, to, &out, &in);
	if (out)
		bandwidth = fmin(bandwidth, out->send);
	return in ? fmin(bandwidth, in->receive) : bandwidth;
}

static struct equant_redist_message price(const struct equant_redist_network *network,
					  const struct equant_redist_volume *volume)
{
	struct equant_redist_link link =
		equant_redist_network_link(network, volume->from, volume->to);

	link.bandwidth =
		equant_redist_network_through(network, volume->from, volume->to, link.bandwidth);
	return (struct equant_redist_message){ volume->from, volume->to, link.startup,
					       (double)volume->bytes / link.bandwidth };
}

static int check(const struct equant_redist_network *network,
		 const struct equant_redist_volume *volume, char *why, size_t why_size)
{
	if (volume->from < 0 || volume->from >= network->ranks || volume->to < 0 ||
	    volume->to >= network->ranks)
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "a message from rank %d to rank %d of %d", volume->from,
					    volume->to, network->ranks);
	if (volume->bytes < 0)
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "the message from rank %d to rank %d has %lld bytes",
					    volume->from, volume->to, (long long)volume->bytes);
	return 0;
}

static int by_ranks(const void *a, const void *b)
{
	const struct equant_redist_volume *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

struct equant_redist_volume *equant_redist_in_order(int64_t count,
						    const struct equant_redist_volume *volumes)
{
	struct equant_redist_volume *sorted = calloc((size_t)count + 1, sizeof(*sorted));

	if (sorted && count) {
		memcpy(sorted, volumes, (size_t)count * sizeof(*sorted));
		qsort(sorted, (size_t)count, sizeof(*sorted), by_ranks);
	}
	return sorted;
}

struct equant_redist_costs *equant_redist_network_price(const struct equant_redist_network *network,
							int64_t count,
							const struct equant_redist_volume *volumes,
							char *why, size_t why_size)
{
	struct equant_redist_message *messages =
		calloc((size_t)equant_redist_max(count, 0) + 1, sizeof(*messages));
	struct equant_redist_costs *costs = NULL;
	int error = messages ? 0 : -ENOMEM;

	for (int64_t k = 0; k < count && !error; k++) {
		error = check(network, &volumes[k], why, why_size);
		if (!error)
			messages[k] = price(network, &volumes[k]);
	}
	if (error)
		errno = -error;
	else
		costs = equant_redist_costs_new(network->ranks, count, messages, why, why_size);
	free(messages);
	return costs;
}

/* Where a port is full when its ranks use it at once, the costs know of that.  0 or -ENOMEM. */
static int look_at_ports(struct equant_redist_costs *costs,
			 const struct equant_redist_network *network,
			 const struct equant_redist_volume *volumes)
{
	struct equant_redist_crowd crowd;
	int error = equant_redist_crowd_init(&crowd, network, costs->count, volumes);

	if (!error && crowd.full) {
		costs->network = equant_redist_network_copy(network);
		costs->volumes = equant_redist_in_order(costs->count, volumes);
		error = costs->network && costs->volumes ? 0 : -ENOMEM;
	}
	equant_redist_crowd_release(&crowd);
	return error;
}

struct equant_redist_costs *equant_redist_network_costs(const struct equant_redist_network *network,
							int64_t count,
							const struct equant_redist_volume *volumes,
							char *why, size_t why_size)
{
	struct equant_redist_costs *costs =
		equant_redist_network_price(network, count, volumes, why, why_size);
	int error = costs && network->hosts ? look_at_ports(costs, network, volumes) : 0;

	if (!error)
		return costs;
	equant_redist_costs_free(costs);
	errno = -error;
	return NULL;
}

/* The time of the busiest port; NaN if out of memory. */
static double port_bound(const struct equant_redist_network *network, int64_t count,
			 const struct equant_redist_volume *volumes)
{
	size_t hosts = (size_t)network->hosts;
	double *sent = calloc(2 * hosts + 1, sizeof(*sent)), *received = sent + hosts, most = 0;

	if (!sent)
		return NAN;
	for (int64_t k = 0; k < count; k++) {
		const struct equant_redist_host *out, *in;

		ports(network, volumes[k].from, volumes[k].to, &out, &in);
		if (out)
			sent[out - network->host] += (double)volumes[k].bytes;
		if (in)
			received[in - network->host] += (double)volumes[k].bytes;
	}
	for (size_t h = 0; h < hosts; h++)
		most = fmax(most, fmax(sent[h] / network->host[h].send,
				       received[h] / network->host[h].receive));
	free(sent);
	return most;
}

static double slowest(const struct equant_redist_costs *costs)
{
	double most = 0;

	for (int64_t k = 0; k < costs->count; k++)
		most = fmax(most, equant_redist_time(&costs->messages[k]));
	return most;
}

double equant_redist_network_bound(const struct equant_redist_network *network, int64_t count,
				   const struct equant_redist_volume *volumes, bool one_port)
{
	struct equant_redist_costs *costs =
		equant_redist_network_price(network, count, volumes, NULL, 0);
	double ranks, port;

	if (!costs)
		return NAN;
	/* fmax() would take NaN for nothing. */
	ranks = one_port ? equant_redist_bound(costs) : slowest(costs);
	port = port_bound(network, count, volumes);
	equant_redist_costs_free(costs);
	return isnan(ranks) || isnan(port) ? NAN : fmax(ranks, port);
}
