// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Every task that is attached to the kernel module and may be watched from here.
 *
 * The module tells which threads others have attached; those that are new are
 * attached to this file as well.  Then one submission copies all their records.
 * Where io_uring is not to be had, an ioctl() and read() do the same.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "probe/device.h"
#include "probe/reader.h"
#include "watch/ring.h"
#include "watch/watch_internal.h"

#define LIST_SIZE 65536u /* as many as the module tells at once */
#define EVENTS 64

struct source {
	int fd;
	struct equant_info info;
	struct equant_ring *ring; /* NULL = none */
	bool ring_snapshots; /* kernel and module have the command */
	bool ring_events; /* the poll is armed */
	char why_not[96]; /* io_uring is not used */

	uint32_t nr; /* attached here, in the order of their records */
	uint32_t tids[EQUANT_FILE_RECORDS]; /* in this process' pid namespace */
	uint32_t indices[EQUANT_FILE_RECORDS];
	struct equant_record records[EQUANT_FILE_RECORDS];
	uint32_t *listed; /* LIST_SIZE of them */
	uint32_t total;
	uint32_t refused;

	bool wants_events;
	uint32_t threshold;
	uint32_t hysteresis;
	uint32_t first_event, nr_events;
	struct equant_kmod_event events[EVENTS];
};

/* ---- who is there ---- */

static int list(struct source *source, uint32_t *nr)
{
	struct equant_list list = {
		.tids = (uintptr_t)source->listed,
		.nr = LIST_SIZE,
	};

	if (ioctl(source->fd, EQUANT_IOC_LIST, &list))
		return -errno;
	*nr = list.listed;
	source->total = list.total;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Makes room at @at. */
static void insert(uint32_t *numbers, uint32_t at, uint32_t nr)
{
	memmove(&numbers[at + 1], &numbers[at], (nr - at) * sizeof(*numbers));
}

static void remember(struct source *source, uint32_t tid, uint32_t index)
{
	uint32_t i = 0;

	while (i < source->nr && source->indices[i] < index)
		i++;
	/* A record that is given out again was one's who has gone unnoticed since the last snapshot. */
	if (i == source->nr || source->indices[i] != index) {
		insert(source->tids, i, source->nr);
		insert(source->indices, i, source->nr);
		source->nr++;
	}
	source->tids[i] = tid;
	source->indices[i] = index;
}

/* Tasks that come and go are no error; limits are counted. */
static int attach_one(struct source *source, uint32_t tid)
{
	struct equant_attach attach = { .tid = tid, .cookie = tid };

	if (source->wants_events) {
		attach.flags = EQUANT_ATTACH_EVENTS;
		attach.threshold = source->threshold;
		attach.hysteresis = source->hysteresis;
	}
	if (source->nr == EQUANT_FILE_RECORDS) {
		source->refused++;
		return 0;
	}
	if (ioctl(source->fd, EQUANT_IOC_ATTACH, &attach)) {
		if (errno == EUSERS || errno == EDQUOT || errno == EBUSY)
			source->refused++;
		return errno == ENODEV || errno == EINVAL ? -errno : 0;
	}
	remember(source, tid, attach.index);
	return 0;
}

static int attach_new(struct source *source)
{
	uint32_t known[EQUANT_FILE_RECORDS], nr_known = source->nr, nr = 0;
	int ret;

	ret = list(source, &nr);
	memcpy(known, source->tids, nr_known * sizeof(*known));
	qsort(known, nr_known, sizeof(*known), by_number);
	source->refused = 0;
	for (uint32_t i = 0; !ret && i < nr; i++)
		if (!bsearch(&source->listed[i], known, nr_known, sizeof(*known), by_number))
			ret = attach_one(source, source->listed[i]);
	return ret;
}

/* ---- snapshots ---- */

static bool is_missing(int ret)
{
	return ret == -EOPNOTSUPP || ret == -EINVAL || ret == -ENOTTY || ret == -EBUSY;
}

static int copy_records(struct source *source, uint64_t *now)
{
	struct equant_snapshot snapshot = {
		.indices = (uintptr_t)source->indices,
		.records = (uintptr_t)source->records,
		.nr = source->nr,
	};
	int ret = -EOPNOTSUPP;

	if (source->ring_snapshots)
		ret = equant_ring_snapshot(source->ring, &snapshot);
	if (source->ring_snapshots && is_missing(ret)) {
		source->ring_snapshots = false;
		equant_say(source->why_not, sizeof(source->why_not), "IORING_OP_URING_CMD: %s",
			   strerror(-ret));
	}
	if (!source->ring_snapshots) {
		ret = ioctl(source->fd, EQUANT_IOC_SNAPSHOT, &snapshot);
		ret = ret < 0 ? -errno : ret;
	}
	*now = snapshot.now;
	return ret;
}

/* Whose record is free has gone: it is forgotten here, too. */
static void forget_gone(struct source *source)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < source->nr; i++) {
		if (source->records[i].state == EQUANT_STATE_FREE)
			continue;
		source->tids[left] = source->tids[i];
		source->indices[left] = source->indices[i];
		source->records[left++] = source->records[i];
	}
	source->nr = left;
}

static int collect(struct equant_watch *watch, struct equant_watch_task *tasks, size_t max,
		   char *why, size_t why_size)
{
	struct source *source = watch->data;
	uint64_t now = 0;
	int ret;

	ret = attach_new(source);
	if (!ret && source->nr)
		ret = copy_records(source, &now);
	if (ret < 0) {
		equant_say(why, why_size, EQUANT_DEVICE ": %s", strerror(-ret));
		return ret;
	}
	forget_gone(source);
	for (uint32_t i = 0; i < source->nr && i < max; i++)
		equant_watch_fill(&tasks[i], watch->mapping.table, &source->records[i],
				  source->indices[i], now);
	return (int)source->nr;
}

