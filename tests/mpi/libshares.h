/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef LIBSHARES_H
#define LIBSHARES_H

#include <stdint.h>

#define SHARES_QUANTUM 4000000 /* nanoseconds, as Linux has it */

/*
 * A trace to replay, of a rank that gets @share of its CPU for ten seconds, in turns of @quantum
 * nanoseconds, and of @other from 0.1 to 0.2 s, and so on.  0 or -errno.
 */
int shares_write(const char *path, int rank, int ranks, long units, double share, uint64_t quantum,
		 uint64_t other);

/* The same in the usual turns, of a rank whose share is predicted to be another one. */
int shares_write_predicted(const char *path, int rank, int ranks, double share, double predicted);

struct equant_event;

/* How many of a trace's events are such; -errno. */
long events_in(const char *path, int (*such)(const struct equant_event *event));

#endif /* LIBSHARES_H */
