// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading programs and machines: one thing per line, words separated by blanks, a
 * name with blanks in double quotes, # begins a comment.
 *
 *	iterations N
 *	work X | affine A B | each		bytes likewise
 *	resident FIXED [EACH]
 *	processor NAME operation X [startup X] [byte X] [memory X] [times N]
 *	medium [startup X] [byte X]
 *
 * After "each" N numbers follow, as many in a line as one likes, and a line "end".
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_internal.h"
#include "text/text.h"

enum {
	SEEN_WORK = 1,
	SEEN_BYTES = 2,
	SEEN_RESIDENT = 4,
	SEEN_MEDIUM = 8,
};

/**
 * struct reader - a file that is being read
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
struct reader {
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

/* ---- words ---------------------------------------------------------------------------- */

/* A name in quotes may be anything of up to 63 characters but quotes and control characters. */
static int name(struct reader *reader, char to[EQUANT_PLAN_NAME])
{
	const char *text, *end;
	size_t length;

	reader->text.at += strspn(reader->text.at, " \t\r");
	if (*reader->text.at == '"') {
		text = reader->text.at + 1;
		end = strchr(text, '"');
		if (!end)
			return equant_text_refuse(&reader->text, text, "the quote is not closed");
		if (end[1] && !strchr(" \t\r#", end[1]))
			return equant_text_refuse(&reader->text, end + 1,
						  "expected a blank after the quote");
		length = (size_t)(end - text);
		reader->text.at += length + 2;
	} else {
		text = equant_text_word(&reader->text);
		if (!text)
			return equant_text_refuse(&reader->text, reader->text.last,
						  "expected a name after this");
		length = strlen(text);
	}
	for (size_t i = 0; i < length; i++)
		if (iscntrl((unsigned char)text[i]) || text[i] == '"')
			return equant_text_refuse(&reader->text, text,
						  "a quote or control character in a name");
	if (length >= EQUANT_PLAN_NAME)
		return equant_text_refuse(&reader->text, text, "a name has up to 63 characters");
	memcpy(to, text, length);
	to[length] = '\0';
	return 0;
}

static int once(struct reader *reader, unsigned int what)
{
	if (reader->seen & what)
		return equant_text_refuse(&reader->text, reader->text.last, "a second time");
	reader->seen |= what;
	return 0;
}

/* ---- the program ------------------------------------------------------------------------ */

static int read_iterations(struct reader *reader)
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

static int set_affine(struct reader *reader, unsigned int what, double slope, double constant)
{
	int error = what == SEEN_WORK ? equant_plan_program_work(reader->program, slope, constant) :
					equant_plan_program_bytes(reader->program, slope, constant);

	if (error)
		return equant_text_refuse(&reader->text, reader->text.last,
					  "below 0, or too large, at the first or last iteration");
	return equant_text_end(&reader->text);
}

static int read_affine(struct reader *reader, unsigned int what)
{
	double slope, constant;
	int error = equant_text_number(&reader->text, true, &slope);

	if (!error)
		error = equant_text_number(&reader->text, true, &constant);
	return error ? error : set_affine(reader, what, slope, constant);
}

static int read_cost(struct reader *reader, unsigned int what)
{
	const char *key = reader->text.last, *text;
	double constant;
	int error = once(reader, what);

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
	error = equant_text_to_number(&reader->text, text, false, &constant);
	return error ? error : set_affine(reader, what, 0, constant);
}

static int read_work(struct reader *reader)
{
	return read_cost(reader, SEEN_WORK);
}

static int read_bytes(struct reader *reader)
{
	return read_cost(reader, SEEN_BYTES);
}

