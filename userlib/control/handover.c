// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Two ranks of a node swap some bytes.  Each puts its own into its box and says for whom
 * they are, then takes those of the other and says that the box is empty.
 *
 * In checked mode who has waited for too long takes its bytes back, so that one that comes late does not
 * find them and go on alone.
 *
 * A box is emptied by a rank that is in a swap and waits for nobody on its way there, so nobody
 * who finds its own full waits for long.
 */
#include <errno.h>
#include <string.h>

#include "control/await.h"
#include "control/futex.h"
#include "control/handover.h"
#include "control/node.h"
#include "control/send.h"
#include "core/message.h"

#define EMPTY 0u
#define TAKEN UINT32_MAX /* by the one for whom it is full, until it is empty */

int equant_handover_takes(const struct equant_waiter *waiter, int peer, size_t bytes)
{
	const struct equant_node *node = waiter->node;

	return equant_node_has(node, peer) &&
	       bytes <= (size_t)EQUANT_NODE_CHUNKS * EQUANT_NODE_SLOT;
}

/* How a box says that it is full, and for whom. */
static uint32_t full_for(int local)
{
	return (uint32_t)local + 1;
}

/* @local: for whom this rank waits until the box says @value */
static int await(struct equant_waiter *waiter, int local, struct equant_signal *signal,
		 uint32_t value)
{
	struct equant_waited_on on = { .say = equant_say_rank,
				       .what = waiter->call,
				       .rank = equant_node_find(waiter->node, local) };
	int error;

	equant_waited_on_begin(waiter, &on);
	error = equant_signal_await(waiter, signal, value, 1);
	equant_waited_on_end(waiter);
	return error;
}

static int put(struct equant_waiter *waiter, int to, const void *from, size_t bytes, uint64_t what)
{
	struct equant_node_box *own = equant_node_box(waiter->node, waiter->node->rank);
	uint32_t full = equant_word_read(&own->signal.word);
	int error;

	/* What is still there is for the one before. */
	error = await(waiter, full == EMPTY || full == TAKEN ? to : (int)full - 1, &own->signal,
		      EMPTY);
	if (error)
		return error;
	equant_delay(waiter);
	own->what = what;
	memcpy(own->bytes, from, bytes);
	equant_signal_set(&own->signal, full_for(to));
	return 0;
}

static int take(struct equant_waiter *waiter, int from, void *to, size_t bytes, uint64_t what)
{
	struct equant_node_box *other = equant_node_box(waiter->node, from);
	uint32_t full = full_for(waiter->node->rank);
	int error = await(waiter, from, &other->signal, full);

	if (error)
		return error;
	if (!equant_word_exchange(&other->signal.word, full, TAKEN)) {
		equant_message("%s: rank %d has given up", waiter->call,
			       equant_node_find(waiter->node, from));
		return -ETIMEDOUT;
	}
	if (other->what == what)
		memcpy(to, other->bytes, bytes);
	else
		error = -EPROTO;
	equant_signal_set(&other->signal, EMPTY);
	return error;
}

/*
 * The other one has not come: it must not find this when it comes late, and think that both have swapped.  1: it has
 * been here after all, and what it gives is there.
 */
static int take_back(struct equant_waiter *waiter, int to)
{
	struct equant_node_box *own = equant_node_box(waiter->node, waiter->node->rank);

	return !equant_word_exchange(&own->signal.word, full_for(to), EMPTY);
}

static int swap(struct equant_waiter *waiter, int local, char *at, size_t bytes, uint64_t what)
{
	int error = put(waiter, local, at, bytes, what);

	if (error)
		return error;
	error = take(waiter, local, at, bytes, what);
	if ((error == -ETIMEDOUT || error == -ECANCELED) && take_back(waiter, local))
		error = take(waiter, local, at, bytes, what);
	return error;
}

int equant_handover_swap(struct equant_waiter *waiter, int peer, void *mine, size_t bytes,
			 uint64_t what)
{
	int local = waiter->node->local[peer], error = 0;
	char *at = mine;

	while (bytes && !error) {
		size_t n = bytes < EQUANT_NODE_SLOT ? bytes : EQUANT_NODE_SLOT;

		error = swap(waiter, local, at, n, what);
		at += n;
		bytes -= n;
	}
	return error;
}
