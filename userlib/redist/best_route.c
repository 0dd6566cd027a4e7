// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which way to take: combining where start-ups decide, relaying where a thin link does, and neither
 * where it does not help.  What takes the least time is taken; where that is the same, what has the
 * fewest detours: a relayed route goes straight unless relays make it shorter.
 *
 * The shortest is planned whatever that takes.  For the best planning counts, as in best.c: what
 * another way can save at most is the difference to what no route is faster than, and it is planned
 * only if that takes less.  Where routes have to be simulated (route_time.c) the straight one is taken
 * to be as slow as it can be until that pays.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "redist/planning.h"
#include "redist/route.h"

/* ---- what no route can be faster than ------------------------------------------------------- */

/**
 * struct load - of a rank in one direction
 * @bytes: that it has to send, or to receive
 * @links: that it has to other ranks which are not as usual
 * @fastest: of these
 */
struct load {
	double bytes;
	int links;
	double fastest;
};

static void add_loads(const struct equant_redist_journey *journey, struct load *loads)
{
	const struct equant_redist_network *network = journey->network;

	for (int64_t l = 0; l < network->count; l++) {
		const struct equant_redist_link *link = &network->links[l];
		struct load *ends[2] = { &loads[2 * link->from], &loads[2 * link->to + 1] };

		for (int side = 0; side < 2 && link->from != link->to; side++) {
			ends[side]->links++;
			ends[side]->fastest = fmax(ends[side]->fastest, link->bandwidth);
		}
	}
	for (int64_t k = 0; k < journey->count; k++) {
		const struct equant_redist_volume *volume = &journey->volumes[k];

		if (volume->from == volume->to)
			continue;
		loads[2 * volume->from].bytes += (double)volume->bytes;
		loads[2 * volume->to + 1].bytes += (double)volume->bytes;
	}
}

/* What leaves a host, or comes to it, goes through its port, whatever its way. */
static double port_time(const struct equant_redist_journey *journey, double *carried)
{
	const struct equant_redist_network *network = journey->network;
	double most = 0;

	for (int64_t k = 0; k < journey->count; k++) {
		const struct equant_redist_volume *volume = &journey->volumes[k];
		int from = network->places[volume->from], to = network->places[volume->to];

		if (from == to)
			continue;
		if (from >= 0)
			carried[2 * from] += (double)volume->bytes;
		if (to >= 0)
			carried[2 * to + 1] += (double)volume->bytes;
	}
	for (int h = 0; h < network->hosts; h++) {
		most = fmax(most, carried[2 * h] / network->host[h].send);
		most = fmax(most, carried[2 * h + 1] / network->host[h].receive);
	}
	return most;
}

/* A rank sends one message at a time: all that it has at its fastest link's bandwidth. */
static double rank_time(const struct equant_redist_network *network, const struct load *load)
{
	double fastest = load->fastest;

	if (load->links < network->ranks - 1)
		fastest = fmax(fastest, network->usual.bandwidth);
	return load->bytes > 0 ? load->bytes / fastest : 0;
}

double equant_redist_route_bound(const struct equant_redist_journey *journey)
{
	const struct equant_redist_network *network = journey->network;
	struct load *loads = calloc(2 * (size_t)network->ranks, sizeof(*loads));
	double *carried = calloc(2 * (size_t)network->hosts + 1, sizeof(*carried)), most = NAN;

	if (loads && carried) {
		add_loads(journey, loads);
		most = port_time(journey, carried);
		for (int i = 0; i < 2 * network->ranks; i++)
			most = fmax(most, rank_time(network, &loads[i]));
	}
	free(loads);
	free(carried);
	return most;
}

/* ---- which way ------------------------------------------------------------------------------- */

/**
 * struct choice - what is known while choosing
 * @journey: the fastest hops so far, which have been timed
 * @bound: no route is faster
 * @turn: seconds that it takes to improve the order of a first step once more
 * @weighing: seconds that it takes to time a route besides
 * @simulated: are all but the first route simulated?
 */
struct choice {
	struct equant_redist_journey *journey;
	double bound;
	double turn;
	double weighing;
	bool simulated;
};

static double gain(const struct choice *choice)
{
	return choice->journey->time - choice->bound;
}

/* Another way instead of the one so far, if it is shorter. */
static int try(struct choice *choice, int (*fill)(struct equant_redist_journey *journey))
{
	struct equant_redist_journey *journey = choice->journey, other = *journey;
	int error;

	other.hops = NULL;
	other.hop_count = other.room = 0;
	other.time = NAN;
	error = fill(&other);
	if (!error && (other.hop_count || !journey->hop_count))
		return equant_redist_take_shorter(journey, &other);
	free(other.hops);
	return error;
}

static int begin(struct choice *choice)
{
	struct equant_redist_journey *journey = choice->journey;
	struct equant_redist_costs *costs = equant_redist_network_costs(
		journey->network, journey->count, journey->volumes, NULL, 0);

	if (!costs)
		return -errno;
	choice->turn = equant_redist_planning_pass(costs->count);
	choice->weighing = equant_redist_planning_legs(costs->count);
	if (costs->network) {
		double replay = equant_redist_planning_replay(costs->ranks, costs->count);

		choice->weighing += replay;
		choice->turn += replay;
		choice->simulated = true;
	}
	equant_redist_costs_free(costs);
	choice->bound = equant_redist_route_bound(journey);
	if (isnan(choice->bound))
		return -ENOMEM;
	journey->turns = 1;
	if (choice->simulated)
		journey->turns = 0;
	return equant_redist_straight(journey);
}

/* All of the turns that pay, for the straight way and for those that are tried beside it. */
static int improve(struct choice *choice)
{
	struct equant_redist_journey *journey = choice->journey;
	int error = equant_redist_time_journey(journey);
	double once = choice->turn + choice->weighing;

	if (choice->simulated)
		once += equant_redist_planning_direct(journey->network->ranks, journey->count) +
			choice->turn;
	if (error || gain(choice) < once + choice->turn)
		return error;
	journey->turns = fmin((gain(choice) - once) / choice->turn, EQUANT_REDIST_TURNS);
	return try(choice, equant_redist_straight);
}

static int relay(struct choice *choice)
{
	struct equant_redist_journey *journey = choice->journey;
	int ranks = journey->network->ranks;
	double planning = equant_redist_planning_relay(ranks, journey->count, 0) +
			  journey->turns * choice->turn + choice->weighing;
	double look = equant_redist_planning_relay(ranks, journey->count, 1) -
		      equant_redist_planning_relay(ranks, journey->count, 0);

	if (!(gain(choice) > planning))
		return 0;
	journey->looks = (gain(choice) - planning) / look;
	return try(choice, equant_redist_relay_parts);
}

static int combine(struct choice *choice)
{
	const struct equant_redist_journey *journey = choice->journey;
	double planning = equant_redist_planning_combine(journey->network->ranks, journey->count) +
			  choice->weighing;

	return gain(choice) > planning ? try(choice, equant_redist_combine) : 0;
}

int equant_redist_best_route(struct equant_redist_journey *journey)
{
	struct choice choice = { .journey = journey };
	int error = begin(&choice);

	if (!error)
		error = improve(&choice);
	/* Nobody knows what these would be compared with. */
	if (error || journey->turns < 1)
		return error;
	error = relay(&choice);
	return error ? error : combine(&choice);
}

int equant_redist_shortest_route(struct equant_redist_journey *journey)
{
	struct choice choice = { .journey = journey };
	int error = equant_redist_straight(journey);

	if (!error)
		error = try(&choice, equant_redist_relay_parts);
	return error ? error : try(&choice, equant_redist_combine);
}
