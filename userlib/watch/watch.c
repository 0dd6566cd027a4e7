// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Watching all attached tasks: which source, and asking it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/say.h"
#include "watch/watch_internal.h"

/* Preference of "auto", that of equant_probe_open(). */
static const struct equant_watch_ops *const sources[] = {
	&equant_watch_bpf,
	&equant_watch_kmod,
};

#define NR_SOURCES (sizeof(sources) / sizeof(sources[0]))

static int open_told(struct equant_watch *watch, const struct equant_watch_ops *ops, char *why,
		     size_t why_size)
{
	char text[256] = "";
	size_t used = why && why_size ? strlen(why) : 0;
	int ret;

	watch->ops = ops;
	ret = ops->open(watch, text, sizeof(text));
	if (ret)
		equant_say(why ? why + used : NULL, why_size - used, "%s%s: not available: %s",
			   used ? "\n" : "", ops->name, *text ? text : strerror(-ret));
	return ret;
}

static int open_named(struct equant_watch *watch, const char *name, char *why, size_t why_size)
{
	bool any = !strcmp(name, "auto"), known = false;
	int ret = -ENODEV;

	for (size_t i = 0; i < NR_SOURCES; i++) {
		if (!any && strcmp(name, sources[i]->name))
			continue;
		known = true;
		ret = open_told(watch, sources[i], why, why_size);
		if (!ret)
			return 0;
	}
	if (known)
		return ret;
	equant_say(why, why_size, "unknown source \"%s\": expected auto, bpf or kmod", name);
	return -EINVAL;
}

struct equant_watch *equant_watch_open(const char *source, char *why, size_t why_size)
{
	struct equant_watch *watch;
	struct stat ns;
	int ret;

	equant_say(why, why_size, "%s", "");
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return NULL;
	ret = open_named(watch, source ? source : "(null)", why, why_size);
	if (ret) {
		free(watch);
		errno = -ret;
		return NULL;
	}
	watch->ns_inode = stat("/proc/self/ns/pid", &ns) ? 0 : (uint32_t)ns.st_ino;
	return watch;
}

void equant_watch_close(struct equant_watch *watch)
{
	if (!watch)
		return;
	if (watch->ops->close)
		watch->ops->close(watch);
	equant_mapping_close(&watch->mapping);
	free(watch);
}

const char *equant_watch_source(const struct equant_watch *watch)
{
	return watch->ops->name;
}

void equant_watch_info(const struct equant_watch *watch, struct equant_watch_info *info)
{
	const struct equant_table *table = watch->mapping.table;

	*info = (struct equant_watch_info){
		.records = watch->mapping.nr_records,
		.attached = table->nr_used,
		.tick_ns = table->tick_ns,
		.predicts = !!(table->features & EQUANT_TABLE_PREDICTS),
		.ways = "table mapped",
	};
	if (watch->ops->info)
		watch->ops->info(watch, info);
}

int equant_watch_snapshot(struct equant_watch *watch, struct equant_watch_task *tasks, size_t max,
			  char *why, size_t why_size)
{
	char text[256] = "";
	size_t filled;
	int ret;

	ret = watch->ops->check(watch, text, sizeof(text));
	if (!ret)
		ret = watch->ops->collect(watch, tasks, max, text, sizeof(text));
	if (ret < 0) {
		equant_say(why, why_size, "%s", *text ? text : strerror(-ret));
		return ret;
	}
	filled = (size_t)ret < max ? (size_t)ret : max;
	return ret - (int)(filled - equant_watch_unique(tasks, filled));
}

static bool is_share(double share)
{
	return share >= 0 && share <= 1; /* NaN is none */
}

int equant_watch_events(struct equant_watch *watch, double threshold, double hysteresis)
{
	if (!is_share(threshold) || !is_share(hysteresis) || hysteresis > threshold ||
	    hysteresis > 1 - threshold)
		return -EINVAL;
	if (!watch->ops->events)
		return -EOPNOTSUPP;
	return watch->ops->events(watch, (uint32_t)lrint(threshold * EQUANT_SHARE_ONE),
				  (uint32_t)lrint(hysteresis * EQUANT_SHARE_ONE));
}

int equant_watch_fd(const struct equant_watch *watch)
{
	return watch->ops->fd ? watch->ops->fd(watch) : -1;
}

int equant_watch_next(struct equant_watch *watch, struct equant_watch_event *event)
{
	return watch->ops->next ? watch->ops->next(watch, event) : -EOPNOTSUPP;
}
