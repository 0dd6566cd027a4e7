/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_HANDOVER_H
#define EQUANT_CONTROL_HANDOVER_H

#include <stddef.h>
#include <stdint.h>

#include "control/wait.h"

/** equant_handover_takes() - can so many bytes be swapped with that rank in shared memory? */
int equant_handover_takes(const struct equant_waiter *waiter, int peer, size_t bytes);

/**
 * equant_handover_swap() - two ranks of a node swap some bytes, which equant_handover_takes()
 * @waiter: how to wait
 * @peer: rank of the context, which calls this as well
 * @mine: go to @peer, and are replaced by its own
 * @bytes: the same on both
 * @what: the same on both, or they do not mean the same
 *
 * Return: 0; -EPROTO @what differs, -EIO a rank is gone.
 */
int equant_handover_swap(struct equant_waiter *waiter, int peer, void *mine, size_t bytes,
			 uint64_t what);

#endif /* EQUANT_CONTROL_HANDOVER_H */
