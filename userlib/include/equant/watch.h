/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Watching every task that is attached to the kernel probe of this node, as
 * `equant top` does.  Knows no MPI, attaches nothing and needs no more rights than a
 * rank that uses the probe.
 */
#ifndef EQUANT_WATCH_H
#define EQUANT_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>
#include <equant/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

struct equant_watch;

/**
 * struct equant_watch_task - one attached thread, at one instant
 * @record: index of its record, the same for as long as it is attached; from 1
 * @state: enum equant_state of <equant/abi.h>
 * @tid: the thread, as its own pid namespace numbers it
 * @tgid: its process, likewise
 * @ns_inode: inode of that namespace, what stat() of /proc/TID/ns/pid tells
 * @slice_ns: the slice that is configured for it, 0 where the kernel has none
 * @t_attach_ns: when it was attached, CLOCK_MONOTONIC; with @record it tells tasks apart
 * @sleep_ns: how long it has been blocked since then, up to now
 * @status: counters and shares as equant_probe_status() gives them to the thread
 *	itself, all of them since @t_attach_ns
 */
struct equant_watch_task {
	uint32_t record;
	uint32_t state;
	uint32_t tid;
	uint32_t tgid;
	uint32_t ns_inode;
	uint32_t slice_ns;
	uint64_t t_attach_ns;
	uint64_t sleep_ns;
	struct equant_status status;
};

/**
 * struct equant_watch_info - what is watched
 * @records: how many tasks can be attached
 * @attached: how many are
 * @tick_ns: the scheduler's tick, 0 = not known
 * @predicts: shares are predicted; 0: no status.share means anything
 */
struct equant_watch_info {
	uint32_t records;
	uint32_t attached;
	uint32_t tick_ns;
	int predicts;
};

/**
 * equant_watch_open() - begin to watch
 * @source: "bpf", or "auto" for the best that works here
 * @why: receives, one line per source tried, why it cannot be watched; may be NULL
 * @why_size: its size in bytes
 *
 * A handle may be used by one thread at a time.
 *
 * Return: the handle, or NULL and errno: EINVAL unknown source, ENODEV (no probe is
 * loaded), EACCES, EPERM, EPROTO (ABI of another version), ENOMEM.
 */
EQUANT_API struct equant_watch *equant_watch_open(const char *source, char *why, size_t why_size);

/** equant_watch_close() - @watch may be NULL */
EQUANT_API void equant_watch_close(struct equant_watch *watch);

/** equant_watch_source() - "bpf" */
EQUANT_API const char *equant_watch_source(const struct equant_watch *watch);

/** equant_watch_info() - what is watched, now */
EQUANT_API void equant_watch_info(const struct equant_watch *watch, struct equant_watch_info *info);

/**
 * equant_watch_snapshot() - every task that is attached now
 * @watch: the handle
 * @tasks: receives the first @max of them, in the order of their records
 * @max: tasks that @tasks has room for; info.records is always enough
 * @why: receives why it failed, at least 128 bytes; may be NULL
 * @why_size: its size in bytes
 *
 * Every task is consistent in itself; there are microseconds between one and the
 * next.  What has vanished under the handle is found here.
 *
 * Return: how many are attached, also if that is more than @max; -ENODEV: the probe
 * was unloaded or writes its records no more.  The handle can only be closed then.
 */
EQUANT_API int equant_watch_snapshot(struct equant_watch *watch, struct equant_watch_task *tasks,
				     size_t max, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_WATCH_H */
