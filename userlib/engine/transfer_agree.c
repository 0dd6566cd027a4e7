// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Before a redistribution is planned all ranks look at their own arguments and compare them: what
 * differs is an error on all of them and not a message that never comes.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare.h"
#include "core/message.h"
#include "core/mix.h"
#include "core/names.h"
#include "engine/transfer_internal.h"

/* ---- what is wrong here ------------------------------------------------------------------ */

/* Does a rank come twice? */
static int check_twice(const struct equant_transfer *transfer, const char *side, const int *list,
		       int count, int ranks)
{
	int *seen = calloc((size_t)ranks, sizeof(*seen)); /* one more than its place */
	int i = 0, other;

	if (!seen)
		return -ENOMEM;
	while (i < count && !seen[list[i]]) {
		seen[list[i]] = i + 1;
		i++;
	}
	other = i < count ? seen[list[i]] - 1 : -1;
	free(seen);
	if (other < 0)
		return 0;
	equant_message("rank %d: %s: %s %d and %d are both rank %d", transfer->rank, transfer->call,
		       side, other, i, list[i]);
	return -EINVAL;
}

static int check_ranks(const struct equant_transfer *transfer, const char *side, const int *list,
		       int count, int ranks)
{
	if (count > ranks) {
		equant_message("rank %d: %s: %d %ss and only %d ranks", transfer->rank,
			       transfer->call, count, side, ranks);
		return -EINVAL;
	}
	for (int i = 0; list && i < count; i++) {
		if (list[i] < 0 || list[i] >= ranks) {
			equant_message("rank %d: %s: %s %d is rank %d of %d", transfer->rank,
				       transfer->call, side, i, list[i], ranks);
			return -EINVAL;
		}
	}
	/* Whoever lends has looked, and ranks that have agreed already may not fail for memory alone. */
	return list && !transfer->lent ? check_twice(transfer, side, list, count, ranks) : 0;
}

int equant_transfer_check_node(const struct equant_transfer *transfer,
			       enum equant_transfer_node node)
{
	if (node == EQUANT_TRANSFER_NODE_BEST || node == EQUANT_TRANSFER_NODE_MESSAGES)
		return 0;
	equant_message("rank %d: %s: node %d is no way", transfer->rank, transfer->call, (int)node);
	return -EINVAL;
}

/* Is it one of the names that @name_of has, or none?  0 or -EINVAL after a message. */
static int check_name(const struct equant_transfer *transfer, const char *what, const char *name,
		      const char *(*name_of)(int i))
{
	char names[EQUANT_NAMES];
	const char *known;
	int i = 0;

	while (name && (known = name_of(i)) && strcmp(known, name))
		i++;
	if (!name || known)
		return 0;
	equant_message("rank %d: %s: no %s is called '%.40s'; there are%s", transfer->rank,
		       transfer->call, what, name, equant_names(names, name_of));
	return -EINVAL;
}

static int check_way(const struct equant_transfer *transfer,
		     const struct equant_transfer_options *options)
{
	int error;

	if (options->router && (!options->network || options->scheduler)) {
		equant_message("rank %d: %s: a router %s", transfer->rank, transfer->call,
			       options->network ? "and a scheduler" : "without a network");
		return -EINVAL;
	}
	error = check_name(transfer, "scheduler", options->scheduler, equant_redist_scheduler_name);
	return error ? error :
		       check_name(transfer, "router", options->router, equant_redist_router_name);
}

int equant_transfer_check_options(const struct equant_transfer *transfer,
				  const struct equant_transfer_options *options)
{
	int error;

	if (options->network && options->network->ranks != transfer->ranks) {
		equant_message("rank %d: %s: a network of %d ranks, there are %d", transfer->rank,
			       transfer->call, options->network->ranks, transfer->ranks);
		return -EINVAL;
	}
	if (options->window < EQUANT_TRANSFER_WINDOW_NETWORK ||
	    (options->window == EQUANT_TRANSFER_WINDOW_NETWORK && !options->network) ||
	    options->largest > INT_MAX) {
		equant_message("rank %d: %s: window %d, largest %zu", transfer->rank,
			       transfer->call, options->window, options->largest);
		return -EINVAL;
	}
	error = check_way(transfer, options);
	return error ? error : equant_transfer_check_node(transfer, options->node);
}

