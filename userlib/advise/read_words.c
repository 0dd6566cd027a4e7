// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Words of a line: separated by blanks, a name with blanks in double quotes. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "advise/read.h"

int equant_nest_read_refuse(const struct equant_nest_reader *reader, const char *word,
			    const char *fault)
{
	return equant_text_refuse(&reader->text, word, fault);
}

/* The end of the word at @at, which is terminated; NULL if a quote is not closed. */
static char *end_word(char *at)
{
	char *end = *at == '"' ? strchr(at + 1, '"') : at + strcspn(at, " \t\r#");

	if (!end)
		return NULL;
	if (*at == '"')
		*end++ = '\0';
	return end;
}

int equant_nest_read_words(struct equant_nest_reader *reader, char *line)
{
	char *at = line + strspn(line, " \t\r"), *end, *word;

	while (*at && *at != '#') {
		word = *at == '"' ? at + 1 : at;
		end = end_word(at);
		if (!end)
			return equant_nest_read_refuse(reader, word, "the quote is not closed");
		if (*end && !strchr(" \t\r#", *end))
			return equant_nest_read_refuse(reader, end,
						       "expected a blank after the quote");
		if (reader->count == EQUANT_NEST_WORDS)
			return equant_nest_read_refuse(reader, word, "too many words in a line");
		reader->words[reader->count++] = word;
		at = end + strspn(end, " \t\r");
		if (*end == '#')
			at = strchr(end, '\0');
		*end = '\0';
	}
	reader->words[reader->count] = NULL;
	return 0;
}

static int read_number(const struct equant_nest_reader *reader, int at, bool sign, double *value)
{
	if (at >= reader->count)
		return equant_nest_read_refuse(reader, reader->words[at - 1],
					       "expected a number after this");
	return equant_text_to_number(&reader->text, reader->words[at], sign, value);
}

int equant_nest_read_number(const struct equant_nest_reader *reader, int at, double *value)
{
	return read_number(reader, at, false, value);
}

int equant_nest_read_signed(const struct equant_nest_reader *reader, int at, double *value)
{
	return read_number(reader, at, true, value);
}

int equant_nest_read_end(const struct equant_nest_reader *reader, int at)
{
	if (at < reader->count)
		return equant_nest_read_refuse(reader, reader->words[at], "unexpected");
	return 0;
}

int equant_nest_read_name(const struct equant_nest_reader *reader, int at,
			  char to[EQUANT_NEST_NAME])
{
	const char *word = reader->words[at];
	size_t length;

	if (at >= reader->count)
		return equant_nest_read_refuse(reader, reader->words[at - 1],
					       "expected a name after this");
	length = strlen(word);
	if (length == 0 || length > EQUANT_NEST_NAME - 2)
		return equant_nest_read_refuse(reader, word, "a name has from 1 to 62 characters");
	for (size_t i = 0; i < length; i++)
		if (iscntrl((unsigned char)word[i]))
			return equant_nest_read_refuse(reader, word,
						       "a control character in a name");
	memcpy(to, word, length + 1);
	return 0;
}
