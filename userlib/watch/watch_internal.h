/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What can be watched, and what all of it has in common.
 */
#ifndef EQUANT_WATCH_INTERNAL_H
#define EQUANT_WATCH_INTERNAL_H

#include <stdbool.h>

#include <equant/watch.h>

#include "probe/mapping.h"

/**
 * struct equant_watch_ops - a table of tasks
 * @name: as given to equant_watch_open()
 * @open: set watch->mapping, watch->data if wanted; 0 or -errno and a sentence in
 *	@why (never NULL).  Leaves nothing behind on failure.
 * @close: release watch->data; the mapping is released by the caller
 * @info: what the table's header does not tell; may be NULL
 * @collect: fill in tasks; as equant_watch_snapshot(), @why never NULL
 * @check: is it still there?  0, or -errno and a sentence in @why
 * @events: as equant_watch_events(), with valid shares of <equant/abi.h>; NULL = has none
 * @fd: as equant_watch_fd()
 * @next: as equant_watch_next()
 */
struct equant_watch_ops {
	const char *name;
	int (*open)(struct equant_watch *watch, char *why, size_t why_size);
	void (*close)(struct equant_watch *watch);
	void (*info)(const struct equant_watch *watch, struct equant_watch_info *info);
	int (*collect)(struct equant_watch *watch, struct equant_watch_task *tasks, size_t max,
		       char *why, size_t why_size);
	int (*check)(struct equant_watch *watch, char *why, size_t why_size);
	int (*events)(struct equant_watch *watch, uint32_t threshold, uint32_t hysteresis);
	int (*fd)(const struct equant_watch *watch);
	int (*next)(struct equant_watch *watch, struct equant_watch_event *event);
};

/**
 * struct equant_witness - a task whose record is compared with the kernel's own count
 * @record: its record, 0 = none yet
 * @t_attach: which tells whether it is still the same task
 * @switches: times switched out, by the record
 * @arrivals: times switched in, by /proc, read after @switches
 */
struct equant_witness {
	uint32_t record;
	uint64_t t_attach;
	uint64_t switches;
	uint64_t arrivals;
};

struct equant_watch {
	const struct equant_watch_ops *ops;
	struct equant_mapping mapping;
	void *data; /* the source's own */
	uint32_t ns_inode; /* this process' pid namespace, 0 = not known */
	struct equant_witness witness;
};

/**
 * equant_watch_fill() - what a record says of its task
 * @table: the header of its table
 * @r: a copy of the record, whose state is not EQUANT_STATE_FREE
 * @now: the instant of the copy
 */
void equant_watch_fill(struct equant_watch_task *task, const struct equant_table *table,
		       const struct equant_record *r, uint32_t index, uint64_t now);

/**
 * equant_watch_unique() - leave each task once, by its latest record
 * @tasks: in any order; are in the order of their records then
 * @nr: how many
 *
 * Return: how many are left, at the start.
 */
size_t equant_watch_unique(struct equant_watch_task *tasks, size_t nr);

/**
 * equant_witness_stands_still() - has a task been switched without its record moving?
 *
 * To be called once per snapshot; needs a task of this process' pid namespace that /proc shows.
 */
bool equant_witness_stands_still(struct equant_watch *watch);

extern const struct equant_watch_ops equant_watch_kmod;
extern const struct equant_watch_ops equant_watch_bpf;

#endif /* EQUANT_WATCH_INTERNAL_H */
