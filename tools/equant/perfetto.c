// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Traces as trace events: "Trace Event Format", Google 2016, in its form as a JSON object, which
 * Perfetto and Chrome's viewer read.
 *
 * A rank is a process of the viewer, with a track each for its periods, for what the time of
 * each went to, for moves and for decisions, and with counters.  A sample tells how much of a
 * period was spent on what, not when: on its track the parts stand one behind the other.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <equant/balance.h>

#include "json.h"
#include "perfetto.h"

#define MOST_NS 9.0e15 /* microseconds with three places are exact up to there */
#define NAME_SIZE 64
#define PARTS 7 /* items that one event becomes, at most */

enum track { PERIODS = 1, PARTS_OF_PERIODS, MOVES, DECISIONS };

static const char *const track_names[] = {
	[PERIODS] = "periods",
	[PARTS_OF_PERIODS] = "parts of the periods, in no order",
	[MOVES] = "moves",
	[DECISIONS] = "decisions",
};

/**
 * struct item - one trace event
 * @kind: its "ph": X has a length, i is an instant, C a counter
 * @value: of a counter
 * @event: what it was made from, NULL = has no arguments
 */
struct item {
	char kind;
	enum track track;
	int64_t ts_ns;
	int64_t dur_ns;
	size_t order; /* of those at the same time */
	double value;
	const char *name;
	const struct equant_event *event;
};

/* The items of a rank, in the making. */
struct items {
	const struct rank_trace *trace;
	double start; /* of the picture, in seconds since the start of the trace */
	int64_t end_ns; /* of the last period */
	int64_t moved_ns; /* end of the last moves */
	size_t count;
	struct item *items;
};

static int64_t nanoseconds(double seconds)
{
	return llround(fmin(fmax(1e9 * seconds, 0.0), MOST_NS));
}

/* In the picture; an event before its start is at its start. */
static int64_t place_of(const struct items *items, uint64_t t_ns)
{
	return nanoseconds(rank_trace_seconds(items->trace, t_ns) - items->start);
}

static struct item *add(struct items *items, char kind, enum track track, int64_t ts_ns,
			const char *name)
{
	struct item *item = &items->items[items->count];

	*item = (struct item){
		.kind = kind,
		.track = track,
		.ts_ns = ts_ns,
		.order = items->count++,
		.name = name,
	};
	return item;
}

static void add_counter(struct items *items, int64_t ts_ns, const char *name, double value)
{
	if (isfinite(value))
		add(items, 'C', PERIODS, ts_ns, name)->value = value;
}

/* Parts that are longer than their period, as they can be by rounding, end with it. */
static void add_part(struct items *items, int64_t *ts_ns, int64_t end_ns, const char *name,
		     double seconds)
{
	int64_t dur_ns = nanoseconds(isfinite(seconds) ? seconds : 0.0);

	if (dur_ns > end_ns - *ts_ns)
		dur_ns = end_ns - *ts_ns;
	if (!dur_ns)
		return;
	add(items, 'X', PARTS_OF_PERIODS, *ts_ns, name)->dur_ns = dur_ns;
	*ts_ns += dur_ns;
}

/* The sample is written when it has been answered; the status is read with it. */
static uint64_t end_of_period(const struct rank_trace *trace, size_t sample)
{
	const struct equant_event *events = trace->events;

	for (size_t i = sample; i-- > 0 && events[i].phase == events[sample].phase;)
		if (events[i].type == EQUANT_EVENT_STATUS)
			return events[i].t_ns;
	return events[sample].t_ns;
}

static void add_sample(struct items *items, size_t index)
{
	const struct equant_event *event = &items->trace->events[index];
	int64_t end_ns = place_of(items, end_of_period(items->trace, index));
	int64_t ts_ns = end_ns - nanoseconds(event->u.sample.interval);
	double wanted = event->u.sample.run + event->u.sample.wait;
	struct item *item;

	/* The clock is read once more for the status, so that a period may seem to begin too early. */
	ts_ns = ts_ns > items->end_ns ? ts_ns : items->end_ns;
	if (ts_ns >= end_ns)
		return;
	items->end_ns = end_ns;
	item = add(items, 'X', PERIODS, ts_ns, "period");
	item->dur_ns = end_ns - ts_ns;
	item->event = event;
	if (event->u.sample.flags & EQUANT_SAMPLE_RUN && wanted > 0.0) {
		add_counter(items, ts_ns, "share of the CPU", event->u.sample.run / wanted);
		add_counter(items, ts_ns, "competitors' share", event->u.sample.wait / wanted);
	}
	add_part(items, &ts_ns, end_ns, "running", event->u.sample.run);
	add_part(items, &ts_ns, end_ns, "waiting for a CPU", event->u.sample.wait);
	add_part(items, &ts_ns, end_ns, "balancing", event->u.sample.interact);
	add_part(items, &ts_ns, end_ns, "moving", event->u.sample.move);
}

