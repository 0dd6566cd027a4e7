/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared by the tests of userlib/plan: machines, and schedules as text. */
#ifndef LIBPLAN_H
#define LIBPLAN_H

#include <stdbool.h>

#include <equant/plan.h>

#include "random.h"

/* Processors that differ in the time of an operation only, no memory limit. */
struct equant_plan_machine *machine_of(const double *operation, int count);
struct equant_plan_machine *equal_machine(int count);

/* x_i = slope i + constant; stops the test program if that cannot be. */
struct equant_plan_program *affine_program(long n, double slope, double constant);

/*
 * Reads a file with that text, called "text".  Either pointer receives an object or NULL.  0 or
 * -errno.
 */
int plan_text(const char *text, size_t length, struct equant_plan_program **program,
	      struct equant_plan_machine **machine, char *why, size_t why_size);

/*
 * "10 5 1-2 | 9 6 3 | 8 7 4": iterations from 1, | between processors, 1-9/4 for 1 5 9.
 * The text lives in @line.
 */
#define PLAN_LINE 4096
const char *plan_line(const struct equant_plan *plan, char line[PLAN_LINE]);

/* Is every iteration assigned exactly once, and is all else in the plan as it must be? */
bool plan_is_whole(const struct equant_plan *plan);

/* Equal but for the rounding of some operations. */
bool near(double a, double b);

#endif /* LIBPLAN_H */
