/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_EXCHANGE_H
#define EQUANT_CONTROL_EXCHANGE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "control/wait.h"

struct equant_exchange;

/**
 * equant_exchange_new() - an all-to-all exchange of one fixed-size item per rank
 * @waiter: how to wait; must outlive the exchange
 * @comm: private communicator
 * @tag: its tag; exchanges that may be under way together need different ones
 * @size: bytes per item
 *
 * Return: the exchange or NULL and errno.
 */
struct equant_exchange *equant_exchange_new(struct equant_waiter *waiter, MPI_Comm comm, int tag,
					    size_t size);

/** equant_exchange_retag() - the next one has another tag; none is under way */
void equant_exchange_retag(struct equant_exchange *x, int tag);

/** equant_exchange_free() - must not be under way */
void equant_exchange_free(struct equant_exchange *x);

/** equant_exchange_start() - send this rank's item on its way; 0 or -errno */
int equant_exchange_start(struct equant_exchange *x, const void *item);

/** equant_exchange_progress() - never waits; 1 complete, 0 not yet, -errno */
int equant_exchange_progress(struct equant_exchange *x);

/**
 * equant_exchange_finish() - wait until every rank's item is here
 * @x: a started exchange
 * @timeout: seconds, 0 = for ever
 * @waited_ns: waiting time is added
 *
 * Return: 0, -ETIMEDOUT, -errno.
 */
int equant_exchange_finish(struct equant_exchange *x, double timeout, uint64_t *waited_ns);

/** equant_exchange_chain() - messages of the last exchange that came one after the other */
long equant_exchange_chain(const struct equant_exchange *x);

/** equant_exchange_messages() - sent by this rank in all exchanges */
long equant_exchange_messages(const struct equant_exchange *x);

/** equant_exchange_items() - the items of a finished exchange, by rank */
const void *equant_exchange_items(const struct equant_exchange *x);

/**
 * equant_exchange_awaited() - the rank whose message is missing, -1 for none
 * @x: an exchange that is not complete
 * @itself: set when that rank has not even started; otherwise it may be waiting for another
 */
int equant_exchange_awaited(const struct equant_exchange *x, int *itself);

/** equant_exchange_cancel() - give up on an exchange that a peer will never complete; then only free it */
void equant_exchange_cancel(struct equant_exchange *x);

#endif /* EQUANT_CONTROL_EXCHANGE_H */
