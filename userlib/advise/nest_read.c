// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading the description of a nest: one thing per line, words separated by
 * blanks, a name with blanks in double quotes, # begins a comment.
 *
 *	nest NAME
 *	ranks N, rate X, hook X, overhead X, response X, target X, shift X,
 *	byte X, between yes|no
 *	loop NAME TRIPS | FIRST..LAST | ? [distributed] [parallel | carries] [cost X]
 *	statement NAME OPERATIONS
 *	send NAME BYTES [cost X], receive NAME BYTES [cost X], barrier NAME [cost X]
 *	end
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advise_internal.h"
#include "text/text.h"

#define WORDS_MOST 8

struct reader {
	struct equant_text text;
	struct equant_nest *nest;
	int parent; /* the loop that is open, or 0 */
	const char *words[WORDS_MOST + 1];
	int count;
};

static int refuse(const struct reader *reader, const char *word, const char *fault)
{
	return equant_text_refuse(&reader->text, word, fault);
}

/* ---- words ------------------------------------------------------------------- */

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

/* What follows the line's first word. */
static int split(struct reader *reader, char *line)
{
	char *at = line + strspn(line, " \t\r"), *end, *word;

	while (*at && *at != '#') {
		word = *at == '"' ? at + 1 : at;
		end = end_word(at);
		if (!end)
			return refuse(reader, word, "the quote is not closed");
		if (*end && !strchr(" \t\r#", *end))
			return refuse(reader, end, "expected a blank after the quote");
		if (reader->count == WORDS_MOST)
			return refuse(reader, word, "too many words in a line");
		reader->words[reader->count++] = word;
		at = end + strspn(end, " \t\r");
		if (*end == '#')
			at = strchr(end, '\0');
		*end = '\0';
	}
	reader->words[reader->count] = NULL;
	return 0;
}

static int number(const struct reader *reader, int at, double *value)
{
	if (at >= reader->count)
		return refuse(reader, reader->words[at - 1], "expected a number after this");
	return equant_text_to_number(&reader->text, reader->words[at], false, value);
}

static int no_more(const struct reader *reader, int at)
{
	if (at < reader->count)
		return refuse(reader, reader->words[at], "unexpected");
	return 0;
}

static int name(const struct reader *reader, int at, char to[EQUANT_NEST_NAME])
{
	const char *word = reader->words[at];
	size_t length;

	if (at >= reader->count)
		return refuse(reader, reader->words[at - 1], "expected a name after this");
	length = strlen(word);
	if (length == 0 || length > EQUANT_NEST_NAME - 2)
		return refuse(reader, word, "a name has from 1 to 62 characters");
	for (size_t i = 0; i < length; i++)
		if (iscntrl((unsigned char)word[i]))
			return refuse(reader, word, "a control character in a name");
	memcpy(to, word, length + 1);
	return 0;
}

/* ---- the machine ---------------------------------------------------------------- */

static const struct {
	const char *word;
	size_t offset;
} settings[] = {
	{ "rate", offsetof(struct equant_nest, rate) },
	{ "hook", offsetof(struct equant_nest, hook) },
	{ "overhead", offsetof(struct equant_nest, overhead) },
	{ "response", offsetof(struct equant_nest, response) },
	{ "target", offsetof(struct equant_nest, target) },
	{ "shift", offsetof(struct equant_nest, shift_fixed) },
	{ "byte", offsetof(struct equant_nest, byte_time) },
	{ 0 },
};

static int read_ranks(struct reader *reader)
{
	double value;
	int error = number(reader, 1, &value);

	if (error)
		return error;
	if (value < 1 || value > 1e6 || value != floor(value))
		return refuse(reader, reader->words[1],
			      "expected a whole number from 1 to 1000000");
	reader->nest->ranks = (int)value;
	return no_more(reader, 2);
}

static int read_between(struct reader *reader)
{
	const char *word = reader->count > 1 ? reader->words[1] : "";

	if (strcmp(word, "yes") && strcmp(word, "no"))
		return refuse(reader, reader->count > 1 ? word : "between", "expected yes or no");
	reader->nest->between = !strcmp(word, "yes");
	return no_more(reader, 2);
}

static int read_nest(struct reader *reader)
{
	int error = name(reader, 1, reader->nest->name);

	return error ? error : no_more(reader, 2);
}

static int read_setting(struct reader *reader, size_t offset)
{
	int error = number(reader, 1, (double *)((char *)reader->nest + offset));
	const char *fault;

	if (error)
		return error;
	fault = equant_nest_machine_fault(reader->nest);
	if (fault)
		return refuse(reader, reader->words[1], fault);
	return no_more(reader, 2);
}

/* ---- loops and statements --------------------------------------------------------- */

/* TRIPS, FIRST..LAST with LAST included, or ? */
static int read_trips(struct reader *reader, struct equant_node *node)
{
	const char *word = reader->words[2], *dots;
	char *end;
	long first, last;

	dots = reader->count > 2 ? strstr(word, "..") : NULL;
	if (reader->count > 2 && !strcmp(word, "?")) {
		node->flags |= EQUANT_LOOP_UNKNOWN;
		return 0;
	}
	if (!dots)
		return number(reader, 2, &node->trips);
	errno = 0;
	first = strtol(word, &end, 10);
	if (end != dots || end == word || errno)
		return refuse(reader, word, "expected FIRST..LAST in whole numbers");
	last = strtol(dots + 2, &end, 10);
	if (*end || end == dots + 2 || errno)
		return refuse(reader, word, "expected FIRST..LAST in whole numbers");
	if (last < first)
		return refuse(reader, word, "the loop never runs");
	node->trips = (double)last - (double)first + 1;
	return 0;
}

