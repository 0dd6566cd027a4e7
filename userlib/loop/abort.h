/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_ABORT_H
#define EQUANT_LOOP_ABORT_H

#include <mpi.h>

struct equant_loop;
struct equant_waited_on;

#define EQUANT_LOOK 0.1 /* seconds of waiting between two looks at whether a rank has given up */

/**
 * equant_loop_abort() - tell all other ranks that this one has stopped in the middle of something
 *
 * No collective.  Of loops that share arrays all are meant: others may wait in any of them.
 */
void equant_loop_abort(struct equant_loop *loop);

/**
 * equant_aborted() - has another rank told so?
 * @comm: of a loop
 * @rank: that has, or -1
 *
 * Return: 0; -ECANCELED one has; -EIO.
 */
int equant_aborted(MPI_Comm comm, int *rank);

/**
 * equant_loop_await() - complete requests, unless a rank has failed
 * @loop: theirs
 * @on: whom they wait for
 * @requests: @n of them, with @statuses or MPI_STATUSES_IGNORE
 *
 * Return: 0; -ECANCELED another rank has told that it stopped; -ETIMEDOUT in checked mode; -EIO.  After the first two
 * the requests are under way still.
 */
int equant_loop_await(struct equant_loop *loop, struct equant_waited_on *on, MPI_Request *requests,
		      int n, MPI_Status *statuses);

#endif /* EQUANT_LOOP_ABORT_H */
