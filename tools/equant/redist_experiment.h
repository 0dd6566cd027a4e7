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

/* Times and memory of planning, for sizes up to what was asked for; the exit status. */
int redist_planning(const struct experiment *experiment);

#endif /* EQUANT_TOOL_REDIST_EXPERIMENT_H */
