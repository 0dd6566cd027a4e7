// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Graphs in the DOT language of Graphviz:
 *
 *	digraph name {
 *		node [weight=1]			what tasks have that say nothing else
 *		a [weight=3, memory=100]	a task's work and memory
 *		a -> b -> c [weight=5]		an edge's data
 *	}
 *
 * Other attributes are passed over.  A node without a weight is an error, an edge without one has
 * no data, a node without memory needs none.  Not read: undirected graphs, subgraphs, ports, and HTML strings.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scan.h"

#define UNKNOWN (-1.0) /* a weight that has not been said */

enum kind {
	END,
	NAME,
	ARROW,
	SIGN,
};

/* @text: without quotes and escapes */
struct token {
	enum kind kind;
	struct dag_word word;
	char text[64];
	bool quoted;
	bool too_long;
};

/* What attributes say of a node, or of an edge, which has no memory. */
struct values {
	double weight;
	uint64_t memory;
	bool of_edge;
};

struct dot {
	struct dag_scan *scan;
	struct equant_dag *dag;
	struct dag_names names;
	int *line; /* where each task came first */
	int lines; /* room for so many */
	struct token next;
	struct values node; /* of nodes that say nothing else */
	struct values edge;
};

/* ---- words --------------------------------------------------------------------------------- */

static bool starts(const struct dag_scan *scan, const char *text)
{
	size_t length = strlen(text);

	return scan->size - scan->at >= length && !memcmp(scan->text + scan->at, text, length);
}

static void skip_line(struct dag_scan *scan)
{
	while (!dag_at_end(scan) && dag_peek(scan) != '\n')
		dag_step(scan);
}

static int skip_comment(struct dag_scan *scan)
{
	struct dag_word begin = { scan->text + scan->at, 2, scan->line };

	/* The star that begins a comment does not end it. */
	scan->at += 2;
	while (!dag_at_end(scan) && !starts(scan, "*/"))
		dag_step(scan);
	if (dag_at_end(scan))
		return equant_dag_refuse(scan, &begin, "a comment without an end");
	scan->at += 2;
	return 0;
}

static int skip(struct dag_scan *scan)
{
	int err = 0;

	while (!dag_at_end(scan) && !err) {
		bool fresh = !scan->at || scan->text[scan->at - 1] == '\n';

		if (starts(scan, "//") || (fresh && dag_peek(scan) == '#'))
			skip_line(scan);
		else if (starts(scan, "/*"))
			err = skip_comment(scan);
		else if (dag_peek(scan) && strchr(" \t\r\n\f", dag_peek(scan)))
			dag_step(scan);
		else
			break;
	}
	return err;
}

static void keep(struct token *token, size_t *length, char c)
{
	if (*length < sizeof(token->text) - 1)
		token->text[(*length)++] = c;
	else
		token->too_long = true;
	token->text[*length] = '\0';
}

static int quoted(struct dag_scan *scan, struct token *token)
{
	size_t length = 0;

	token->quoted = true;
	for (dag_step(scan); dag_peek(scan) != '"'; dag_step(scan)) {
		if (starts(scan, "\\\\")) { /* two they stay, and no quote is meant */
			keep(token, &length, dag_peek(scan));
			dag_step(scan);
		} else if (starts(scan, "\\\"")) {
			dag_step(scan);
		}
		if (dag_at_end(scan))
			return equant_dag_refuse(scan, &token->word, "a string without an end");
		if (!dag_peek(scan))
			return equant_dag_refuse_here(scan, "a zero byte in a string");
		keep(token, &length, dag_peek(scan));
	}
	dag_step(scan);
	return 0;
}

static bool of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A numeral may begin with - and have a point. */
static void bare(struct dag_scan *scan, struct token *token)
{
	bool numeral = memchr("-.0123456789", dag_peek(scan), 12);
	size_t length = 0;

	do {
		keep(token, &length, dag_peek(scan));
		dag_step(scan);
	} while (!dag_at_end(scan) &&
		 (of_name(dag_peek(scan)) || (numeral && dag_peek(scan) == '.')));
}

