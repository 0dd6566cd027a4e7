// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Waits for messages of other ranks.  Who waits answers others meanwhile, so that it looks again and
 * again, and only gives up its CPU in between.  As in other waits whoever has not come is named, and given
 * up on in checked mode, or when ranks of the context have lost each other.
 */
#include <errno.h>
#include <sched.h>

#include "core/clock.h"
#include "core/message.h"
#include "engine/self_messages.h"
#include "loop/loop_internal.h"

#define LOOK_NS ((uint64_t)(1e9 * EQUANT_LOOK))

void equant_self_say_rank(const struct equant_waited_on *on, double seconds)
{
	equant_message("%s: rank %d, or a rank that it waits for, has not come within %g s",
		       on->what, on->rank, seconds);
}

/* Time has passed: shall this rank wait any longer? */
static int go_on_waiting(struct equant *eq, uint64_t waited_ns)
{
	int error = eq->lost ? eq->lost : equant_lose(eq, equant_hears(&eq->waiter, waited_ns));

	if (error || !(eq->waiter.limit > 0) || 1e-9 * (double)waited_ns <= eq->waiter.limit)
		return error;
	equant_waited_on_give_up(&eq->waiter);
	return -ETIMEDOUT;
}

static int await(struct equant_self *self, equant_self_look look, struct equant_self_chunk *chunk)
{
	uint64_t began = 0, looked = 0, now;
	int got;

	while (!look(self, chunk, &got)) {
		sched_yield();
		now = equant_now_ns();
		equant_waited_on_look(&self->eq->waiter, now);
		if (!began)
			began = looked = now;
		if (now - looked < LOOK_NS)
			continue;
		looked = now;
		got = go_on_waiting(self->eq, now - began);
		if (got)
			break;
	}
	return got;
}

int equant_self_await(struct equant_self *self, struct equant_waited_on *on, equant_self_look look,
		      struct equant_self_chunk *chunk)
{
	struct equant_waiter *waiter = &self->eq->waiter;
	int got;

	/* The waiter is that of the context's thread, for which the rank's others wait. */
	if (!equant_self_is_owner(self)) {
		while (!look(self, chunk, &got))
			sched_yield();
		return got;
	}
	waiter->call = on->what;
	equant_waited_on_begin(waiter, on);
	got = await(self, look, chunk);
	equant_waited_on_end(waiter);
	return got;
}
