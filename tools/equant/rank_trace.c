// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Loading the traces of one loop and turning their events into figures and
 * time lines.  Ranks may have run on hosts whose clocks differ, so times count
 * from the start of each rank's own trace, which all ranks create together.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <equant/balance.h>
#include <equant/probe.h>

#include "rank_trace.h"

double rank_trace_seconds(const struct rank_trace *trace, uint64_t t_ns)
{
	return 1e-9 * ((double)t_ns - (double)trace->header.t0_ns);
}

static int by_rank(const void *a, const void *b)
{
	const struct rank_trace *x = a, *y = b;

	return (x->header.rank > y->header.rank) - (x->header.rank < y->header.rank);
}

/* Why two traces are not of the same loop, or NULL. */
static const char *disagreement(const struct rank_trace *a, const struct rank_trace *b)
{
	if (strcmp(a->header.loop, b->header.loop))
		return "another loop";
	if (a->header.ranks != b->header.ranks)
		return "another number of ranks";
	if (a->header.units != b->header.units)
		return "another number of units";
	if (a->header.rank == b->header.rank)
		return "the same rank";
	return NULL;
}

static int check_set(struct rank_traces *set)
{
	const char *fault;

	qsort(set->traces, (size_t)set->count, sizeof(set->traces[0]), by_rank);
	for (int i = 1; i < set->count; i++) {
		fault = disagreement(&set->traces[i - 1], &set->traces[i]);
		if (!fault)
			continue;
		fprintf(stderr, "equant: %s: does not belong to %s: %s\n", set->traces[i].path,
			set->traces[i - 1].path, fault);
		return -EINVAL;
	}
	set->missing = set->traces[0].header.ranks - set->count;
	return 0;
}

static int load_one(struct rank_trace *trace, const char *path)
{
	char why[PATH_MAX + 128];
	int ret;

	trace->path = path;
	ret = equant_trace_load(path, &trace->header, &trace->events, &trace->count, why,
				sizeof(why));
	if (ret < 0)
		fprintf(stderr, "equant: %s\n", *why ? why : strerror(-ret));
	else
		rank_figures_of(trace);
	return ret < 0 ? ret : 0;
}

int rank_traces_load(struct rank_traces *set, char **paths, int count)
{
	int ret = 0;

	*set = (struct rank_traces){ .traces = calloc((size_t)count, sizeof(*set->traces)) };
	if (!set->traces) {
		fprintf(stderr, "equant: %s\n", strerror(ENOMEM));
		return -ENOMEM;
	}
	for (int i = 0; i < count && !ret; i++) {
		ret = load_one(&set->traces[i], paths[i]);
		set->count += !ret;
	}
	if (!ret)
		ret = check_set(set);
	if (ret)
		rank_traces_release(set);
	return ret;
}

void rank_traces_release(struct rank_traces *set)
{
	for (int i = 0; i < set->count; i++)
		free(set->traces[i].events);
	free(set->traces);
	*set = (struct rank_traces){ 0 };
}

/* What the trace says, or else a block distribution, earlier ranks with one unit more. */
long rank_trace_initial_units(const struct rank_trace *trace)
{
	const struct equant_trace_header *header = &trace->header;

	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].type == EQUANT_EVENT_UNITS)
			return (long)trace->events[i].u.units.owned;
	return header->units / header->ranks + (header->rank < header->units % header->ranks);
}

/* The first compute section began before the first sample was taken; who was stopped before has none. */
static double first_time(const struct rank_trace *trace)
{
	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].type == EQUANT_EVENT_SAMPLE)
			return fmax(0.0, rank_trace_seconds(trace, trace->events[i].t_ns) -
						 trace->events[i].u.sample.interval);
	return INFINITY;
}

double rank_traces_start(const struct rank_traces *set)
{
	double start = INFINITY;

	for (int i = 0; i < set->count; i++)
		start = fmin(start, first_time(&set->traces[i]));
	return isinf(start) ? 0.0 : start;
}

