/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_WAIT_H
#define EQUANT_CONTROL_WAIT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include <equant/equant.h>
#include <equant/probe.h>

#include "control/waited_on.h"

#define EQUANT_LOOK 0.1 /* seconds of waiting between two looks at whether a rank has given up */

struct equant;
struct equant_loop;
struct equant_node;

/**
 * struct equant_waiter - how a context's rank waits for others
 * @mode: what was asked for
 * @probe: tells auto whether others want this CPU; owned by the context
 * @node: who shares memory with this rank, NULL = nobody; owned by the context
 * @seen: the counters when auto last looked
 * @crowded_until_ns: auto takes the CPU for wanted by others until then
 * @wake_ns: what waking this rank takes, as far as it is known
 * @brief: the part of the waits for a word, of late, that took no longer than that
 * @delay_ns: what a message costs its sender more, EQUANT_DELAY
 * @call: of the program, in which the ranks meet
 * @on: whom this rank waits for, NULL = nobody knows
 * @timeout: seconds until that is said, 0 = never
 * @limit: ... and until the waits for words in the node's memory are given up, 0 = never
 * @hears: asked now and then by waits in which all ranks meet; not 0 = they are given up with that error
 * @eq: for it; whose waiter this is
 * @pair: likewise: two ranks of that loop wait for each other; NULL = all of the context do
 */
struct equant_waiter {
	enum equant_wait_mode mode;
	struct equant_probe *probe;
	struct equant_node *node;
	struct equant_counters seen;
	uint64_t crowded_until_ns;
	uint64_t wake_ns;
	double brief;
	uint64_t delay_ns;
	const char *call;
	struct equant_waited_on *on;
	double timeout;
	double limit;
	int (*hears)(const struct equant_waiter *waiter, uint64_t waited_ns);
	struct equant *eq;
	const struct equant_loop *pair;
};

/**
 * struct equant_patience - one wait; but for @word, @asleep and @woken zero at its start
 * @start_ns: of the wait, 0 = the first test has not failed yet
 * @look_ns: when auto last looked for others
 * @crowded: what it saw
 * @nudge_ns: so long after its start others that may be kept from their CPUs are nudged next
 * @word: a futex that changes when it is time to test again; NULL = there is none
 * @value: @word before the last test
 * @asleep: is not zero while ranks sleep on @word
 * @rung_ns: when they were woken last
 * @dozing: counts those of all words of the kind; NULL: nobody does
 * @announced: @asleep and @dozing count this rank
 * @slept: until somebody woke it
 * @woken: @word surely changes at the end of the wait, not perhaps
 */
struct equant_patience {
	uint64_t start_ns;
	uint64_t look_ns;
	int crowded;
	uint64_t nudge_ns;
	uint32_t *word;
	uint32_t value;
	uint32_t *asleep;
	uint32_t *dozing;
	const uint64_t *rung_ns;
	int announced;
	int slept;
	int woken;
};

/** equant_waiter_init() - @probe may be NULL: auto then always gives up the CPU */
void equant_waiter_init(struct equant_waiter *waiter, enum equant_wait_mode mode,
			struct equant_probe *probe, struct equant_node *node);

/**
 * equant_patience_pause() - what a rank does between two tests that fail
 * @waiter: how
 * @p: this wait
 *
 * Return: nanoseconds since the first call for this wait.
 */
uint64_t equant_patience_pause(struct equant_waiter *waiter, struct equant_patience *p);

/** equant_patience_listen() - before a test: a message from a rank of the node ends the pause after it */
void equant_patience_listen(struct equant_waiter *waiter, struct equant_patience *p);

/** equant_patience_end() - nobody needs to wake this rank any more */
void equant_patience_end(struct equant_waiter *waiter, struct equant_patience *p);

/**
 * equant_wait_requests() - complete requests without holding on to the CPU
 * @waiter: how
 * @requests: n of them, MPI_REQUEST_NULL allowed
 * @n: their number
 * @statuses: n of them or MPI_STATUSES_IGNORE
 * @timeout: seconds, 0 = wait for ever
 * @waited_ns: the time spent here is added to it
 *
 * A rank that polls spends the time slice it will need when the message
 * comes, if another process shares its CPU: see wait.c.
 *
 * Return: 0, -ETIMEDOUT, or the error of a request.
 */
int equant_wait_requests(struct equant_waiter *waiter, MPI_Request *requests, int n,
			 MPI_Status *statuses, double timeout, uint64_t *waited_ns);

/**
 * equant_requests_drop() - let go of requests whose peer may never do its part
 * @requests: n of them, MPI_REQUEST_NULL allowed
 * @n: their number
 *
 * MPI may still read or write what they are of.
 *
 * Return: were any under way?
 */
bool equant_requests_drop(MPI_Request *requests, int n);

#endif /* EQUANT_CONTROL_WAIT_H */