/* All moves of a phase have one duration, which ends when they are written. */
static void add_move(struct items *items, size_t index)
{
	const struct equant_event *event = &items->trace->events[index];
	int64_t end_ns = place_of(items, event->t_ns);
	int64_t ts_ns = end_ns - nanoseconds(1e-9 * (double)event->u.move.duration_ns);
	struct item *item;

	if (index && event[-1].type == EQUANT_EVENT_MOVE && event[-1].phase == event->phase)
		return;
	ts_ns = ts_ns > items->moved_ns ? ts_ns : items->moved_ns;
	if (ts_ns > end_ns)
		return;
	items->moved_ns = end_ns;
	item = add(items, 'X', MOVES, ts_ns, "moves");
	item->dur_ns = end_ns - ts_ns;
	item->event = event;
}

static void add_instant(struct items *items, const struct equant_event *event, enum track track,
			const char *name)
{
	add(items, 'i', track, place_of(items, event->t_ns), name)->event = event;
}

static void add_event(struct items *items, size_t index)
{
	const struct equant_event *event = &items->trace->events[index];
	int64_t ts_ns = place_of(items, event->t_ns);

	switch (event->type) {
	case EQUANT_EVENT_STATUS:
		if (event->u.status.runnable)
			add_counter(items, ts_ns, "runnable tasks", event->u.status.runnable);
		break;
	case EQUANT_EVENT_SAMPLE:
		add_sample(items, index);
		break;
	case EQUANT_EVENT_DECISION:
		add_instant(items, event, DECISIONS,
			    equant_verdict_name((enum equant_verdict)event->u.decision.verdict));
		add_counter(items, ts_ns, "units", (double)event->u.decision.units);
		break;
	case EQUANT_EVENT_UNITS:
		add_counter(items, ts_ns, "units", (double)event->u.units.owned);
		break;
	case EQUANT_EVENT_MOVE:
		add_move(items, index);
		break;
	case EQUANT_EVENT_TRANSFER:
		add_instant(items, event, MOVES, event->u.transfer.incoming ? "taken" : "given");
		break;
	case EQUANT_EVENT_FALLBACK:
		add_instant(items, event, DECISIONS, "the probe was replaced");
		break;
	case EQUANT_EVENT_SWEEP:
		add_instant(items, event, DECISIONS, "sweep");
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* ---- JSON --------------------------------------------------------------- */

static void open_event(struct json *json, const struct rank_trace *trace, char kind, int track,
		       const char *name)
{
	const char ph[] = { kind, '\0' };

	json_open_object(json, NULL);
	json->flat = true;
	json_string(json, "ph", ph);
	json_integer(json, "pid", trace->header.rank + 1);
	json_integer(json, "tid", track);
	json_string(json, "name", name);
}

static void close_event(struct json *json)
{
	json_close_object(json);
	json->flat = false;
}

static void put_name(struct json *json, const struct rank_trace *trace, const char *what, int track,
		     const char *name)
{
	open_event(json, trace, 'M', track, what);
	json_open_object(json, "args");
	json_string(json, "name", name);
	json_close_object(json);
	close_event(json);
}

static void put_names(struct json *json, const struct rank_trace *trace)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "rank %d", trace->header.rank);
	put_name(json, trace, "process_name", 0, name);
	for (int i = PERIODS; i <= DECISIONS; i++)
		put_name(json, trace, "thread_name", i, track_names[i]);
}

static void put_sample(struct json *json, const struct equant_event *event)
{
	json_integer(json, "phase", event->phase);
	json_number(json, "units", event->u.sample.units);
	json_number(json, "wall", event->u.sample.wall);
	json_number(json, "run", event->u.sample.run);
	json_number(json, "wait", event->u.sample.wait);
	json_number(json, "balancing", event->u.sample.interact);
	json_number(json, "moving", event->u.sample.move);
	json_number(json, "moved", event->u.sample.moved);
	json_integer(json, "hooks", event->u.sample.hooks);
}

static void put_decision(struct json *json, const struct equant_event *event)
{
	json_integer(json, "phase", event->phase);
	json_string(json, "verdict",
		    equant_verdict_name((enum equant_verdict)event->u.decision.verdict));
	json_integer(json, "units", (long)event->u.decision.units);
	json_integer(json, "instructions", event->u.decision.instructions);
	json_number(json, "reduction", event->u.decision.reduction);
	json_number(json, "cost", event->u.decision.cost);
	json_number(json, "benefit", event->u.decision.benefit);
	json_number(json, "period", event->u.decision.period);
	json_number(json, "quantum", event->u.decision.quantum);
	json_number(json, "rate", event->u.decision.rate);
	json_number(json, "speed", event->u.decision.speed);
	json_number(json, "share", event->u.decision.share);
}