static int advance(struct dot *dot)
{
	struct dag_scan *scan = dot->scan;
	struct token *token = &dot->next;
	int err = skip(scan);
	char c = dag_peek(scan);

	*token = (struct token){ .word = { scan->text + scan->at, 1, scan->line } };
	if (err || dag_at_end(scan))
		return err;
	token->kind = NAME;
	if (c == '"') {
		err = quoted(scan, token);
	} else if (starts(scan, "->")) {
		token->kind = ARROW;
		scan->at += 2;
	} else if (of_name(c) || c == '.' || (c == '-' && !starts(scan, "--"))) {
		bare(scan, token);
	} else {
		token->kind = SIGN;
		token->text[0] = c;
		dag_step(scan);
	}
	token->word.length = (size_t)(scan->text + scan->at - token->word.text);
	return err;
}

static int refuse(const struct dot *dot, const char *fault)
{
	if (dot->next.kind == END)
		return equant_dag_refuse_here(dot->scan, fault);
	return equant_dag_refuse(dot->scan, &dot->next.word, fault);
}

static bool is_sign(const struct dot *dot, char c)
{
	return dot->next.kind == SIGN && dot->next.text[0] == c;
}

static bool is_keyword(const struct dot *dot, const char *word)
{
	return dot->next.kind == NAME && !dot->next.quoted && !strcasecmp(dot->next.text, word);
}

static int expect_sign(struct dot *dot, char c, const char *fault)
{
	return is_sign(dot, c) ? advance(dot) : refuse(dot, fault);
}

/* ---- statements ---------------------------------------------------------------------------- */

/* name = value, which @values gets if that is a name that is known; NULL: of the graph, nothing that we need. */
static int attribute(struct dot *dot, struct values *values)
{
	bool known = dot->next.kind == NAME && values;
	bool is_weight = known && !strcmp(dot->next.text, "weight");
	bool is_memory = known && !values->of_edge && !strcmp(dot->next.text, "memory");
	struct dag_word word;
	int err = dot->next.kind == NAME ? advance(dot) : refuse(dot, "expected an attribute");

	err = err ? err : expect_sign(dot, '=', "expected =");
	if (err)
		return err;
	if (dot->next.kind != NAME)
		return refuse(dot, "expected a value");
	word = (struct dag_word){ dot->next.text, strlen(dot->next.text), dot->next.word.line };
	if ((is_weight || is_memory) && dot->next.too_long)
		return refuse(dot, "too long for a number");
	if (is_weight)
		err = equant_dag_number(dot->scan, &word, &values->weight);
	else if (is_memory)
		err = equant_dag_memory(dot->scan, &word, &values->memory);
	return err ? err : advance(dot);
}

/* [a=b, c=d; e=f] [g=h] */
static int attributes(struct dot *dot, struct values *values)
{
	int err = 0;

	while (!err && is_sign(dot, '[')) {
		err = advance(dot);
		while (!err && !is_sign(dot, ']')) {
			err = attribute(dot, values);
			if (!err && (is_sign(dot, ',') || is_sign(dot, ';')))
				err = advance(dot);
		}
		err = err ? err : advance(dot);
	}
	return err;
}

static void set(struct dot *dot, int task, const struct values *values)
{
	dot->dag->task[task].work = values->weight;
	dot->dag->task[task].memory = values->memory;
}

