// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading a trace back.  Everything a reader relies on is checked here, and a
 * complaint names the byte it is about.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace_internal.h"

#define PORTION 4096 /* events read before they are checked */

/* A trace while it is being checked. */
struct trace {
	const char *path;
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
	char *why;
	size_t why_size;
};

const char *equant_trace_header_fault(const struct equant_trace_header *header)
{
	if (header->ranks < 1)
		return "the number of ranks is less than 1";
	if (header->rank < 0 || header->rank >= header->ranks)
		return "the rank is not one of the ranks";
	if (header->units < 0)
		return "the number of units is negative";
	if (header->world < 0)
		return "the rank in MPI_COMM_WORLD is negative";
	if (!memchr(header->loop, '\0', sizeof(header->loop)))
		return "the loop's name is not terminated";
	if (!memchr(header->probe, '\0', sizeof(header->probe)))
		return "the probe's name is not terminated";
	for (size_t i = 0; i < sizeof(header->reserved); i++)
		if (header->reserved[i])
			return "reserved bytes are not zero";
	return NULL;
}

static bool is_share(double share)
{
	return share >= 0.0 && share <= 1.0;
}

static bool is_amount(double amount)
{
	return isfinite(amount) && amount >= 0.0;
}

static bool is_rank(const struct equant_trace_header *header, int32_t rank)
{
	return rank >= 0 && rank < header->ranks;
}

static const char *move_fault(const struct equant_trace_header *header, int32_t from, int32_t to,
			      int64_t units)
{
	if (!is_rank(header, from) || !is_rank(header, to))
		return "a move names a rank that does not exist";
	if (units < 0 || units > header->units)
		return "a move is of more units than there are, or fewer than 0";
	return NULL;
}

static const char *instruction_fault(const struct equant_trace_header *header, int32_t from,
				     int32_t to, int64_t units)
{
	if (from == to || !units)
		return "an instruction moves nothing";
	return move_fault(header, from, to, units);
}

static const char *instructions_fault(const struct equant_trace_header *header,
				      const struct equant_event *event)
{
	const char *fault = NULL;
	uint32_t i, n = event->u.instructions.count;

	if (n < 1 || n > EQUANT_EVENT_LIST || event->u.instructions.first > INT32_MAX)
		return "an event holds more instructions than there is room for, or none";
	for (i = 0; i < n && !fault; i++)
		fault = instruction_fault(header, event->u.instructions.list[i].from,
					  event->u.instructions.list[i].to,
					  event->u.instructions.list[i].units);
	return fault;
}

static const char *transfer_fault(const struct equant_trace_header *header,
				  const struct equant_event *event)
{
	uint32_t i, n = event->u.transfer.count;

	if (!is_rank(header, event->u.transfer.peer) || event->u.transfer.peer == header->rank ||
	    (event->u.transfer.incoming & ~1))
		return "a transfer names ranks that cannot be";
	if (!event->u.transfer.number || event->u.transfer.number > INT64_MAX ||
	    event->u.transfer.pass < 1 || event->u.transfer.computed < 0)
		return "a transfer's number, pass or computations cannot be";
	if (n < 1 || n > EQUANT_EVENT_RANGES || event->u.transfer.first > INT32_MAX)
		return "an event holds more ranges than there is room for, or none";
	for (i = 0; i < n; i++) {
		int64_t first = event->u.transfer.list[i].first;
		int64_t count = event->u.transfer.list[i].count;

		if (first < 0 || count < 1 || first > header->units ||
		    count > header->units - first)
			return "a transfer is of units that do not exist";
	}
	return NULL;
}

static const char *sample_fault(const struct equant_event *event)
{
	const double amounts[] = {
		event->u.sample.units, event->u.sample.wall,	 event->u.sample.run,
		event->u.sample.wait,  event->u.sample.interval, event->u.sample.interact,
		event->u.sample.move,  event->u.sample.moved,
	};

	for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++)
		if (!is_amount(amounts[i]))
			return "a sample's units or times are negative or not finite";
	return NULL;
}

