/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A task on CPU 0, competitors around it, and what a probe says about it
 * beside what a raw trace of the CPU's switches says.
 */
#ifndef LIBSHARES_H
#define LIBSHARES_H

#include <stdbool.h>
#include <stddef.h>

#include "libgroups.h"

#define MAX_COMPETITORS 4

enum session {
	NONE,
	SAME, /* the subject's */
	NEW,
	SAME_AS_BEFORE, /* the previous competitor's */
};

/**
 * struct competitor - a process that computes
 * @group: its control group, one of the situation's, NULL = the caller's
 * @on_us: computes so long, then sleeps @off_us; 0 = always
 */
struct competitor {
	enum session session;
	int cpu;
	int nice;
	bool idle_policy;
	const char *group;
	unsigned int on_us;
	unsigned int off_us;
};

/**
 * struct situation - one case
 * @groups: control groups that exist meanwhile
 * @group: the subject's, NULL = the caller's
 * @share: the subject's, by the weights; 0 = not known beforehand
 * @spans: a group has tasks on both CPUs, so that its weights need time to settle
 * @bursts: no share holds long enough to be predicted
 * @limited: nothing can be predicted: a group has a limit, which the record must say
 * @renice: the first competitor's nice value in the middle of the measurement
 */
struct situation {
	const char *name;
	struct competitor competitors[MAX_COMPETITORS];
	double share;
	bool spans;
	bool bursts;
	bool limited;
	int renice;
	struct group groups[MAX_GROUPS];
	const char *group;
};

/**
 * struct finding - what came out
 * @truth: run / (run + wait) by the raw trace
 * @measured: the same by the record
 * @now, @settled: mean of the predicted shares by the record's integrals
 * @now_ms, @settled_ms: from the wake-up of the competitors until the prediction was
 *	within 0.02 of the situation's share, or else of the truth, -1 = never.  A CPU
 *	that stands still adds more than that to somebody's slice, so that the truth of
 *	a short measurement may be what no prediction says.
 * @quantum_us, @trace_quantum_us: by the record, by the trace with the same average
 * @slices: contended slices in the trace
 * @other: fraction of the CPU that neither subject nor competitors had, before or during
 *	the measurement, whichever is more
 * @ticks: how many of its timer interrupts the CPU had; fewer are had by one that stands
 *	still now and then, as an emulated CPU of a busy machine does
 * @gaps: switches that the trace has missed, as its neighbours show
 * @lost: events that did not fit into its buffer
 */
struct finding {
	double truth;
	double measured;
	double now;
	double settled;
	double now_ms;
	double settled_ms;
	double quantum_us;
	double trace_quantum_us;
	unsigned int slices;
	double other;
	double ticks;
	double mean_episode_ms;
	unsigned int flags;
	unsigned int gaps;
	unsigned long long lost;
};

extern const struct situation situations[];
extern const size_t nr_situations;

/* Timer interrupts of CPU 0 so far, which has one at every tick unless it is idle; 0 = not known. */
unsigned long long count_ticks(void);

/**
 * find_shares() - set a case up, measure it for @ms, take it down
 *
 * @source is "bpf" or "kmod", which must be loaded.  Return: 0, or -errno and a sentence
 * in @why.
 */
int find_shares(const struct situation *situation, const char *source, unsigned int ms,
		struct finding *finding, char *why, size_t why_size);

#endif /* LIBSHARES_H */
