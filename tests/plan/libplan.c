// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libplan.h"
#include "plan/plan_internal.h"

static void *must(void *pointer, const char *what)
{
	if (pointer)
		return pointer;
	perror(what);
	exit(1);
}

struct equant_plan_machine *machine_of(const double *operation, int count)
{
	struct equant_plan_machine *machine = must(equant_plan_machine_new(), "machine");

	for (int i = 0; i < count; i++) {
		struct equant_plan_processor one = {
			.operation = operation[i],
			.memory = INFINITY,
		};

		if (equant_plan_machine_add(machine, &one, 1))
			must(NULL, "processor");
	}
	return machine;
}

struct equant_plan_machine *equal_machine(int count)
{
	struct equant_plan_processor one = { .operation = 1, .memory = INFINITY };
	struct equant_plan_machine *machine = must(equant_plan_machine_new(), "machine");

	if (equant_plan_machine_add(machine, &one, count))
		must(NULL, "processors");
	return machine;
}

struct equant_plan_program *affine_program(long n, double slope, double constant)
{
	struct equant_plan_program *program = must(equant_plan_program_new(n), "program");

	if (equant_plan_program_work(program, slope, constant))
		must(NULL, "work");
	return program;
}

int plan_text(const char *text, size_t length, struct equant_plan_program **program,
	      struct equant_plan_machine **machine, char *why, size_t why_size)
{
	/* No stream in memory is empty. */
	FILE *file = length ? fmemopen((void *)text, length, "r") : fopen("/dev/null", "r");
	int error;

	must(file, "stream");
	error = equant_plan_read_stream(file, "text", program, machine, why, why_size);
	fclose(file);
	return error;
}

/* ---- text ---------------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3))) append(char *line, const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;

	va_start(args, format);
	vsnprintf(line + used, PLAN_LINE - used, format, args);
	va_end(args);
}

static void append_span(char *line, const struct equant_plan_span *span)
{
	append(line, "%s%ld", line[0] ? " " : "", span->first + 1);
	if (span->count > 1)
		append(line, "-%ld", span->first + (span->count - 1) * span->step + 1);
	if (span->count > 1 && span->step > 1)
		append(line, "/%ld", span->step);
}

const char *plan_line(const struct equant_plan *plan, char line[PLAN_LINE])
{
	line[0] = '\0';
	for (int i = 0; i < plan->processors; i++) {
		if (i > 0)
			append(line, "%s|", line[0] ? " " : "");
		for (long s = plan->starts[i]; s < plan->starts[i + 1]; s++)
			append_span(line, &plan->spans[s]);
	}
	return line;
}

/* ---- properties ------------------------------------------------------------------ */

/* Marks the iterations of processor @i; false for one that is marked or none. */
static bool mark(const struct equant_plan *plan, int i, char *done)
{
	long count = 0;

	for (long s = plan->starts[i]; s < plan->starts[i + 1]; s++) {
		struct equant_plan_span span = plan->spans[s];

		if (span.count < 1 || span.step < 1)
			return false;
		for (long k = 0; k < span.count; k++) {
			long at = span.first + k * span.step;

			if (at < 0 || at >= plan->iterations || done[at]++)
				return false;
		}
		count += span.count;
	}
	return count == plan->counts[i];
}

bool plan_is_whole(const struct equant_plan *plan)
{
	char *done = must(calloc((size_t)plan->iterations, 1), "memory");
	bool whole = plan->starts[0] == 0;
	double last = 0;
	long count = 0;

	for (int i = 0; i < plan->processors; i++) {
		whole = whole && plan->starts[i] <= plan->starts[i + 1] && mark(plan, i, done);
		count += plan->counts[i];
		last = fmax(last, plan->times[i].finish);
	}
	free(done);
	return whole && count == plan->iterations && last == plan->makespan;
}

bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}
