/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A process that wants the caller's CPU for some time. */
#ifndef LIBCOMPETITOR_H
#define LIBCOMPETITOR_H

#include <sys/types.h>

/**
 * struct competitor - a child that rests until it is told when to be busy; all 0: there is none
 * @child: process
 * @command: pipe to it
 */
struct competitor {
	pid_t child;
	int command;
};

/* To be called before MPI is there.  It ends with the caller.  0 or -errno. */
int competitor_make(struct competitor *competitor);

/* It never rests between @from and @to seconds from now.  0 or -errno. */
int competitor_compete(const struct competitor *competitor, double from, double to);

void competitor_end(const struct competitor *competitor);

#endif