static void put_move(struct json *json, const struct equant_event *event)
{
	json_open_object(json, NULL);
	json_integer(json, "from", event->u.move.from);
	json_integer(json, "to", event->u.move.to);
	json_integer(json, "units", (long)event->u.move.units);
	json_number(json, "bytes", (double)event->u.move.bytes);
	json_close_object(json);
}

/* They stand one behind the other. */
static void put_moves(struct json *json, const struct rank_trace *trace,
		      const struct equant_event *event)
{
	const struct equant_event *end = trace->events + trace->count;

	json_integer(json, "phase", event->phase);
	json_open_array(json, "moves");
	for (const struct equant_event *e = event;
	     e < end && e->type == EQUANT_EVENT_MOVE && e->phase == event->phase; e++)
		put_move(json, e);
	json_close_array(json);
}

static void put_transfer(struct json *json, const struct equant_event *event)
{
	double units = 0;

	for (uint32_t i = 0; i < event->u.transfer.count; i++)
		units += (double)event->u.transfer.list[i].count;
	json_number(json, "number", (double)event->u.transfer.number);
	json_integer(json, "peer", event->u.transfer.peer);
	json_number(json, "units", units);
}

static void put_arguments(struct json *json, const struct rank_trace *trace,
			  const struct equant_event *event)
{
	switch (event->type) {
	case EQUANT_EVENT_SAMPLE:
		put_sample(json, event);
		break;
	case EQUANT_EVENT_DECISION:
		put_decision(json, event);
		break;
	case EQUANT_EVENT_MOVE:
		put_moves(json, trace, event);
		break;
	case EQUANT_EVENT_TRANSFER:
		put_transfer(json, event);
		break;
	case EQUANT_EVENT_FALLBACK:
		json_string(json, "why", event->u.fallback.text);
		break;
	case EQUANT_EVENT_SWEEP:
		json_integer(json, "number", (long)event->u.sweep.number);
		json_integer(json, "strips of", (long)event->u.sweep.block);
		break;
	}
}

static void put_item(struct json *json, const struct rank_trace *trace, const struct item *item)
{
	open_event(json, trace, item->kind, item->kind == 'C' ? 0 : (int)item->track, item->name);
	json_number(json, "ts", (double)item->ts_ns / 1e3);
	if (item->kind == 'X')
		json_number(json, "dur", (double)item->dur_ns / 1e3);
	if (item->kind == 'i')
		json_string(json, "s", "t");
	json_open_object(json, "args");
	if (item->kind == 'C')
		json_number(json, "value", item->value);
	if (item->event)
		put_arguments(json, trace, item->event);
	json_close_object(json);
	close_event(json);
}

static int put_rank(struct json *json, const struct rank_trace *trace, double start)
{
	struct items items = { .trace = trace, .start = start };

	items.items = calloc(PARTS * trace->count + 1, sizeof(*items.items));
	if (!items.items)
		return -ENOMEM;
	add_counter(&items, 0, "units", (double)rank_trace_initial_units(trace));
	for (size_t i = 0; i < trace->count; i++)
		add_event(&items, i);
	qsort(items.items, items.count, sizeof(*items.items), by_time);
	put_names(json, trace);
	for (size_t i = 0; i < items.count; i++)
		put_item(json, trace, &items.items[i]);
	free(items.items);
	return 0;
}

static void put_loop(struct json *json, const struct rank_traces *set)
{
	const struct equant_trace_header *header = &set->traces[0].header;

	json_open_object(json, "otherData");
	json_string(json, "loop", header->loop);
	json_integer(json, "units", (long)header->units);
	json_integer(json, "ranks", header->ranks);
	json_integer(json, "ranks without a trace", set->missing);
	json_close_object(json);
}

int perfetto_write(FILE *out, const struct rank_traces *set)
{
	struct json json = { .out = out, .exact = true };
	double start = rank_traces_start(set);
	int ret = 0;

	json_open_object(&json, NULL);
	json_string(&json, "displayTimeUnit", "ms");
	put_loop(&json, set);
	json_open_array(&json, "traceEvents");
	for (int i = 0; i < set->count && !ret; i++)
		ret = put_rank(&json, &set->traces[i], start);
	json_close_array(&json);
	json_close_object(&json);
	return ret ? ret : ferror(out) ? -EIO : 0;
}
