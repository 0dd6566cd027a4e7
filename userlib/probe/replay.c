// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Plays the STATUS events of a recorded trace, so that what a program decided
 * on the kernel's readings can be decided again.  Time since opening stands
 * for time since the trace began.  Between two events the counters move
 * linearly and everything else is as the earlier one says; before the first
 * and after the last event the rates of the nearest pair hold.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <equant/trace.h>

#include "probe/probe_internal.h"

struct replay {
	struct equant_event *events; /* of type STATUS only */
	size_t count; /* at least 2 */
	size_t next; /* first event that is not in the past yet, or the last; at least 1 */
	uint64_t trace_start;
	uint64_t start;
};

/* The value at @t on the line through two events. */
static uint64_t on_line(uint64_t t, uint64_t t0, uint64_t v0, uint64_t t1, uint64_t v1)
{
	double slope = (double)(v1 - v0) / (double)(t1 - t0);
	double value = (double)v0 + slope * ((double)t - (double)t0);

	return value > 0.0 ? (uint64_t)(value + 0.5) : 0;
}

static uint64_t to_trace_time(const struct replay *replay, uint64_t t_ns)
{
	return replay->trace_start + (t_ns - replay->start);
}

/* Make events[next - 1] and events[next] the pair to interpolate between. */
static void advance(struct replay *replay, uint64_t t)
{
	while (replay->next < replay->count - 1 && replay->events[replay->next].t_ns <= t)
		replay->next++;
}

static void replay_read(struct equant_probe *probe, struct equant_counters *now)
{
	struct replay *replay = probe->data;
	const struct equant_event *a, *b;
	uint64_t t;

	now->t_ns = equant_clock_ns(CLOCK_MONOTONIC);
	t = to_trace_time(replay, now->t_ns);
	advance(replay, t);
	b = &replay->events[replay->next];
	a = b - 1;
	now->run_ns = on_line(t, a->t_ns, a->u.status.run_ns, b->t_ns, b->u.status.run_ns);
	now->wait_ns = on_line(t, a->t_ns, a->u.status.wait_ns, b->t_ns, b->u.status.wait_ns);
}

/* The latest event that is not in the future. */
static const struct equant_event *present(const struct replay *replay, uint64_t t)
{
	const struct equant_event *event = &replay->events[replay->next];

	return event->t_ns <= t ? event : event - 1;
}

static void replay_status(struct equant_probe *probe, struct equant_status *status)
{
	struct replay *replay = probe->data;
	const struct equant_event *event;

	replay_read(probe, &status->now);
	event = present(replay, to_trace_time(replay, status->now.t_ns));
	probe->features = event->u.status.features;
	status->flags = event->u.status.flags;
	status->share = event->u.status.share;
	status->settled = event->u.status.settled;
	status->quantum_ns = event->u.status.quantum_ns;
	status->t_epoch_ns = event->u.status.t_epoch_ns - replay->trace_start + replay->start;
	status->epoch = event->u.status.epoch;
	status->runnable = event->u.status.runnable;
	status->switches = event->u.status.switches;
	status->contended_ns = event->u.status.contended_ns;
	status->episodes = event->u.status.episodes;
	status->long_episodes = event->u.status.long_episodes;
	status->long_ns = event->u.status.long_ns;
	status->changes = event->u.status.changes;
	status->cpu = event->u.status.cpu;
}

static size_t keep_status(struct equant_event *events, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (events[i].type == EQUANT_EVENT_STATUS)
			events[kept++] = events[i];
	return kept;
}

static int check_order(const struct equant_event *a, const struct equant_event *b)
{
	if (b->t_ns <= a->t_ns)
		return -EINVAL;
	if (b->u.status.run_ns < a->u.status.run_ns || b->u.status.wait_ns < a->u.status.wait_ns)
		return -EINVAL;
	return 0;
}

static int check_events(const struct replay *replay, const char *path, char *why, size_t why_size)
{
	const struct equant_event *events = replay->events;

	if (replay->count < 2) {
		equant_say(why, why_size, "%s: %zu STATUS events, at least 2 are needed", path,
			   replay->count);
		return -EINVAL;
	}
	for (size_t i = 1; i < replay->count; i++) {
		if (!check_order(&events[i - 1], &events[i]))
			continue;
		equant_say(why, why_size, "%s: STATUS event %zu: time or a counter runs backwards",
			   path, i);
		return -EINVAL;
	}
	return 0;
}

static int load(struct replay *replay, const char *path, char *why, size_t why_size)
{
	struct equant_trace_header header;
	int ret;

	ret = equant_trace_load(path, &header, &replay->events, &replay->count, why, why_size);
	if (ret < 0)
		return ret;
	if (ret)
		equant_say(why, why_size, "%s, which has no END event", path);
	replay->count = keep_status(replay->events, replay->count);
	replay->trace_start = header.t0_ns;
	replay->next = 1;
	ret = check_events(replay, path, why, why_size);
	if (ret)
		free(replay->events);
	return ret;
}

static int replay_open(struct equant_probe *probe, const char *arg, char *why, size_t why_size)
{
	struct replay *replay;
	int ret;

	if (!arg || !*arg) {
		equant_say(why, why_size, "no file named, write replay:FILE");
		return -EINVAL;
	}
	replay = calloc(1, sizeof(*replay));
	if (!replay)
		return -ENOMEM;
	ret = load(replay, arg, why, why_size);
	if (ret) {
		free(replay);
		return ret;
	}
	replay->start = equant_clock_ns(CLOCK_MONOTONIC);
	probe->features = replay->events[0].u.status.features;
	probe->data = replay;
	return 0;
}

static void replay_close(struct equant_probe *probe, bool owner)
{
	struct replay *replay = probe->data;

	(void)owner;
	free(replay->events);
	free(replay);
}

const struct equant_probe_ops equant_probe_replay = {
	.name = "replay",
	.features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT | EQUANT_PROBE_QUANTUM |
		    EQUANT_PROBE_PREDICTS,
	.summary = "a recorded trace",
	.open = replay_open,
	.close = replay_close,
	.read = replay_read,
	.status = replay_status,
};
