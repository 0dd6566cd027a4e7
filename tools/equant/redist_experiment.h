/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_REDIST_EXPERIMENT_H
#define EQUANT_TOOL_REDIST_EXPERIMENT_H

#include "redist.h"
#include "table.h"

#define RANKS 4096

enum { OVER_K, OVER_SPREAD, OVER_PLANNING };

/**
 * struct experiment - the command line
 * @over: what is on the abscissa
 * @ranks: P
 * @k: K, where it is not on the abscissa
 * @step: from one K to the next
 * @seeds: networks for each row
 * @elements: N, of 8 bytes
 * @startup: of all links, seconds
 * @slowest: bytes per second
 * @fastest: the same
 * @worse: instances in which greedy is above so many bounds are named; 0: none
 * @self: what ranks have for themselves takes its time, too
 * @scaled: all links are alike and sizes scaled
 * @json: as JSON
 * @svg: file for the chart, or NULL
 */
struct experiment {
	int over;
	int ranks;
	int k;
	int step;
	int seeds;
	int elements;
	double startup;
	double slowest;
	double fastest;
	double worse;
	bool self;
	bool scaled;
	bool json;
	const char *svg;
};

/* The schedulers that are compared; in the order of their names. */
enum { GREEDY, DIRECT, BARRIER, LONGEST, EAGER, IMPROVED, PREEMPTIVE, BEST, SCHEDULERS };

/**
 * struct redist_instance - one network and one K
 * @network: what is between the ranks
 * @volumes: the messages
 * @count: of them
 * @costs: what they take
 * @time: what the schedulers take
 * @bound: what none can be faster than
 * @why: it could not be made, or empty
 */
struct redist_instance {
	struct equant_redist_network *network;
	struct equant_redist_volume *volumes;
	int64_t count;
	struct equant_redist_costs *costs;
	double time[SCHEDULERS];
	double bound;
	char why[200];
};

/* ---- redist_instance.c ------------------------------------------------------------------ */

/* Network number @seed, and what cyclic(@k) has to send in it.  0 or -errno; freed in any case. */
int redist_instance_make(const struct experiment *experiment, int k, double fastest, int seed,
			 struct redist_instance *instance);

/* Have all schedulers plan it.  0; -ERANGE: greedy is above a row and a column of C; -errno. */
int redist_instance_ask(const struct experiment *experiment, struct redist_instance *instance);

void redist_instance_free(struct redist_instance *instance);

/* ---- redist_planning.c ------------------------------------------------------------------ */

/* Times and memory of planning, for sizes up to what was asked for; the exit status. */
int redist_planning(const struct experiment *experiment);

#endif /* EQUANT_TOOL_REDIST_EXPERIMENT_H */
