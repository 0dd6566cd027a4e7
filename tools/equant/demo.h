/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_DEMO_H
#define EQUANT_TOOL_DEMO_H

#include "run.h"

#define DEMO_RANKS 2
#define DEMO_MAX_PAIRS 99

/**
 * struct demo_run - what is kept of one run
 * @others: part of the machine that programs took which are no part of it
 */
struct demo_run {
	double elapsed;
	double efficiency;
	double limit;
	double others;
	long units[DEMO_RANKS]; /* at the end */
	double share[DEMO_RANKS];
};

/**
 * struct demo - the demonstration
 * @cpus: one per rank; the load runs on the first
 * @n: rows and columns of the matrices
 * @products: how often they are multiplied in one run
 * @runs: in the order of the runs: not balanced, balanced, not balanced ...
 */
struct demo {
	double seconds;
	int pairs;
	int cpus[DEMO_RANKS];
	bool siblings; /* the CPUs are of one core */
	char probe[16];
	long n;
	long products;
	struct demo_run runs[2 * DEMO_MAX_PAIRS];
};

/** demo_choose_cpus() - 0, or -ENODEV when there are too few */
int demo_choose_cpus(struct demo *demo);

/** demo_print_wrapped() - a paragraph in lines of at most @width */
void demo_print_wrapped(const char *text, int width);

void demo_print_head(const struct demo *demo);

/** demo_print_run() - the line of run number @i of the table */
void demo_print_run(const struct demo *demo, int i);

/** demo_print_verdict() - what happened, in one sentence */
void demo_print_verdict(const struct demo *demo);

#endif /* EQUANT_TOOL_DEMO_H */
