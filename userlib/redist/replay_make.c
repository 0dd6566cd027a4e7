// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A simulation before it begins: what each piece is, and in which order ranks take them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redist/replay.h"

static void make_trip(struct equant_replay *replay, const struct equant_redist_network *network,
		      int64_t i)
{
	const struct equant_redist_piece *piece = &replay->result->pieces[i];
	struct equant_redist_link link =
		equant_redist_network_link(network, piece->from, piece->to);

	replay->trips[i] = (struct equant_trip){
		.flow = { .from = piece->from, .to = piece->to, .most = link.bandwidth },
		.followers = -1,
		.startup = link.startup,
	};
}

void equant_replay_follow(struct equant_replay *replay, int64_t before, int64_t after)
{
	struct equant_trip *trip = &replay->trips[before];

	replay->followers[replay->follows] =
		(struct equant_follower){ .trip = after, .next = trip->followers };
	trip->followers = replay->follows++;
	replay->trips[after].waits++;
}

/* What there is of each step, of which a route may have more than legs; with a barrier @order has one after the other. */
static int order_steps(struct equant_replay *replay, int64_t *order)
{
	int64_t count = replay->result->count, steps = 0, at = 0;

	for (int64_t i = 0; i < count; i++)
		steps = equant_redist_max(steps, replay->trips[i].step + 1);
	replay->left = calloc((size_t)steps + 1, sizeof(*replay->left));
	if (!replay->left)
		return -ENOMEM;
	for (int64_t i = 0; i < count; i++)
		replay->left[replay->trips[i].step]++;
	replay->steps = steps;
	for (int64_t s = 0; s < (replay->barrier ? steps : 1); s++)
		for (int64_t i = 0; i < count; i++)
			if (!replay->barrier || replay->trips[i].step == s)
				order[at++] = i;
	return 0;
}

/* The pieces of each rank, as they are in @order. */
static int make_side(struct equant_replay *replay, int side, const int64_t *order)
{
	const struct equant_redist_schedule *result = replay->result;
	struct equant_queues *of = &replay->sides[side];
	size_t ranks = (size_t)result->ranks;

	of->list = calloc((size_t)result->count + 1, sizeof(*of->list));
	of->next = calloc(ranks + 1, sizeof(*of->next));
	of->end = calloc(ranks + 1, sizeof(*of->end));
	of->open = calloc(ranks, sizeof(*of->open));
	if (!of->list || !of->next || !of->end || !of->open)
		return -ENOMEM;
	for (int64_t i = 0; i < result->count; i++)
		of->next[equant_replay_rank(replay, i, side) + 1]++;
	for (size_t r = 0; r < ranks; r++)
		of->next[r + 1] += of->next[r];
	memcpy(of->end, of->next, (ranks + 1) * sizeof(*of->end));
	for (int64_t i = 0; i < result->count; i++)
		of->list[of->end[equant_replay_rank(replay, order[i], side)]++] = order[i];
	return 0;
}

int equant_replay_queue(struct equant_replay *replay)
{
	int64_t *order = calloc((size_t)replay->result->count + 1, sizeof(*order));
	int error = order ? 0 : -ENOMEM;

	if (order)
		error = order_steps(replay, order);
	for (int side = 0; side < 2 && !error; side++)
		error = make_side(replay, side, order);
	free(order);
	return error;
}

int equant_replay_init(struct equant_replay *replay, const struct equant_redist_network *network,
		       int64_t follows)
{
	size_t count = (size_t)replay->result->count + 1;
	int error = equant_redist_rates_init(&replay->rates, network);

	replay->trips = calloc(count, sizeof(*replay->trips));
	replay->followers = calloc((size_t)follows + 1, sizeof(*replay->followers));
	replay->active = calloc(count, sizeof(*replay->active));
	replay->ended = calloc(count, sizeof(*replay->ended));
	replay->flows = calloc(count, sizeof(*replay->flows));
	if (!replay->trips || !replay->followers || !replay->active || !replay->ended ||
	    !replay->flows)
		error = -ENOMEM;
	for (int64_t i = 0; i < replay->result->count && !error; i++)
		make_trip(replay, network, i);
	return error;
}

void equant_replay_release(struct equant_replay *replay)
{
	for (int side = 0; side < 2; side++) {
		free(replay->sides[side].list);
		free(replay->sides[side].next);
		free(replay->sides[side].end);
		free(replay->sides[side].open);
	}
	free(replay->trips);
	free(replay->followers);
	free(replay->active);
	free(replay->ended);
	free(replay->flows);
	free(replay->left);
	equant_redist_rates_release(&replay->rates);
}
