// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What becomes of a route in a network: legs are the pieces of a schedule (replay.c), and wait
 * besides for those that bring what they carry.
 *
 * Of all legs that are not through take the first: what it carries came in an earlier step, and it
 * is the next one of both its ranks, so something is always under way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redist/replay.h"

/* A part of a message on one of its legs. */
struct ride {
	struct equant_redist_parcel parcel;
	int64_t leg;
};

/* Part by part, from its first leg to its last one. */
static int by_part(const void *a, const void *b)
{
	const struct ride *x = a, *y = b;

	if (x->parcel.volume != y->parcel.volume)
		return x->parcel.volume < y->parcel.volume ? -1 : 1;
	if (x->parcel.begin != y->parcel.begin)
		return x->parcel.begin < y->parcel.begin ? -1 : 1;
	return x->leg < y->leg ? -1 : x->leg > y->leg;
}

static int64_t count_parcels(const struct equant_redist_route *route)
{
	int64_t count = 0;

	for (int64_t i = 0; i < route->count; i++)
		count += route->legs[i].count;
	return count;
}

static void make_follow(struct equant_replay *replay, const struct equant_redist_route *route,
			struct ride *rides)
{
	int64_t count = 0;

	for (int64_t i = 0; i < route->count; i++) {
		const struct equant_redist_leg *leg = &route->legs[i];

		for (int64_t k = leg->first; k < leg->first + leg->count; k++)
			rides[count++] = (struct ride){ route->parcels[k], i };
	}
	if (count)
		qsort(rides, (size_t)count, sizeof(*rides), by_part);
	for (int64_t k = 1; k < count; k++)
		if (rides[k].parcel.volume == rides[k - 1].parcel.volume &&
		    rides[k].parcel.begin == rides[k - 1].parcel.begin)
			equant_replay_follow(replay, rides[k - 1].leg, rides[k].leg);
}

static int run(struct equant_replay *replay, struct equant_redist_route *route,
	       const struct equant_redist_network *network)
{
	int64_t parcels = count_parcels(route);
	struct ride *rides = calloc((size_t)parcels + 1, sizeof(*rides));
	int error = equant_replay_init(replay, network, parcels);

	if (!rides)
		error = -ENOMEM;
	for (int64_t i = 0; i < route->count && !error; i++) {
		replay->trips[i].bytes = (double)route->legs[i].bytes;
		replay->trips[i].step = route->legs[i].step;
	}
	if (!error) {
		make_follow(replay, route, rides);
		error = equant_replay_run(replay);
	}
	for (int64_t i = 0; i < route->count && !error; i++) {
		route->legs[i].begin = replay->result->pieces[i].begin;
		route->legs[i].end = replay->result->pieces[i].end;
	}
	if (!error)
		route->makespan = replay->result->makespan;
	equant_replay_release(replay);
	free(rides);
	return error;
}

int equant_replay_route(struct equant_redist_route *route,
			const struct equant_redist_network *network, int window, bool barrier)
{
	struct equant_redist_schedule legs = { .ranks = route->ranks, .count = route->count };
	struct equant_replay replay = { .result = &legs, .window = window, .barrier = barrier };
	int error = -ENOMEM;

	legs.pieces = calloc((size_t)route->count + 1, sizeof(*legs.pieces));
	for (int64_t i = 0; i < route->count && legs.pieces; i++)
		legs.pieces[i] = (struct equant_redist_piece){ .from = route->legs[i].from,
							       .to = route->legs[i].to,
							       .share = 1 };
	if (legs.pieces)
		error = run(&replay, route, network);
	free(legs.pieces);
	return error;
}

static struct equant_redist_route *copy(const struct equant_redist_route *route)
{
	struct equant_redist_route *result = calloc(1, sizeof(*result));
	size_t legs = (size_t)route->count, parcels = (size_t)count_parcels(route);

	if (!result)
		return NULL;
	*result = *route;
	result->legs = calloc(legs + 1, sizeof(*result->legs));
	result->parcels = calloc(parcels + 1, sizeof(*result->parcels));
	if (!result->legs || !result->parcels) {
		equant_redist_route_free(result);
		return NULL;
	}
	if (legs)
		memcpy(result->legs, route->legs, legs * sizeof(*result->legs));
	if (parcels)
		memcpy(result->parcels, route->parcels, parcels * sizeof(*result->parcels));
	return result;
}

struct equant_redist_route *equant_redist_route_replay(const struct equant_redist_route *route,
						       const struct equant_redist_network *network,
						       int window, bool barrier, char *why,
						       size_t why_size)
{
	struct equant_redist_route *result;
	int error = equant_replay_check("route", route->ranks, network, window, why, why_size);

	if (error) {
		errno = -error;
		return NULL;
	}
	result = copy(route);
	error = result ? equant_replay_route(result, network, window, barrier) : -ENOMEM;
	if (!error)
		return result;
	equant_redist_route_free(result);
	errno = -error;
	return NULL;
}