static int check(struct equant_watch *watch, char *why, size_t why_size)
{
	if (watch->mapping.table->state == EQUANT_TABLE_LIVE)
		return 0;
	equant_say(why, why_size, "the kernel module was unloaded");
	return -ENODEV;
}

/* ---- events ---- */

static int ask_events(struct equant_watch *watch, uint32_t threshold, uint32_t hysteresis)
{
	struct source *source = watch->data;
	int ret = -EOPNOTSUPP;

	if (!(source->info.features & EQUANT_KMOD_EVENTS))
		return ret;
	source->wants_events = true;
	source->threshold = threshold;
	source->hysteresis = threshold ? hysteresis : 0;
	/* What passes the threshold by all of it, or by all that is above, cannot be. */
	if (source->hysteresis && source->hysteresis == threshold)
		source->hysteresis--;
	if (source->ring && !source->ring_events)
		ret = equant_ring_watch(source->ring);
	source->ring_events |= !ret;
	return 0;
}

static int events_fd(const struct equant_watch *watch)
{
	const struct source *source = watch->data;

	if (!source->wants_events)
		return -1;
	return source->ring_events ? equant_ring_fd(source->ring) : source->fd;
}

static ssize_t read_events(struct source *source)
{
	ssize_t length = -EINVAL;

	if (source->ring_events)
		length = equant_ring_read(source->ring, source->events, sizeof(source->events));
	/* A kernel without the multishot poll refuses it. */
	if (source->ring_events && length == -EINVAL) {
		source->ring_events = false;
		equant_say(source->why_not, sizeof(source->why_not), "multishot poll: %s",
			   strerror(EINVAL));
	}
	if (!source->ring_events) {
		length = read(source->fd, source->events, sizeof(source->events));
		length = length < 0 ? -errno : length;
	}
	return length;
}

static void describe(const struct equant_kmod_event *raw, struct equant_watch_event *event)
{
	bool counts = raw->type == EQUANT_EVENT_ARRIVED || raw->type == EQUANT_EVENT_LEFT;
	bool measured = raw->type == EQUANT_EVENT_SHARE_UP || raw->type == EQUANT_EVENT_SHARE_DOWN;
	uint32_t share = measured ? raw->value : raw->share;

	*event = (struct equant_watch_event){
		.t_ns = raw->t,
		.type = raw->type,
		.record = raw->index,
		.tid = raw->tid,
		.runnable = counts ? raw->value : 0,
		.runnable_before = counts ? raw->before : 0,
		.lost = raw->type == EQUANT_EVENT_LOST ? raw->value : 0,
		.share = (double)share / EQUANT_SHARE_ONE,
	};
}

static int next(struct equant_watch *watch, struct equant_watch_event *event)
{
	struct source *source = watch->data;
	ssize_t length;

	if (!source->wants_events)
		return -EOPNOTSUPP;
	if (source->first_event == source->nr_events) {
		source->first_event = source->nr_events = 0;
		length = read_events(source);
		if (length == -EAGAIN || length == -EINTR)
			return 0;
		/* The module has let go of the file. */
		if (length == 0)
			return -ENODEV;
		if (length < 0)
			return (int)length;
		source->nr_events = (uint32_t)((size_t)length / sizeof(*source->events));
	}
	describe(&source->events[source->first_event++], event);
	return 1;
}

/* ---- the handle ---- */

static void info(const struct equant_watch *watch, struct equant_watch_info *info)
{
	const struct source *source = watch->data;

	info->records = source->info.file_records;
	info->attached = source->total;
	info->refused = source->refused;
	if (source->ring_snapshots && (source->ring_events || !source->wants_events))
		equant_say(info->ways, sizeof(info->ways), "io_uring");
	else
		equant_say(info->ways, sizeof(info->ways), "snapshots by %s, events by %s (%s)",
			   source->ring_snapshots ? "io_uring" : "ioctl",
			   source->ring_events ? "io_uring" : "read", source->why_not);
}

static void open_ring(struct source *source)
{
	if (!(source->info.features & EQUANT_KMOD_URING))
		equant_say(source->why_not, sizeof(source->why_not), "the module has no io_uring");
	else
		source->ring =
			equant_ring_open(source->fd, source->why_not, sizeof(source->why_not));
	source->ring_snapshots = source->ring;
}

static int watch_open(struct equant_watch *watch, char *why, size_t why_size)
{
	struct source *source = calloc(1, sizeof(*source));
	int ret = -ENOMEM;

	if (!source)
		return ret;
	source->listed = calloc(LIST_SIZE, sizeof(*source->listed));
	if (!source->listed)
		goto free_source;
	ret = source->fd = equant_device_open(0, &source->info, why, why_size);
	if (ret < 0)
		goto free_source;
	ret = equant_mapping_open(&watch->mapping, source->fd, EQUANT_DEVICE,
				  "root: load the module of this version", why, why_size);
	if (ret)
		goto close_fd;
	open_ring(source);
	watch->data = source;
	return 0;

close_fd:
	close(source->fd);
free_source:
	free(source->listed);
	free(source);
	return ret;
}

static void watch_close(struct equant_watch *watch)
{
	struct source *source = watch->data;

	equant_ring_close(source->ring);
	close(source->fd);
	free(source->listed);
	free(source);
}

const struct equant_watch_ops equant_watch_kmod = {
	.name = "kmod",
	.open = watch_open,
	.close = watch_close,
	.info = info,
	.collect = collect,
	.check = check,
	.events = ask_events,
	.fd = events_fd,
	.next = next,
};
