/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The traces of one loop, one per rank, and what they add up to.
 */
#ifndef EQUANT_TOOL_RANK_TRACE_H
#define EQUANT_TOOL_RANK_TRACE_H

#include <stdbool.h>

#include <equant/trace.h>

#include "timeline.h"

/**
 * struct rank_figures - one rank's trace added up; times in seconds, NAN = not known
 * @elapsed: that samples tell of: from the first compute section to the last, or a hook after it
 * @units: held at the end
 * @computed: units computed
 * @run: on a CPU inside compute sections
 * @wait: runnable inside compute sections, but another task had the CPU
 * @competed: @wait of the whole time, sections or not
 * @share: run / (run + wait)
 * @speed: units per on-CPU second
 * @efficiency: run / (elapsed - competed); Siegell 1995, eq. 1.4, for one rank
 * @quantum: last one observed
 * @interact: balancing
 * @moving: moving units
 * @moved: units sent and received
 * @phases: decisions; of an asynchronous loop, which has no phases, this rank's transfers
 * @fallbacks: probes lost
 * @dropped: events lost; -1 = not known, the trace has no end
 */
struct rank_figures {
	double elapsed;
	long units;
	double computed;
	double run;
	double wait;
	double competed;
	double share;
	double speed;
	double efficiency;
	double quantum;
	double interact;
	double moving;
	double moved;
	long phases;
	long grain; /* phases whose verdict was "grain" */
	long fallbacks;
	long dropped;
};

struct rank_trace {
	const char *path;
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
	bool measured; /* the probe knew run and wait */
	struct rank_figures figures;
};

/**
 * struct rank_traces - ascending by rank
 * @missing: ranks of the job without a trace here
 */
struct rank_traces {
	struct rank_trace *traces;
	int count;
	int missing;
};

/**
 * rank_traces_load() - read, check that they belong together, add up
 *
 * Return: 0 or -errno, after a message on standard error that names the file.
 */
int rank_traces_load(struct rank_traces *set, char **paths, int count);
void rank_traces_release(struct rank_traces *set);

/** rank_figures_of() - work out trace->figures and trace->measured */
void rank_figures_of(struct rank_trace *trace);

/** rank_trace_seconds() - from the start of its trace to @t_ns */
double rank_trace_seconds(const struct rank_trace *trace, uint64_t t_ns);

/** rank_trace_initial_units() - what the rank held at first */
long rank_trace_initial_units(const struct rank_trace *trace);

/** rank_traces_start() - when the first rank began to compute, in seconds since the traces' start */
double rank_traces_start(const struct rank_traces *set);

/** rank_traces_timeline() - to be released whatever is returned; 0 or -ENOMEM */
int rank_traces_timeline(const struct rank_traces *set, struct timeline *timeline);
void rank_traces_timeline_release(struct timeline *timeline);

/** rank_traces_draw() - the time line in the terminal; 0, or -ENOMEM after a message */
int rank_traces_draw(FILE *out, const struct rank_traces *set, int width);

#endif /* EQUANT_TOOL_RANK_TRACE_H */
