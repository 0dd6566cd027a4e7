// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant plan --nest: the program, or the memory it needs, from a description of its loops.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include <equant/advise.h>

#include "plan.h"

static struct equant_plan_program *described(const char *path,
					     enum equant_plan_replacement replacement)
{
	struct equant_plan_program *program;
	char why[512] = "";
	struct equant_nest *nest = equant_nest_read(path, why, sizeof(why));

	if (!nest) {
		fprintf(stderr, "equant plan: %s\n", why);
		return NULL;
	}
	program = equant_nest_program(nest, replacement, why, sizeof(why));
	if (!program)
		fprintf(stderr, "equant plan: %s:%s%s\n", path,
			isdigit((unsigned char)why[0]) ? "" : " ", why);
	equant_nest_free(nest);
	return program;
}

/* A program that is in a file, too, has its own costs; what it needs in memory is the nest's. */
static int add_memory(struct equant_plan_program *program,
		      const struct equant_plan_program *described, const char *path)
{
	if (program->iterations != described->iterations) {
		fprintf(stderr,
			"equant plan: %s: the distributed loop has %ld iterations, the program %ld\n",
			path, described->iterations, program->iterations);
		return -EINVAL;
	}
	if (program->resident > 0 || program->resident_each > 0) {
		fprintf(stderr, "equant plan: %s: a second resident\n", path);
		return -EINVAL;
	}
	return equant_plan_program_resident(program, described->resident, described->resident_each);
}

int plan_load_nest(struct plan_report *report, const char *path,
		   enum equant_plan_replacement replacement)
{
	struct equant_plan_program *program = described(path, replacement);
	int error;

	if (!program)
		return -EINVAL;
	if (!report->program) {
		report->program = program;
		return 0;
	}
	error = add_memory(report->program, program, path);
	equant_plan_program_free(program);
	return error;
}
