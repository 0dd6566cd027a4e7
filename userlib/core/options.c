// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Options: one table gives each its type, range, default, environment
 * variable and help text.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "balance/defaults.h"
#include "core/message.h"
#include "core/options.h"
#include "core/struct.h"
#include "text/number.h"

enum kind { STRING, CHOICE, INTEGER, LONG, REAL };

struct option {
	const char *variable;
	enum kind kind;
	size_t offset;
	const char *choices; /* CHOICE: words separated by '|', value = index */
	double low, high; /* INTEGER, LONG, REAL */
	double least; /* ... but for 0 */
	double initial; /* not for STRING */
	const char *text; /* STRING: default; @high = longest, 0 = any */
	const char *meaning;
	int local; /* may differ between ranks */
};

#define FIELD(name) offsetof(struct equant_options, name)

static const struct option options[] = {
	{ .variable = "EQUANT_PROBE",
	  .kind = STRING,
	  .offset = FIELD(probe),
	  .text = "auto",
	  .local = 1,
	  .meaning =
		  "source of CPU times: auto, bpf, kmod, schedstat, clock, replay:FILE (%r = rank, %t = thread)" },
	{ .variable = "EQUANT_TRACE",
	  .kind = STRING,
	  .offset = FIELD(trace),
	  .high = EQUANT_DIRECTORY_MAX,
	  .local = 1,
	  .meaning = "directory for a trace per rank and loop" },
	{ .variable = "EQUANT_REPORT",
	  .kind = STRING,
	  .offset = FIELD(report),
	  .high = EQUANT_DIRECTORY_MAX,
	  .local = 1,
	  .meaning = "directory for a report per loop" },
	{ .variable = "EQUANT_BALANCE",
	  .kind = CHOICE,
	  .offset = FIELD(balance),
	  .choices = "off|on",
	  .initial = 1,
	  .meaning = "off: measure only, no messages in hooks and passes, no moves" },
	{ .variable = "EQUANT_RATE",
	  .kind = CHOICE,
	  .offset = FIELD(rate),
	  .choices = "predicted|measured",
	  .initial = EQUANT_DEFAULT_RATE,
	  .meaning = "speed x predicted share, or units per wall second" },
	{ .variable = "EQUANT_FILTER",
	  .kind = CHOICE,
	  .offset = FIELD(filter),
	  .choices = "none|states|constant|direction",
	  .initial = EQUANT_DEFAULT_FILTER,
	  .meaning = "filter of the measured rate" },
	{ .variable = "EQUANT_CHECK",
	  .kind = CHOICE,
	  .offset = FIELD(check),
	  .choices = "off|on",
	  .initial = 0,
	  .meaning = "verify owners before every balancing phase, and every transfer's checksum" },
	{ .variable = "EQUANT_DEPTH",
	  .kind = INTEGER,
	  .offset = FIELD(depth),
	  .low = 0,
	  .high = 1024,
	  .initial = 1,
	  .meaning = "phases an interaction may take: 0 synchronous, else pipelined" },
	{ .variable = "EQUANT_PROMPT",
	  .kind = CHOICE,
	  .offset = FIELD(prompt),
	  .choices = "off|on",
	  .initial = EQUANT_DEFAULT_PROMPT,
	  .meaning = "on: no pipelining while shares change every few phases and phases are long" },
	{ .variable = "EQUANT_STEADY",
	  .kind = CHOICE,
	  .offset = FIELD(steady),
	  .choices = "off|on",
	  .initial = EQUANT_DEFAULT_STEADY,
	  .meaning = "on: work stays where it is while shares change too often to be followed" },
	{ .variable = "EQUANT_CROWDS",
	  .kind = CHOICE,
	  .offset = FIELD(crowds),
	  .choices = "off|on",
	  .initial = EQUANT_DEFAULT_CROWDS,
	  .meaning = "on: ranks that share CPUs with each other have one share" },
	{ .variable = "EQUANT_PORTS",
	  .kind = INTEGER,
	  .offset = FIELD(ports),
	  .low = 0,
	  .high = 1 << 20,
	  .initial = EQUANT_DEFAULT_PORTS,
	  .meaning = "transfers a rank may receive per phase, 0 = any number" },
	{ .variable = "EQUANT_VERBOSE",
	  .kind = CHOICE,
	  .offset = FIELD(verbose),
	  .choices = "off|on",
	  .initial = 0,
	  .local = 1,
	  .meaning = "say which probe and why, and every decision that moves work" },
	{ .variable = "EQUANT_OMIT",
	  .kind = LONG,
	  .offset = FIELD(omit),
	  .low = 0,
	  .high = 1e15,
	  .initial = EQUANT_DEFAULT_OMIT,
	  .meaning = "transfers of fewer units are left out" },
	{ .variable = "EQUANT_PERIOD",
	  .kind = REAL,
	  .offset = FIELD(period),
	  .low = 0,
	  .high = 1e6,
	  .initial = EQUANT_DEFAULT_PERIOD,
	  .meaning = "seconds between balancing phases, 0 = from the scheduler's quantum" },
	{ .variable = "EQUANT_THRESHOLD",
	  .kind = REAL,
	  .offset = FIELD(threshold),
	  .low = 0,
	  .high = 1,
	  .initial = EQUANT_DEFAULT_THRESHOLD,
	  .meaning = "smallest predicted gain worth moving work for" },
	{ .variable = "EQUANT_PROFIT",
	  .kind = REAL,
	  .offset = FIELD(profit),
	  .low = 0,
	  .high = 1e9,
	  .initial = EQUANT_DEFAULT_PROFIT,
	  .meaning = "cancel moves that cost more than this times their benefit, 0 = never" },
	{ .variable = "EQUANT_WINDOW",
	  .kind = REAL,
	  .offset = FIELD(window),
	  .low = 0.001,
	  .high = 1e6,
	  .initial = EQUANT_DEFAULT_WINDOW,
	  .meaning = "seconds of history behind the expected benefit" },
	{ .variable = "EQUANT_INTERACT",
	  .kind = REAL,
	  .offset = FIELD(interact),
	  .low = 1e-6,
	  .high = 1,
	  .initial = EQUANT_DEFAULT_INTERACT,
	  .meaning =
		  "largest fraction of time for balancing interactions, five times the usual one" },
	{ .variable = "EQUANT_AMPLITUDE",
	  .kind = REAL,
	  .offset = FIELD(amplitude),
	  .low = 1e-3,
	  .high = 1,
	  .initial = EQUANT_DEFAULT_AMPLITUDE,
	  .meaning = "tolerated amplitude of a measured rate" },
	{ .variable = "EQUANT_TIMEOUT",
	  .kind = REAL,
	  .offset = FIELD(timeout),
	  .low = 0.01,
	  .high = 1e6,
	  .initial = 30,
	  .meaning = "seconds until a silent rank is named, and in checked mode an error" },
	{ .variable = "EQUANT_WAIT",
	  .kind = CHOICE,
	  .offset = FIELD(wait),
	  .choices = "spin|yield|block|auto",
	  .initial = EQUANT_WAIT_AUTO,
	  .meaning = "what a rank does while it waits for others" },
	{ .variable = "EQUANT_CONTROL",
	  .kind = CHOICE,
	  .offset = FIELD(control),
	  .choices = "exchange|tree|central",
	  .initial = EQUANT_CONTROL_EXCHANGE,
	  .meaning = "who sends samples to whom, and who decides" },
	{ .variable = "EQUANT_POLLS",
	  .kind = CHOICE,
	  .offset = FIELD(polls),
	  .choices = "off|on",
	  .initial = EQUANT_DEFAULT_POLLS,
	  .meaning = "the program polls while it waits: mind the grain in the split" },
	{ .variable = "EQUANT_RESTRAINT",
	  .kind = REAL,
	  .offset = FIELD(restraint),
	  .low = 0.1,
	  .high = 1,
	  .initial = EQUANT_DEFAULT_RESTRAINT,
	  .meaning = "part of its share that a rank uses beside others where phases are short" },
	{ .variable = "EQUANT_DELAY",
	  .kind = REAL,
	  .offset = FIELD(delay),
	  .low = 0,
	  .high = 10,
	  .initial = 0,
	  .meaning = "seconds for which each message keeps its sender busy in addition" },
	{ .variable = "EQUANT_REPLAY",
	  .kind = STRING,
	  .offset = FIELD(replay),
	  .high = EQUANT_DIRECTORY_MAX,
	  .meaning = "directory of traces whose decisions are repeated" },
	{ .variable = "EQUANT_BLOCK",
	  .kind = LONG,
	  .offset = FIELD(block),
	  .low = 0,
	  .high = 1e15,
	  .initial = 0,
	  .meaning = "inner iterations per strip of a sweep, 0 = from the measured costs" },
	{ .variable = "EQUANT_GRAIN",
	  .kind = REAL,
	  .offset = FIELD(grain),
	  .low = 0,
	  .high = 1e6,
	  .initial = 0,
	  .meaning = "quanta of work per strip of a sweep, 0 = from the measured costs" },
	{ .variable = "EQUANT_TILES",
	  .kind = LONG,
	  .offset = FIELD(tiles),
	  .low = 0,
	  .high = 1e15,
	  .initial = 0,
	  .meaning = "inner iterations that are computed at once in a strip, 0 = what is fastest" },
	{ .variable = "EQUANT_QUANTUM",
	  .kind = REAL,
	  .offset = FIELD(quantum),
	  .low = 0,
	  .least = 1e-9,
	  .high = 1e3,
	  .initial = EQUANT_DEFAULT_QUANTUM,
	  .meaning = "the scheduler's quantum in seconds, 0 = as observed" },
	{ .variable = "EQUANT_QUANTA",
	  .kind = REAL,
	  .offset = FIELD(quanta),
	  .low = 0,
	  .high = 1e6,
	  .initial = EQUANT_DEFAULT_QUANTA,
	  .meaning = "quanta between balancing phases at least, 0 = from the rates' source" },
	{ .variable = "EQUANT_MOVEMENT",
	  .kind = CHOICE,
	  .offset = FIELD(movement),
	  .choices = "loop|restricted",
	  .initial = EQUANT_MOVE_BY_LOOP,
	  .meaning = "restricted: blocks keep their order in all loops" },
	{ .variable = "EQUANT_MODE",
	  .kind = CHOICE,
	  .offset = FIELD(mode),
	  .choices = "pipelined|asynchronous",
	  .initial = EQUANT_MODE_PIPELINED,
	  .meaning = "asynchronous: only the ranks of a transfer wait for each other (passes)" },
};