/* Where @task came first is the line at which reading is. */
static int keep_line(struct dot *dot, int task)
{
	int room = 2 * task + 16;
	int *grown;

	if (task >= dot->lines) {
		grown = reallocarray(dot->line, (size_t)room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		dot->line = grown;
		dot->lines = room;
	}
	dot->line[task] = dot->next.word.line;
	return 0;
}

/* The task of the name at which reading is; a new one if there was none. */
static int task(struct dot *dot, int *number)
{
	int err;

	if (is_keyword(dot, "subgraph") || is_sign(dot, '{'))
		return refuse(dot, "subgraphs are not read");
	if (dot->next.kind != NAME)
		return refuse(dot, "expected a name");
	*number = equant_dag_names_find(&dot->names, dot->next.text);
	if (*number < 0 || dot->next.too_long || !dot->next.text[0]) {
		*number = dot->next.text[0] ? equant_dag_add_task(dot->dag, dot->next.text, 0) :
					      -EINVAL;
		if (*number == -EINVAL)
			return refuse(dot, "no name for a task");
		if (*number == -ENAMETOOLONG)
			return refuse(dot, "too long for a task's name");
		if (*number < 0)
			return *number;
		set(dot, *number, &dot->node);
		err = equant_dag_names_add(&dot->names);
		err = err ? err : keep_line(dot, *number);
		if (err)
			return err;
	}
	err = advance(dot);
	return err || !is_sign(dot, ':') ? err : refuse(dot, "ports are not read");
}

/* a -> b -> c [weight=5] from its first arrow on */
static int edges(struct dot *dot, int from)
{
	struct values data = dot->edge;
	int first = dot->dag->edges, to, err = 0;

	while (!err && dot->next.kind == ARROW) {
		err = advance(dot);
		err = err ? err : task(dot, &to);
		err = err ? err : equant_dag_add_edge(dot->dag, from, to, 0);
		from = to;
	}
	err = err ? err : attributes(dot, &data);
	for (int e = first; e < dot->dag->edges; e++)
		dot->dag->edge[e].data = data.weight;
	return err;
}

static int statement(struct dot *dot)
{
	struct values said = { 0 }, *values = NULL;
	int number, err;

	if (is_keyword(dot, "node") || is_keyword(dot, "edge") || is_keyword(dot, "graph")) {
		if (is_keyword(dot, "node"))
			values = &dot->node;
		else if (is_keyword(dot, "edge"))
			values = &dot->edge;
		err = advance(dot);
		if (!err && !is_sign(dot, '['))
			return refuse(dot, "expected [");
		return err ? err : attributes(dot, values);
	}
	if (is_sign(dot, '{'))
		return refuse(dot, "subgraphs are not read");
	err = task(dot, &number);
	if (err || dot->next.kind == ARROW)
		return err ? err : edges(dot, number);
	said.weight = dot->dag->task[number].work;
	said.memory = dot->dag->task[number].memory;
	err = attributes(dot, &said);
	set(dot, number, &said);
	return err;
}

/* name = value, of the graph?  Looks ahead, as the name is no task. */
static bool is_assignment(const struct dot *dot)
{
	struct dag_scan ahead = *dot->scan;

	ahead.why = NULL;
	return dot->next.kind == NAME && !skip(&ahead) && dag_peek(&ahead) == '=';
}

static int body(struct dot *dot)
{
	int err = 0;

	while (!err && !is_sign(dot, '}')) {
		if (dot->next.kind == END)
			return refuse(dot, "expected }");
		if (is_sign(dot, ';'))
			err = advance(dot);
		else
			err = is_assignment(dot) ? attribute(dot, NULL) : statement(dot);
	}
	err = err ? err : advance(dot);
	return err || dot->next.kind == END ? err : refuse(dot, "expected nothing more");
}

static int graph(struct dot *dot)
{
	int err = advance(dot);

	if (!err && is_keyword(dot, "strict"))
		err = advance(dot);
	if (!err && !is_keyword(dot, "digraph"))
		return refuse(dot, "expected digraph");
	err = err ? err : advance(dot);
	if (!err && dot->next.kind == NAME)
		err = advance(dot);
	err = err ? err : expect_sign(dot, '{', "expected {");
	return err ? err : body(dot);
}

int equant_dag_read_dot(struct dag_scan *scan, struct equant_dag *dag)
{
	struct dot dot = { .scan = scan,
			   .dag = dag,
			   .names.dag = dag,
			   .node.weight = UNKNOWN,
			   .edge.of_edge = true };
	int err = graph(&dot);

	for (int i = 0; i < dag->tasks && !err; i++)
		if (dag->task[i].work < 0)
			err = equant_dag_say(scan->why, scan->why_size, -EINVAL,
					     "%s:%d: '%s': a task without a weight", scan->path,
					     dot.line[i], dag->task[i].name);
	free(dot.names.slot);
	free(dot.line);
	return err;
}
