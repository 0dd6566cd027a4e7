// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A simulation before it begins: what each piece is, and in which order ranks take them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redist/replay.h"

/*
 * What piece @i is of the message that is number @message of @volumes; @last are their last
 * pieces.
 */
static void make_trip(struct equant_replay *replay, const struct equant_redist_network *network,
		      int64_t i, int64_t message, const struct equant_redist_volume *volume,
		      int64_t *last)
{
	const struct equant_redist_piece *piece = &replay->result->pieces[i];
	struct equant_trip *trip = &replay->trips[i];

	trip->flow.from = piece->from;
	trip->flow.to = piece->to;
	trip->flow.most = equant_redist_network_link(network, piece->from, piece->to).bandwidth;
	trip->startup = replay->costs->messages[message].startup;
	trip->bytes = piece->share * (double)volume->bytes;
	trip->following = -1;
	trip->ready = last[message] < 0;
	if (last[message] >= 0)
		replay->trips[last[message]].following = i;
	last[message] = i;
}

/* @volumes in the order of the costs' messages. */
static int make_trips(struct equant_replay *replay, const struct equant_redist_network *network,
		      const struct equant_redist_volume *volumes, char *why, size_t why_size)
{
	int64_t *last = calloc((size_t)replay->costs->count + 1, sizeof(*last));
	int error = last ? 0 : -ENOMEM;

	for (int64_t k = 0; k < replay->costs->count && !error; k++)
		last[k] = -1;
	for (int64_t i = 0; i < replay->result->count && !error; i++) {
		const struct equant_redist_piece *piece = &replay->result->pieces[i];
		int64_t message = equant_redist_message_of(replay->costs, piece);

		if (message < 0)
			error = equant_redist_refuse(-EINVAL, why, why_size,
						     "no message is from %d to %d", piece->from,
						     piece->to);
		else
			make_trip(replay, network, i, message, &volumes[message], last);
	}
	for (int64_t k = 0; k < replay->costs->count && !error; k++)
		if (last[k] < 0)
			error = equant_redist_refuse(-EINVAL, why, why_size,
						     "nothing of the message from %d to %d is sent",
						     replay->costs->messages[k].from,
						     replay->costs->messages[k].to);
	free(last);
	return error;
}

/* Each piece's step; with a barrier also @order, which has steps one after the other. */
static int make_steps(struct equant_replay *replay, int64_t *order)
{
	int64_t count = replay->result->count, steps = 0, at = 0;
	int64_t *sent = calloc((size_t)replay->result->ranks, sizeof(*sent));

	if (!sent)
		return -ENOMEM;
	for (int64_t i = 0; i < count; i++) {
		replay->trips[i].step = sent[replay->result->pieces[i].from]++;
		replay->left[replay->trips[i].step]++;
		steps = equant_redist_max(steps, replay->trips[i].step + 1);
	}
	free(sent);
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

int equant_replay_init(struct equant_replay *replay, const struct equant_redist_network *network,
		       const struct equant_redist_volume *volumes, char *why, size_t why_size)
{
	size_t count = (size_t)replay->result->count + 1;
	int64_t *order = calloc(count, sizeof(*order));
	int error = equant_redist_rates_init(&replay->rates, network);

	replay->trips = calloc(count, sizeof(*replay->trips));
	replay->active = calloc(count, sizeof(*replay->active));
	replay->ended = calloc(count, sizeof(*replay->ended));
	replay->flows = calloc(count, sizeof(*replay->flows));
	replay->left = calloc(count, sizeof(*replay->left));
	if (!order || !replay->trips || !replay->active || !replay->ended || !replay->flows ||
	    !replay->left)
		error = -ENOMEM;
	if (!error)
		error = make_trips(replay, network, volumes, why, why_size);
	if (!error)
		error = make_steps(replay, order);
	for (int side = 0; side < 2 && !error; side++)
		error = make_side(replay, side, order);
	free(order);
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
	free(replay->active);
	free(replay->ended);
	free(replay->flows);
	free(replay->left);
	equant_redist_rates_release(&replay->rates);
}