static const char *event_fault(const struct trace *trace, const struct equant_event *event)
{
	const struct equant_trace_header *header = &trace->header;

	switch (event->type) {
	case EQUANT_EVENT_STATUS:
		if (!is_share(event->u.status.share) || !is_share(event->u.status.settled))
			return "a share is not between 0 and 1";
		return NULL;
	case EQUANT_EVENT_SAMPLE:
		return sample_fault(event);
	case EQUANT_EVENT_DECISION:
		if (event->u.decision.units < 0 || event->u.decision.units > header->units)
			return "a decision gives the rank more units than there are, or fewer than 0";
		return NULL;
	case EQUANT_EVENT_MOVE:
		return move_fault(header, event->u.move.from, event->u.move.to,
				  event->u.move.units);
	case EQUANT_EVENT_INSTRUCTIONS:
		return instructions_fault(header, event);
	case EQUANT_EVENT_PLAN:
		if (event->u.plan.due < 1 || event->u.plan.quota < 0)
			return "a phase is planned in a pass or after units that cannot be";
		return NULL;
	case EQUANT_EVENT_SWEEP:
		if (event->u.sweep.number < 0 || event->u.sweep.block < 1)
			return "a sweep's number or strips cannot be";
		return NULL;
	case EQUANT_EVENT_UNITS:
		if (event->u.units.owned < 0 || event->u.units.owned > header->units)
			return "the rank owns more units than there are, or fewer than 0";
		return NULL;
	case EQUANT_EVENT_TILES:
		if (event->u.tiles.number < 0 || event->u.tiles.length < 0 ||
		    event->u.tiles.iterations < 0)
			return "a part's number or tiles cannot be";
		return NULL;
	case EQUANT_EVENT_TRANSFER:
		return transfer_fault(header, event);
	case EQUANT_EVENT_FALLBACK:
		if (!memchr(event->u.fallback.text, '\0', sizeof(event->u.fallback.text)))
			return "a text is not terminated";
		return NULL;
	case EQUANT_EVENT_END:
		if (event != &trace->events[trace->count - 1])
			return "events follow the END event";
		if (event->u.end.events != trace->count - 1)
			return "the END event counts another number of events";
		if (event->u.end.dropped > INT64_MAX)
			return "the END event counts more dropped events than there can be";
		return NULL;
	}
	return "unknown event type";
}

/* Events are stamped as they are recorded, END when the trace is closed. */
static const char *time_fault(const struct trace *trace, size_t i)
{
	const struct equant_event *event = &trace->events[i];

	if (event->t_ns < trace->header.t0_ns)
		return "an event is from before the trace began";
	if (i && event->type != EQUANT_EVENT_END && event->t_ns < trace->events[i - 1].t_ns)
		return "an event is from before the one that it follows";
	return NULL;
}

static size_t byte_of(size_t event)
{
	return sizeof(struct equant_trace_header) + event * sizeof(struct equant_event);
}

static int complain(const struct trace *trace, size_t offset, const char *fault)
{
	equant_say(trace->why, trace->why_size, "%s: byte %zu: %s", trace->path, offset, fault);
	return -EINVAL;
}

static int check_header(const struct trace *trace)
{
	const struct equant_trace_header *header = &trace->header;
	const char *fault;

	if (header->version != EQUANT_TRACE_VERSION)
		return complain(trace, offsetof(struct equant_trace_header, version),
				"a trace of another version");
	if (header->event_size != sizeof(struct equant_event))
		return complain(trace, offsetof(struct equant_trace_header, event_size),
				"events of another size");
	fault = equant_trace_header_fault(header);
	return fault ? complain(trace, offsetof(struct equant_trace_header, rank), fault) : 0;
}

static int check_events(const struct trace *trace, size_t first, size_t end)
{
	const char *fault;

	for (size_t i = first; i < end; i++) {
		fault = event_fault(trace, &trace->events[i]);
		fault = fault ? fault : time_fault(trace, i);
		if (fault)
			return complain(trace, byte_of(i), fault);
	}
	return 0;
}

