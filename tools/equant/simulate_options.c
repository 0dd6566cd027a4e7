// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The options of `equant simulate`: numbers, sweeps and lists within ranges.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "simulate.h"

int simulate_fail(const char *model, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "equant simulate %s: ", model);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -EINVAL;
}

double simulate_at(const struct simulate_sweep *sweep, long i)
{
	return sweep->from + (double)i * sweep->step;
}

/* One number up to @end, any of the characters there or the end; NULL when there is none in range. */
static const char *number(const char *text, const char *end, bool whole,
			  const struct simulate_option *option, double *value)
{
	char *after;

	*value = strtod(text, &after);
	if (after == text || !strchr(end, *after) || !isfinite(*value) || *value < option->min ||
	    *value > option->max || (whole && *value != floor(*value)))
		return NULL;
	return after;
}

static int wrong(const char *model, const struct simulate_option *option, const char *text,
		 const char *what)
{
	return simulate_fail(model, "--%s '%s': expected %s from %.9g to %.9g", option->name, text,
			     what, option->min, option->max);
}

static int parse_sweep(const char *model, const struct simulate_option *option, const char *text)
{
	struct simulate_sweep *sweep = option->value;
	const struct simulate_option any = { .min = 0, .max = option->max };
	bool whole = option->kind == SIMULATE_WHOLE_SWEEP;
	const char *rest;
	double to;

	rest = number(text, ":", whole, option, &sweep->from);
	sweep->count = 1;
	sweep->step = 0;
	if (rest && !*rest)
		return 0;
	if (rest)
		rest = number(rest + 1, ":", whole, option, &to);
	if (rest)
		rest = *rest ? number(rest + 1, "", whole, &any, &sweep->step) : NULL;
	if (!rest || sweep->step <= 0 || to < sweep->from)
		return wrong(model, option, text,
			     whole ? "a whole number, or FROM:TO:STEP of them," :
				     "NUMBER, or FROM:TO:STEP,");
	/* TO is meant to be reached in spite of rounding. */
	to = floor((to - sweep->from) / sweep->step + 1e-6) + 1;
	if (to > SIMULATE_POINTS)
		return simulate_fail(model, "--%s '%s': more than %d points", option->name, text,
				     SIMULATE_POINTS);
	sweep->count = (long)to;
	return 0;
}

static int parse_list(const char *model, const struct simulate_option *option, const char *text)
{
	struct simulate_list *list = option->value;
	bool whole = option->kind == SIMULATE_LOADS;
	const char *rest = text;

	list->count = 0;
	do {
		if (list->count == SIMULATE_CPUS)
			return simulate_fail(model, "--%s: more than %d numbers", option->name,
					     SIMULATE_CPUS);
		rest = number(rest, ",", whole, option, &list->values[list->count++]);
		if (!rest)
			return wrong(model, option, text, whole ? "whole numbers" : "numbers");
	} while (*rest++);
	return 0;
}

static int parse_choice(const char *model, const struct simulate_option *option, const char *text)
{
	int *choice = option->value;

	for (*choice = 0; option->words[*choice]; (*choice)++)
		if (!strcmp(text, option->words[*choice]))
			return 0;
	fprintf(stderr, "equant simulate %s: --%s '%s': expected one of", model, option->name,
		text);
	for (int i = 0; option->words[i]; i++)
		fprintf(stderr, " %s", option->words[i]);
	fputc('\n', stderr);
	return -EINVAL;
}

static int parse_number(const char *model, const struct simulate_option *option, const char *text)
{
	bool whole = option->kind == SIMULATE_WHOLE;
	double value;

	if (!number(text, "", whole, option, &value))
		return wrong(model, option, text, whole ? "a whole number" : "a number");
	if (whole)
		*(long *)option->value = (long)value;
	else
		*(double *)option->value = value;
	return 0;
}

static int parse_value(const char *model, const struct simulate_option *option, const char *text)
{
	switch (option->kind) {
	case SIMULATE_SWEEP:
	case SIMULATE_WHOLE_SWEEP:
		return parse_sweep(model, option, text);
	case SIMULATE_LOADS:
	case SIMULATE_LIST:
		return parse_list(model, option, text);
	case SIMULATE_CHOICE:
		return parse_choice(model, option, text);
	default:
		return parse_number(model, option, text);
	}
}

static const struct simulate_option *find(const struct simulate_option *options, const char *word)
{
	if (strncmp(word, "--", 2))
		return NULL;
	for (; options->name; options++)
		if (!strcmp(options->name, word + 2))
			return options;
	return NULL;
}

int simulate_parse(const char *model, int argc, char **argv, const struct simulate_option *options)
{
	for (int i = 1; i < argc; i++) {
		const struct simulate_option *option = find(options, argv[i]);
		int error;

		if (!option)
			return simulate_fail(model, "unexpected argument '%s'", argv[i]);
		if (option->kind == SIMULATE_FLAG) {
			*(bool *)option->value = true;
			continue;
		}
		if (++i == argc)
			return simulate_fail(model, "%s: the value is missing", argv[i - 1]);
		error = parse_value(model, option, argv[i]);
		if (error)
			return error;
	}
	return 0;
}

int simulate_split(const char *model, const struct equant_machine *machine, bool equal,
		   int64_t total, int64_t *work)
{
	int error;

	if (!equal) {
		error = equant_divide(machine, total, work);
		return error == -EOVERFLOW ?
			       simulate_fail(model,
					     "--loads: their least common multiple is too large") :
			       error;
	}
	for (int i = 0; i < machine->n; i++)
		work[i] = total / machine->n + (i < total % machine->n);
	return 0;
}

int simulate_machine(const char *model, const struct simulate_list *loads,
		     const struct simulate_list *phases, struct equant_turns *turns,
		     struct equant_machine *machine)
{
	if (phases->count && phases->count != loads->count)
		return simulate_fail(model, "--phases: %d numbers for %d loads", phases->count,
				     loads->count);
	*machine = (struct equant_machine){
		.n = loads->count,
		.quantum = SIMULATE_QUANTUM,
		.turns = turns,
	};
	for (int i = 0; i < loads->count; i++) {
		double phase = phases->count ? phases->values[i] : 0;

		turns[i].tasks = (int)loads->values[i];
		turns[i].phase = (int64_t)llround(phase * (double)SIMULATE_QUANTUM);
		if (turns[i].phase >= turns[i].tasks * SIMULATE_QUANTUM)
			return simulate_fail(model,
					     "--phases: %g quanta of CPU %d: its round has %g",
					     phase, i, loads->values[i]);
	}
	return 0;
}
