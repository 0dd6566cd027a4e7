// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Writing programs and machines as read.c reads them: every number with as many
 * digits as it takes to get the same double back.
 */
#include <errno.h>
#include <string.h>

#include "plan/plan_internal.h"
#include "text/text.h"

#define NUMBERS_PER_LINE 8

static void put_setting(FILE *out, const char *word, double value)
{
	fprintf(out, " %s", word);
	equant_text_put_number(out, value);
}

static void put_cost(FILE *out, const char *word, const struct equant_plan_cost *cost, long n)
{
	fputs(word, out);
	if (cost->each) {
		fputs(" each", out);
		for (long i = 0; i < n; i++) {
			if (i % NUMBERS_PER_LINE == 0)
				fputc('\n', out);
			equant_text_put_number(out, cost->each[i]);
		}
		fputs("\nend", out);
	} else if (cost->slope != 0) {
		fputs(" affine", out);
		equant_text_put_number(out, cost->slope);
		equant_text_put_number(out, cost->constant);
	} else {
		equant_text_put_number(out, cost->constant);
	}
	fputc('\n', out);
}

static void put_program(FILE *out, const struct equant_plan_program *program)
{
	fprintf(out, "iterations %ld\n", program->iterations);
	put_cost(out, "work", &program->work, program->iterations);
	if (equant_plan_sends(program))
		put_cost(out, "bytes", &program->bytes, program->iterations);
	if (program->resident > 0 || program->resident_each > 0) {
		fputs("resident", out);
		equant_text_put_number(out, program->resident);
		equant_text_put_number(out, program->resident_each);
		fputc('\n', out);
	}
}

static bool same(const struct equant_plan_processor *a, const struct equant_plan_processor *b)
{
	return !strcmp(a->name, b->name) && a->operation == b->operation &&
	       a->startup == b->startup && a->byte == b->byte && a->memory == b->memory;
}

static void put_processors(FILE *out, const struct equant_plan_processor *processor, int times)
{
	fprintf(out, "processor \"%s\"", processor->name);
	put_setting(out, "operation", processor->operation);
	if (processor->startup > 0)
		put_setting(out, "startup", processor->startup);
	if (processor->byte > 0)
		put_setting(out, "byte", processor->byte);
	if (isfinite(processor->memory))
		put_setting(out, "memory", processor->memory);
	if (times > 1)
		fprintf(out, " times %d", times);
	fputc('\n', out);
}

static void put_machine(FILE *out, const struct equant_plan_machine *machine)
{
	for (int i = 0, next; i < machine->count; i = next) {
		next = i + 1;
		while (next < machine->count &&
		       same(&machine->processors[i], &machine->processors[next]))
			next++;
		put_processors(out, &machine->processors[i], next - i);
	}
	if (equant_plan_has_medium(machine)) {
		fputs("medium", out);
		put_setting(out, "startup", machine->medium_startup);
		put_setting(out, "byte", machine->medium_byte);
		fputc('\n', out);
	}
}

int equant_plan_write(const char *path, const struct equant_plan_program *program,
		      const struct equant_plan_machine *machine)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return -errno;
	if (program)
		put_program(out, program);
	if (machine)
		put_machine(out, machine);
	return equant_text_close(out);
}
