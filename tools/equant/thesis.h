/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The programs, loads and settings of Siegell 1995, chapter 7, for jobs in simulated time.
 */
#ifndef EQUANT_TOOL_THESIS_H
#define EQUANT_TOOL_THESIS_H

#include <stdbool.h>

#include <equant/model.h>

#define THESIS_QUANTUM 0.1 /* seconds, section 3.3.6 */

/**
 * struct thesis_program - tables 7.1 and 7.5
 * @units: of work
 * @repeats: how often all of them are computed: DOACROSS: sweeps
 * @seconds: of all of it on one CPU
 * @move: seconds to move a unit
 */
struct thesis_program {
	const char *name;
	enum equant_job_program kind;
	long units;
	long repeats;
	double seconds;
	double move;
};

enum thesis_load {
	THESIS_DEDICATED,
	THESIS_CONSTANT,
	THESIS_OSCILLATING, /* off, then on, half of @period each */
};

/**
 * struct thesis_setting - a balancer
 * @off: none
 * @library: shares are seen and decisions are the library's, as by default; else there is only wall time, and
 *	the parameters are those below
 * @follows: of the library: always, EQUANT_STEADY=off
 * @depth: of the pipeline of interactions
 * @asynchronous: not at all pipelined; programs without barriers only
 * @target: period, seconds; 0 = by the library
 * @grain: DOACROSS: of a block, quanta; 0 = chosen by equant_block_size()
 */
struct thesis_setting {
	const char *name;
	bool off;
	bool library;
	bool follows;
	enum equant_filter_kind filter;
	int depth;
	bool asynchronous;
	double threshold;
	double profit;
	double target;
	double grain;
};

/**
 * struct thesis_run - one run
 * @period: of an oscillating load, seconds
 */
struct thesis_run {
	const struct thesis_program *program;
	const struct thesis_setting *setting;
	enum thesis_load load;
	double period;
	int ranks;
};

extern const char *const thesis_program_names[];
extern const char *const thesis_load_names[];
extern const struct thesis_program thesis_programs[];

/* No balancing; table 7.3; the library's own. */
extern const struct thesis_setting thesis_none, thesis_settings, thesis_equant;

/** thesis_period() - of a load: the first one in the thesis where @period is 0; -EINVAL of one that does not oscillate */
int thesis_period(const char *model, int load, double *period);

/** thesis_cpu() - the part of the first CPU that is left at @time, seconds */
double thesis_cpu(const struct thesis_run *run, double time);

/**
 * thesis_unit_rate() - units that a dedicated CPU computes in a second
 */
double thesis_unit_rate(const struct thesis_run *run);

/** thesis_simulate() - 0, or an error of equant_simulate_job() */
int thesis_simulate(const struct thesis_run *run, struct equant_job_result *result);

/** thesis_watch() - the same; @watch as in struct equant_job */
int thesis_watch(const struct thesis_run *run, struct equant_job_result *result,
		 void (*watch)(void *watcher, int64_t time, const struct equant_sample *samples,
			       const struct equant_rate *rates, const long *units,
			       const struct equant_decision *decision),
		 void *watcher);

#endif /* EQUANT_TOOL_THESIS_H */
