/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Watching every task that is attached to the kernel probe of this node, as
 * `equant top` does.  Knows no MPI.
 *
 * The BPF probe has one table, which everybody may read.  The kernel module has a table
 * per open file: the watcher attaches the tasks that others attached and that are its to
 * trace, its own for a user and all for root, and reads all of them by a single submission of
 * io_uring.  From the module it can have events, too.
 */
#ifndef EQUANT_WATCH_H
#define EQUANT_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
 *
 * Where the module is the source, a task is attached once more, by its watcher, so
 * that counts begin when it was first watched.
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
 * @attached: how many are; with the module, of those that may be watched
 * @tick_ns: the scheduler's tick, 0 = not known
 * @predicts: shares are predicted; 0: no status.share means anything
 * @refused: tasks that could not be watched, by a limit of the module
 * @ways: how snapshots and events are had, and why not by io_uring if they are not: words
 */
struct equant_watch_info {
	uint32_t records;
	uint32_t attached;
	uint32_t tick_ns;
	int predicts;
	uint32_t refused;
	char ways[160];
};

/** enum equant_watch_event_type - what has happened */
enum equant_watch_event_type {
	EQUANT_WATCH_ARRIVED = 1, /* more runnable tasks on its CPU, for a quantum at least */
	EQUANT_WATCH_LEFT, /* fewer */
	EQUANT_WATCH_SHARE_UP, /* the measured share crossed the threshold upwards */
	EQUANT_WATCH_SHARE_DOWN,
	EQUANT_WATCH_EXITED, /* the task has gone, or runs another program */
	EQUANT_WATCH_LOST, /* events are missing here: there was no room for them */
};

/**
 * struct equant_watch_event - one event
 * @t_ns: when it happened, CLOCK_MONOTONIC
 * @type: enum equant_watch_event_type
 * @record: of the task, as in struct equant_watch_task; 0 in EQUANT_WATCH_LOST
 * @tid: the task, as its own pid namespace numbers it
 * @runnable: tasks now, in ARRIVED and LEFT
 * @runnable_before: at the last of these events
 * @lost: how many events are missing, in LOST
 * @share: measured, in SHARE_UP and SHARE_DOWN; else the one that is predicted
 */
struct equant_watch_event {
	uint64_t t_ns;
	uint32_t type;
	uint32_t record;
	uint32_t tid;
	uint32_t runnable;
	uint32_t runnable_before;
	uint32_t lost;
	double share;
};

/**
 * equant_watch_open() - begin to watch
 * @source: "bpf", "kmod", or "auto" for the first of these that works here
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

/** equant_watch_source() - "kmod" or "bpf" */
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
 * was unloaded or writes its records no more.  The handle can only be closed then.  The latter is
 * seen by a task of the caller's pid namespace that is switched between two snapshots.
 */
EQUANT_API int equant_watch_snapshot(struct equant_watch *watch, struct equant_watch_task *tasks,
				     size_t max, char *why, size_t why_size);

/**
 * equant_watch_events() - ask for events of the tasks that are found from now on
 * @watch: the handle; before its first snapshot, if no task is to be left out
 * @threshold: of the events about the share, 0..1, 0 = no such events
 * @hysteresis: the share has to pass it by so much; at most @threshold, and 1 - @threshold
 *
 * A share is measured over ten rounds of the scheduler at least.
 *
 * Return: 0; -EINVAL: numbers out of range; -EOPNOTSUPP: the source has no events.
 */
EQUANT_API int equant_watch_events(struct equant_watch *watch, double threshold, double hysteresis);

/**
 * equant_watch_fd() - a descriptor that poll() finds readable when there may be events
 *
 * It belongs to the handle.  It may tell only once of what has come, also to a snapshot that
 * is taken meanwhile: after equant_watch_snapshot(), call equant_watch_next() until it gives 0
 * before waiting again.
 *
 * Return: the descriptor, or -1 if no events were asked for.
 */
EQUANT_API int equant_watch_fd(const struct equant_watch *watch);

/**
 * equant_watch_next() - the next event
 * @watch: the handle
 * @event: receives it
 *
 * Never waits.  Return: 1; 0: there is none now; -EOPNOTSUPP: none were asked for; -ENODEV:
 * the probe has vanished.
 */
EQUANT_API int equant_watch_next(struct equant_watch *watch, struct equant_watch_event *event);

/**
 * equant_watch_speed() - how fast a rank computes, by its own account
 * @pid: the process, as the caller's pid namespace numbers it
 * @tid: the thread that makes the hooks of its loops, as its own pid namespace numbers it
 * @speed: receives units per on-CPU second: its last estimate, for the loop that was
 *	balanced last
 *
 * It is had from the process, not from the kernel, and is worth what the process is.  Needs
 * no handle; any thread may call it at any time.
 *
 * Return: 0; -ENODATA: the thread has told no speed, as one whose loops are not balanced, or not
 * yet; -ESRCH: there is no such process; -EACCES: the caller may not look into it; -EMFILE,
 * -ENFILE, -ENOMEM.
 */
EQUANT_API int equant_watch_speed(pid_t pid, uint32_t tid, double *speed);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_WATCH_H */
