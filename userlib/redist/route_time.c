// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * When the legs of a route are sent.
 *
 * Legs of the first step are sent in the order of the improved scheduler; of those of a later one
 * the one goes next that can begin first, and of several the longest.  A leg begins when its
 * sender has got all that it carries, and one message at a time is sent and received, as
 * everywhere.
 *
 * In that order they are simulated if ranks share a port that is full, as in ports.c; or, of too
 * many or as long as nobody wants that, everybody gets no more than his part of it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/ports.h"
#include "redist/replay.h"
#include "redist/route.h"

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

/**
 * struct clocks - when who is free and what is where
 * @network: what is between the ranks
 * @route: its legs in order up to those of the current step
 * @send: when each sender is free
 * @receive: when each receiver is
 * @crowd: who shares ports, if that is to be counted, or NULL
 * @turns: of improving the order of the first step
 * @there: when all that a message consists of has come as far as it has, message by message
 */
struct clocks {
	const struct equant_redist_network *network;
	struct equant_redist_route *route;
	double *send;
	double *receive;
	double *there;
	const struct equant_redist_crowd *crowd;
	double turns;
};

/* Until a leg is timed its beginning is when all has come that it carries. */
static double earliest(const struct clocks *clocks, const struct equant_redist_leg *leg)
{
	double begin = equant_redist_later(clocks->send[leg->from], clocks->receive[leg->to]);

	return equant_redist_later(begin, leg->begin);
}

static double all_there(const struct clocks *clocks, const struct equant_redist_leg *leg)
{
	double there = 0;

	for (int64_t i = leg->first; i < leg->first + leg->count && leg->step; i++)
		there = equant_redist_later(there, clocks->there[clocks->route->parcels[i].volume]);
	return there;
}

static void time_leg(struct clocks *clocks, struct equant_redist_leg *leg, double *arrivals)
{
	double bytes = (double)leg->bytes;
	double time = equant_redist_leg_time(clocks->network, leg->from, leg->to, bytes);

	if (clocks->crowd)
		time = fmax(time, equant_redist_leg_time(clocks->network, leg->from, leg->to, 0) +
					  equant_redist_crowd_time(clocks->crowd, leg->from,
								   leg->to, bytes));
	leg->begin = earliest(clocks, leg);
	leg->end = leg->begin + time;
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

/* What legs carry, as messages. */
static struct equant_redist_volume *as_volumes(const struct equant_redist_leg *legs, int64_t count)
{
	struct equant_redist_volume *volumes = calloc((size_t)count + 1, sizeof(*volumes));

	for (int64_t k = 0; k < count && volumes; k++)
		volumes[k] =
			(struct equant_redist_volume){ legs[k].from, legs[k].to, legs[k].bytes };
	return volumes;
}

/* The first step's legs, which are in the order of ranks, in that of a schedule. */
static int order_first(const struct clocks *clocks, struct equant_redist_leg *legs, int64_t count)
{
	struct equant_redist_volume *volumes = as_volumes(legs, count);
	struct equant_redist_leg *ordered = calloc((size_t)count + 1, sizeof(*ordered));
	struct equant_redist_costs *costs = NULL;
	struct equant_redist_schedule *schedule = NULL;
	int error;

	errno = ENOMEM;
	if (volumes && ordered)
		costs = equant_redist_network_costs(clocks->network, count, volumes, NULL, 0);
	if (costs)
		schedule = clocks->turns < 1 ?
				   equant_redist_schedule_new("eager", costs, NULL, 0) :
				   equant_redist_schedule_improved(costs, clocks->turns);
	if (schedule) {
		for (int64_t i = 0; i < count; i++)
			ordered[i] = legs[equant_redist_message_of(costs, &schedule->pieces[i])];
		memcpy(legs, ordered, (size_t)count * sizeof(*legs));
	}
	error = schedule ? 0 : -errno;
	equant_redist_schedule_free(schedule);
	equant_redist_costs_free(costs);
	free(volumes);
	free(ordered);
	return error;
}

/* Arrivals count from the next step on: what is sent on has come in an earlier one. */
static int time_step(struct clocks *clocks, int64_t first, int64_t count, double *arrivals)
{
	struct equant_redist_leg *legs = clocks->route->legs + first;
	int error = 0;

	memcpy(arrivals, clocks->there, (size_t)clocks->route->messages * sizeof(*arrivals));
	for (int64_t k = 0; k < count; k++)
		legs[k].begin = all_there(clocks, &legs[k]);
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

static int time_steps(struct clocks *clocks, double *arrivals)
{
	const struct equant_redist_route *route = clocks->route;
	int error = 0;

	for (int64_t first = 0, end; first < route->count && !error; first = end) {
		for (end = first;
		     end < route->count && route->legs[end].step == route->legs[first].step;)
			end++;
		error = time_step(clocks, first, end - first, arrivals);
	}
	return error;
}

static int time_all(struct equant_redist_journey *journey, struct equant_redist_route *route,
		    const struct equant_redist_crowd *crowd)
{
	size_t ranks = (size_t)route->ranks, messages = (size_t)journey->count + 1;
	struct clocks clocks = {
		.network = journey->network,
		.route = route,
		.send = calloc(ranks, sizeof(double)),
		.receive = calloc(ranks, sizeof(double)),
		.there = calloc(messages, sizeof(double)),
		.crowd = crowd,
		.turns = journey->turns,
	};
	double *arrivals = calloc(messages, sizeof(*arrivals));
	int error = -ENOMEM;

	if (clocks.send && clocks.receive && clocks.there && arrivals)
		error = time_steps(&clocks, arrivals);
	free(clocks.send);
	free(clocks.receive);
	free(clocks.there);
	free(arrivals);
	return error;
}

int equant_redist_time_legs(struct equant_redist_journey *journey,
			    struct equant_redist_route *route)
{
	struct equant_redist_volume *legs = as_volumes(route->legs, route->count);
	double work = (double)route->count * route->ranks;
	struct equant_redist_crowd crowd = { .users = NULL };
	int error = legs ? equant_redist_crowd_init(&crowd, journey->network, route->count, legs) :
			   -ENOMEM;
	bool simulated = crowd.full && journey->turns >= 1 && work <= EQUANT_REDIST_REPLAY_MOST;

	if (!error)
		error = time_all(journey, route, crowd.full && !simulated ? &crowd : NULL);
	if (!error && simulated)
		error = equant_replay_route(route, journey->network, 1, false);
	equant_redist_crowd_release(&crowd);
	free(legs);
	return error;
}
