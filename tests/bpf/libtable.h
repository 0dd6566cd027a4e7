/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The probe's table as the tests see it: mapped, without the library. */
#ifndef LIBTABLE_H
#define LIBTABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <equant/abi.h>

/* `equant probe WHAT`, its output kept; the exit status, -1 if it could not be run. */
int probe_tool(const char *what, char *output, size_t size);

/* Exit status by which the harness knows a test that was skipped in its set-up. */
#define SKIPPED 255

/* A failed assertion ends a test without its tear-down. */
void unload_on_abort(void);

/* Load the probe; why that cannot be, or NULL. */
const char *load_probe(void);

/*
 * Called before the harness begins: its sentences, which are processes, use one probe in turn,
 * for loading takes seconds in a guest.  It is unloaded when the calling process ends.
 */
void share_probe(void);

/* Load it, if no sentence before has; why that cannot be, or NULL. */
const char *shared_probe(void);

/* Why the live tests cannot run here, or NULL. */
const char *why_no_live_tests(void);

/* Map the pinned table; NULL and errno. */
const struct equant_table *map_pinned_table(void);
void unmap_table(const struct equant_table *table);

const struct equant_record *record_at(const struct equant_table *table, unsigned int index);

/* The record of a thread of this pid namespace, or NULL. */
const struct equant_record *record_of_tid(const struct equant_table *table, pid_t tid);

/* A consistent copy, brought up to now; returns the instant in ns. */
uint64_t copy_record(const struct equant_record *record, struct equant_record *copy);

/* Poll until @table has @used records taken, for a second at most. */
bool wait_for_used(const struct equant_table *table, unsigned int used);

uint64_t now_ns(void);
void sleep_ms(unsigned int ms);
void pin_to(int cpu);

#endif /* LIBTABLE_H */
