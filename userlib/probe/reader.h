/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Reading the records of <equant/abi.h>, whoever in the kernel writes them: one
 * thread's own, as a source of its counters, or anybody's.
 */
#ifndef EQUANT_PROBE_READER_H
#define EQUANT_PROBE_READER_H

#include <equant/abi.h>

#include "probe/probe_internal.h"

/**
 * struct equant_reader - a thread that reads its own record
 * @table: the header of the table the record is in
 * @record: the thread's
 * @t_attach: the record's, when it was taken
 * @switches: the record's, at the last check
 * @usage: getrusage()'s, at the last check
 * @run_ns: when the record was last read and was the thread's
 * @wait_ns: then, too
 * @stuck: catching up did not help
 * @lost: the last check has found that it is of no use any more
 *
 * The first member of probe->data of a source that has a record.
 */
struct equant_reader {
	const struct equant_table *table;
	const struct equant_record *record;
	uint64_t t_attach;
	uint64_t switches;
	uint64_t usage;
	uint64_t run_ns;
	uint64_t wait_ns;
	bool stuck;
	bool lost;
};

/* Copy the record and read the clock at one instant: not switched in between. */
uint64_t equant_reader_snapshot(const struct equant_record *record, struct equant_record *copy);

/**
 * equant_reader_describe() - what a copy of a record says
 * @table: its table's header
 * @r: the copy
 * @caught_up: its shares count, however young they are
 * @status: ->now.t_ns comes in as the instant of the copy
 */
void equant_reader_describe(const struct equant_table *table, const struct equant_record *r,
			    bool caught_up, struct equant_status *status);

/* Give up the CPU for a moment, so that the kernel sees the thread switched. */
void equant_reader_force_switch(void);

/* The source, whose first member @reader is, has its table and record: @probe begins with it. */
void equant_reader_start(struct equant_probe *probe, struct equant_reader *reader);

/* Operations of a source that has a record. */
void equant_reader_read(struct equant_probe *probe, struct equant_counters *now);
void equant_reader_status(struct equant_probe *probe, struct equant_status *status);
int equant_reader_check(struct equant_probe *probe, char *why, size_t why_size);

#endif /* EQUANT_PROBE_READER_H */
