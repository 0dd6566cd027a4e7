// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How long after a competitor's arrival the new distribution was in place.
 *
 * Usage: reaction TRACE START_NS PERIOD_S
 *
 * TRACE is that of rank 1 of two; the competitor shares the CPU of rank 0 in the first half of each
 * period since START_NS.  The new distribution is the one that rank 1 has when the competitor
 * leaves.  It is in place when rank 1 has got nine tenths of what it has then more than at
 * the arrival: what follows are corrections.  A distribution that has not gone half of the way from a half to
 * two thirds of the units by then, which is what the shares allow, never came; that counts as half a period,
 * which is too short.
 *
 * Per arrival: its number, milliseconds to the end of the first move, and to the new distribution.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <equant/trace.h>

#define IN_PLACE 0.9
#define CAME (0.5 * (2.0 / 3 - 1.0 / 2)) /* of all units */

struct trace {
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
};

static void die(const char *path, const char *why)
{
	fprintf(stderr, "reaction: %s: %s\n", path, why);
	exit(1);
}

/* What the event changes of the rank's own units. */
static long gained(const struct equant_event *event, int rank)
{
	if (event->type != EQUANT_EVENT_MOVE)
		return 0;
	return event->u.move.to == rank ? (long)event->u.move.units : -(long)event->u.move.units;
}

/* Units at a time; a move's event is recorded when the move is over. */
static long units_at(const struct trace *trace, double t_ns)
{
	const struct equant_trace_header *header = &trace->header;
	long units = header->units / header->ranks + (header->rank < header->units % header->ranks);

	for (size_t i = 0; i < trace->count && (double)trace->events[i].t_ns <= t_ns; i++)
		units += gained(&trace->events[i], header->rank);
	return units;
}

/* The end of the first move after @from after which the rank has at least @enough units, or @to. */
static double first_with(const struct trace *trace, double from, double to, double enough)
{
	long units = units_at(trace, from);

	for (size_t i = 0; i < trace->count && (double)trace->events[i].t_ns < to; i++) {
		const struct equant_event *event = &trace->events[i];

		if ((double)event->t_ns <= from || event->type != EQUANT_EVENT_MOVE)
			continue;
		units += gained(event, trace->header.rank);
		if ((double)units >= enough)
			return (double)event->t_ns;
	}
	return to;
}

static void measure(const struct trace *trace, long arrival, double from, double to)
{
	long before = units_at(trace, from), after = units_at(trace, to);
	double first = to, placed = to;

	if ((double)(after - before) >= CAME * (double)trace->header.units) {
		first = first_with(trace, from, to, (double)before + 1);
		placed = first_with(trace, from, to,
				    (double)before + IN_PLACE * (double)(after - before));
	}
	printf("%ld %.4f %.4f\n", arrival, 1e-6 * (first - from), 1e-6 * (placed - from));
}

int main(int argc, char **argv)
{
	struct trace trace = { .count = 0 };
	double start, period, from, to;
	char why[512] = "";

	if (argc != 4 || atof(argv[3]) <= 0) {
		fputs("usage: reaction TRACE START_NS PERIOD_S\n", stderr);
		return 2;
	}
	if (equant_trace_load(argv[1], &trace.header, &trace.events, &trace.count, why,
			      sizeof(why)) < 0)
		die(argv[1], *why ? why : "cannot be read");
	if (trace.header.ranks != 2 || trace.header.rank != 1 || !trace.count)
		die(argv[1], "not the trace of rank 1 of two");
	start = atof(argv[2]);
	period = 1e9 * atof(argv[3]);
	for (long arrival = 0;; arrival++) {
		from = start + (double)arrival * period;
		to = from + period / 2;
		if (to > (double)trace.events[trace.count - 1].t_ns)
			break;
		/* The first period is that in which the job starts. */
		if (from > (double)trace.header.t0_ns + period)
			measure(&trace, arrival, from, to);
	}
	free(trace.events);
	return 0;
}
