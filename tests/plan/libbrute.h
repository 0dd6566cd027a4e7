/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Schedules of all kinds tried one after the other, for small instances. */
#ifndef LIBBRUTE_H
#define LIBBRUTE_H

#include "libplan.h"

#define BRUTE_ITERATIONS 12
#define BRUTE_PROCESSORS 5

/* Kinds of instances; their costs are whole numbers, so that sums are exact. */
#define WITH_BYTES 1 /* messages, with start-ups */
#define WITH_MEMORY 2 /* some processors hold few iterations */
#define WITH_EACH 4 /* iterations that are not equal */

struct instance {
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
};

struct instance random_instance(struct random *random, long n, int p, unsigned int kind);
void free_instance(struct instance *instance);

/* What @instance looks like, for a test that fails. */
const char *instance_text(const struct instance *instance, char line[PLAN_LINE]);

/* Time of processor @i with iterations that have @work and @bytes; does memory hold @count? */
double processor_time(const struct instance *instance, int i, double work, double bytes,
		      long count);
bool fits(const struct instance *instance, int i, long count);
double work_at(const struct instance *instance, long at);
double bytes_at(const struct instance *instance, long at);

/* The least makespans; infinite if memory is too small. */
double brute_blocks(const struct instance *instance);
double brute_any(const struct instance *instance);

#endif /* LIBBRUTE_H */
