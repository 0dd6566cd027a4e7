// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Data that goes by way of other ranks: what all routes have in common.
 *
 * A router says which part of which message goes from where to where in which step.  What goes
 * between the same two ranks in a step is one leg, and pays one start-up.  Legs of the first step
 * are sent in the order of the improved scheduler; of those of a later one the one goes next that
 * can begin first, and of several the longest.  A leg begins when its sender has got all that it
 * carries, and one message at a time is sent and received, as everywhere.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/route.h"

static const struct {
	const char *name;
	int (*fill)(struct equant_redist_journey *journey);
} routers[] = {
	{ "combine", equant_redist_combine },
	{ "relay", equant_redist_relay },
	{ "best", equant_redist_best_route },
};

#define ROUNDING 1e-9 /* of a time: what is less by less than that is not less */
#define ROUTERS ((int)(sizeof(routers) / sizeof(*routers)))

const char *equant_redist_router_name(int i)
{
	return i >= 0 && i < ROUTERS ? routers[i].name : NULL;
}

/* ---- hops ------------------------------------------------------------------------------- */

int equant_redist_add_hop(struct equant_redist_journey *journey, int step, int from, int to,
			  struct equant_redist_parcel parcel)
{
	if (journey->hop_count == journey->room) {
		int64_t room = 2 * journey->room + 64;
		struct equant_redist_hop *more =
			reallocarray(journey->hops, (size_t)room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		journey->hops = more;
		journey->room = room;
	}
	journey->hops[journey->hop_count++] = (struct equant_redist_hop){ step, from, to, parcel };
	return 0;
}

static int by_leg(const void *a, const void *b)
{
	const struct equant_redist_hop *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->parcel.volume != y->parcel.volume)
		return x->parcel.volume < y->parcel.volume ? -1 : 1;
	return x->parcel.begin < y->parcel.begin ? -1 : x->parcel.begin > y->parcel.begin;
}

double equant_redist_leg_time(const struct equant_redist_network *network, int from, int to,
			      double bytes)
{
	struct equant_redist_link link = equant_redist_network_link(network, from, to);
	int a = network->places[from], b = network->places[to];

	if (a != b && a >= 0)
		link.bandwidth = fmin(link.bandwidth, network->host[a].send);
	if (a != b && b >= 0)
		link.bandwidth = fmin(link.bandwidth, network->host[b].receive);
	return link.startup + bytes / link.bandwidth;
}

static bool same_leg(const struct equant_redist_hop *a, const struct equant_redist_hop *b)
{
	return a->step == b->step && a->from == b->from && a->to == b->to;
}

/* Hops in order become legs and their parcels. */
static int gather(const struct equant_redist_journey *journey, struct equant_redist_route *route)
{
	route->legs = calloc((size_t)journey->hop_count + 1, sizeof(*route->legs));
	route->parcels = calloc((size_t)journey->hop_count + 1, sizeof(*route->parcels));
	if (!route->legs || !route->parcels)
		return -ENOMEM;
	for (int64_t i = 0; i < journey->hop_count; i++) {
		const struct equant_redist_hop *hop = &journey->hops[i];
		struct equant_redist_leg *leg;

		if (!i || !same_leg(hop - 1, hop))
			route->legs[route->count++] = (struct equant_redist_leg){
				.step = hop->step, .from = hop->from, .to = hop->to, .first = i
			};
		leg = &route->legs[route->count - 1];
		leg->count++;
		leg->bytes += hop->parcel.bytes;
		route->parcels[i] = hop->parcel;
		route->steps = hop->step + 1;
	}
	return 0;
}

/* ---- times ------------------------------------------------------------------------------- */

/**
 * struct clocks - when who is free and what is where
 * @network: what is between the ranks
 * @route: its legs in order up to those of the current step
 * @send: when each sender is free
 * @receive: when each receiver is
 * @there: when all that a message consists of has come as far as it has, message by message
 */
struct clocks {
	const struct equant_redist_network *network;
	struct equant_redist_route *route;
	double *send;
	double *receive;
	double *there;
};

static double earliest(const struct clocks *clocks, const struct equant_redist_leg *leg)
{
	double begin = equant_redist_later(clocks->send[leg->from], clocks->receive[leg->to]);

	for (int64_t i = leg->first; i < leg->first + leg->count && leg->step; i++)
		begin = equant_redist_later(begin, clocks->there[clocks->route->parcels[i].volume]);
	return begin;
}

static void time_leg(struct clocks *clocks, struct equant_redist_leg *leg, double *arrivals)
{
	leg->begin = earliest(clocks, leg);
	leg->end = leg->begin +
		   equant_redist_leg_time(clocks->network, leg->from, leg->to, (double)leg->bytes);
	clocks->send[leg->from] = clocks->receive[leg->to] = leg->end;
	clocks->route->makespan = equant_redist_later(clocks->route->makespan, leg->end);
	for (int64_t i = leg->first; i < leg->first + leg->count; i++) {
		double *arrival = &arrivals[clocks->route->parcels[i].volume];

		*arrival = equant_redist_later(*arrival, leg->end);
	}
}

/* Which of @count legs goes next: it is put in front. */
static void choose(const struct clocks *clocks, struct equant_redist_leg *legs, int64_t count)
{
	struct equant_redist_leg chosen;
	double begin = INFINITY;
	int64_t best = 0;

	for (int64_t k = 0; k < count; k++) {
		double at = earliest(clocks, &legs[k]);

		if (at > begin || (at == begin && legs[k].bytes <= legs[best].bytes))
			continue;
		begin = at;
		best = k;
	}
	chosen = legs[best];
	memmove(legs + 1, legs, (size_t)best * sizeof(*legs));
	legs[0] = chosen;
}