#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

static void *field(const struct equant_options *set, const struct option *o)
{
	return (char *)set + o->offset;
}

static void store(struct equant_options *set, const struct option *o, double value)
{
	if (o->kind == REAL)
		*(double *)field(set, o) = value;
	else if (o->kind == LONG)
		*(long *)field(set, o) = (long)value;
	else
		*(int *)field(set, o) = (int)value;
}

static double load(const struct equant_options *set, const struct option *o)
{
	if (o->kind == REAL)
		return *(double *)field(set, o);
	if (o->kind == LONG)
		return (double)*(long *)field(set, o);
	return *(int *)field(set, o);
}

static void take_defaults(struct equant_options *set)
{
	size_t i;

	memset(set, 0, sizeof(*set));
	set->sz = sizeof(*set);
	for (i = 0; i < NR_OPTIONS; i++) {
		if (options[i].kind == STRING)
			*(const char **)field(set, &options[i]) = options[i].text;
		else
			store(set, &options[i], options[i].initial);
	}
}

void equant_options_fill(struct equant_options *set, size_t size)
{
	struct equant_options defaults;

	take_defaults(&defaults);
	memset(set, 0, size);
	memcpy(set, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
	set->sz = size;
}

/* Index of @value among "a|b|c", -1 if it is none of them. */
static int choice_index(const char *choices, const char *value)
{
	size_t length = strlen(value);
	int index = 0;

	for (;;) {
		size_t word = strcspn(choices, "|");

		if (word == length && !memcmp(choices, value, length))
			return index;
		if (!choices[word])
			return -1;
		choices += word + 1;
		index++;
	}
}

static int nr_choices(const char *choices)
{
	int n = 1;

	for (; *choices; choices++)
		n += *choices == '|';
	return n;
}

struct number {
	char text[32];
};

/* As it is read. */
static struct number number_of(double value)
{
	struct number number;

	equant_number_write(number.text, sizeof(number.text), 6, value);
	return number;
}

static void range_text(const struct option *o, char *text, size_t size)
{
	if (o->kind == STRING)
		snprintf(text, size, "text");
	else if (o->kind == CHOICE)
		snprintf(text, size, "%s", o->choices);
	else if (o->least > o->low)
		snprintf(text, size, "%s, %s..%s", number_of(o->low).text, number_of(o->least).text,
			 number_of(o->high).text);
	else
		snprintf(text, size, "%s..%s", number_of(o->low).text, number_of(o->high).text);
}

/* Where a value comes from, as far as that is told: one may be read more than once. */
enum source { ENVIRONMENT, PROGRAM, READ_BEFORE };

static int bad_value(const struct option *o, const char *value, enum source source)
{
	char range[128];

	range_text(o, range, sizeof(range));
	if (source == ENVIRONMENT)
		equant_message("%s=%s: not one of %s", o->variable, value, range);
	else if (source == PROGRAM)
		equant_message("%s is %s by the program's options: not one of %s", o->variable,
			       value, range);
	return -EINVAL;
}

static int bad_fraction(const struct option *o, const char *value, enum source source)
{
	if (source != READ_BEFORE)
		equant_message("%s=%s: not a whole number", o->variable, value);
	return -EINVAL;
}

static int check_length(const struct option *o, const char *text)
{
	if (!text || !o->high || strlen(text) <= (size_t)o->high)
		return 0;
	equant_message("%s: a name of %zu bytes, at most %g", o->variable, strlen(text), o->high);
	return -ENAMETOOLONG;
}

static bool is_within(const struct option *o, double number)
{
	return number >= o->low && number <= o->high && (number >= o->least || number == 0);
}

static int parse(struct equant_options *set, const struct option *o, const char *value,
		 enum source source)
{
	char *end;
	double number;

	if (o->kind == STRING) {
		*(const char **)field(set, o) = *value ? value : NULL;
		return check_length(o, value);
	}
	if (o->kind == CHOICE) {
		number = choice_index(o->choices, value);
		if (number < 0)
			return bad_value(o, value, source);
	} else {
		errno = 0;
		number = equant_number_read(value, &end);
		if (end == value || *end || errno || !is_within(o, number))
			return bad_value(o, value, source);
		if (o->kind != REAL && number != floor(number))
			return bad_fraction(o, value, source);
	}
	store(set, o, number);
	return 0;
}

int equant_options_check(const char *variable, const char *value)
{
	struct equant_options set;

	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!strcmp(options[i].variable, variable))
			return parse(&set, &options[i], value, ENVIRONMENT);
	return -ENOENT;
}

