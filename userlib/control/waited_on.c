// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include "control/wait.h"
#include "control/waited_on.h"
#include "core/message.h"

void equant_waited_on_begin(struct equant_waiter *waiter, struct equant_waited_on *on)
{
	on->outer = waiter->on;
	on->since_ns = 0;
	on->said = 0;
	waiter->on = on;
}

void equant_waited_on_end(struct equant_waiter *waiter)
{
	waiter->on = waiter->on->outer;
}

void equant_waited_on_give_up(const struct equant_waiter *waiter)
{
	struct equant_waited_on *on = waiter->on;

	if (!on || on->said)
		return;
	on->said = 1;
	on->say(on, waiter->timeout);
}

void equant_waited_on_look(const struct equant_waiter *waiter, uint64_t now_ns)
{
	struct equant_waited_on *on = waiter->on;

	if (!on || on->said)
		return;
	if (!on->since_ns)
		on->since_ns = now_ns;
	if (waiter->timeout > 0 && 1e-9 * (double)(now_ns - on->since_ns) >= waiter->timeout)
		equant_waited_on_give_up(waiter);
}

int equant_first_missing(const MPI_Request *requests, const int *peers, int n)
{
	int here;

	for (int i = 0; i < n; i++)
		if (MPI_Request_get_status(requests[i], &here, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
		    !here)
			return peers[i];
	return -1;
}

void equant_say_rank(const struct equant_waited_on *on, double seconds)
{
	equant_message("%s: rank %d has not come within %g s", on->what, on->rank, seconds);
}
