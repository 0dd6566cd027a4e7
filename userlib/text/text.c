// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Descriptions that people write: one thing per line, words separated by blanks. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/say.h"
#include "text/text.h"

int equant_text_refuse(const struct equant_text *text, const char *word, const char *fault)
{
	equant_say(text->why, text->why_size, "%s:%d: '%.80s': %s", text->path, text->line, word,
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
	*value = strtod(word, &end);
	/* Too small for a double is zero. */
	if ((!isdigit((unsigned char)*digits) && *digits != '.') || *end || !isfinite(*value))
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

static int read_line(struct equant_text *text, char *line, size_t length,
		     int (*read)(void *to, const char *word), void *to)
{
	const char *word;

	text->line++;
	if (strlen(line) != length)
		return equant_text_refuse(text, line, "a zero byte follows this");
	line[strcspn(line, "\n")] = '\0';
	text->at = line;
	word = equant_text_word(text);
	return word ? read(to, word) : 0;
}

int equant_text_lines(struct equant_text *text, FILE *file, int (*read)(void *to, const char *word),
		      void *to)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int error = 0;

	while (!error && (length = getline(&line, &room, file)) >= 0)
		error = read_line(text, line, (size_t)length, read, to);
	if (!error && !feof(file))
		error = equant_text_fail(text, errno ? -errno : -EIO);
	free(line);
	return error;
}
