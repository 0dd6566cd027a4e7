/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_REPLAY_H
#define EQUANT_REDIST_REPLAY_H

#include "redist/rates.h"
#include "redist/schedule.h"

enum equant_phase { WAITING, STARTING, FLOWING, THROUGH };

/**
 * struct equant_trip - a piece on its way
 * @flow: its data
 * @phase: where it is
 * @opened: sides that have opened it
 * @waits: for so many others that bring what it carries, or are before it of the same message
 * @followers: the first of those that wait for it, or -1
 * @startup: seconds
 * @step: how many its sender sends before
 * @bytes: that were left at @since
 * @since: when its rate changed last
 * @rate: what it has had from then on
 * @event: when its start-up or its data ends
 */
struct equant_trip {
	struct equant_redist_flow flow;
	enum equant_phase phase;
	int opened;
	int64_t waits;
	int64_t followers;
	double startup;
	int64_t step;
	double bytes;
	double since;
	double rate;
	double event;
};

/**
 * struct equant_follower - a piece that waits for another
 * @trip: which one
 * @next: another one that waits for the same, or -1
 */
struct equant_follower {
	int64_t trip;
	int64_t next;
};

/**
 * struct equant_queues - what ranks send, or receive
 * @list: pieces, rank by rank, in order
 * @next: of each rank: the first in @list that is not open
 * @end: where its pieces end
 * @open: pieces of each rank that are
 */
struct equant_queues {
	int64_t *list;
	int64_t *next;
	int64_t *end;
	int *open;
};

/**
 * struct equant_replay - the state of the simulation
 * @result: pieces, with times as they turn out
 * @trips: of each
 * @followers: of all trips
 * @follows: how many
 * @sides: senders and receivers
 * @active: pieces that are starting or flowing
 * @flows: those that are flowing
 * @actives: how many
 * @ended: those that have just come through
 * @rates: shares of ports
 * @now: seconds
 * @window: as in equant_redist_replay()
 * @barrier: the same
 * @steps: how many there are
 * @step: with @barrier: who has sent fewer may open the next one
 * @left: of each step, pieces that are not through
 */
struct equant_replay {
	struct equant_redist_schedule *result;
	struct equant_trip *trips;
	struct equant_follower *followers;
	int64_t follows;
	struct equant_queues sides[2];
	int64_t *active;
	struct equant_redist_flow **flows;
	int64_t actives;
	int64_t *ended;
	struct equant_redist_rates rates;
	double now;
	int window;
	bool barrier;
	int64_t steps;
	int64_t step;
	int64_t *left;
};

/* Who sends piece @piece, or, with @side 1, who receives it. */
static inline int equant_replay_rank(const struct equant_replay *replay, int64_t piece, int side)
{
	return side ? replay->result->pieces[piece].to : replay->result->pieces[piece].from;
}

/*
 * Trips of the pieces of its result, each of a network's link, which wait for nothing yet; and
 * memory for @follows that do.  0 or -ENOMEM; to be released either way.
 */
int equant_replay_init(struct equant_replay *replay, const struct equant_redist_network *network,
		       int64_t follows);
void equant_replay_release(struct equant_replay *replay);

/* Trip @after waits for trip @before. */
void equant_replay_follow(struct equant_replay *replay, int64_t before, int64_t after);

/* Ranks' queues.  0 or -ENOMEM. */
int equant_replay_queue(struct equant_replay *replay);

/* Let it happen, when all trips have their bytes and steps.  0 or -ENOMEM. */
int equant_replay_run(struct equant_replay *replay);

/* Legs of a route get the times at which they begin and end in the network.  0 or -errno. */
int equant_replay_route(struct equant_redist_route *route,
			const struct equant_redist_network *network, int window, bool barrier);

/* A window, and ranks of what is to be simulated: -EINVAL and @why for what cannot be. */
int equant_replay_check(const char *what, int ranks, const struct equant_redist_network *network,
			int window, char *why, size_t why_size);

#endif /* EQUANT_REDIST_REPLAY_H */
