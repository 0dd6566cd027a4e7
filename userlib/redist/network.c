// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What is between the ranks: a start-up T and a bandwidth B for each ordered pair, as in the paper,
 * and past it a port for each host, through which all that its ranks have for other hosts
 * goes.  Links are stored where they differ from the usual one, so that a network of thousands of
 * ranks that are alike is small.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 3.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/redist_internal.h"

static int check_link(const struct equant_redist_link *link, char *why, size_t why_size)
{
	if (!isfinite(link->startup) || link->startup < 0)
		return equant_redist_refuse(
			-EINVAL, why, why_size,
			"a start-up of %g s, finite and not negative it must be", link->startup);
	if (!(link->bandwidth > 0))
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "a bandwidth of %g bytes/s, above 0 it must be",
					    link->bandwidth);
	return 0;
}

static bool is_rank(const struct equant_redist_network *network, int rank)
{
	return rank >= 0 && rank < network->ranks;
}

static struct equant_redist_network *make(int ranks)
{
	struct equant_redist_network *network = calloc(1, sizeof(*network));

	if (!network)
		return NULL;
	network->ranks = ranks;
	network->places = reallocarray(NULL, (size_t)ranks, sizeof(*network->places));
	if (!network->places) {
		free(network);
		return NULL;
	}
	for (int i = 0; i < ranks; i++)
		network->places[i] = -1;
	return network;
}

struct equant_redist_network *equant_redist_network_new(int ranks, double startup, double bandwidth,
							char *why, size_t why_size)
{
	struct equant_redist_link usual = { .startup = startup, .bandwidth = bandwidth };
	struct equant_redist_network *network;
	int error = check_link(&usual, why, why_size);

	if (!error)
		error = equant_redist_check_ranks(ranks, why, why_size);
	if (error) {
		errno = -error;
		return NULL;
	}
	network = make(ranks);
	if (network)
		network->usual = usual;
	return network;
}

void equant_redist_network_free(struct equant_redist_network *network)
{
	if (network) {
		free(network->links);
		free(network->host);
		free(network->places);
	}
	free(network);
}

/* ---- links ------------------------------------------------------------------------------ */

/* The first link that is not before @from and @to. */
static int64_t find(const struct equant_redist_network *network, int from, int to)
{
	int64_t low = 0, high = network->count;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		const struct equant_redist_link *link = &network->links[middle];

		if (link->from < from || (link->from == from && link->to < to))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_link(const struct equant_redist_network *network, int64_t at, int from, int to)
{
	return at < network->count && network->links[at].from == from &&
	       network->links[at].to == to;
}

static int make_room(struct equant_redist_network *network)
{
	int64_t room = equant_redist_max(2 * network->room, 16);
	struct equant_redist_link *more;

	if (network->count < network->room)
		return 0;
	more = reallocarray(network->links, (size_t)room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	network->links = more;
	network->room = room;
	return 0;
}

int equant_redist_network_add(struct equant_redist_network *network,
			      const struct equant_redist_link *link)
{
	if (make_room(network))
		return -ENOMEM;
	network->links[network->count++] = *link;
	return 0;
}

static int compare_links(const struct equant_redist_link *a, const struct equant_redist_link *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to == b->to ? 0 : a->to < b->to ? -1 : 1;
}

static int compare_any(const void *a, const void *b)
{
	return compare_links(a, b);
}

void equant_redist_network_sort(struct equant_redist_network *network)
{
	if (network->count)
		qsort(network->links, (size_t)network->count, sizeof(*network->links), compare_any);
}

const struct equant_redist_link *
equant_redist_network_twice(const struct equant_redist_network *network)
{
	for (int64_t i = 1; i < network->count; i++)
		if (!compare_links(&network->links[i - 1], &network->links[i]))
			return &network->links[i];
	return NULL;
}

int equant_redist_network_set(struct equant_redist_network *network,
			      const struct equant_redist_link *link, char *why, size_t why_size)
{
	int64_t at;

	if (!is_rank(network, link->from) || !is_rank(network, link->to))
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "a link from rank %d to rank %d of %d", link->from,
					    link->to, network->ranks);
	if (check_link(link, why, why_size))
		return -EINVAL;
	at = find(network, link->from, link->to);
	if (!is_link(network, at, link->from, link->to)) {
		if (make_room(network))
			return -ENOMEM;
		memmove(&network->links[at + 1], &network->links[at],
			(size_t)(network->count++ - at) * sizeof(*link));
	}
	network->links[at] = *link;
	return 0;
}

struct equant_redist_link equant_redist_network_link(const struct equant_redist_network *network,
						     int from, int to)
{
	int64_t at = find(network, from, to);
	struct equant_redist_link link = network->usual;

	if (is_link(network, at, from, to))
		return network->links[at];
	link.from = from;
	link.to = to;
	return link;
}

/* ---- hosts ------------------------------------------------------------------------------ */

int equant_redist_network_host(struct equant_redist_network *network,
			       const struct equant_redist_host *host, char *why, size_t why_size)
{
	struct equant_redist_host *more;

	if (!(host->send > 0) || !(host->receive > 0))
		return equant_redist_refuse(
			-EINVAL, why, why_size,
			"a host that sends %g and receives %g bytes/s, above 0 they must be",
			host->send, host->receive);
	more = reallocarray(network->host, (size_t)network->hosts + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	network->host = more;
	network->host[network->hosts] = *host;
	return network->hosts++;
}

int equant_redist_network_place(struct equant_redist_network *network, int rank, int host,
				char *why, size_t why_size)
{
	if (!is_rank(network, rank))
		return equant_redist_refuse(-EINVAL, why, why_size, "rank %d of %d", rank,
					    network->ranks);
	if (host < 0 || host >= network->hosts)
		return equant_redist_refuse(-EINVAL, why, why_size, "host %d of %d", host,
					    network->hosts);
	if (network->places[rank] >= 0 && network->places[rank] != host)
		return equant_redist_refuse(-EEXIST, why, why_size, "rank %d is on another host",
					    rank);
	network->places[rank] = host;
	return 0;
}

/* ---- copies ------------------------------------------------------------------------------ */

struct equant_redist_network *
equant_redist_network_copy(const struct equant_redist_network *network)
{
	struct equant_redist_network *copy = make(network->ranks);
	size_t count = (size_t)network->count, hosts = (size_t)network->hosts;

	if (!copy)
		return NULL;
	copy->usual = network->usual;
	copy->links = reallocarray(NULL, count + 1, sizeof(*copy->links));
	copy->host = reallocarray(NULL, hosts + 1, sizeof(*copy->host));
	if (!copy->links || !copy->host) {
		equant_redist_network_free(copy);
		return NULL;
	}
	copy->count = copy->room = network->count;
	copy->hosts = network->hosts;
	if (count)
		memcpy(copy->links, network->links, count * sizeof(*copy->links));
	if (hosts)
		memcpy(copy->host, network->host, hosts * sizeof(*copy->host));
	memcpy(copy->places, network->places, (size_t)network->ranks * sizeof(*copy->places));
	return copy;
}
