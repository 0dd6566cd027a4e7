// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A table whose writer was detached by force looks alive: its tasks just seem never
 * to be switched again.  The kernel counts switches for /proc as well, so one task
 * per snapshot is asked twice.
 *
 * Between two arrivals on a CPU there is a departure, which the record counts.  The
 * first arrival is later than the record's older count, the second one earlier than
 * its newer one, so a record that did not move in between has no writer.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "probe/reader.h"
#include "watch/watch_internal.h"

/* False where the task has gone or is hidden. */
static bool read_arrivals(const struct equant_record *r, uint64_t *arrivals)
{
	unsigned long long count;
	char path[64], text[80];
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", r->tgid, r->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (len <= 0)
		return false;
	text[len] = '\0';
	if (sscanf(text, "%*u %*u %llu", &count) != 1)
		return false;
	*arrivals = count;
	return true;
}

/* The record first: its count is the older one. */
static bool begin(struct equant_witness *witness, const struct equant_record *record,
		  uint32_t index)
{
	struct equant_record r;

	equant_reader_snapshot(record, &r);
	*witness = (struct equant_witness){
		.record = index,
		.t_attach = r.t_attach,
		.switches = r.switches,
	};
	return read_arrivals(&r, &witness->arrivals);
}

/* The first that can be asked about: without a writer, a task that has gone keeps its record for ever. */
static void choose(struct equant_watch *watch)
{
	const struct equant_record *record;

	for (uint32_t i = 1; watch->ns_inode && i <= watch->mapping.nr_records; i++) {
		record = equant_mapping_record(&watch->mapping, i);
		if (record->state <= EQUANT_STATE_REGISTERED || record->ns_inode != watch->ns_inode)
			continue;
		if (begin(&watch->witness, record, i))
			return;
	}
	watch->witness = (struct equant_witness){ .record = 0 };
}

bool equant_witness_stands_still(struct equant_watch *watch)
{
	struct equant_witness before = watch->witness, *now = &watch->witness;
	struct equant_record r;
	uint64_t arrivals = 0;
	bool asked = false;

	if (before.record) {
		equant_reader_snapshot(equant_mapping_record(&watch->mapping, before.record), &r);
		asked = read_arrivals(&r, &arrivals);
	}
	choose(watch);
	return asked && before.record == now->record && before.t_attach == now->t_attach &&
	       arrivals >= before.arrivals + 2 && now->switches == before.switches;
}
