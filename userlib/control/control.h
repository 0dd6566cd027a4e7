/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The interactions of the balancing phases: samples up, orders down.  Several may be
 * under way at once; they are numbered alike on every rank and end in their order.
 */
#ifndef EQUANT_CONTROL_CONTROL_H
#define EQUANT_CONTROL_CONTROL_H

#include <mpi.h>
#include <stdint.h>

#include <equant/equant.h>

#include "control/order.h"
#include "control/wait.h"

struct equant_control;

/**
 * struct equant_interaction - one of them, the part that all structures have
 * @tag: of its messages; no other interaction under way has it
 * @number: how many were started before it
 * @order: valid once it is complete, its decision once it has been asked for
 */
struct equant_interaction {
	struct equant_control *control;
	int tag;
	uint64_t number;
	struct equant_order order;
};

/**
 * struct equant_control_ops - a structure: who sends what to whom, and who decides
 * @name: as in EQUANT_CONTROL
 * @decides: whether a rank needs a balancer
 * @rounds: messages one after the other in an interaction, at most
 * @create: an interaction at rest, or NULL and errno; the caller fills in the common part
 * @free: @x is not under way
 * @start: send this rank's sample on its way; 0 or -errno
 * @progress: never waits; 1 complete, 0 not yet, -errno
 * @complete: wait until it is complete; 0, -ETIMEDOUT, -errno
 * @decide: make the decision now if it is not made while the interaction is under way;
 *	may be NULL
 * @awaited: the rank whose message is missing, -1 for none; @itself: that rank has not even started
 * @cancel: give up on what a peer will never complete
 */
struct equant_control_ops {
	const char *name;
	int (*decides)(int rank);
	int (*rounds)(int ranks);
	struct equant_interaction *(*create)(struct equant_control *c, int tag);
	void (*free)(struct equant_interaction *x);
	int (*start)(struct equant_interaction *x, const struct equant_sample *sample);
	int (*progress)(struct equant_interaction *x);
	int (*complete)(struct equant_interaction *x, double timeout, uint64_t *waited_ns);
	void (*decide)(struct equant_interaction *x);
	int (*awaited)(const struct equant_interaction *x, int *itself);
	void (*cancel)(struct equant_interaction *x);
};

extern const struct equant_control_ops equant_control_exchange;
extern const struct equant_control_ops equant_control_tree;
extern const struct equant_control_ops equant_control_central;

/**
 * struct equant_control - a loop's interactions
 * @tag: the first of @nr_slots tags
 * @counts: units by rank as they are now; owned by the loop
 * @balancer: where decisions are made, else NULL; owned by the loop, set before the first start
 * @slots: interactions, used in turn
 * @first: number of the oldest that is under way
 * @started: number of the next one
 * @decided: number of the next one to be decided
 * @planned: room for counts
 * @room: room for instructions
 * @messages: sent by this rank
 * @chain: the most messages of an interaction that had to come one after the other, where each
 *	rank sends or receives one at a time
 */
struct equant_control {
	const struct equant_control_ops *ops;
	struct equant_waiter *waiter;
	MPI_Comm comm;
	int tag;
	int rank;
	int ranks;
	const long *counts;
	struct equant_balancer *balancer;
	struct equant_interaction **slots;
	int nr_slots;
	uint64_t first, started, decided;
	long *planned;
	struct equant_instruction *room;
	long messages;
	long chain;
};

/**
 * equant_control_new() - no interaction yet
 * @mode: which structure
 * @depth: interactions under way at once, >= 1
 * @waiter: how to wait; must outlive it
 * @comm: private communicator
 * @tag: the first of @depth tags
 * @counts: see above
 *
 * Return: the control or NULL and errno.
 */
struct equant_control *equant_control_new(enum equant_control_mode mode, int depth,
					  struct equant_waiter *waiter, MPI_Comm comm, int tag,
					  const long *counts);

/** equant_control_free() - nothing is under way, or MPI is over; @c may be NULL */
void equant_control_free(struct equant_control *c);

/** equant_control_start() - begin an interaction with this rank's sample; 0 or -errno */
int equant_control_start(struct equant_control *c, const struct equant_sample *sample);

/** equant_control_pending() - interactions under way, complete or not */
int equant_control_pending(const struct equant_control *c);

/** equant_control_needs_looks() - does equant_control_progress() help? */
int equant_control_needs_looks(const struct equant_control *c);

/** equant_control_progress() - never waits; 0 or -errno */
int equant_control_progress(struct equant_control *c);

/**
 * equant_control_complete() - wait for interactions
 * @c: the control
 * @n: so many of the oldest, at most as many as are pending
 * @timeout: seconds, 0 = for ever
 * @waited_ns: waiting time is added
 *
 * Return: 0, -ETIMEDOUT, -errno.
 */
int equant_control_complete(struct equant_control *c, int n, double timeout, uint64_t *waited_ns);

/** equant_control_order() - the order of the oldest interaction, which is complete */
struct equant_order *equant_control_order(struct equant_control *c);

/** equant_control_peers() - do all go on?  Of the @i-th oldest interaction, which is complete */
const struct equant_order *equant_control_peers(const struct equant_control *c, int i);

/** equant_control_drop() - the oldest interaction's order has been carried out */
void equant_control_drop(struct equant_control *c);

/** equant_control_awaited() - see the ops; of the oldest interaction that is not complete */
int equant_control_awaited(const struct equant_control *c, int *itself);

/** equant_control_cancel() - give up on all interactions */
void equant_control_cancel(struct equant_control *c);

/** equant_control_count() - for the structures: an interaction is complete, account for it */
void equant_control_count(struct equant_control *c, long messages, long chain);

/**
 * equant_control_decide() - for the structures: make an interaction's order
 * @x: all samples are here
 * @samples: by rank
 *
 * Orders are made in the order of their numbers.  Orders made earlier and not yet carried out
 * count as carried out: the decision is made for the distribution it will meet (Siegell 1995,
 * section 2.6.1).
 *
 * Return: 0, -EAGAIN if an earlier one has not been decided.
 */
int equant_control_decide(struct equant_interaction *x, const struct equant_sample *samples);

#endif /* EQUANT_CONTROL_CONTROL_H */
