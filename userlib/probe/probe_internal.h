/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What a source of counters implements, and what the common code does for it.
 *
 * A source counts from wherever it likes.  The common code adds offsets so
 * that the caller's counters start and continue without a jump when one
 * source replaces another, and it keeps a forked child from speaking to the
 * kernel in its parent's name.
 */
#ifndef EQUANT_PROBE_INTERNAL_H
#define EQUANT_PROBE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "core/clock.h"
#include "core/say.h"
#include <equant/probe.h>

#define EQUANT_NSEC_PER_SEC 1000000000ull

/**
 * struct equant_probe_ops - one source of counters
 * @name: as given to equant_probe_open()
 * @features: the most it can tell; open() may take bits out of probe->features
 * @summary: one sentence for the user, used where open() leaves @why empty
 * @open: attach the thread probe->tid, set probe->data; it is the calling one, but for sources
 *	that another one falls back to.  @arg is the text behind
 *	"name:", or NULL.  0 or -errno; a sentence without newline in @why, which is
 *	never NULL and starts empty.  Leaves nothing behind on failure.
 * @close: release probe->data.  @owner is false in a forked child: free memory,
 *	mappings and descriptors, but do not touch the state of the parent's
 *	registration.
 * @read: the cheap reading, all three fields; never fails
 * @status: the full reading; *status comes in as zeros, shares of 1, cpu -1,
 *	so a source fills in what it knows, status->now always
 * @check: is the source alive?  0, or 1 and a sentence in @why (never NULL);
 *	NULL where a source cannot die
 */
struct equant_probe_ops {
	const char *name;
	unsigned int features;
	const char *summary;
	int (*open)(struct equant_probe *probe, const char *arg, char *why, size_t why_size);
	void (*close)(struct equant_probe *probe, bool owner);
	void (*read)(struct equant_probe *probe, struct equant_counters *now);
	void (*status)(struct equant_probe *probe, struct equant_status *status);
	int (*check)(struct equant_probe *probe, char *why, size_t why_size);
};

struct equant_probe {
	const struct equant_probe_ops *ops;
	void *data; /* the source's own */
	unsigned int features; /* set to ops->features before open() */
	pid_t pid; /* of the opener; another one means a forked child */
	pid_t tid; /* the attached thread */
	struct equant_status base; /* added to what the source counts, modulo 2^64 */
	struct equant_counters last; /* latest reading handed out, bounds a dying source */
};

/**
 * equant_probe_follow() - put the source that another thread's probe has under this one
 * @probe: any thread's; its counters do not jump
 * @leader: has fallen back from the source that @probe has
 */
void equant_probe_follow(struct equant_probe *probe, const struct equant_probe *leader);

extern const struct equant_probe_ops equant_probe_kmod;
extern const struct equant_probe_ops equant_probe_bpf;
extern const struct equant_probe_ops equant_probe_schedstat;
extern const struct equant_probe_ops equant_probe_clock;
extern const struct equant_probe_ops equant_probe_replay;

#endif /* EQUANT_PROBE_INTERNAL_H */
