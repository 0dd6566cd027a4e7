// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Lines of a program: iterations, what they cost, and a number for each where that differs. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/read.h"

int equant_plan_read_iterations(struct equant_plan_reader *reader)
{
	long n;
	int error;

	if (reader->program)
		return equant_text_refuse(&reader->text, reader->text.last, "a second time");
	error = equant_text_whole(&reader->text, 1, EQUANT_PLAN_ITERATIONS, &n);
	if (error)
		return error;
	reader->program = equant_plan_program_new(n);
	if (!reader->program)
		return equant_text_fail(&reader->text, -errno);
	return equant_text_end(&reader->text);
}

static int set_affine(struct equant_plan_reader *reader, unsigned int what, double slope,
		      double constant)
{
	int error = what == SEEN_WORK ? equant_plan_program_work(reader->program, slope, constant) :
					equant_plan_program_bytes(reader->program, slope, constant);

	if (error)
		return equant_text_refuse(&reader->text, reader->text.last,
					  "below 0, or too large, at the first or last iteration");
	return equant_text_end(&reader->text);
}

static int read_affine(struct equant_plan_reader *reader, unsigned int what)
{
	double slope, constant;
	int error = equant_text_number(&reader->text, true, &slope);

	if (!error)
		error = equant_text_number(&reader->text, true, &constant);
	return error ? error : set_affine(reader, what, slope, constant);
}

static int read_cost(struct equant_plan_reader *reader, unsigned int what)
{
	const char *key = reader->text.last, *text;
	double constant;
	int error = equant_plan_once(reader, what);

	if (error)
		return error;
	if (!reader->program)
		return equant_text_refuse(&reader->text, key, "iterations must come before this");
	text = equant_text_word(&reader->text);
	if (!text)
		return equant_text_refuse(&reader->text, key,
					  "expected a number, affine or each after this");
	if (!strcmp(text, "affine"))
		return read_affine(reader, what);
	if (!strcmp(text, "each")) {
		reader->list = what;
		reader->list_line = reader->text.line;
		return equant_text_end(&reader->text);
	}
	if (!isdigit((unsigned char)*text) && *text != '.')
		return equant_text_refuse(&reader->text, text,
					  "expected a number, not negative, affine or each");
	error = equant_text_to_number(&reader->text, text, false, &constant);
	return error ? error : set_affine(reader, what, 0, constant);
}

int equant_plan_read_work(struct equant_plan_reader *reader)
{
	return read_cost(reader, SEEN_WORK);
}

int equant_plan_read_bytes(struct equant_plan_reader *reader)
{
	return read_cost(reader, SEEN_BYTES);
}

int equant_plan_read_resident(struct equant_plan_reader *reader)
{
	double fixed, each = 0;
	int error = equant_plan_once(reader, SEEN_RESIDENT);
	const char *text;

	if (error)
		return error;
	if (!reader->program)
		return equant_text_refuse(&reader->text, reader->text.last,
					  "iterations must come before this");
	error = equant_text_number(&reader->text, false, &fixed);
	text = error ? NULL : equant_text_word(&reader->text);
	if (text)
		error = equant_text_to_number(&reader->text, text, false, &each);
	if (error)
		return error;
	equant_plan_program_resident(reader->program, fixed, each);
	return equant_text_end(&reader->text);
}

/* ---- one number per iteration ------------------------------------------------------------- */

static int append(struct equant_plan_reader *reader, double value)
{
	if (reader->count == reader->room) {
		size_t room = 2 * (size_t)reader->room + 64;
		double *larger = reallocarray(reader->each, room, sizeof(*larger));

		if (!larger)
			return equant_text_fail(&reader->text, -ENOMEM);
		reader->each = larger;
		reader->room = (long)room;
	}
	reader->each[reader->count++] = value;
	return 0;
}

static int end_list(struct equant_plan_reader *reader)
{
	int error;

	if (reader->count < reader->program->iterations)
		return equant_text_refuse(&reader->text, "end",
					  "there are fewer numbers than iterations");
	error = reader->list == SEEN_WORK ?
			equant_plan_program_work_each(reader->program, reader->each) :
			equant_plan_program_bytes_each(reader->program, reader->each);
	reader->count = 0;
	reader->list = 0;
	return error ? equant_text_fail(&reader->text, error) : equant_text_end(&reader->text);
}

int equant_plan_read_list(struct equant_plan_reader *reader, const char *text)
{
	double value;
	int error = 0;

	if (!strcmp(text, "end"))
		return end_list(reader);
	for (; !error && text; text = error ? NULL : equant_text_word(&reader->text)) {
		error = equant_text_to_number(&reader->text, text, false, &value);
		if (!error && reader->count == reader->program->iterations)
			return equant_text_refuse(&reader->text, text,
						  "there are more numbers than iterations");
		if (!error)
			error = append(reader, value);
	}
	return error;
}
