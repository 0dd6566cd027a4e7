/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_SCHEDULE_H
#define EQUANT_REDIST_SCHEDULE_H

#include <float.h>
#include <string.h>

#include "redist/redist_internal.h"

/* The same schedule everywhere: IEEE doubles in source order, no more precision. */
#ifdef __FAST_MATH__
#error "userlib/redist must not be compiled with -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "userlib/redist needs arithmetic in the precision of double (on x86: -mfpmath=sse)"
#endif

/* An entry of C. */
static inline double equant_redist_time(const struct equant_redist_message *message)
{
	return message->startup + message->data;
}

/* fmax() of numbers, without the call. */
static inline double equant_redist_later(double a, double b)
{
	return a > b ? a : b;
}

/*
 * Indices of messages in the order of receivers, and of senders within each: those for receiver j
 * are from @starts[j] to below @starts[j + 1], as many numbers as there are ranks and one.
 */
void equant_redist_by_receiver(const struct equant_redist_costs *costs, int64_t *list,
			       int64_t *starts);

/* The index of the message that @piece is of, or -1. */
int64_t equant_redist_message_of(const struct equant_redist_costs *costs,
				 const struct equant_redist_piece *piece);

/**
 * struct equant_redist_draft - a schedule under construction
 * @costs: of the messages
 * @schedule: its pieces so far
 * @room: of them
 * @send: sendavail of section 4.3: when each sender is free again
 * @receive: recvavail
 * @turns: of improving, at most
 */
struct equant_redist_draft {
	const struct equant_redist_costs *costs;
	struct equant_redist_schedule *schedule;
	int64_t room;
	double *send;
	double *receive;
	double turns;
};

/**
 * struct equant_redist_kept - the fastest schedule so far
 * @schedule: whose pieces are its own; none yet
 * @time: that it takes in the network of its costs (ports.h)
 */
struct equant_redist_kept {
	struct equant_redist_schedule schedule;
	double time;
};

/*
 * Send @share of @message as soon as both sides are free, but not before @earliest.
 * 0 or -ENOMEM.
 */
int equant_redist_send(struct equant_redist_draft *draft,
		       const struct equant_redist_message *message, double share, double earliest);

/* Send all of a message that takes @time as soon as both sides are free.  0 or -ENOMEM. */
int equant_redist_send_whole(struct equant_redist_draft *draft, int from, int to, double time);

/* Send it from @begin to @end, whatever the sides do otherwise.  0 or -ENOMEM. */
int equant_redist_place(struct equant_redist_draft *draft,
			const struct equant_redist_message *message, double share, double begin,
			double end);

/* Put pieces in the order of their beginnings, then of senders.  0 or -ENOMEM. */
int equant_redist_order(struct equant_redist_schedule *schedule);

/* Forget all pieces. */
void equant_redist_restart(struct equant_redist_draft *draft);

/* Keep the draft's schedule in @best, if that has none or a longer one, and begin another. */
void equant_redist_keep(struct equant_redist_draft *draft, struct equant_redist_schedule *best);

/*
 * Keep the draft's schedule, which is put in order, if none is kept or one that takes longer than
 * @time; NaN: what it takes is found out.  Another one is begun.  0 or -errno.
 */
int equant_redist_keep_faster(struct equant_redist_draft *draft, struct equant_redist_kept *kept,
			      double time);

/* What was kept becomes the draft's schedule; nothing is kept any more. */
void equant_redist_take_back(struct equant_redist_draft *draft, struct equant_redist_kept *kept);

/* A scheduler fills in a draft; 0 or -ENOMEM.  A new one is a file, and a line in schedule.c. */
int equant_redist_caterpillar(struct equant_redist_draft *draft);
int equant_redist_direct(struct equant_redist_draft *draft);
int equant_redist_barrier(struct equant_redist_draft *draft);
int equant_redist_greedy(struct equant_redist_draft *draft);
int equant_redist_longest(struct equant_redist_draft *draft);
int equant_redist_eager(struct equant_redist_draft *draft);
int equant_redist_improved(struct equant_redist_draft *draft);
int equant_redist_preemptive(struct equant_redist_draft *draft);
int equant_redist_best(struct equant_redist_draft *draft);

/*
 * Greedy with @keys: a sender that is free takes, of the receivers that are free already, the one
 * whose message has the least key; senders that are free at once are served the busiest first.
 * NULL: greedy.  0 or -ENOMEM.
 */
int equant_redist_list(struct equant_redist_draft *draft, const double *keys);

/*
 * Messages in pieces, as if a start-up were data, within the bound and @slack of it more.
 * 0 or -ENOMEM.
 */
int equant_redist_split(struct equant_redist_draft *draft, double slack);

/* Does any message have a start-up?  Then so many splittings are tried. */
bool equant_redist_have_startups(const struct equant_redist_costs *costs);
#define EQUANT_REDIST_SLACKS 5

#define EQUANT_REDIST_TURNS 24. /* of improving, at most */

/* Eager, made shorter, in so many turns at most.  0 or -ENOMEM. */
int equant_redist_improve(struct equant_redist_draft *draft, double turns);

/* The improved schedule of so many turns at most; NULL and errno: out of memory. */
struct equant_redist_schedule *
equant_redist_schedule_improved(const struct equant_redist_costs *costs, double turns);

#endif /* EQUANT_REDIST_SCHEDULE_H */
