// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A message to another rank: what it costs more than it does here, and the bell that wakes its
 * receiver.
 *
 * Reference: Siegell 1995, table 7.2, "artificial delay added to communication", with which
 * section 3.3.5 shows how a program answers to slower messages.  It is time of the
 * sender's CPU, as the cost of a message is in eq. 3.8; nothing stays longer on its way.
 */
#include "control/node.h"
#include "control/send.h"
#include "core/clock.h"

void equant_delay(const struct equant_waiter *waiter)
{
	uint64_t start;

	if (!waiter->delay_ns)
		return;
	start = equant_now_ns();
	while (equant_now_ns() - start < waiter->delay_ns)
		;
}

int equant_send_by(equant_send_function *send, const struct equant_waiter *waiter,
		   const void *buffer, int count, MPI_Datatype datatype, int to, int tag,
		   MPI_Comm comm, MPI_Request *request)
{
	int code;

	equant_delay(waiter);
	code = send(buffer, count, datatype, to, tag, comm, request);
	equant_node_ring(waiter->node, to);
	return code;
}

int equant_send(const struct equant_waiter *waiter, const void *buffer, int count,
		MPI_Datatype datatype, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
	return equant_send_by(MPI_Isend, waiter, buffer, count, datatype, to, tag, comm, request);
}
