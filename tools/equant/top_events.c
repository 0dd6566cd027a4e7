// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Events of the tasks that are shown: the latest for the screen, each as a line of JSON.
 */
#include <string.h>
#include <time.h>

#include "json.h"
#include "top.h"

static const char *event_name(uint32_t type)
{
	switch (type) {
	case EQUANT_WATCH_ARRIVED:
		return "arrived";
	case EQUANT_WATCH_LEFT:
		return "left";
	case EQUANT_WATCH_SHARE_UP:
		return "share up";
	case EQUANT_WATCH_SHARE_DOWN:
		return "share down";
	case EQUANT_WATCH_EXITED:
		return "exited";
	case EQUANT_WATCH_LOST:
		return "lost";
	default:
		return "unknown";
	}
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void clock_text(char *text, size_t size, uint64_t t_ns)
{
	int64_t real = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC) + (int64_t)t_ns;
	time_t seconds = real / 1000000000;
	char clock[16] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(text, size, "%s.%03d", clock, (int)(real / 1000000 % 1000));
}

static void what_happened(char *text, size_t size, const struct equant_watch_event *event)
{
	if (event->type == EQUANT_WATCH_ARRIVED || event->type == EQUANT_WATCH_LEFT)
		snprintf(text, size, "competition %s: %u runnable, before %u",
			 event_name(event->type), event->runnable, event->runnable_before);
	else if (event->type == EQUANT_WATCH_SHARE_UP || event->type == EQUANT_WATCH_SHARE_DOWN)
		snprintf(text, size, "%s to %.3f", event_name(event->type), event->share);
	else if (event->type == EQUANT_WATCH_LOST)
		snprintf(text, size, "%u events lost", event->lost);
	else
		snprintf(text, size, "%s", event_name(event->type));
}

void top_event_text(const struct equant_watch_event *event, char *text, size_t size)
{
	char clock[32], what[96];

	clock_text(clock, sizeof(clock), event->t_ns);
	what_happened(what, sizeof(what), event);
	if (event->tid)
		snprintf(text, size, "%s %u %s", clock, event->tid, what);
	else
		snprintf(text, size, "%s %s", clock, what);
}

void top_event_json(FILE *out, const struct equant_watch_event *event)
{
	struct json json = { .out = out, .flat = true };

	json_open_object(&json, NULL);
	json_string(&json, "event", event_name(event->type));
	json_integer(&json, "t_ns", (long)event->t_ns);
	if (event->type == EQUANT_WATCH_LOST) {
		json_integer(&json, "lost", event->lost);
	} else {
		json_integer(&json, "tid", event->tid);
		json_integer(&json, "record", event->record);
		json_number(&json, "share", event->share);
	}
	if (event->runnable) {
		json_integer(&json, "runnable", event->runnable);
		json_integer(&json, "runnable_before", event->runnable_before);
	}
	json_close_object(&json);
	fflush(out);
}

void top_event_keep(struct top_events *events, const struct equant_watch_event *event)
{
	if (events->nr == TOP_EVENTS)
		memmove(events->last, events->last + 1, (TOP_EVENTS - 1) * sizeof(*events->last));
	else
		events->nr++;
	events->last[events->nr - 1] = *event;
}