static double last_time(const struct rank_trace *trace)
{
	double last = 0.0;

	for (size_t i = 0; i < trace->count; i++)
		last = fmax(last, rank_trace_seconds(trace, trace->events[i].t_ns));
	return last;
}

static void add_sample(struct rank_trace *trace, const struct equant_event *event)
{
	struct rank_figures *figures = &trace->figures;

	figures->elapsed += event->u.sample.interval;
	figures->computed += event->u.sample.units;
	figures->run += event->u.sample.run;
	figures->wait += event->u.sample.wait;
	figures->interact += event->u.sample.interact;
	figures->moving += event->u.sample.move;
	figures->moved += event->u.sample.moved;
	if (event->u.sample.flags & EQUANT_SAMPLE_RUN)
		trace->measured = true;
}

/* What the rank owns from this event on; as before, unless the event tells. */
static long units_since(const struct equant_event *event, long before)
{
	if (event->type == EQUANT_EVENT_DECISION)
		return (long)event->u.decision.units;
	return event->type == EQUANT_EVENT_UNITS ? (long)event->u.units.owned : before;
}

static void add_event(struct rank_trace *trace, const struct equant_event *event)
{
	struct rank_figures *figures = &trace->figures;

	figures->units = units_since(event, figures->units);
	switch (event->type) {
	case EQUANT_EVENT_STATUS:
		if (event->u.status.quantum_ns)
			figures->quantum = 1e-9 * (double)event->u.status.quantum_ns;
		break;
	case EQUANT_EVENT_SAMPLE:
		add_sample(trace, event);
		break;
	case EQUANT_EVENT_DECISION:
		figures->phases++;
		figures->grain += event->u.decision.verdict == EQUANT_VERDICT_GRAIN;
		break;
	case EQUANT_EVENT_TRANSFER:
		figures->phases += !event->u.transfer.first;
		break;
	case EQUANT_EVENT_FALLBACK:
		figures->fallbacks++;
		break;
	case EQUANT_EVENT_END:
		figures->dropped = (long)event->u.end.dropped;
		break;
	}
}

/* Wait over the whole time: the first sample's, then what the readings grew by. */
static double total_wait(const struct rank_trace *trace)
{
	const struct equant_event *first = NULL, *last = NULL;
	double wait = 0.0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct equant_event *event = &trace->events[i];

		if (event->type == EQUANT_EVENT_STATUS)
			last = event;
		if (event->type == EQUANT_EVENT_STATUS && !first)
			first = event;
	}
	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].type == EQUANT_EVENT_SAMPLE) {
			wait = trace->events[i].u.sample.wait;
			break;
		}
	if (first && last->u.status.wait_ns > first->u.status.wait_ns)
		wait += 1e-9 * (double)(last->u.status.wait_ns - first->u.status.wait_ns);
	return wait;
}

static double ratio(double part, double whole)
{
	double value = whole > 0.0 ? part / whole : NAN;

	return isfinite(value) ? value : NAN;
}

void rank_figures_of(struct rank_trace *trace)
{
	struct rank_figures *figures = &trace->figures;

	*figures = (struct rank_figures){ .quantum = NAN, .dropped = -1 };
	figures->units = rank_trace_initial_units(trace);
	trace->measured = false;
	for (size_t i = 0; i < trace->count; i++)
		add_event(trace, &trace->events[i]);
	figures->speed = ratio(figures->computed, figures->run);
	if (!trace->measured) {
		figures->wait = figures->competed = figures->share = figures->efficiency = NAN;
		return;
	}
	figures->competed = fmin(fmax(total_wait(trace), figures->wait), figures->elapsed);
	figures->share = ratio(figures->run, figures->run + figures->wait);
	figures->efficiency = ratio(figures->run, figures->elapsed - figures->competed);
}

/* ---- time line ---------------------------------------------------------- */

