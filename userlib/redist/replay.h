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
 * @ready: is the one before it of the same message through?
 * @following: the one after it, or -1
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
	bool ready;
	int64_t following;
	double startup;
	int64_t step;
	double bytes;
	double since;
	double rate;
	double event;
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
 * @costs: of the messages in this network
 * @result: pieces, with times as they turn out
 * @trips: of each
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
	const struct equant_redist_costs *costs;
	struct equant_redist_schedule *result;
	struct equant_trip *trips;
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
 * From its costs and its result, which is a copy of the schedule, all else; @volumes in the order
 * of the costs' messages.  0 or -errno; to be released either way.
 */
int equant_replay_init(struct equant_replay *replay, const struct equant_redist_network *network,
		       const struct equant_redist_volume *volumes, char *why, size_t why_size);
void equant_replay_release(struct equant_replay *replay);

#endif /* EQUANT_REDIST_REPLAY_H */
