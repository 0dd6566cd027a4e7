// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Data that goes by way of other ranks: what all routes have in common.
 *
 * A router says which part of which message goes from where to where in which step.  What goes
 * between the same two ranks in a step is one leg, and pays one start-up.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "redist/route.h"

static const struct {
	const char *name;
	int (*fill)(struct equant_redist_journey *journey);
} routers[] = {
	{ "combine", equant_redist_combine },
	{ "relay", equant_redist_relay },
	{ "shortest", equant_redist_shortest_route },
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

int equant_redist_make_legs(struct equant_redist_journey *journey,
			    struct equant_redist_route *route)
{
	int error;

	if (journey->hop_count)
		qsort(journey->hops, (size_t)journey->hop_count, sizeof(*journey->hops), by_leg);
	error = gather(journey, route);
	return error ? error : equant_redist_time_legs(journey, route);
}

int equant_redist_time_journey(struct equant_redist_journey *journey)
{
	struct equant_redist_route route = { .ranks = journey->network->ranks,
					     .messages = journey->count };
	int error = isnan(journey->time) ? equant_redist_make_legs(journey, &route) : 0;

	if (isnan(journey->time) && !error)
		journey->time = route.makespan;
	free(route.legs);
	free(route.parcels);
	return error;
}

int equant_redist_take_shorter(struct equant_redist_journey *journey,
			       struct equant_redist_journey *other)
{
	int error = equant_redist_time_journey(journey);

	if (!error)
		error = equant_redist_time_journey(other);
	if (!error && other->time < (1 - ROUNDING) * journey->time) {
		struct equant_redist_journey shorter = *other;

		*other = *journey;
		*journey = shorter;
	}
	free(other->hops);
	return error;
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
	struct equant_redist_journey journey = {
		.network = network,
		.count = count,
		.volumes = volumes,
		.time = NAN,
		.turns = INFINITY,
		.looks = INFINITY,
	};
	struct equant_redist_costs *costs;
	struct equant_redist_route *route;
	char names[EQUANT_NAMES];
	int error, i = 0;

	while (i < ROUTERS && strcmp(routers[i].name, router))
		i++;
	if (i == ROUTERS) {
		errno = -equant_redist_refuse(-EINVAL, why, why_size,
					      "no router is called '%.40s'; there are%s", router,
					      equant_names(names, equant_redist_router_name));
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
