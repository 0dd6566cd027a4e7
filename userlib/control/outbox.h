/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_OUTBOX_H
#define EQUANT_CONTROL_OUTBOX_H

#include <mpi.h>
#include <stddef.h>

#include "control/wait.h"

/**
 * struct equant_outbox - messages that are sent without waiting for them
 * @waiter: how to wait, and whom to ring
 * @comm: a private communicator
 * @messages: @n copies on their way, room for @room
 * @requests: theirs
 * @sent: messages so far
 */
struct equant_outbox {
	struct equant_waiter *waiter;
	MPI_Comm comm;
	char **messages;
	MPI_Request *requests;
	int n;
	int room;
	long sent;
};

void equant_outbox_init(struct equant_outbox *box, struct equant_waiter *waiter, MPI_Comm comm);

/** equant_outbox_send() - send a copy of a message; 0, -ENOMEM, -EIO */
int equant_outbox_send(struct equant_outbox *box, int to, int tag, const void *message,
		       size_t size);

/**
 * equant_outbox_send_each() - send a copy to each of n ranks, the last one first
 *
 * Return: 0; -ENOMEM, and nobody gets it; -EIO.
 */
int equant_outbox_send_each(struct equant_outbox *box, const int *to, int n, int tag,
			    const void *message, size_t size);

/** equant_outbox_progress() - forget what has arrived, never waits; 0 or -errno */
int equant_outbox_progress(struct equant_outbox *box);

/**
 * equant_outbox_release() - wait for what is under way and free
 * @box: may be used again after another init
 * @timeout: seconds, after which a message is given up; 0 = none
 */
void equant_outbox_release(struct equant_outbox *box, double timeout);

#endif /* EQUANT_CONTROL_OUTBOX_H */