/* What the program itself has set must be in range too. */
static int check_field(const struct equant_options *set, const struct option *o)
{
	double value;

	if (o->kind == STRING)
		return check_length(o, *(const char **)field(set, o));
	value = load(set, o);
	if (o->kind == CHOICE ? value >= 0 && value < nr_choices(o->choices) : is_within(o, value))
		return 0;
	return bad_value(o, number_of(value).text, PROGRAM);
}

static int take_user(struct equant_options *out, const struct equant_options *user)
{
	size_t unknown;

	if (user->sz < FIELD(probe) + sizeof(user->probe)) {
		equant_message(EQUANT_STRUCT_SMALL("equant_options"));
		return -EINVAL;
	}
	unknown = equant_struct_unknown(user, sizeof(*out), user->sz);
	if (unknown) {
		equant_message("struct equant_options: byte %zu is set, this library knows %zu",
			       unknown, sizeof(*out));
		return -EINVAL;
	}
	memcpy(out, user, user->sz < sizeof(*out) ? user->sz : sizeof(*out));
	out->sz = sizeof(*out);
	return 0;
}

static int own_strings(struct equant_options *set)
{
	size_t i;
	int error = 0;

	for (i = 0; i < NR_OPTIONS; i++) {
		const char **text = field(set, &options[i]);

		if (options[i].kind != STRING || !*text)
			continue;
		*text = strdup(*text);
		if (!*text)
			error = -ENOMEM;
	}
	if (!set->probe && !error) {
		set->probe = strdup("auto");
		error = set->probe ? 0 : -ENOMEM;
	}
	return error;
}

