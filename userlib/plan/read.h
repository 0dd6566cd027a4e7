/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Reading programs and machines, shared by the lines of each. */
#ifndef EQUANT_PLAN_READ_H
#define EQUANT_PLAN_READ_H

#include "plan/plan_internal.h"
#include "text/text.h"

enum {
	SEEN_WORK = 1,
	SEEN_BYTES = 2,
	SEEN_RESIDENT = 4,
	SEEN_MEDIUM = 8,
};

/**
 * struct equant_plan_reader - a file that is being read
 * @text: where it has got to
 * @seen: what has come, and may come once
 * @program: NULL before its iterations are known
 * @machine: without processors if there is none
 * @list: SEEN_WORK or SEEN_BYTES while their numbers are coming in
 * @list_line: where they began
 * @each: the numbers so far
 * @count: how many
 * @room: in @each
 */
struct equant_plan_reader {
	struct equant_text text;
	unsigned int seen;
	struct equant_plan_program *program;
	struct equant_plan_machine *machine;
	unsigned int list;
	int list_line;
	double *each;
	long count;
	long room;
};

/* @what, one of SEEN_..., comes now; -EINVAL if it has come before. */
int equant_plan_once(struct equant_plan_reader *reader, unsigned int what);

/* ---- read_program.c: what follows the first word of a line ---------------------------- */

int equant_plan_read_iterations(struct equant_plan_reader *reader);
int equant_plan_read_work(struct equant_plan_reader *reader);
int equant_plan_read_bytes(struct equant_plan_reader *reader);
int equant_plan_read_resident(struct equant_plan_reader *reader);

/* A line of numbers that begins with @text, or the end of them. */
int equant_plan_read_list(struct equant_plan_reader *reader, const char *text);

/* ---- read_machine.c ------------------------------------------------------------------- */

int equant_plan_read_processor(struct equant_plan_reader *reader);
int equant_plan_read_medium(struct equant_plan_reader *reader);

#endif /* EQUANT_PLAN_READ_H */
