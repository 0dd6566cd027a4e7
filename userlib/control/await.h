/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_AWAIT_H
#define EQUANT_CONTROL_AWAIT_H

#include <stdint.h>

#include "control/wait.h"

/**
 * struct equant_signal - a word in a node's memory that ranks wait for, a futex
 * @asleep: how many sleep on it or are about to
 * @rung_ns: when they were woken last
 */
struct equant_signal {
	uint32_t word;
	uint32_t asleep;
	uint64_t rung_ns;
};

/** equant_signal_set() - and wake who sleeps on it */
void equant_signal_set(struct equant_signal *signal, uint32_t value);

/**
 * equant_signal_await() - until the word is, or is no longer, @value
 * @waiter: how; with a node
 * @signal: in the node's memory
 * @value: see above
 * @is: wait until it is
 *
 * Return: 0; -EIO a rank of the node is gone; -ETIMEDOUT in checked mode; what @waiter hears (wait.h).
 */
int equant_signal_await(struct equant_waiter *waiter, struct equant_signal *signal, uint32_t value,
			int is);

#endif /* EQUANT_CONTROL_AWAIT_H */