static int allot(struct timeline_series *series, size_t points)
{
	series->points = calloc(points, sizeof(*series->points));
	return series->points ? 0 : -ENOMEM;
}

static void add_point(struct timeline_series *series, double t, double value)
{
	struct timeline_point *last = series->points + series->count - 1;

	if (series->count && t < last->t)
		t = last->t;
	series->points[series->count++] = (struct timeline_point){ .t = t, .value = value };
}

static int make_units(const struct rank_trace *trace, double start, struct timeline_series *series)
{
	const struct equant_event *event;
	long units = rank_trace_initial_units(trace);

	if (allot(series, trace->count + 1))
		return -ENOMEM;
	add_point(series, 0.0, (double)units);
	for (size_t i = 0; i < trace->count; i++) {
		event = &trace->events[i];
		if (units_since(event, units) == units)
			continue;
		units = units_since(event, units);
		add_point(series, rank_trace_seconds(trace, event->t_ns) - start, (double)units);
	}
	return 0;
}

static double sample_share(const struct equant_event *event)
{
	if (!(event->u.sample.flags & EQUANT_SAMPLE_RUN))
		return NAN;
	return ratio(event->u.sample.run, event->u.sample.run + event->u.sample.wait);
}

/* Units per second of a compute section, as the thesis measures a rate. */
static double sample_rate(const struct equant_event *event)
{
	return ratio(event->u.sample.units, event->u.sample.wall);
}

/* A sample tells of the interval before it. */
static int make_series(const struct rank_trace *trace, double start,
		       double (*value)(const struct equant_event *sample),
		       struct timeline_series *series)
{
	const struct equant_event *event;
	double end = 0.0;

	if (allot(series, 2 * trace->count + 1))
		return -ENOMEM;
	for (size_t i = 0; i < trace->count; i++) {
		event = &trace->events[i];
		if (event->type != EQUANT_EVENT_SAMPLE)
			continue;
		end = rank_trace_seconds(trace, event->t_ns) - start;
		add_point(series, fmax(0.0, end - event->u.sample.interval), value(event));
	}
	add_point(series, end, NAN);
	return 0;
}

static int make_rank(const struct rank_trace *trace, double start, struct timeline_rank *rank)
{
	rank->rank = trace->header.rank;
	if (make_units(trace, start, &rank->units))
		return -ENOMEM;
	if (make_series(trace, start, sample_share, &rank->share))
		return -ENOMEM;
	return make_series(trace, start, sample_rate, &rank->rate);
}

int rank_traces_timeline(const struct rank_traces *set, struct timeline *timeline)
{
	double start;
	int ret = 0;

	*timeline = (struct timeline){
		.title = set->traces[0].header.loop,
		.total = (long)set->traces[0].header.units,
		.ranks = calloc((size_t)set->count, sizeof(*timeline->ranks)),
	};
	if (!timeline->ranks)
		return -ENOMEM;
	start = rank_traces_start(set);
	for (int i = 0; i < set->count && !ret; i++) {
		timeline->length = fmax(timeline->length, last_time(&set->traces[i]) - start);
		timeline->nr_ranks++;
		ret = make_rank(&set->traces[i], start, &timeline->ranks[i]);
	}
	return ret;
}

void rank_traces_timeline_release(struct timeline *timeline)
{
	for (int i = 0; i < timeline->nr_ranks; i++) {
		free(timeline->ranks[i].units.points);
		free(timeline->ranks[i].share.points);
		free(timeline->ranks[i].rate.points);
	}
	free(timeline->ranks);
}

int rank_traces_draw(FILE *out, const struct rank_traces *set, int width)
{
	struct timeline timeline;
	int ret;

	ret = rank_traces_timeline(set, &timeline);
	if (ret)
		fprintf(stderr, "equant: the time line: %s\n", strerror(-ret));
	else
		timeline_draw(out, &timeline, width);
	rank_traces_timeline_release(&timeline);
	return ret;
}
