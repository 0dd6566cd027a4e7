/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_COMPETITOR_H
#define EQUANT_TOOL_COMPETITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/**
 * struct competitor_sample - reading of a load's CPU clock
 */
struct competitor_sample {
	int64_t t_ns; /* CLOCK_MONOTONIC */
	int64_t cpu_ns;
};

/**
 * struct competitor - a competing load that runs beside the job
 * @words: as the user gave them
 * @ended_early: it was gone before the job was
 * @cpu_time: seconds by its own account, which covers its whole life
 * @start_ns: CLOCK_MONOTONIC of its first edge, 0 = not known
 */
struct competitor {
	const char *words;
	pid_t pid;
	int out;
	clockid_t clock;
	struct competitor_sample *samples;
	size_t nr_samples;
	size_t room;
	bool ended_early;
	int status;
	double elapsed;
	double cpu_time;
	double wait_time;
	long long start_ns;
};

/** competitor_check() - would these words start a load? 0 or an exit status, after a message */
int competitor_check(const char *words);

/** competitor_start() - 0 or -errno, after a message */
int competitor_start(struct competitor *load, const char *words);

/** competitor_sample() - note how much CPU time it has used by now */
void competitor_sample(struct competitor *load);

/** competitor_stop() - end it and take in its account; 0 or -errno, after a message */
int competitor_stop(struct competitor *load);

/** competitor_release() - free the samples */
void competitor_release(struct competitor *load);

/** competitor_cpu() - seconds it used between two instants, from its samples */
double competitor_cpu(const struct competitor *load, double from_ns, double to_ns);

#endif /* EQUANT_TOOL_COMPETITOR_H */
