// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What becomes of a schedule in a network, its own or another: ranks keep to its order, and when
 * things happen is up to the network.
 *
 * Either side of a rank opens its next piece as soon as it has fewer than @window open ones, and a
 * piece begins when both sides have opened it and the one before it of the same message is through.
 * It takes its start-up, and then its data gets what rates.c gives it.  Of all pieces that are not
 * through take the first: both sides have opened it, so something is always under way.
 *
 * With a barrier no rank opens its (s + 1)-th piece to send, and no other its receiving, before all
 * s-th ones are through.
 *
 * Source: Bhat, Prasanna, Raghavendra, section 5 has a simulator; ports and windows are an
 * addition.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/replay.h"

/* ---- opening ------------------------------------------------------------------------------ */

static void begin(struct equant_replay *replay, int64_t i)
{
	struct equant_trip *trip = &replay->trips[i];

	if (trip->opened < 2 || !trip->ready)
		return;
	trip->phase = STARTING;
	trip->event = replay->now + trip->startup;
	replay->result->pieces[i].begin = replay->now;
	replay->active[replay->actives++] = i;
}

static void open_side(struct equant_replay *replay, int side, int rank)
{
	struct equant_queues *of = &replay->sides[side];

	while (of->next[rank] < of->end[rank] && of->open[rank] < replay->window) {
		int64_t i = of->list[of->next[rank]];

		if (replay->barrier && replay->trips[i].step > replay->step)
			break;
		of->next[rank]++;
		of->open[rank]++;
		replay->trips[i].opened++;
		begin(replay, i);
	}
}

static void open_all(struct equant_replay *replay)
{
	for (int side = 0; side < 2; side++)
		for (int rank = 0; rank < replay->costs->ranks; rank++)
			open_side(replay, side, rank);
}

/* ---- time --------------------------------------------------------------------------------- */

/* Who is flowing gets a new rate, and goes on with that if it is another. */
static void share(struct equant_replay *replay)
{
	int count = 0;

	for (int64_t k = 0; k < replay->actives; k++)
		if (replay->trips[replay->active[k]].phase == FLOWING)
			replay->flows[count++] = &replay->trips[replay->active[k]].flow;
	equant_redist_rates_share(&replay->rates, replay->flows, count);
	for (int64_t k = 0; k < replay->actives; k++) {
		struct equant_trip *trip = &replay->trips[replay->active[k]];

		if (trip->phase != FLOWING || trip->flow.rate == trip->rate)
			continue;
		if (trip->rate > 0)
			trip->bytes -= (replay->now - trip->since) * trip->rate;
		trip->bytes = equant_redist_later(trip->bytes, 0);
		trip->since = replay->now;
		trip->rate = trip->flow.rate;
		trip->event = replay->now + trip->bytes / trip->rate;
	}
}

static void finish(struct equant_replay *replay, int64_t i)
{
	int64_t following = replay->trips[i].following;

	replay->trips[i].phase = THROUGH;
	replay->result->pieces[i].end = replay->now;
	replay->left[replay->trips[i].step]--;
	for (int side = 0; side < 2; side++)
		replay->sides[side].open[equant_replay_rank(replay, i, side)]--;
	if (following >= 0) {
		replay->trips[following].ready = true;
		begin(replay, following);
	}
}

/* Whoever's time has come. */
static void advance(struct equant_replay *replay)
{
	int64_t count = replay->actives, *ended = replay->ended, ends = 0;

	replay->actives = 0;
	for (int64_t k = 0; k < count; k++) {
		int64_t i = replay->active[k];
		struct equant_trip *trip = &replay->trips[i];

		if (trip->event <= replay->now && trip->phase == FLOWING) {
			ended[ends++] = i;
			continue;
		}
		if (trip->event <= replay->now) {
			trip->phase = FLOWING;
			trip->event = INFINITY;
		}
		replay->active[replay->actives++] = i;
	}
	for (int64_t k = 0; k < ends; k++)
		finish(replay, ended[k]);
}

static double next_event(const struct equant_replay *replay)
{
	double next = INFINITY;

	for (int64_t k = 0; k < replay->actives; k++)
		next = fmin(next, replay->trips[replay->active[k]].event);
	return next;
}

static void run(struct equant_replay *replay)
{
	for (;;) {
		while (replay->step < replay->steps && !replay->left[replay->step])
			replay->step++;
		open_all(replay);
		share(replay);
		if (!replay->actives)
			break;
		replay->now = next_event(replay);
		advance(replay);
	}
	replay->result->makespan = replay->now;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static struct equant_redist_schedule *copy(const struct equant_redist_schedule *schedule)
{
	struct equant_redist_schedule *result = calloc(1, sizeof(*result));

	if (!result)
		return NULL;
	*result = *schedule;
	result->pieces = calloc((size_t)schedule->count + 1, sizeof(*result->pieces));
	if (!result->pieces) {
		free(result);
		return NULL;
	}
	if (schedule->count)
		memcpy(result->pieces, schedule->pieces,
		       (size_t)schedule->count * sizeof(*result->pieces));
	return result;
}

static int simulate(struct equant_replay *replay, const struct equant_redist_network *network,
		    int64_t count, const struct equant_redist_volume *volumes, char *why,
		    size_t why_size)
{
	struct equant_redist_volume *sorted = equant_redist_in_order(count, volumes);
	int error = sorted ? 0 : -ENOMEM;

	if (!error)
		error = equant_replay_init(replay, network, sorted, why, why_size);
	if (!error) {
		run(replay);
		error = equant_redist_order(replay->result);
	}
	if (!error)
		replay->result->bound =
			equant_redist_network_bound(network, count, sorted, replay->window == 1);
	free(sorted);
	equant_replay_release(replay);
	return error;
}

struct equant_redist_schedule *equant_redist_replay(const struct equant_redist_schedule *schedule,
						    const struct equant_redist_network *network,
						    int64_t count,
						    const struct equant_redist_volume *volumes,
						    int window, bool barrier, char *why,
						    size_t why_size)
{
	struct equant_replay replay = { .window = window, .barrier = barrier };
	struct equant_redist_costs *costs;
	int error = 0;

	if (window < 1)
		error = equant_redist_refuse(-EINVAL, why, why_size, "a window of %d messages",
					     window);
	else if (schedule->ranks != network->ranks)
		error = equant_redist_refuse(-EINVAL, why, why_size,
					     "a schedule of %d ranks in a network of %d",
					     schedule->ranks, network->ranks);
	if (error) {
		errno = -error;
		return NULL;
	}
	costs = equant_redist_network_price(network, count, volumes, why, why_size);
	if (!costs)
		return NULL;
	replay.costs = costs;
	replay.result = copy(schedule);
	error = replay.result ? simulate(&replay, network, count, volumes, why, why_size) : -ENOMEM;
	equant_redist_costs_free(costs);
	if (!error)
		return replay.result;
	equant_redist_schedule_free(replay.result);
	errno = -error;
	return NULL;
}
