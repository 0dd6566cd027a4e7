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
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/read.h"

int equant_plan_once(struct equant_plan_reader *reader, unsigned int what)
{
	if (reader->seen & what)
		return equant_text_refuse(&reader->text, reader->text.last, "a second time");
	reader->seen |= what;
	return 0;
}

static const struct {
	const char *word;
	int (*read)(struct equant_plan_reader *reader);
} lines[] = {
	{ "iterations", equant_plan_read_iterations },
	{ "work", equant_plan_read_work },
	{ "bytes", equant_plan_read_bytes },
	{ "resident", equant_plan_read_resident },
	{ "processor", equant_plan_read_processor },
	{ "medium", equant_plan_read_medium },
	{ 0 },
};

static int read_line(void *to, const char *text)
{
	struct equant_plan_reader *reader = to;

	if (reader->list)
		return equant_plan_read_list(reader, text);
	for (int i = 0; lines[i].word; i++)
		if (!strcmp(text, lines[i].word))
			return lines[i].read(reader);
	return equant_text_refuse(&reader->text, text, "no such word begins a line");
}

static int finish(struct equant_plan_reader *reader)
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
static int hand_over(struct equant_plan_reader *reader, struct equant_plan_program **program,
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
	struct equant_plan_reader reader = { .text = { path, why, why_size, 0, NULL, NULL } };
	int error;

	if (program)
		*program = NULL;
	if (machine)
		*machine = NULL;
	reader.machine = equant_plan_machine_new();
	if (!reader.machine)
		error = equant_text_fail(&reader.text, -ENOMEM);
	else if (file)
		error = equant_text_lines(&reader.text, file, read_line, &reader);
	else
		error = equant_text_file(&reader.text, read_line, &reader);
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
	return equant_plan_read_stream(NULL, path, program, machine, why, why_size);
}
