/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_ORDER_H
#define EQUANT_CONTROL_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include <equant/balance.h>

/**
 * struct equant_estimate - what is thought of a rank, as in struct equant_rate
 */
struct equant_estimate {
	double rate, speed, share, pace;
};

/**
 * struct equant_order - what everybody's samples of one phase lead to, the same on every rank
 * @failed: the first rank that has failed, -1 = none
 * @closed: the first rank that has closed the loop, -1 = none
 * @differs: the first rank that has not closed it after as many hooks as @closed, -1 = none
 * @error: why nothing could be decided, 0 or -errno
 * @speeds_known: the decisions have gone on from guesses to measured speeds
 * @decision: its instructions are @instructions
 * @instructions: the order's own, room for one per rank
 * @estimates: by rank
 */
struct equant_order {
	int failed;
	int closed;
	int differs;
	int error;
	int speeds_known;
	struct equant_decision decision;
	struct equant_instruction *instructions;
	struct equant_estimate *estimates;
};

int equant_order_init(struct equant_order *order, int ranks);
void equant_order_release(struct equant_order *order);

/** equant_order_look() - does every rank go on?  Sets all but the decision */
void equant_order_look(struct equant_order *order, const struct equant_sample *samples, int ranks);

/**
 * equant_order_decide() - the decision of an order in which every rank goes on
 * @order: filled in by equant_order_look()
 * @balancer: of as many ranks
 * @samples: by rank
 * @units: what each rank will hold when the order is carried out
 * @ranks: how many
 */
void equant_order_decide(struct equant_order *order, struct equant_balancer *balancer,
			 const struct equant_sample *samples, const long *units, int ranks);

/**
 * equant_order_paces() - how fast ranks are now
 * @order: decided
 * @ranks: how many
 * @paces: receives units per second, by rank; who has computed nothing is taken for average; all 0: nobody has
 */
void equant_order_paces(const struct equant_order *order, int ranks, double *paces);

/** equant_order_size() - of the longest message */
size_t equant_order_size(int ranks);

/**
 * equant_order_pack() - an order as a message
 * @order: what to send
 * @ranks: how many
 * @number: of the interaction
 * @clock: the sender's, see gather.c
 * @message: equant_order_size() bytes, aligned as for malloc()
 *
 * Return: its length.
 */
size_t equant_order_pack(const struct equant_order *order, int ranks, uint64_t number,
			 uint64_t clock, void *message);

/**
 * equant_order_unpack() - the other way round
 *
 * Nothing in the message is believed before it has been checked.
 *
 * Return: 0; -EBADMSG and @fault: what is wrong.
 */
int equant_order_unpack(struct equant_order *order, int ranks, uint64_t number, uint64_t *clock,
			const void *message, size_t size, const char **fault);

/**
 * equant_order_fit() - carry out instructions on counts
 * @instructions: @count of them; they are cut down to what their senders have
 * @count: how many
 * @units: by rank
 *
 * A sender may have to receive first.  Who has less than the order assumed, because units have become
 * inactive meanwhile, sends less.
 *
 * Return: how many instructions still move something; they come first.
 */
int equant_order_fit(struct equant_instruction *instructions, int count, long *units);

#endif /* EQUANT_CONTROL_ORDER_H */
