/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_UNSENT_H
#define EQUANT_REDIST_UNSENT_H

#include "redist/schedule.h"

/* A message that has not been sent: its receiver, how far behind its sender's first it is, its time. */
struct equant_redist_entry {
	int to;
	int at;
	double time;
};

/* A receiver and when it is free, as bits: those of times are in the order of the times. */
struct equant_redist_turn {
	uint64_t time;
	uint32_t receiver;
};

/**
 * struct equant_redist_unsent - messages that have not been sent: R_i of section 4.3
 * @ranks: senders, and receivers
 * @keys: of all messages, or NULL
 * @left: how many each sender has
 * @list: those messages in no order, those of sender i from starts[i] on; or NULL
 * @time: for each sender and receiver how long their message takes, if there is one; or NULL
 * @key: the same with keys, or NULL
 * @has: for each sender a bit for each receiver that it has a message for, in @words words
 * @turns: of the receivers that get anything yet: who is free first, of equals the lower rank;
 *	behind them some of nobody's, later than all
 * @room: of @turns, but for the last few: a power of 8, or 0
 * @receivers: how many
 * @gets: messages that each rank gets yet
 * @at: place in @turns of the one that was taken last
 */
struct equant_redist_unsent {
	int ranks;
	const double *keys;
	int64_t *left;
	struct equant_redist_entry *list;
	double *time;
	double *key;
	uint64_t *has;
	size_t words;
	struct equant_redist_turn *turns;
	int room;
	int receivers;
	int *gets;
	int at;
};

/* Nothing has been sent; @keys may be NULL.  0 or -ENOMEM; to be released either way. */
int equant_redist_unsent_init(struct equant_redist_unsent *unsent,
			      const struct equant_redist_costs *costs, const double *keys);
void equant_redist_unsent_release(struct equant_redist_unsent *unsent);

/*
 * Have @sender, which has something left, send to the receiver that is free first, of equals to the
 * lowest rank; with keys, if receivers are free already, that one of them whose message has the
 * least key.  Receivers' times must not be changed otherwise.  0 or -ENOMEM.
 */
int equant_redist_unsent_send(struct equant_redist_unsent *unsent,
			      struct equant_redist_draft *draft, int sender);

#endif /* EQUANT_REDIST_UNSENT_H */
