/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_SHARED_H
#define EQUANT_CONTROL_SHARED_H

#include <mpi.h>

#include "control/wait.h"

/**
 * equant_shared_barrier() - over the memory of each node, and messages between nodes
 * @waiter: with a node
 *
 * Return: 0; -EIO a rank is gone.
 */
int equant_shared_barrier(struct equant_waiter *waiter);

/**
 * equant_shared_takes() - can this reduction be done in shared memory?
 * @waiter: how to wait
 * @count: elements, > 0
 * @datatype: of them
 * @op: of them
 *
 * The answer depends on nothing that differs between ranks.
 */
int equant_shared_takes(const struct equant_waiter *waiter, int count, MPI_Datatype datatype,
			MPI_Op op);

/** equant_shared_allreduce() - arguments as equant_collective_allreduce(); 0 or -errno */
int equant_shared_allreduce(struct equant_waiter *waiter, const void *send, void *recv, int count,
			    MPI_Datatype datatype, MPI_Op op);

/** equant_shared_sends() - can these bytes go to all ranks in shared memory? */
int equant_shared_sends(const struct equant_waiter *waiter, size_t bytes);

/**
 * equant_shared_broadcast() - everybody gets one rank's bytes, which equant_shared_sends()
 * @waiter: how to wait
 * @buffer: of the root, received by the others
 * @bytes: the same on every rank
 * @root: rank of the context
 *
 * Return: 0; -EIO a rank is gone.
 */
int equant_shared_broadcast(struct equant_waiter *waiter, void *buffer, size_t bytes, int root);

#endif /* EQUANT_CONTROL_SHARED_H */
