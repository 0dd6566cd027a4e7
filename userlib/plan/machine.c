// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A machine: processors with gamma_i, alpha_i, beta_i and m_i, and a medium that
 * is shared by their messages or not.
 *
 * Deviation: section 9.1 takes alpha', beta' and all else to be the same for every
 * processor.  Here they are its alpha_i and beta_i, so that one model holds
 * section 8 (alpha'' = beta'' = 0), section 9 and everything between.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 4 and 9.1.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_internal.h"

struct equant_plan_machine *equant_plan_machine_new(void)
{
	return calloc(1, sizeof(struct equant_plan_machine));
}

void equant_plan_machine_free(struct equant_plan_machine *machine)
{
	if (!machine)
		return;
	free(machine->processors);
	free(machine);
}

static bool is_time(double value)
{
	return isfinite(value) && value >= 0;
}

static bool is_name(const char name[EQUANT_PLAN_NAME])
{
	if (!memchr(name, '\0', EQUANT_PLAN_NAME))
		return false;
	for (; *name; name++)
		if (*name == '"' || iscntrl((unsigned char)*name))
			return false;
	return true;
}

static bool is_processor(const struct equant_plan_processor *processor)
{
	return is_name(processor->name) && is_time(processor->operation) &&
	       processor->operation > 0 && is_time(processor->startup) &&
	       is_time(processor->byte) && processor->memory >= 0;
}

int equant_plan_machine_add(struct equant_plan_machine *machine,
			    const struct equant_plan_processor *processor, int count)
{
	struct equant_plan_processor *larger;

	if (count < 1 || !is_processor(processor))
		return -EINVAL;
	if (count > EQUANT_PLAN_PROCESSORS - machine->count)
		return -E2BIG;
	larger = reallocarray(machine->processors, (size_t)(machine->count + count),
			      sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	machine->processors = larger;
	for (int i = 0; i < count; i++)
		larger[machine->count++] = *processor;
	return 0;
}

int equant_plan_machine_medium(struct equant_plan_machine *machine, double startup, double byte)
{
	if (!is_time(startup) || !is_time(byte))
		return -EINVAL;
	machine->medium_startup = startup;
	machine->medium_byte = byte;
	return 0;
}

bool equant_plan_has_medium(const struct equant_plan_machine *machine)
{
	return machine->medium_startup > 0 || machine->medium_byte > 0;
}

bool equant_plan_equal_processors(const struct equant_plan_machine *machine)
{
	const struct equant_plan_processor *all = machine->processors;

	for (int i = 1; i < machine->count; i++)
		if (all[i].operation != all[0].operation || all[i].startup != all[0].startup ||
		    all[i].byte != all[0].byte)
			return false;
	return true;
}

/* Sums of all iterations' costs, then of all messages one after the other. */
int equant_plan_check(const struct equant_plan_program *program,
		      const struct equant_plan_machine *machine, char *why, size_t why_size)
{
	struct equant_plan_span all = { .count = program->iterations, .step = 1 };
	double work = equant_plan_cost_sum(&program->work, all);
	double bytes = equant_plan_cost_sum(&program->bytes, all);
	double medium = machine->medium_startup * machine->count + machine->medium_byte * bytes;

	if (machine->count < 1) {
		equant_say(why, why_size, "no processor");
		return -EINVAL;
	}
	if (!isfinite(program->resident + program->resident_each * (double)program->iterations)) {
		equant_say(why, why_size, "more memory is resident than a double can hold");
		return -EOVERFLOW;
	}
	for (int i = 0; i < machine->count; i++) {
		const struct equant_plan_processor *processor = &machine->processors[i];

		if (isfinite(processor->operation * work + processor->startup +
			     processor->byte * bytes + medium))
			continue;
		equant_say(why, why_size,
			   "all iterations on processor %d take longer than a double can hold",
			   i + 1);
		return -EOVERFLOW;
	}
	return equant_plan_check_room(program, machine, why, why_size);
}
