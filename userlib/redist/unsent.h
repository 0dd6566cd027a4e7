/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_UNSENT_H
#define EQUANT_REDIST_UNSENT_H

#include "redist/schedule.h"

/* A message that has not been sent: its receiver, and how far behind its sender's first it is. */
struct equant_redist_entry {
	int to;
	int at;
};

/**
 * struct equant_redist_unsent - messages that have not been sent: R_i of section 4.3
 * @ranks: senders, and receivers
 * @left: how many each sender has
 * @list: those messages in no order, those of sender i from starts[i] on; or NULL
 * @table: for each sender and receiver how far behind the sender's first their message is, or
 *	-1; or NULL
 * @order: receivers: who is free first, of equals the lower rank
 * @at: place in @order of the one that was taken last
 */
struct equant_redist_unsent {
	int ranks;
	int64_t *left;
	struct equant_redist_entry *list;
	int *table;
	struct equant_redist_free *order;
	int at;
};

/* Nothing has been sent.  0 or -ENOMEM; to be released either way. */
int equant_redist_unsent_init(struct equant_redist_unsent *unsent,
			      const struct equant_redist_costs *costs);
void equant_redist_unsent_release(struct equant_redist_unsent *unsent);

/*
 * Have @sender, which has something left, send to the receiver that is free first, of equals to the
 * lowest rank.  Receivers' times must not be changed otherwise.  0 or -ENOMEM.
 */
int equant_redist_unsent_send(struct equant_redist_unsent *unsent,
			      struct equant_redist_draft *draft, int sender);

#endif /* EQUANT_REDIST_UNSENT_H */