static int read_resident(struct reader *reader)
{
	double fixed, each = 0;
	int error = once(reader, SEEN_RESIDENT);
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

static int append(struct reader *reader, double value)
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

static int end_list(struct reader *reader)
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

/* A line of numbers, or the end of them. */
static int read_list(struct reader *reader, const char *text)
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

/* ---- the machine ---------------------------------------------------------------------------- */

/* What may follow in pairs of a word and a number. */
struct setting {
	const char *word;
	size_t offset;
};

static const struct setting of_processor[] = {
	{ "operation", offsetof(struct equant_plan_processor, operation) },
	{ "startup", offsetof(struct equant_plan_processor, startup) },
	{ "byte", offsetof(struct equant_plan_processor, byte) },
	{ "memory", offsetof(struct equant_plan_processor, memory) },
	{ 0 },
};

static const struct setting of_medium[] = {
	{ "startup", offsetof(struct equant_plan_machine, medium_startup) },
	{ "byte", offsetof(struct equant_plan_machine, medium_byte) },
	{ 0 },
};

/* @text and the number after it; @given has a bit for each setting that came. */
static int read_setting(struct reader *reader, const char *text, const struct setting *settings,
			void *to, unsigned int *given)
{
	for (int i = 0; settings[i].word; i++) {
		if (strcmp(text, settings[i].word))
			continue;
		if (*given & 1u << i)
			return equant_text_refuse(&reader->text, text, "a second time");
		*given |= 1u << i;
		return equant_text_number(&reader->text, false,
					  (double *)((char *)to + settings[i].offset));
	}
	return equant_text_refuse(&reader->text, text, "unexpected");
}

static int add_processors(struct reader *reader, const struct equant_plan_processor *processor,
			  long times)
{
	int error = equant_plan_machine_add(reader->machine, processor, (int)times);

	if (error == -E2BIG)
		return equant_text_refuse(&reader->text, reader->text.last,
					  "more than 1048576 processors");
	return error ? equant_text_fail(&reader->text, error) : 0;
}

static int read_processor(struct reader *reader)
{
	struct equant_plan_processor processor = { .memory = INFINITY };
	unsigned int given = 0;
	const char *text;
	long times = 0;
	int error = name(reader, processor.name);

	while (!error && (text = equant_text_word(&reader->text))) {
		if (strcmp(text, "times"))
			error = read_setting(reader, text, of_processor, &processor, &given);
		else if (times)
			error = equant_text_refuse(&reader->text, text, "a second time");
		else
			error = equant_text_whole(&reader->text, 1, EQUANT_PLAN_PROCESSORS, &times);
		if (!error && (given & 1) && processor.operation <= 0)
			error = equant_text_refuse(&reader->text, reader->text.last,
						   "the time of an operation must be above 0");
	}
	if (!error && !(given & 1))
		error = equant_text_refuse(&reader->text, processor.name,
					   "the processor has no operation");
	return error ? error : add_processors(reader, &processor, times ? times : 1);
}

static int read_medium(struct reader *reader)
{
	unsigned int given = 0;
	int error = once(reader, SEEN_MEDIUM);
	const char *text;

	while (!error && (text = equant_text_word(&reader->text)))
		error = read_setting(reader, text, of_medium, reader->machine, &given);
	if (!error && !given)
		error = equant_text_refuse(&reader->text, "medium",
					   "expected startup or byte after this");
	return error;
}

/* ---- the file ----------------------------------------------------------------------------- */

static const struct {
	const char *word;
	int (*read)(struct reader *reader);
} lines[] = {
	{ "iterations", read_iterations },
	{ "work", read_work },
	{ "bytes", read_bytes },
	{ "resident", read_resident },
	{ "processor", read_processor },
	{ "medium", read_medium },
	{ 0 },
};

static int read_line(void *to, const char *text)
{
	struct reader *reader = to;

	if (reader->list)
		return read_list(reader, text);
	for (int i = 0; lines[i].word; i++)
		if (!strcmp(text, lines[i].word))
			return lines[i].read(reader);
	return equant_text_refuse(&reader->text, text, "no such word begins a line");
}

static int finish(struct reader *reader)
{
	if (reader->list) {
		reader->text.line = reader->list_line;
		return equant_text_refuse(&reader->text, "each", "the numbers have no end");
	}
	if ((reader->seen & SEEN_MEDIUM) && !reader->machine->count) {
		equant_say(reader->text.why, reader->text.why_size, "%s: a medium and no processor",
			   reader->text.path);
		return -EINVAL;
	}
	if (!reader->program && !reader->machine->count) {
		equant_say(reader->text.why, reader->text.why_size,
			   "%s: neither iterations nor a processor", reader->text.path);
		return -EINVAL;
	}
	return 0;
}

/* Gives to the caller what it wants; the rest must not have come. */
static int hand_over(struct reader *reader, struct equant_plan_program **program,
		     struct equant_plan_machine **machine)
{
	const char *unwanted = NULL;

	if (reader->program && !program)
		unwanted = "a program, where only a machine is expected";
	if (reader->machine->count && !machine)
		unwanted = "a machine, where only a program is expected";
	if (unwanted) {
		equant_say(reader->text.why, reader->text.why_size, "%s: %s", reader->text.path,
			   unwanted);
		return -EINVAL;
	}
	if (program)
		*program = reader->program;
	reader->program = NULL;
	if (machine && reader->machine->count) {
		*machine = reader->machine;
		reader->machine = NULL;
	}
	return 0;
}

int equant_plan_read_stream(FILE *file, const char *path, struct equant_plan_program **program,
			    struct equant_plan_machine **machine, char *why, size_t why_size)
{
	struct reader reader = { .text = { path, why, why_size, 0, NULL, NULL } };
	int error;

	if (program)
		*program = NULL;
	if (machine)
		*machine = NULL;
	reader.machine = equant_plan_machine_new();
	error = reader.machine ? equant_text_lines(&reader.text, file, read_line, &reader) :
				 equant_text_fail(&reader.text, -ENOMEM);
	if (!error)
		error = finish(&reader);
	if (!error)
		error = hand_over(&reader, program, machine);
	free(reader.each);
	equant_plan_program_free(reader.program);
	equant_plan_machine_free(reader.machine);
	return error;
}

int equant_plan_read(const char *path, struct equant_plan_program **program,
		     struct equant_plan_machine **machine, char *why, size_t why_size)
{
	FILE *file = fopen(path, "re");
	int error;

	if (program)
		*program = NULL;
	if (machine)
		*machine = NULL;
	if (!file) {
		error = -errno;
		equant_say(why, why_size, "%s: %s", path, strerror(-error));
		return error;
	}
	error = equant_plan_read_stream(file, path, program, machine, why, why_size);
	fclose(file);
	return error;
}
