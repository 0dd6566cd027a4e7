// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Lines of a machine: processors and the medium. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "plan/read.h"

/* A name in quotes may be anything of up to 63 characters but quotes and control characters. */
static int name(struct equant_plan_reader *reader, char to[EQUANT_PLAN_NAME])
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
static int read_setting(struct equant_plan_reader *reader, const char *text,
			const struct setting *settings, void *to, unsigned int *given)
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

static int add_processors(struct equant_plan_reader *reader,
			  const struct equant_plan_processor *processor, long times)
{
	int error = equant_plan_machine_add(reader->machine, processor, (int)times);

	if (error == -E2BIG)
		return equant_text_refuse(&reader->text, reader->text.last,
					  "more than 1048576 processors");
	return error ? equant_text_fail(&reader->text, error) : 0;
}

int equant_plan_read_processor(struct equant_plan_reader *reader)
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

int equant_plan_read_medium(struct equant_plan_reader *reader)
{
	unsigned int given = 0;
	int error = equant_plan_once(reader, SEEN_MEDIUM);
	const char *text;

	while (!error && (text = equant_text_word(&reader->text)))
		error = read_setting(reader, text, of_medium, reader->machine, &given);
	if (!error && !given)
		error = equant_text_refuse(&reader->text, "medium",
					   "expected startup or byte after this");
	return error;
}
