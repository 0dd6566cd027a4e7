// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading the description of a nest: one thing per line, words separated by
 * blanks, a name with blanks in double quotes, # begins a comment.
 *
 *	nest NAME
 *	ranks N, rate X, hook X, overhead X, response X, target X, shift X,
 *	byte X, page X, between yes|no
 *	loop NAME TRIPS | FIRST..LAST | ? [distributed] [parallel | carries] [cost X]
 *	statement NAME OPERATIONS
 *	send NAME BYTES [cost X], receive NAME BYTES [cost X], barrier NAME [cost X]
 *	reference NAME BYTES [LOOP STRIDE]...
 *	end
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advise/read.h"

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
	{ "page", offsetof(struct equant_nest, page) },
	{ 0 },
};

static int read_ranks(struct equant_nest_reader *reader)
{
	double value;
	int error = equant_nest_read_number(reader, 1, &value);

	if (error)
		return error;
	if (value < 1 || value > 1e6 || value != floor(value))
		return equant_nest_read_refuse(reader, reader->words[1],
					       "expected a whole number from 1 to 1000000");
	reader->nest->ranks = (int)value;
	return equant_nest_read_end(reader, 2);
}

static int read_between(struct equant_nest_reader *reader)
{
	const char *word = reader->count > 1 ? reader->words[1] : "";

	if (strcmp(word, "yes") && strcmp(word, "no"))
		return equant_nest_read_refuse(reader, reader->count > 1 ? word : "between",
					       "expected yes or no");
	reader->nest->between = !strcmp(word, "yes");
	return equant_nest_read_end(reader, 2);
}

static int read_nest(struct equant_nest_reader *reader)
{
	int error = equant_nest_read_name(reader, 1, reader->nest->name);

	return error ? error : equant_nest_read_end(reader, 2);
}

static int read_setting(struct equant_nest_reader *reader, size_t offset)
{
	int error = equant_nest_read_number(reader, 1, (double *)((char *)reader->nest + offset));
	const char *fault;

	if (error)
		return error;
	fault = equant_nest_machine_fault(reader->nest);
	if (fault)
		return equant_nest_read_refuse(reader, reader->words[1], fault);
	return equant_nest_read_end(reader, 2);
}

/* ---- loops and statements --------------------------------------------------------- */

/* TRIPS, FIRST..LAST with LAST included, or ? */
static int read_trips(struct equant_nest_reader *reader, struct equant_node *node)
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
		return equant_nest_read_number(reader, 2, &node->trips);
	errno = 0;
	first = strtol(word, &end, 10);
	if (end != dots || end == word || errno)
		return equant_nest_read_refuse(reader, word,
					       "expected FIRST..LAST in whole numbers");
	last = strtol(dots + 2, &end, 10);
	if (*end || end == dots + 2 || errno)
		return equant_nest_read_refuse(reader, word,
					       "expected FIRST..LAST in whole numbers");
	if (last < first)
		return equant_nest_read_refuse(reader, word, "the loop never runs");
	node->trips = (double)last - (double)first + 1;
	return 0;
}

/* From word @at on: flags of a loop, and its cost or that of a message. */
static int read_rest(struct equant_nest_reader *reader, struct equant_node *node, int at)
{
	bool loop = node->kind == EQUANT_NODE_LOOP, costs = false;
	int error;

	for (; at < reader->count; at++) {
		const char *word = reader->words[at];

		if (loop && !strcmp(word, "distributed")) {
			node->flags |= EQUANT_LOOP_DISTRIBUTED;
		} else if (loop && !strcmp(word, "parallel")) {
			node->flags |= EQUANT_LOOP_PARALLEL;
		} else if (loop && !strcmp(word, "carries")) {
			node->flags |= EQUANT_LOOP_CARRIES;
		} else if (!strcmp(word, "cost") && costs) {
			return equant_nest_read_refuse(reader, word, "a second time");
		} else if (!strcmp(word, "cost")) {
			costs = true;
			error = equant_nest_read_number(reader, ++at, &node->cost);
			if (error)
				return error;
		} else {
			return equant_nest_read_refuse(reader, word, "unexpected");
		}
	}
	return 0;
}

