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

	if (trip->opened < 2 || trip->waits)
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
		for (int rank = 0; rank < replay->result->ranks; rank++)
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
	int64_t follower = replay->trips[i].followers;

	replay->trips[i].phase = THROUGH;
	replay->result->pieces[i].end = replay->now;
	replay->left[replay->trips[i].step]--;
	for (int side = 0; side < 2; side++)
		replay->sides[side].open[equant_replay_rank(replay, i, side)]--;
	for (; follower >= 0; follower = replay->followers[follower].next) {
		int64_t trip = replay->followers[follower].trip;

		replay->trips[trip].waits--;
		begin(replay, trip);
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

int equant_replay_run(struct equant_replay *replay)
{
	int error = equant_replay_queue(replay);

	while (!error) {
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
	return error;
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

/* Each piece is a part of a message, and follows the one before it; @volumes in order. */
static int make_trips(struct equant_replay *replay, const struct equant_redist_costs *costs,
		      const struct equant_redist_volume *volumes, int64_t *last, int64_t *sent,
		      char *why, size_t why_size)
{
	for (int64_t i = 0; i < replay->result->count; i++) {
		const struct equant_redist_piece *piece = &replay->result->pieces[i];
		int64_t message = equant_redist_message_of(costs, piece);

		if (message < 0)
			return equant_redist_refuse(-EINVAL, why, why_size,
						    "no message is from %d to %d", piece->from,
						    piece->to);
		replay->trips[i].bytes = piece->share * (double)volumes[message].bytes;
		replay->trips[i].step = sent[piece->from]++;
		if (last[message])
			equant_replay_follow(replay, last[message] - 1, i);
		last[message] = i + 1;
	}
	for (int64_t k = 0; k < costs->count; k++)
		if (!last[k])
			return equant_redist_refuse(-EINVAL, why, why_size,
						    "nothing of the message from %d to %d is sent",
						    costs->messages[k].from, costs->messages[k].to);
	return 0;
}

static int simulate(struct equant_replay *replay, const struct equant_redist_network *network,
		    const struct equant_redist_costs *costs,
		    const struct equant_redist_volume *volumes, char *why, size_t why_size)
{
	struct equant_redist_volume *sorted = equant_redist_in_order(costs->count, volumes);
	int64_t *last = calloc((size_t)costs->count + 1, sizeof(*last));
	int64_t *sent = calloc((size_t)costs->ranks, sizeof(*sent));
	int error = equant_replay_init(replay, network, replay->result->count);

	if (!sorted || !last || !sent)
		error = -ENOMEM;
	if (!error)
		error = make_trips(replay, costs, sorted, last, sent, why, why_size);
	if (!error)
		error = equant_replay_run(replay);
	if (!error)
		error = equant_redist_order(replay->result);
	if (!error)
		replay->result->bound = equant_redist_network_bound(network, costs->count, sorted,
								    replay->window == 1);
	free(sorted);
	free(last);
	free(sent);
	equant_replay_release(replay);
	return error;
}

int equant_replay_check(const char *what, int ranks, const struct equant_redist_network *network,
			int window, char *why, size_t why_size)
{
	if (window < 1)
		return equant_redist_refuse(-EINVAL, why, why_size, "a window of %d messages",
					    window);
	if (ranks != network->ranks)
		return equant_redist_refuse(-EINVAL, why, why_size,
					    "a %s of %d ranks in a network of %d", what, ranks,
					    network->ranks);
	return 0;
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
	int error =
		equant_replay_check("schedule", schedule->ranks, network, window, why, why_size);

	if (error) {
		errno = -error;
		return NULL;
	}
	costs = equant_redist_network_price(network, count, volumes, why, why_size);
	if (!costs)
		return NULL;
	replay.result = copy(schedule);
	error = replay.result ? simulate(&replay, network, costs, volumes, why, why_size) : -ENOMEM;
	equant_redist_costs_free(costs);
	if (!error)
		return replay.result;
	equant_redist_schedule_free(replay.result);
	errno = -error;
	return NULL;
}
