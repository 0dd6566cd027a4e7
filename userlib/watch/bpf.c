// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Every task of the BPF probe: its table belongs to everybody who may map it.
 */
#include <errno.h>
#include <sys/stat.h>

#include "probe/reader.h"
#include "watch/watch_internal.h"

static int watch_open(struct equant_watch *watch, char *why, size_t why_size)
{
	return equant_bpf_table_open(&watch->mapping, why, why_size);
}

static int watch_collect(struct equant_watch *watch, struct equant_watch_task *tasks, size_t max,
			 char *why, size_t why_size)
{
	const struct equant_table *table = watch->mapping.table;
	const struct equant_record *record;
	struct equant_record r;
	size_t nr = 0;
	uint64_t now;

	(void)why;
	(void)why_size;
	for (uint32_t i = 1; i <= watch->mapping.nr_records; i++) {
		record = equant_mapping_record(&watch->mapping, i);
		if (*(const volatile __u32 *)&record->state == EQUANT_STATE_FREE)
			continue;
		now = equant_reader_snapshot(record, &r);
		if (r.state == EQUANT_STATE_FREE)
			continue;
		if (nr < max)
			equant_watch_fill(&tasks[nr], table, &r, i, now);
		nr++;
	}
	return (int)nr;
}

/* Pins that were removed took the programs with them; a table that is new is another one. */
static bool is_pinned(void)
{
	struct stat st;

	return !stat(EQUANT_BPF_TABLE, &st) || errno != ENOENT;
}

static int watch_check(struct equant_watch *watch, char *why, size_t why_size)
{
	const char *text = NULL;

	if (watch->mapping.table->state != EQUANT_TABLE_LIVE)
		text = "the probe was unloaded";
	else if (!is_pinned())
		text = "the probe's pins were removed";
	else if (equant_witness_stands_still(watch))
		text = "records stand still although their threads are switched (programs detached?)";
	if (text)
		equant_say(why, why_size, "%s", text);
	return text ? -ENODEV : 0;
}

const struct equant_watch_ops equant_watch_bpf = {
	.name = "bpf",
	.open = watch_open,
	.collect = watch_collect,
	.check = watch_check,
};