static int add(struct equant_nest_reader *reader, const struct equant_node *node)
{
	int index = equant_nest_add(reader->nest, reader->parent, node);

	if (index == -EINVAL)
		return equant_nest_read_refuse(reader, node->name,
					       "more than 32 loops within each other");
	if (index == -E2BIG)
		return equant_nest_read_refuse(reader, node->name,
					       "more than 1000 loops and statements");
	if (index < 0)
		return equant_text_fail(&reader->text, index);
	if (node->kind == EQUANT_NODE_LOOP)
		reader->parent = index;
	return 0;
}

static int read_node(struct equant_nest_reader *reader, enum equant_node_kind kind)
{
	struct equant_node node = { .kind = kind, .line = reader->text.line };
	int error = equant_nest_read_name(reader, 1, node.name), rest = 3;

	if (error)
		return error;
	if (kind == EQUANT_NODE_LOOP)
		error = read_trips(reader, &node);
	else if (kind == EQUANT_NODE_STATEMENT)
		error = equant_nest_read_number(reader, 2, &node.cost);
	else if (kind == EQUANT_NODE_BARRIER)
		rest = 2;
	else
		error = equant_nest_read_number(reader, 2, &node.bytes);
	if (!error)
		error = kind == EQUANT_NODE_STATEMENT ? equant_nest_read_end(reader, rest) :
							read_rest(reader, &node, rest);
	return error ? error : add(reader, &node);
}

static int read_end(struct equant_nest_reader *reader)
{
	if (reader->parent == 0)
		return equant_nest_read_refuse(reader, "end", "no loop is open");
	reader->parent = reader->nest->nodes[reader->parent].parent;
	return equant_nest_read_end(reader, 1);
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
	int (*read)(struct equant_nest_reader *reader);
	bool once;
} others[] = {
	{ "nest", read_nest, true },	   { "ranks", read_ranks, true },
	{ "between", read_between, true }, { "reference", equant_nest_read_reference, false },
	{ "end", read_end, false },	   { 0 },
};

static int note_given(struct equant_nest_reader *reader, unsigned int bit)
{
	if (reader->given & 1u << bit)
		return equant_nest_read_refuse(reader, reader->words[0], "a second time");
	reader->given |= 1u << bit;
	return 0;
}

static int read_other(struct equant_nest_reader *reader, unsigned int i)
{
	int error = others[i].once ? note_given(reader, i) : 0;

	return error ? error : others[i].read(reader);
}

static int read_machine(struct equant_nest_reader *reader, unsigned int i)
{
	int error = note_given(reader, (unsigned int)(sizeof(others) / sizeof(*others)) + i);

	return error ? error : read_setting(reader, settings[i].offset);
}

static int read_line(void *to, const char *word)
{
	struct equant_nest_reader *reader = to;
	int error;

	reader->words[0] = word;
	reader->count = 1;
	error = equant_nest_read_words(reader, reader->text.at);
	if (error)
		return error;
	for (int i = 0; nodes[i].word; i++)
		if (!strcmp(word, nodes[i].word))
			return read_node(reader, nodes[i].kind);
	for (unsigned int i = 0; others[i].word; i++)
		if (!strcmp(word, others[i].word))
			return read_other(reader, i);
	for (unsigned int i = 0; settings[i].word; i++)
		if (!strcmp(word, settings[i].word))
			return read_machine(reader, i);
	return equant_nest_read_refuse(reader, word, "no such word begins a line");
}

static int finish(struct equant_nest_reader *reader)
{
	const struct equant_node *open = &reader->nest->nodes[reader->parent];
	char fault[256];
	bool line;
	int error;

	if (reader->parent > 0) {
		reader->text.line = open->line;
		return equant_nest_read_refuse(reader, open->name, "the loop has no end");
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
	struct equant_nest_reader reader = { .text = { path, why, why_size, 0, NULL, NULL } };
	int error;

	reader.nest = equant_nest_new();
	error = reader.nest ? equant_text_file(&reader.text, read_line, &reader) :
			      equant_text_fail(&reader.text, -ENOMEM);
	if (!error)
		error = finish(&reader);
	if (!error)
		return reader.nest;
	if (error == -ENOMEM)
		equant_text_fail(&reader.text, error);
	equant_nest_free(reader.nest);
	errno = -error;
	return NULL;
}