int equant_transfer_check(const struct equant_transfer *transfer,
			  const struct equant_redist_array *array, size_t element,
			  const struct equant_transfer_options *options)
{
	char why[200] = "no array, or elements of 0 bytes";
	int error = -EINVAL;

	if (array && element)
		error = equant_redist_array_check(array, why, sizeof(why));
	if (error) {
		equant_message("rank %d: %s: %s", transfer->rank, transfer->call, why);
		return error;
	}
	error = check_ranks(transfer, "sender", options->senders, equant_redist_senders(array),
			    transfer->groups[0].count);
	if (!error)
		error = check_ranks(transfer, "receiver", options->receivers,
				    equant_redist_receivers(array), transfer->groups[1].count);
	return error ? error : equant_transfer_check_options(transfer, options);
}

/* ---- what differs ------------------------------------------------------------------------ */

static uint64_t add_cyclic(uint64_t hash, const struct equant_redist_cyclic *cyclic)
{
	hash = equant_mix_word(equant_mix_word(hash, (uint64_t)cyclic->block),
			       (uint64_t)cyclic->processes);
	return equant_mix_word(equant_mix_word(hash, (uint64_t)cyclic->first),
			       (uint64_t)cyclic->offset);
}

static uint64_t add_list(uint64_t hash, const int *list, int count)
{
	for (int i = 0; i < count; i++)
		hash = equant_mix_word(hash, (uint64_t)(list ? list[i] : i));
	return hash;
}

static uint64_t add_network(uint64_t hash, const struct equant_redist_network *network)
{
	hash = equant_mix_double(equant_mix_double(hash, network->usual.startup),
				 network->usual.bandwidth);
	for (int64_t i = 0; i < network->count; i++) {
		const struct equant_redist_link *link = &network->links[i];

		hash = equant_mix_word(equant_mix_word(hash, (uint64_t)link->from),
				       (uint64_t)link->to);
		hash = equant_mix_double(equant_mix_double(hash, link->startup), link->bandwidth);
	}
	for (int h = 0; h < network->hosts; h++)
		hash = equant_mix_double(equant_mix_double(hash, network->host[h].send),
					 network->host[h].receive);
	return add_list(hash, network->places, network->ranks);
}

static uint64_t array_sum(const struct equant_redist_array *array, size_t element)
{
	uint64_t hash = equant_mix_word((uint64_t)array->dimensions, element);

	hash = equant_mix_word(equant_mix_word(hash, array->from_order), array->to_order);
	for (int d = 0; d < array->dimensions; d++) {
		hash = equant_mix_word(hash, (uint64_t)array->extent[d]);
		hash = add_cyclic(add_cyclic(hash, &array->from[d]), &array->to[d]);
	}
	return hash;
}

static uint64_t name_sum(const char *name)
{
	uint64_t hash = 0;

	for (; *name; name++)
		hash = equant_mix_word(hash, (unsigned char)*name);
	return hash;
}

int equant_transfer_agree(const struct equant_transfer *transfer,
			  const struct equant_redist_array *array, size_t element,
			  const struct equant_transfer_options *options, int error)
{
	struct equant_alike things[] = {
		{ "the array", 0 },
		{ "the list of senders", 0 },
		{ "the list of receivers", 0 },
		{ "the window", (uint64_t)options->window },
		{ "the largest piece", options->largest },
		{ "node", options->node },
		{ "the scheduler", 0 },
		{ "the router", 0 },
		{ "the network", 0 },
		{ "the number of transfers beside",
		  (uint64_t)equant_transfer_count_beside(options->beside) },
		{ "EQUANT_CHECK", transfer->limits.check },
	};

	if (!error && array) {
		things[0].sum = array_sum(array, element);
		things[1].sum = add_list(0, options->senders, equant_redist_senders(array));
		things[2].sum = add_list(0, options->receivers, equant_redist_receivers(array));
	}
	if (!error) {
		things[6].sum = name_sum(options->scheduler ? options->scheduler : "greedy");
		things[7].sum = name_sum(options->router ? options->router : "");
		things[8].sum = options->network ? add_network(1, options->network) : 0;
	}
	return equant_compare(transfer->comm, transfer->call, error, things,
			      sizeof(things) / sizeof(things[0]));
}
