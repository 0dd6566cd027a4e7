/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_COLLECTIVE_H
#define EQUANT_CONTROL_COLLECTIVE_H

#include <mpi.h>

#include "control/wait.h"

/**
 * equant_collective_barrier() - nobody leaves before all have come
 * @waiter: how to wait
 * @comm: a communicator that the library has to itself
 *
 * Return: 0 or -errno.
 */
int equant_collective_barrier(struct equant_waiter *waiter, MPI_Comm comm);

/**
 * equant_collective_allreduce() - combine every rank's elements, in the order of ranks
 * @waiter: how to wait
 * @comm: a communicator that the library has to itself
 * @send: @count elements or MPI_IN_PLACE
 * @recv: receives the result
 * @count: >= 0
 * @datatype: any
 * @op: any that MPI_Reduce_local() takes, commutative or not
 * @after: reductions of the same call that come after this one, less than 30; -EPROTO where ranks have others
 * @failed: 0, or -errno: this rank has nothing to combine
 *
 * What fails on one rank fails on all.
 *
 * Return: 0, -ENOMEM, -EOVERFLOW, -EPROTO, -EIO, or what was @failed on a rank.
 */
int equant_collective_allreduce(struct equant_waiter *waiter, MPI_Comm comm, const void *send,
				void *recv, int count, MPI_Datatype datatype, MPI_Op op, int after,
				int failed);

/**
 * equant_collective_broadcast() - everybody gets one rank's elements
 * @waiter: how to wait
 * @comm: a communicator that the library has to itself
 * @buffer: @count elements: of @root, received by the others
 * @count: >= 0
 * @datatype: any
 * @root: the rank that has them
 *
 * Return: 0, -EIO.
 */
int equant_collective_broadcast(struct equant_waiter *waiter, MPI_Comm comm, void *buffer,
				int count, MPI_Datatype datatype, int root);

#endif /* EQUANT_CONTROL_COLLECTIVE_H */
