// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The network between some of the ranks, as those of a communicator that is not of all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redist/redist_internal.h"

/* Which of the part each rank is, or -1.  0 or -EINVAL. */
static int number(const struct equant_redist_network *network, int count, const int *ranks,
		  int *numbers, char *why, size_t why_size)
{
	for (int i = 0; i < network->ranks; i++)
		numbers[i] = -1;
	for (int i = 0; i < count; i++) {
		if (ranks[i] < 0 || ranks[i] >= network->ranks)
			return equant_redist_refuse(-EINVAL, why, why_size, "rank %d of %d",
						    ranks[i], network->ranks);
		if (numbers[ranks[i]] >= 0)
			return equant_redist_refuse(-EINVAL, why, why_size, "rank %d twice",
						    ranks[i]);
		numbers[ranks[i]] = i;
	}
	return 0;
}

static int copy_links(struct equant_redist_network *part,
		      const struct equant_redist_network *network, const int *numbers)
{
	int error = 0;

	for (int64_t i = 0; i < network->count && !error; i++) {
		struct equant_redist_link link = network->links[i];

		link.from = numbers[link.from];
		link.to = numbers[link.to];
		if (link.from >= 0 && link.to >= 0)
			error = equant_redist_network_add(part, &link);
	}
	equant_redist_network_sort(part);
	return error;
}

/* All of them, so that they keep their numbers. */
static int copy_hosts(struct equant_redist_network *part,
		      const struct equant_redist_network *network, const int *ranks)
{
	for (int h = 0; h < network->hosts; h++)
		if (equant_redist_network_host(part, &network->host[h], NULL, 0) < 0)
			return -ENOMEM;
	for (int i = 0; i < part->ranks; i++)
		part->places[i] = network->places[ranks[i]];
	return 0;
}

struct equant_redist_network *
equant_redist_network_part(const struct equant_redist_network *network, int count, const int *ranks,
			   char *why, size_t why_size)
{
	struct equant_redist_network *part = equant_redist_network_new(
		count, network->usual.startup, network->usual.bandwidth, why, why_size);
	int *numbers, error;

	if (!part)
		return NULL;
	numbers = reallocarray(NULL, (size_t)network->ranks, sizeof(*numbers));
	error = numbers ? number(network, count, ranks, numbers, why, why_size) : -ENOMEM;
	if (!error)
		error = copy_links(part, network, numbers);
	if (!error)
		error = copy_hosts(part, network, ranks);
	free(numbers);
	if (!error)
		return part;
	equant_redist_network_free(part);
	errno = -error;
	return NULL;
}
