// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "libbrute.h"

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "# cannot make the instance: %s\n", what);
	exit(1);
}

static void random_costs(struct random *random, struct equant_plan_program *program,
			 unsigned int kind)
{
	double each[2][BRUTE_ITERATIONS];

	for (long i = 0; i < program->iterations; i++) {
		each[0][i] = (double)(1 + random_below(random, 30));
		each[1][i] = (double)random_below(random, 20);
		if (i && !(kind & WITH_EACH)) {
			each[0][i] = each[0][0];
			each[1][i] = each[1][0];
		}
	}
	must(!equant_plan_program_work_each(program, each[0]), "work");
	if (kind & WITH_BYTES)
		must(!equant_plan_program_bytes_each(program, each[1]), "bytes");
}

struct instance random_instance(struct random *random, long n, int p, unsigned int kind)
{
	struct instance instance = { equant_plan_program_new(n), equant_plan_machine_new() };
	struct equant_plan_processor processor = { .name = "" };

	must(instance.program && instance.machine, "memory");
	random_costs(random, instance.program, kind);
	if (kind & WITH_MEMORY)
		must(!equant_plan_program_resident(instance.program,
						   (double)random_below(random, 30),
						   (double)(1 + random_below(random, 20))),
		     "resident");
	for (int i = 0; i < p; i++) {
		processor.operation = (double)(1 + random_below(random, 10));
		processor.startup = (double)random_below(random, 200);
		processor.byte = (double)random_below(random, 10);
		processor.memory = INFINITY;
		if (kind & WITH_MEMORY && random_below(random, 2))
			processor.memory = (double)random_below(random, 150);
		must(!equant_plan_machine_add(instance.machine, &processor, 1), "processor");
	}
	return instance;
}

void free_instance(struct instance *instance)
{
	equant_plan_program_free(instance->program);
	equant_plan_machine_free(instance->machine);
}

static void add(char line[PLAN_LINE], const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;

	va_start(args, format);
	vsnprintf(line + used, PLAN_LINE - used, format, args);
	va_end(args);
}

const char *instance_text(const struct instance *instance, char line[PLAN_LINE])
{
	const struct equant_plan_program *program = instance->program;

	line[0] = 0;
	for (long i = 0; i < program->iterations; i++)
		add(line, "%g+%g ", work_at(instance, i), bytes_at(instance, i));
	add(line, "resident %g %g", program->resident, program->resident_each);
	for (int i = 0; i < instance->machine->count; i++) {
		const struct equant_plan_processor *processor = &instance->machine->processors[i];

		add(line, " | %g %g %g %g", processor->operation, processor->startup,
		    processor->byte, processor->memory);
	}
	return line;
}

double work_at(const struct instance *instance, long at)
{
	const struct equant_plan_cost *cost = &instance->program->work;

	return cost->each ? cost->each[at] : cost->slope * (double)(at + 1) + cost->constant;
}

double bytes_at(const struct instance *instance, long at)
{
	const struct equant_plan_cost *cost = &instance->program->bytes;

	return cost->each ? cost->each[at] : cost->slope * (double)(at + 1) + cost->constant;
}

static bool sends(const struct instance *instance)
{
	for (long i = 0; i < instance->program->iterations; i++)
		if (bytes_at(instance, i) != 0)
			return true;
	return false;
}

double processor_time(const struct instance *instance, int i, double work, double bytes, long count)
{
	const struct equant_plan_processor *processor = &instance->machine->processors[i];

	if (!count)
		return 0;
	return processor->operation * work +
	       (sends(instance) ? processor->startup + processor->byte * bytes : 0);
}

bool fits(const struct instance *instance, int i, long count)
{
	const struct equant_plan_program *program = instance->program;

	return !count || program->resident + program->resident_each * (double)count <=
				 instance->machine->processors[i].memory;
}

/* Best of all blocks for processors from @i on and iterations from @from on. */
static double blocks(const struct instance *instance, int i, long from)
{
	double least = INFINITY, work = 0, bytes = 0;
	long n = instance->program->iterations;

	if (i == instance->machine->count)
		return from == n ? 0 : INFINITY;
	for (long to = from; to <= n && fits(instance, i, to - from); to++) {
		double mine = processor_time(instance, i, work, bytes, to - from);

		if (mine < least)
			least = fmin(least, fmax(mine, blocks(instance, i + 1, to)));
		if (to < n) {
			work += work_at(instance, to);
			bytes += bytes_at(instance, to);
		}
	}
	return least;
}

double brute_blocks(const struct instance *instance)
{
	return blocks(instance, 0, 0);
}

struct loads {
	double work[BRUTE_PROCESSORS];
	double bytes[BRUTE_PROCESSORS];
	long count[BRUTE_PROCESSORS];
};

static double any(const struct instance *instance, struct loads *loads, long at, double most,
		  double least)
{
	if (at == instance->program->iterations)
		return most;
	for (int i = 0; i < instance->machine->count; i++) {
		double work = loads->work[i], bytes = loads->bytes[i], mine;

		if (!fits(instance, i, loads->count[i] + 1))
			continue;
		loads->work[i] += work_at(instance, at);
		loads->bytes[i] += bytes_at(instance, at);
		loads->count[i]++;
		mine = fmax(most, processor_time(instance, i, loads->work[i], loads->bytes[i],
						 loads->count[i]));
		if (mine < least)
			least = fmin(least, any(instance, loads, at + 1, mine, least));
		loads->work[i] = work;
		loads->bytes[i] = bytes;
		loads->count[i]--;
	}
	return least;
}

double brute_any(const struct instance *instance)
{
	struct loads loads = { 0 };

	return any(instance, &loads, 0, 0, INFINITY);
}