/* Before own_strings() they are the caller's, the environment's or the table's. */
static void disown_strings(struct equant_options *set)
{
	size_t i;

	for (i = 0; i < NR_OPTIONS; i++)
		if (options[i].kind == STRING)
			*(char **)field(set, &options[i]) = NULL;
}

int equant_options_resolve(struct equant_options *out, const struct equant_options *user)
{
	const char *value;
	size_t i;
	int error;

	take_defaults(out);
	if (user) {
		error = take_user(out, user);
		if (error)
			goto fail;
	}
	for (i = 0; i < NR_OPTIONS; i++) {
		value = getenv(options[i].variable);
		error = value ? parse(out, &options[i], value, ENVIRONMENT) :
				check_field(out, &options[i]);
		if (error)
			goto fail;
	}
	error = own_strings(out);
	if (error)
		equant_options_release(out);
	return error;
fail:
	disown_strings(out);
	return error;
}

void equant_options_limits(double *timeout, int *check, bool again)
{
	struct equant_options set;

	take_defaults(&set);
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const char *value;

		if (options[i].offset != FIELD(timeout) && options[i].offset != FIELD(check))
			continue;
		value = getenv(options[i].variable);
		if (value)
			parse(&set, &options[i], value, again ? READ_BEFORE : ENVIRONMENT);
	}
	*timeout = set.timeout;
	*check = set.check;
}

