/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_SEND_H
#define EQUANT_CONTROL_SEND_H

#include <mpi.h>

#include "control/wait.h"

/* Bytes that go to another node by TCP at once: for more MPI asks the receiver, which may compute. */
#define EQUANT_SEND_PROMPT ((size_t)60000)

/** equant_delay() - keeps the sender of a message busy for EQUANT_DELAY */
void equant_delay(const struct equant_waiter *waiter);

/**
 * equant_send() - MPI_Isend() to a rank of the context, which looks for it if it sleeps
 * @waiter: of the context
 *
 * The other arguments are MPI_Isend()'s.
 *
 * Return: MPI's error code.
 */
int equant_send(const struct equant_waiter *waiter, const void *buffer, int count,
		MPI_Datatype datatype, int to, int tag, MPI_Comm comm, MPI_Request *request);

/** equant_send_by() - ... by another function of MPI with the same arguments, as MPI_Issend() */
typedef int equant_send_function(const void *buffer, int count, MPI_Datatype datatype, int to,
				 int tag, MPI_Comm comm, MPI_Request *request);
int equant_send_by(equant_send_function *send, const struct equant_waiter *waiter,
		   const void *buffer, int count, MPI_Datatype datatype, int to, int tag,
		   MPI_Comm comm, MPI_Request *request);

#endif /* EQUANT_CONTROL_SEND_H */
