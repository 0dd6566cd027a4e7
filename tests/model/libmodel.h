/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared by the tests of userlib/model: machines out of lists of loads. */
#ifndef LIBMODEL_H
#define LIBMODEL_H

#include <stdint.h>

#include <equant/balance.h>
#include <equant/model.h>

#include "random.h"

#define QUANTUM 1000000L
#define CPUS_MOST 16

/**
 * struct cpus - a machine and its CPUs in one
 *
 * Do not copy: @machine points into it.
 */
struct cpus {
	struct equant_machine machine;
	struct equant_turns turns[CPUS_MOST];
};

/* The loads up to a 0; every application's turn begins at time 0. */
void cpus_init(struct cpus *cpus, const int *loads);

/* 1 to @most CPUs of 1 to 6 tasks, in any phase. */
void cpus_random(struct cpus *cpus, int most, struct random *random);

/* Of a simulated job: shares are seen, any rank may send to any other, no move is cancelled. */
struct equant_balance_options balance_options(void);

/**
 * struct census - a job's units, counted at each decision
 * @job: whose
 * @time: of the last decision
 * @decisions: so many
 * @moves: that they asked for
 * @wrong: units were negative or not as many as there must be, or time went back
 */
struct census {
	const struct equant_job *job;
	int64_t time;
	long decisions;
	long moves;
	long wrong;
};

/* A watcher of jobs; @watcher is a struct census. */
void census_take(void *watcher, int64_t time, const struct equant_sample *samples,
		 const struct equant_rate *rates, const long *units,
		 const struct equant_decision *decision);

#endif /* LIBMODEL_H */
