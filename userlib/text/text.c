// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Descriptions that people write: one thing per line, words separated by blanks. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/say.h"
#include "text/number.h"
#include "text/text.h"

#define LONGEST (1L << 28) /* bytes of a line: tens of millions of numbers */

/* Without what a terminal takes for commands. */
int equant_text_refuse(const struct equant_text *text, const char *word, const char *fault)
{
	char shown[81];
	size_t length = 0;

	for (; word[length] && length < sizeof(shown) - 1; length++)
		shown[length] = iscntrl((unsigned char)word[length]) ? '?' : word[length];
	shown[length] = '\0';
	equant_say(text->why, text->why_size, "%s:%d: '%s': %s", text->path, text->line, shown,
		   fault);
	return -EINVAL;
}

int equant_text_fail(const struct equant_text *text, int error)
{
	equant_say(text->why, text->why_size, "%s: %s", text->path, strerror(-error));
	return error;
}

const char *equant_text_word(struct equant_text *text)
{
	char *start = text->at + strspn(text->at, " \t\r"), *end;

	text->at = start;
	if (!*start || *start == '#')
		return NULL;
	end = start + strcspn(start, " \t\r#");
	if (*end == '#')
		end[1] = '\0';
	text->at = *end && *end != '#' ? end + 1 : end;
	*end = '\0';
	text->last = start;
	return start;
}

int equant_text_end(struct equant_text *text)
{
	const char *more = equant_text_word(text);

	return more ? equant_text_refuse(text, more, "unexpected") : 0;
}

int equant_text_to_number(const struct equant_text *text, const char *word, bool sign,
			  double *value)
{
	const char *digits = sign && *word == '-' ? word + 1 : word;
	char *end;

	errno = 0;
	*value = equant_number_read(word, &end);
	/* No "0x10"; too small for a double is zero. */
	if ((!isdigit((unsigned char)*digits) && *digits != '.') || strpbrk(word, "xX") || *end ||
	    !isfinite(*value))
		return equant_text_refuse(
			text, word, sign ? "expected a number" : "expected a number, not negative");
	return 0;
}

int equant_text_number(struct equant_text *text, bool sign, double *value)
{
	const char *before = text->last, *word = equant_text_word(text);

	if (!word)
		return equant_text_refuse(text, before, "expected a number after this");
	return equant_text_to_number(text, word, sign, value);
}

int equant_text_to_whole(const struct equant_text *text, const char *word, long least, long most,
			 long *value)
{
	char fault[64], *end;

	errno = 0;
	*value = strtol(word, &end, 10);
	if (!isdigit((unsigned char)*word) || *end)
		return equant_text_refuse(text, word, "expected a whole number");
	if (*value < least) {
		snprintf(fault, sizeof(fault), "expected %ld or more", least);
		return equant_text_refuse(text, word, fault);
	}
	if (errno || *value > most) {
		snprintf(fault, sizeof(fault), "more than %ld", most);
		return equant_text_refuse(text, word, fault);
	}
	return 0;
}

int equant_text_whole(struct equant_text *text, long least, long most, long *value)
{
	const char *before = text->last, *word = equant_text_word(text);

	if (!word)
		return equant_text_refuse(text, before, "expected a number after this");
	return equant_text_to_whole(text, word, least, most, value);
}

struct line {
	char *text;
	size_t room;
};

static int make_room(struct equant_text *text, struct line *line, size_t length)
{
	size_t room = line->room ? 2 * line->room : 128;
	char *grown;

	if (length + 1 < line->room)
		return 0;
	if (room > LONGEST) {
		snprintf(line->text + 80, line->room - 80, "...");
		return equant_text_refuse(text, line->text, "a line without an end");
	}
	grown = realloc(line->text, room);
	if (!grown)
		return equant_text_fail(text, -ENOMEM);
	line->text = grown;
	line->room = room;
	return 0;
}

/* 1 and the line without its end, 0 at the end of the file, -errno. */
static int next_line(struct equant_text *text, FILE *file, struct line *line)
{
	size_t length = 0;
	int c, error;

	text->line++;
	do {
		error = make_room(text, line, length);
		if (error)
			return error;
		c = getc(file);
		line->text[length] = c == EOF || c == '\n' ? '\0' : (char)c;
		if (!c)
			return equant_text_refuse(text, line->text, "a zero byte follows this");
		length++;
	} while (c != EOF && c != '\n');
	if (c == EOF && !feof(file))
		return equant_text_fail(text, errno ? -errno : -EIO);
	return c != EOF || length > 1;
}

int equant_text_lines(struct equant_text *text, FILE *file, int (*read)(void *to, const char *word),
		      void *to)
{
	struct line line = { 0 };
	const char *word;
	int error;

	while ((error = next_line(text, file, &line)) > 0) {
		text->at = line.text;
		word = equant_text_word(text);
		error = word ? read(to, word) : 0;
		if (error)
			break;
	}
	free(line.text);
	return error;
}

int equant_text_file(struct equant_text *text, int (*read)(void *to, const char *word), void *to)
{
	FILE *file = fopen(text->path, "re");
	int error;

	if (!file)
		return equant_text_fail(text, -errno);
	error = equant_text_lines(text, file, read, to);
	fclose(file);
	return error;
}