static int read_all(const struct trace *trace, int fd, void *data, size_t length)
{
	size_t done = 0;
	ssize_t ret;

	while (done < length) {
		ret = read(fd, (char *)data + done, length - done);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret < 0) {
			ret = -errno;
			equant_say(trace->why, trace->why_size, "%s: %s", trace->path,
				   strerror((int)-ret));
			return (int)ret;
		}
		if (!ret)
			return complain(trace, (size_t)lseek(fd, 0, SEEK_CUR),
					"the file became shorter while it was read");
		done += (size_t)ret;
	}
	return 0;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Does it begin as a trace does, as far as there is anything? */
static bool is_trace(const struct equant_trace_header *header, size_t size)
{
	const typeof(header->magic) magic = EQUANT_TRACE_MAGIC;

	return !memcmp(&header->magic, &magic, least(size, sizeof(magic)));
}

static int read_header(struct trace *trace, int fd, size_t size)
{
	size_t length = least(size, sizeof(trace->header));
	int ret = read_all(trace, fd, &trace->header, length);

	if (ret)
		return ret;
	if (!is_trace(&trace->header, length))
		return complain(trace, 0, "not an equant trace");
	if (length < sizeof(trace->header))
		return complain(trace, length, "the file ends within the header");
	return check_header(trace);
}

static int make_room(struct trace *trace, size_t room)
{
	struct equant_event *events = realloc(trace->events, room * sizeof(*events));

	if (!events) {
		equant_say(trace->why, trace->why_size, "%s: %s", trace->path, strerror(ENOMEM));
		return -ENOMEM;
	}
	trace->events = events;
	return 0;
}

/* Some at a time: a file that is only large is refused before it has asked for its memory. */
static int read_checked(struct trace *trace, int fd)
{
	size_t room = PORTION, end, first;
	int ret = make_room(trace, room);

	for (first = 0; first < trace->count && !ret; first = end) {
		end = least(first + PORTION, trace->count);
		if (end > room) {
			room = least(2 * room, trace->count);
			ret = make_room(trace, room);
		}
		if (!ret)
			ret = read_all(trace, fd, trace->events + first,
				       (end - first) * sizeof(struct equant_event));
		if (!ret)
			ret = check_events(trace, first, end);
	}
	return ret;
}

/* 0, or 1 without an END event. */
static int read_events(struct trace *trace, int fd, size_t size)
{
	size_t bytes = size - sizeof(trace->header);
	int ret;

	trace->count = bytes / sizeof(struct equant_event);
	if (bytes % sizeof(struct equant_event))
		return complain(trace, byte_of(trace->count), "the file ends within this event");
	trace->events = NULL;
	ret = read_checked(trace, fd);
	if (ret < 0)
		free(trace->events);
	else if (!trace->count || trace->events[trace->count - 1].type != EQUANT_EVENT_END)
		ret = 1;
	return ret;
}

static int open_file(const struct trace *trace, size_t *size)
{
	struct stat st;
	int fd, ret = 0;

	fd = open(trace->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -EINVAL;
	if (!ret) {
		*size = (size_t)st.st_size;
		return fd;
	}
	equant_say(trace->why, trace->why_size, "%s: %s", trace->path,
		   ret == -EINVAL ? "not a regular file" : strerror(-ret));
	if (fd >= 0)
		close(fd);
	return ret;
}

int equant_trace_load(const char *path, struct equant_trace_header *header,
		      struct equant_event **events, size_t *count, char *why, size_t why_size)
{
	struct trace trace = { .path = path, .why = why, .why_size = why_size };
	size_t size = 0;
	int fd, ret;

	equant_say(why, why_size, "%s", "");
	fd = open_file(&trace, &size);
	if (fd < 0)
		return fd;
	ret = read_header(&trace, fd, size);
	if (!ret)
		ret = read_events(&trace, fd, size);
	close(fd);
	if (ret < 0)
		return ret;
	*header = trace.header;
	*events = trace.events;
	*count = trace.count;
	return ret;
}