/* The first step's legs in the order of a schedule. */
static int order_first(const struct clocks *clocks, struct equant_redist_leg *legs, int64_t count)
{
	struct equant_redist_message *messages = calloc((size_t)count + 1, sizeof(*messages));
	struct equant_redist_leg *ordered = calloc((size_t)count + 1, sizeof(*ordered));
	struct equant_redist_costs *costs = NULL;
	struct equant_redist_schedule *schedule = NULL;
	int error = -ENOMEM;

	for (int64_t k = 0; k < count && messages; k++)
		messages[k] = (struct equant_redist_message){
			legs[k].from, legs[k].to, 0,
			equant_redist_leg_time(clocks->network, legs[k].from, legs[k].to,
					       (double)legs[k].bytes)
		};
	if (messages && ordered)
		costs = equant_redist_costs_new(clocks->network->ranks, count, messages, NULL, 0);
	if (costs)
		schedule = equant_redist_schedule_new("improved", costs, NULL, 0);
	if (schedule) {
		for (int64_t i = 0; i < count; i++)
			ordered[i] = legs[equant_redist_message_of(costs, &schedule->pieces[i])];
		memcpy(legs, ordered, (size_t)count * sizeof(*legs));
		error = 0;
	}
	equant_redist_schedule_free(schedule);
	equant_redist_costs_free(costs);
	free(messages);
	free(ordered);
	return error;
}

/* Arrivals count from the next step on: what is sent on has come in an earlier one. */
static int time_step(struct clocks *clocks, int64_t first, int64_t count, double *arrivals)
{
	struct equant_redist_leg *legs = clocks->route->legs + first;
	int error = 0;

	memcpy(arrivals, clocks->there, (size_t)clocks->route->messages * sizeof(*arrivals));
	if (count && !legs->step)
		error = order_first(clocks, legs, count);
	for (int64_t k = 0; k < count && !error; k++) {
		if (legs->step)
			choose(clocks, legs + k, count - k);
		time_leg(clocks, &legs[k], arrivals);
	}
	memcpy(clocks->there, arrivals, (size_t)clocks->route->messages * sizeof(*arrivals));
	return error;
}

static int time_all(struct equant_redist_journey *journey, struct equant_redist_route *route)
{
	size_t ranks = (size_t)route->ranks, messages = (size_t)journey->count + 1;
	struct clocks clocks = {
		.network = journey->network,
		.route = route,
		.send = calloc(ranks, sizeof(double)),
		.receive = calloc(ranks, sizeof(double)),
		.there = calloc(messages, sizeof(double)),
	};
	double *arrivals = calloc(messages, sizeof(*arrivals));
	int error = clocks.send && clocks.receive && clocks.there && arrivals ? 0 : -ENOMEM;

	for (int64_t first = 0, end; first < route->count && !error; first = end) {
		for (end = first;
		     end < route->count && route->legs[end].step == route->legs[first].step;)
			end++;
		error = time_step(&clocks, first, end - first, arrivals);
	}
	free(clocks.send);
	free(clocks.receive);
	free(clocks.there);
	free(arrivals);
	return error;
}

int equant_redist_make_legs(struct equant_redist_journey *journey,
			    struct equant_redist_route *route)
{
	int error;

	if (journey->hop_count)
		qsort(journey->hops, (size_t)journey->hop_count, sizeof(*journey->hops), by_leg);
	error = gather(journey, route);
	return error ? error : time_all(journey, route);
}

/* What a route of these hops takes; NaN if out of memory. */
static double time_of(struct equant_redist_journey *journey)
{
	struct equant_redist_route route = { .ranks = journey->network->ranks,
					     .messages = journey->count };
	double time = equant_redist_make_legs(journey, &route) ? NAN : route.makespan;

	free(route.legs);
	free(route.parcels);
	return time;
}

int equant_redist_take_shorter(struct equant_redist_journey *journey,
			       struct equant_redist_journey *other)
{
	double time = time_of(journey), others = time_of(other);

	if (others < (1 - ROUNDING) * time) {
		struct equant_redist_journey shorter = *other;

		*other = *journey;
		*journey = shorter;
	}
	free(other->hops);
	return isnan(time) || isnan(others) ? -ENOMEM : 0;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int fill(struct equant_redist_route *route, int router,
		struct equant_redist_journey *journey)
{
	int error = routers[router].fill(journey);

	return error ? error : equant_redist_make_legs(journey, route);
}

struct equant_redist_route *equant_redist_route_new(const char *router,
						    const struct equant_redist_network *network,
						    int64_t count,
						    const struct equant_redist_volume *volumes,
						    char *why, size_t why_size)
{
	struct equant_redist_journey journey = { network, count, volumes, NULL, 0, 0 };
	struct equant_redist_costs *costs;
	struct equant_redist_route *route;
	int error, i = 0;

	while (i < ROUTERS && strcmp(routers[i].name, router))
		i++;
	if (i == ROUTERS) {
		errno = -equant_redist_refuse(-EINVAL, why, why_size, "no router is called '%s'",
					      router);
		return NULL;
	}
	/* Who believes these volumes believes them here. */
	costs = equant_redist_network_costs(network, count, volumes, why, why_size);
	if (!costs)
		return NULL;
	equant_redist_costs_free(costs);
	route = calloc(1, sizeof(*route));
	if (!route)
		return NULL;
	route->router = routers[i].name;
	route->ranks = network->ranks;
	route->messages = count;
	error = fill(route, i, &journey);
	free(journey.hops);
	if (!error)
		return route;
	equant_redist_route_free(route);
	errno = -error;
	return NULL;
}

void equant_redist_route_free(struct equant_redist_route *route)
{
	if (route) {
		free(route->legs);
		free(route->parcels);
	}
	free(route);
}
