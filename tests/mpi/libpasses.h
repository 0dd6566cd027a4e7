/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Passes of ranks of different and changing speed over units that can be audited. */
#ifndef LIBPASSES_H
#define LIBPASSES_H

#include <equant/equant.h>
#include <sys/types.h>

#include "libledger.h"
#include "random.h"

/**
 * struct shape - passes over a loop
 * @section: seconds that a rank of the fastest kind computes in a pass
 * @spread: the dearest unit costs that many times what the cheapest does
 * @every: passes from one joined pass to the next; 0 = none is joined
 * @must_move: it is long enough for work to move
 */
struct shape {
	const char *name;
	long units;
	long passes;
	double section;
	int spread;
	int every;
	int must_move;
};

/**
 * struct run - a rank's part of it
 * @changes: how often its speed changes, per pass
 * @debt: seconds of computing that are too short to sleep for
 * @handed: units computed
 * @caught_up: those among them that other ranks had left behind
 * @everyone: units computed by all ranks, in shared memory
 */
struct run {
	const struct shape *shape;
	struct equant *eq;
	struct equant_loop *loop;
	struct ledger ledger;
	double changes;
	double debt;
	long handed;
	long caught_up;
	long *everyone;
	MPI_Win window;
};

void run_start(struct run *run, const struct equant_options *options, const struct shape *shape,
	       double changes);

/* One step of a unit, by a rank 1 to 5 times slower than the fastest, different on each. */
void run_unit(struct run *run, long unit);

/* Collective, after a joined pass: all units of all ranks have been computed in as many passes. */
void run_demand_met(const struct run *run, long passes);

/* Collective: free everything. */
void run_close(struct run *run);

/* A child stops this rank again and again, at random; it ends by itself. */
pid_t start_stopping(struct random *random, double seconds);

#endif /* LIBPASSES_H */