/* From word @at on: flags of a loop, and its cost or that of a message. */
static int read_rest(struct reader *reader, struct equant_node *node, int at)
{
	bool loop = node->kind == EQUANT_NODE_LOOP;
	int error;

	for (; at < reader->count; at++) {
		const char *word = reader->words[at];

		if (loop && !strcmp(word, "distributed")) {
			node->flags |= EQUANT_LOOP_DISTRIBUTED;
		} else if (loop && !strcmp(word, "parallel")) {
			node->flags |= EQUANT_LOOP_PARALLEL;
		} else if (loop && !strcmp(word, "carries")) {
			node->flags |= EQUANT_LOOP_CARRIES;
		} else if (!strcmp(word, "cost")) {
			error = number(reader, ++at, &node->cost);
			if (error)
				return error;
		} else {
			return refuse(reader, word, "unexpected");
		}
	}
	return 0;
}

static int add(struct reader *reader, const struct equant_node *node)
{
	int index = equant_nest_add(reader->nest, reader->parent, node);

	if (index == -EINVAL)
		return refuse(reader, node->name, "more than 32 loops within each other");
	if (index == -E2BIG)
		return refuse(reader, node->name, "more than 1000 loops and statements");
	if (index < 0)
		return equant_text_fail(&reader->text, index);
	if (node->kind == EQUANT_NODE_LOOP)
		reader->parent = index;
	return 0;
}

static int read_node(struct reader *reader, enum equant_node_kind kind)
{
	struct equant_node node = { .kind = kind, .line = reader->text.line };
	int error = name(reader, 1, node.name), rest = 3;

	if (error)
		return error;
	if (kind == EQUANT_NODE_LOOP)
		error = read_trips(reader, &node);
	else if (kind == EQUANT_NODE_STATEMENT)
		error = number(reader, 2, &node.cost);
	else if (kind == EQUANT_NODE_BARRIER)
		rest = 2;
	else
		error = number(reader, 2, &node.bytes);
	if (!error)
		error = kind == EQUANT_NODE_STATEMENT ? no_more(reader, rest) :
							read_rest(reader, &node, rest);
	return error ? error : add(reader, &node);
}

static int read_end(struct reader *reader)
{
	if (reader->parent == 0)
		return refuse(reader, "end", "no loop is open");
	reader->parent = reader->nest->nodes[reader->parent].parent;
	return no_more(reader, 1);
}

/* ---- the file ------------------------------------------------------------------ */

static const struct {
	const char *word;
	enum equant_node_kind kind;
} nodes[] = {
	{ "loop", EQUANT_NODE_LOOP },	    { "statement", EQUANT_NODE_STATEMENT },
	{ "send", EQUANT_NODE_SEND },	    { "receive", EQUANT_NODE_RECEIVE },
	{ "barrier", EQUANT_NODE_BARRIER }, { 0 },
};

static const struct {
	const char *word;
	int (*read)(struct reader *reader);
} others[] = {
	{ "nest", read_nest },
	{ "ranks", read_ranks },
	{ "between", read_between },
	{ "end", read_end },
	{ 0 },
};

static int read_line(void *to, const char *word)
{
	struct reader *reader = to;
	int error;

	reader->words[0] = word;
	reader->count = 1;
	error = split(reader, reader->text.at);
	if (error)
		return error;
	for (int i = 0; nodes[i].word; i++)
		if (!strcmp(word, nodes[i].word))
			return read_node(reader, nodes[i].kind);
	for (int i = 0; others[i].word; i++)
		if (!strcmp(word, others[i].word))
			return others[i].read(reader);
	for (int i = 0; settings[i].word; i++)
		if (!strcmp(word, settings[i].word))
			return read_setting(reader, settings[i].offset);
	return refuse(reader, word, "no such word begins a line");
}

static int finish(struct reader *reader)
{
	const struct equant_node *open = &reader->nest->nodes[reader->parent];
	char fault[256];
	bool line;
	int error;

	if (reader->parent > 0) {
		reader->text.line = open->line;
		return refuse(reader, open->name, "the loop has no end");
	}
	error = equant_nest_check(reader->nest, fault, sizeof(fault));
	if (!error)
		return 0;
	line = isdigit((unsigned char)fault[0]);
	equant_say(reader->text.why, reader->text.why_size, "%s:%s%s", reader->text.path,
		   line ? "" : " ", fault);
	return error;
}

struct equant_nest *equant_nest_read(const char *path, char *why, size_t why_size)
{
	struct reader reader = { .text = { path, why, why_size, 0, NULL, NULL } };
	int error;

	reader.nest = equant_nest_new();
	error = reader.nest ? equant_text_file(&reader.text, read_line, &reader) :
			      equant_text_fail(&reader.text, -ENOMEM);
	if (!error)
		error = finish(&reader);
	if (!error)
		return reader.nest;
	equant_nest_free(reader.nest);
	errno = -error;
	return NULL;
}