void equant_options_release(struct equant_options *set)
{
	size_t i;

	for (i = 0; i < NR_OPTIONS; i++) {
		if (options[i].kind != STRING)
			continue;
		free(*(char **)field(set, &options[i]));
		*(char **)field(set, &options[i]) = NULL;
	}
}

_Static_assert(NR_OPTIONS <= EQUANT_OPTIONS_MAX, "more options than ranks compare");

void equant_options_shared(const struct equant_options *set, uint64_t values[EQUANT_OPTIONS_MAX])
{
	memset(values, 0, EQUANT_OPTIONS_MAX * sizeof(*values));
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		double value = 0;

		/* The same directory may have another name on another node. */
		if (!options[i].local && options[i].kind == STRING)
			value = *(const char **)field(set, &options[i]) != NULL;
		else if (!options[i].local)
			value = load(set, &options[i]);
		memcpy(&values[i], &value, sizeof(value));
	}
}

const char *equant_options_name(size_t i)
{
	return i < NR_OPTIONS ? options[i].variable : "of another version";
}

void equant_options_describe(void (*line)(void *ctx, const char *variable, const char *value,
					  const char *range, const char *meaning),
			     void *ctx)
{
	char value[64], range[128];
	size_t i;

	for (i = 0; i < NR_OPTIONS; i++) {
		const struct option *o = &options[i];

		range_text(o, range, sizeof(range));
		if (o->kind == STRING)
			snprintf(value, sizeof(value), "%s", o->text ? o->text : "");
		else if (o->kind == CHOICE)
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(o->choices, "|"),
				 o->choices);
		else
			snprintf(value, sizeof(value), "%s", number_of(o->initial).text);
		if (o->kind == CHOICE && o->initial > 0) {
			const char *word = o->choices;
			int skip = (int)o->initial;

			while (skip--)
				word += strcspn(word, "|") + 1;
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(word, "|"), word);
		}
		line(ctx, o->variable, value, range, o->meaning);
	}
}
