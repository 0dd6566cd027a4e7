/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_LOOP_ABORT_H
#define EQUANT_LOOP_ABORT_H

#include <mpi.h>
#include <stdint.h>

struct equant;
struct equant_loop;
struct equant_waited_on;
struct equant_waiter;

/**
 * equant_loop_abort() - tell all other ranks that this one has stopped in the middle of something
 *
 * No collective.  Of loops that share arrays all are meant: others may wait in any of them.
 */
void equant_loop_abort(struct equant_loop *loop);

/** equant_tell_all() - send all other ranks a word, which is its tag */
void equant_tell_all(struct equant *eq, MPI_Comm comm, int tag);

/** equant_loop_stop() - fail (phase.c) where others wait for this rank: they are told at once; @error */
int equant_loop_stop(struct equant_loop *loop, int error);

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

/**
 * equant_hears() - shall a wait of the context for other ranks be given up?
 * @waiter: the context's
 * @waited_ns: so far
 *
 * Where all ranks of a context meet, nobody looks for words about single loops: who has failed in one may yet come.
 * One that has not come for EQUANT_TIMEOUT will not.  A pair waits for ranks of one loop, as it does elsewhere.
 *
 * Return: 0; -ECANCELED a rank has given up, or has failed in a loop that is open here and not known to have failed;
 * -EIO.
 */
int equant_hears(const struct equant_waiter *waiter, uint64_t waited_ns);

/**
 * equant_lose() - no rank knows any more where the others of the context are
 * @error: why, or 0; the first one counts.  What others do not find by themselves they are told, and all loops end with.
 *
 * Return: @error.
 */
int equant_lose(struct equant *eq, int error);

/** equant_lose_pair() - the same of two ranks that waited for each other: the others are told in any case */
int equant_lose_pair(struct equant *eq, int error);

#endif /* EQUANT_LOOP_ABORT_H */
