/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_WAIT_H
#define EQUANT_CONTROL_WAIT_H

#include <mpi.h>
#include <stdint.h>

/**
 * equant_wait_requests() - complete requests without holding on to the CPU
 * @requests: n of them, MPI_REQUEST_NULL allowed
 * @n: their number
 * @timeout: seconds, 0 = wait for ever
 * @waited_ns: the time spent here is added to it
 *
 * A rank that polls spends the time slice it will need when the message
 * comes, if another process shares its CPU: spin for the length of a short
 * message, then sleep between tests.
 *
 * Return: 0, -ETIMEDOUT, or the error of a request.
 */
int equant_wait_requests(MPI_Request *requests, int n, double timeout, uint64_t *waited_ns);

#endif /* EQUANT_CONTROL_WAIT_H */
