/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Whom a rank waits for.  Each wait of the library notes it before it begins, and when the wait has lasted
 * for EQUANT_TIMEOUT the rank is named, once; what the wait does then is its own affair.
 */
#ifndef EQUANT_CONTROL_WAITED_ON_H
#define EQUANT_CONTROL_WAITED_ON_H

#include <mpi.h>
#include <stdint.h>

struct equant_waiter;

/**
 * struct equant_waited_on - what a wait is for
 * @say: names who has not come within @seconds
 * @of: what @say looks at
 * @what: the call or the phase that is waited in
 * @rank: where that is known beforehand
 * @outer: the wait that this one is part of
 * @since_ns: the first test has failed then; 0 = none has
 * @said: it has been named
 */
struct equant_waited_on {
	void (*say)(const struct equant_waited_on *on, double seconds);
	const void *of;
	const char *what;
	int rank;
	struct equant_waited_on *outer;
	uint64_t since_ns;
	int said;
};

/** equant_waited_on_begin() - @on is what waits are for from now on; the first three fields are filled in */
void equant_waited_on_begin(struct equant_waiter *waiter, struct equant_waited_on *on);

/** equant_waited_on_end() - the wait is over: nothing is said any more */
void equant_waited_on_end(struct equant_waiter *waiter);

/** equant_waited_on_look() - for wait.c: a test has failed at @now_ns */
void equant_waited_on_look(const struct equant_waiter *waiter, uint64_t now_ns);

/** equant_waited_on_give_up() - what is waited for now has not come in time */
void equant_waited_on_give_up(const struct equant_waiter *waiter);

/** equant_say_rank() - a @say: "@what: rank @rank has not come within @seconds" */
void equant_say_rank(const struct equant_waited_on *on, double seconds);

/**
 * equant_first_missing() - who has not sent, or not taken, what is under way
 * @requests: @n of them
 * @peers: whose they are
 *
 * Return: the rank of the first request that is not complete, -1 = none.
 */
int equant_first_missing(const MPI_Request *requests, const int *peers, int n);

#endif /* EQUANT_CONTROL_WAITED_ON_H */
