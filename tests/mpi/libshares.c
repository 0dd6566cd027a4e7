// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <equant/probe.h>
#include <equant/trace.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "libshares.h"

static int write_trace(const char *path, int rank, int ranks, long units, double share,
		       double predicted, const uint64_t quantum[2])
{
	struct equant_trace_header header = { .rank = rank, .ranks = ranks, .units = units };
	struct equant_trace_writer *writer = equant_trace_create(path, &header, NULL, 0);
	struct equant_event *event;
	struct timespec now;
	uint64_t t, t0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	t0 = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (!writer)
		return -errno;
	for (t = 0; t <= 10000; t += 20) {
		uint64_t ns = t * 1000000, run = (uint64_t)((double)ns * share);

		event = equant_trace_event(writer);
		*event = (struct equant_event){
			.t_ns = t0 + ns,
			.type = EQUANT_EVENT_STATUS,
			.u.status = { .run_ns = run,
				      .wait_ns = ns - run,
				      .quantum_ns = quantum[t / 100 % 2],
				      .share = predicted,
				      .settled = predicted,
				      .runnable = predicted < 1 ? 2 : 1,
				      .cpu = rank,
				      .features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT |
						  EQUANT_PROBE_QUANTUM | EQUANT_PROBE_PREDICTS },
		};
	}
	return equant_trace_close(writer);
}

int shares_write(const char *path, int rank, int ranks, long units, double share, uint64_t quantum,
		 uint64_t other)
{
	return write_trace(path, rank, ranks, units, share, share,
			   (const uint64_t[]){ quantum, other });
}

int shares_write_predicted(const char *path, int rank, int ranks, double share, double predicted)
{
	return write_trace(path, rank, ranks, 0, share, predicted,
			   (const uint64_t[]){ SHARES_QUANTUM, SHARES_QUANTUM });
}

long events_in(const char *path, int (*such)(const struct equant_event *event))
{
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
	long found = 0;
	int error = equant_trace_load(path, &header, &events, &count, NULL, 0);

	if (error)
		return error;
	for (size_t i = 0; i < count; i++)
		found += such(&events[i]);
	free(events);
	return found;
}
