// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Graphs and machines from text: what is read, and what is said of what cannot be.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dag/scan.h"
#include "kselftest_harness.h"
#include "libdag.h"

FIXTURE(read)
{
	char why[200];
	char line[DAG_LINE];
};

FIXTURE_SETUP(read)
{
	strcpy(self->why, "nothing said");
}

FIXTURE_TEARDOWN(read)
{
}

/* "a=3 b=1/20; a>b:5", or what was said; 20 is memory. */
static const char *graph_line(const char *format, const char *text, char *why, char line[DAG_LINE])
{
	struct equant_dag *dag = equant_dag_parse(format, "f", text, strlen(text), why, 200);
	int at = 0;

	if (!dag)
		return why;
	for (int i = 0; i < dag->tasks; i++) {
		at += snprintf(line + at, DAG_LINE - (size_t)at, "%s%s=%g", i ? " " : "",
			       dag->task[i].name, dag->task[i].work);
		if (dag->task[i].memory)
			at += snprintf(line + at, DAG_LINE - (size_t)at, "/%.0f",
				       (double)dag->task[i].memory);
	}
	at += snprintf(line + at, DAG_LINE - (size_t)at, ";");
	for (int e = 0; e < dag->edges; e++)
		at += snprintf(line + at, DAG_LINE - (size_t)at, " %d>%d:%g", dag->edge[e].from,
			       dag->edge[e].to, dag->edge[e].data);
	equant_dag_free(dag);
	return line;
}

#define reads(format, text, expected) \
	EXPECT_STREQ(expected, graph_line(format, text, self->why, self->line))

/* A text that is no graph, and what is said of it. */
struct fault {
	const char *text;
	const char *said;
};

#define refuses(format, faults)                                             \
	for (size_t i = 0; i < sizeof(faults) / sizeof((faults)[0]); i++) { \
		reads(format, (faults)[i].text, (faults)[i].said);          \
	}

TEST_F(read, dot)
{
	reads("dot", "digraph { a [weight=3]; b [weight=1] a -> b [weight=5] }", "a=3 b=1; 0>1:5");
	reads("dot",
	      "# comment\nstrict digraph \"a graph\" {\n\trankdir=LR // too\n"
	      "\tnode [shape=box, weight=2] /* and\n this */ edge [weight=\"4\"];\n"
	      "\t\"x y\" [label=\"say \\\"no\\\"\"][weight=.5]\n\t\"x y\" -> b -> c\n"
	      "\tb -> d [weight=1;color=red];\n}\n",
	      "x y=0.5 b=2 c=2 d=2; 0>1:4 1>2:4 1>3:1");
	reads("dot", "digraph{node[weight=1]a->b}", "a=1 b=1; 0>1:0");
	reads("dot", "digraph{memory=\"2 GB\" graph[weight=x] node[weight=1] a->b[memory=\"4k\"]}",
	      "a=1 b=1; 0>1:0");
	reads("dot", "digraph{node[weight=1]\"a\\\\\"->\"\\n\"}", "a\\\\=1 \\n=1; 0>1:0");
	reads("dot", "digraph{node[weight=1]/*/node[weight=7]/**/a->b}", "a=1 b=1; 0>1:0");
	reads("dot", "digraph{ node [weight=1, memory=20] a [memory=\"281474976710656\"] a->b }",
	      "a=1/281474976710656 b=1/20; 0>1:0");
}

TEST_F(read, dot_that_is_none_is_refused_by_line_and_word)
{
	static const struct fault faults[] = {
		{ "graph { a -- b }", "f:1: 'graph': expected digraph" },
		{ "digraph {\n a [weight=1]\n a -> b\n}", "f:3: 'b': a task without a weight" },
		{ "digraph {\n a [weight=-1] }", "f:2: '-1': expected a number, not negative" },
		{ "digraph {\n a [weight=nan] }", "f:2: 'nan': expected a number, not negative" },
		{ "digraph {\n a [weight=1e999] }", "f:2: '1e999': too large for a number" },
		{ "digraph {\n node [weight=1]\n a -> b [weight=-2] }",
		  "f:3: '-2': expected a number, not negative" },
		{ "digraph {\n\n a [weight 1] }", "f:3: '1': expected =" },
		{ "digraph { a [weight=1]", "f:1: 'end of file': expected }" },
		{ "digraph { a [weight=1] } x", "f:1: 'x': expected nothing more" },
		{ "digraph {\n subgraph b { } }", "f:2: 'subgraph': subgraphs are not read" },
		{ "digraph {\n a [weight=1] a -> { b c } }", "f:2: '{': subgraphs are not read" },
		{ "digraph {\n a:n -> b }", "f:2: ':': ports are not read" },
		{ "digraph {\n \"a }", "f:2: '\"': a string without an end" },
		{ "digraph { /* a }", "f:1: '/*': a comment without an end" },
		{ "digraph {\n abcdefghijklmnopqrstuvwxyz0123456789 }",
		  "f:2: 'abcdefghijklmnopqrstuvwxyz0123456789': too long for a task's name" },
		{ "digraph {\n a [weight=1 memory=1.5] }", "f:2: '1.5': expected a whole number" },
		{ "digraph {\n a [weight=1 memory=281474976710657] }",
		  "f:2: '281474976710657': not from 0 to 281474976710656" },
		{ "digraph { }", "f: a graph without tasks" },
		{ "", "f:1: 'end of file': expected digraph" },
	};

	refuses("dot", faults);
}

/* The prototype set's files say how many processors, and have no task 0. */
TEST_F(read, stg)
{
	reads("stg", " 2\n 0 0 0\n 1 3 1 0\n 2 4.5 2 0 1\n 3 0 1 2\n# Standard Task Graph\n",
	      "0=0 1=3 2=4.5 3=0; 0>1:0 0>2:0 1>2:0 2>3:0");
	reads("stg", "1\n0 0 0\n1 3 1\n  0 7\n2 0 1\n  1 2.5\n", "0=0 1=3 2=0; 0>1:7 1>2:2.5");
	reads("stg", "2 3\n1 14 0\n2 20 1 1\n3 0 2 1 2", "1=14 2=20 3=0; 0>1:0 0>2:0 1>2:0");
}

TEST_F(read, stg_that_is_none_is_refused_by_line_and_word)
{
	static const struct fault faults[] = {
		{ "", "f:1: 'end of file': expected a number" },
		{ "1\n0 0 0\n2 3 1 0\n", "f:3: '2': expected 1" },
		{ "1\n0 0 0\n1 3 1 1\n", "f:3: '1': expected 0" },
		{ "1\n0 0 0\n1 3 2 0\n", "f:3: '2': not from 0 to 1" },
		{ "1\n0 0 0\n1 3 1 0\n", "f:4: 'end of file': expected a number" },
		{ "2\n0 0 0\n1 3 1 0\n2 3 2 0\n3 0 1 2\n",
		  "f:4: '?': expected another predecessor" },
		{ "1\n0 0 0\n1 x 1 0\n", "f:3: 'x': expected a number, not negative" },
		{ "1\n0 0 0\n1 -2 1 0\n", "f:3: '-2': expected a number, not negative" },
		{ "1\n0 0 0\n1 nan 1 0\n", "f:3: 'nan': expected a number, not negative" },
		{ "1\n0 0 0\n1 1 1 0 0\n", "f:3: '0': unexpected" },
		{ "1\n0 0 0\n1 1 1 0\n2 0 1 1\n3 0 0\n",
		  "f:5: '3': more than the number of tasks" },
		{ "1\n0 0 0.5\n", "f:2: '0.5': expected a whole number" },
		{ "1\n0 0 0\n1 1 0\n2 0 2 1 1\n", "f: two edges from task 1 to task 2" },
	};

	refuses("stg", faults);
}

TEST_F(read, json)
{
	reads("json",
	      "{ \"tasks\": [ { \"name\": \"a\", \"work\": 3 },\n { \"work\": 1e1 } ],\n"
	      "\"edges\": [ { \"from\": \"a\", \"to\": 1, \"data\": 0.5 } ] }",
	      "a=3 =10; 0>1:0.5");
	reads("json", "{\"tasks\":[{\"work\":1,\"memory\":1e6},{\"work\":2}]}", "=1/1000000 =2;");
	reads("json", "{\"tasks\":[{\"work\":0,\"name\":\"\\u00e9\\ud83d\\ude00\\/\"}]}",
	      "\xc3\xa9\xf0\x9f\x98\x80/=0;");
}

TEST_F(read, json_that_is_none_is_refused_by_line_and_word)
{
	static const struct fault faults[] = {
		{ "[]", "f:1: '[': expected {" },
		{ "{\n\"tasks\": [ { \"name\": \"a\" } ] }",
		  "f:2: 'work': missing before the } in this line" },
		{ "{ \"edges\": [] }", "f:1: 'tasks': missing before the } in this line" },
		{ "{ \"tasks\": [ { \"work\": 01 } ] }", "f:1: '01': expected a number" },
		{ "{ \"tasks\": [ { \"work\": NaN } ] }", "f:1: 'NaN': expected a number" },
		{ "{ \"tasks\": [ { \"work\": \"1\" } ] }",
		  "f:1: '\"': expected a number, without quotes" },
		{ "{ \"tasks\": [ { \"work\": -1 } ] }",
		  "f:1: '-1': expected a number, not negative" },
		{ "{ \"tasks\": [ { \"work\": 1 }, { \"work\": 1 } ],\n"
		  "\"edges\": [ { \"from\": 0, \"to\": 1, \"data\": -1 } ] }",
		  "f:2: '-1': expected a number, not negative" },
		{ "{ \"tasks\": [ { \"work\": 1, \"work\": 2 } ] }", "f:1: 'work': a second one" },
		{ "{ \"tasks\": [ { \"work\": 1, \"memory\": 0.5 } ] }",
		  "f:1: '0.5': expected a whole number" },
		{ "{ \"tasks\": [\n{ \"wrok\": 1 } ] }", "f:2: 'wrok': not known here" },
		{ "{ \"tasks\": [ { \"work\": 1 } { } ] }", "f:1: '{': expected , or ]" },
		{ "{ \"tasks\": [ { \"work\": 1 } ], }", "f:1: '}': expected a string" },
		{ "{ \"tasks\": [ { \"work\": 1 } ] } {", "f:1: '{': expected nothing more" },
		{ "{ \"tasks\": [ { \"work\": 1, \"name\": \"a",
		  "f:1: 'end of file': not in a string" },
		{ "{ \"tasks\": [ { \"work\": 1, \"name\": \"\\q\" } ] }", "f:1: 'q': no escape" },
		{ "{ \"tasks\": [ { \"work\": 1, \"name\": \"\\ud800x\" } ] }",
		  "f:1: 'x': expected the other half of a character" },
		{ "{ \"tasks\": [ { \"name\": \"a\", \"work\": 1 },\n{ \"name\": \"a\", \"work\": 1 } ] }",
		  "f:2: 'a': a second task of this name" },
	};

	refuses("json", faults);
}

TEST_F(read, unknown_tasks_and_cycles_are_named)
{
	reads("json",
	      "{ \"edges\": [ { \"from\": 0, \"to\": 0 } ],\n\"tasks\": [ { \"work\": 1 } ] }",
	      "f:1: '0': no task of this number before");
	reads("json",
	      "{ \"tasks\": [ { \"work\": 1 } ],\n\"edges\": [ { \"from\": 0, \"to\": \"b\" } ] }",
	      "f:2: 'b': no task of this name before");
	reads("json",
	      "{ \"tasks\": [ { \"work\": 1 } ],\n\"edges\": [ { \"from\": 0, \"to\": 1 } ] }",
	      "f:2: '1': no task of this number before");
	reads("dot", "digraph { node [weight=1] a -> b -> c -> a }",
	      "f: cycle of 3 tasks: a -> b -> c -> a");
	reads("json",
	      "{ \"tasks\": [ { \"work\": 1 }, { \"work\": 1 } ],\n"
	      "\"edges\": [ { \"from\": 0, \"to\": 1 }, { \"from\": 1, \"to\": 0 } ] }",
	      "f: cycle of 2 tasks: 0 -> 1 -> 0");
	reads("json",
	      "{ \"tasks\": [ { \"work\": 1 }, { \"work\": 1 } ],\n"
	      "\"edges\": [ { \"from\": 0, \"to\": 1 }, { \"from\": 0, \"to\": 1 } ] }",
	      "f: two edges from task 0 to task 1");
	reads("json", "{ \"tasks\": [ ] }", "f: a graph without tasks");
	reads("dot", "digraph { node [weight=1] a -> b a -> b }",
	      "f: two edges from task a to task b");
}

TEST_F(read, many_tasks_are_found_by_name)
{
	char text[40000];
	int at = snprintf(text, sizeof(text), "digraph { node [weight=1] ");
	struct equant_dag *dag;

	for (int i = 0; i < 1500; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "t%d->t%d ", i, (i + 1) * 2);
	snprintf(text + at, sizeof(text) - (size_t)at, "}");
	dag = equant_dag_parse("dot", "f", text, strlen(text), self->why, sizeof(self->why));
	ASSERT_NE(NULL, dag);
	EXPECT_EQ(1500, dag->edges);
	for (int e = 0; e < dag->edges; e++) {
		EXPECT_EQ(e, atoi(dag->task[dag->edge[e].from].name + 1));
		EXPECT_EQ(2 * (e + 1), atoi(dag->task[dag->edge[e].to].name + 1));
	}
	equant_dag_free(dag);
}

/* ---- machines ------------------------------------------------------------------------------ */

static const char *machine_fault(const char *text, char why[200])
{
	equant_dag_machine_free(equant_dag_machine_parse("f", text, strlen(text), why, 200));
	return why;
}

TEST_F(read, machine)
{
	const char *text =
		"{ \"processors\": [1, 2.5], \"startup\": 3, \"data_rate\": 4,\n"
		"\"channels\": \"duplex\", \"overlap\": false,\n"
		"\"memory\": [8, 9], \"pinned\": [ { \"task\": 2, \"processor\": 1 } ],\n"
		"\"links\": [ { \"from\": 1, \"to\": 0, \"data_rate\": 5 } ],\n"
		"\"costs\": [ [6, 7], [8, 9], [0, 1] ] }";
	struct equant_dag_machine *machine =
		equant_dag_machine_parse("f", text, strlen(text), self->why, sizeof(self->why));

	ASSERT_NE(NULL, machine);
	EXPECT_EQ(2, machine->processors);
	EXPECT_EQ(2.5, machine->rate[1]);
	EXPECT_EQ(3, machine->startup[1]);
	EXPECT_EQ(4, machine->data_rate[1]);
	EXPECT_EQ(0, machine->startup[2]);
	EXPECT_EQ(5, machine->data_rate[2]);
	EXPECT_EQ(EQUANT_DAG_DUPLEX, (int)machine->channels);
	EXPECT_EQ(EQUANT_DAG_NO_OVERLAP, (int)machine->overlap);
	EXPECT_EQ(8, (int)machine->memory[0]);
	EXPECT_EQ(9, (int)machine->memory[1]);
	ASSERT_LT(2, machine->pins);
	EXPECT_EQ(-1, machine->pin[1]);
	EXPECT_EQ(1, machine->pin[2]);
	EXPECT_EQ(3, machine->tasks);
	EXPECT_EQ(9, machine->cost[3]);
	equant_dag_machine_free(machine);
}

static struct equant_dag_machine *machine_of(const char *first, const char *last)
{
	char text[300];

	snprintf(text, sizeof(text), "{ \"processors\": [1, 1, 1], %s, %s }", first, last);
	return equant_dag_machine_parse("f", text, strlen(text), NULL, 0);
}

/* Wherever it is in the file, and also where what is said of all is in two places. */
TEST_F(read, a_single_link_goes_before_all_links)
{
	const char *all = "\"startup\": 3, \"data_rate\": 4";
	const char *single = "\"links\": [ { \"from\": 0, \"to\": 1, \"data_rate\": 50 },\n"
			     "{ \"from\": 2, \"to\": 1, \"startup\": 60, \"data_rate\": 70 } ]";
	const char *first[] = { all, single, "\"data_rate\": 4" };
	const char *last[] = { single, all,
			       "\"links\": [ { \"from\": 0, \"to\": 1, \"data_rate\": 50 },\n"
			       "{ \"from\": 2, \"to\": 1, \"startup\": 60, \"data_rate\": 70 } ],\n"
			       "\"startup\": 3" };
	const double startup[9] = { 0, 0, 3, 3, 0, 3, 3, 60, 0 };
	const double data_rate[9] = { 0, 50, 4, 4, 0, 4, 4, 70, 0 };

	for (int i = 0; i < 3; i++) {
		struct equant_dag_machine *machine = machine_of(first[i], last[i]);

		ASSERT_NE(NULL, machine);
		for (int link = 0; link < 9; link++) {
			EXPECT_EQ(startup[link], machine->startup[link])
			TH_LOG("order %d, link %d", i, link);
			EXPECT_EQ(data_rate[link], machine->data_rate[link])
			TH_LOG("order %d, link %d", i, link);
		}
		equant_dag_machine_free(machine);
	}
}

TEST_F(read, a_machine_that_is_none_is_refused_by_line_and_word)
{
	EXPECT_STREQ("f:1: 'processors': at least one",
		     machine_fault("{ \"processors\": [] }", self->why));
	EXPECT_STREQ("f:1: '0': a rate is above 0",
		     machine_fault("{ \"processors\": [1, 0] }", self->why));
	EXPECT_STREQ("f:1: 'overlap': processors come first",
		     machine_fault("{ \"overlap\": true }", self->why));
	EXPECT_STREQ("f:2: 'maybe': expected true or false",
		     machine_fault("{ \"processors\": [1],\n\"overlap\": maybe }", self->why));
	EXPECT_STREQ("f:2: 'some': expected true, false or \"progress\"",
		     machine_fault("{ \"processors\": [1],\n\"overlap\": \"some\" }", self->why));
	EXPECT_STREQ("f:2: 'memory': one number for each processor",
		     machine_fault("{ \"processors\": [1, 1],\n\"memory\": [5] }", self->why));
	EXPECT_STREQ("f:2: 'memory': one number for each processor",
		     machine_fault("{ \"processors\": [1],\n\"memory\": [5, 6] }", self->why));
	EXPECT_STREQ("f:1: '-5': expected a number, not negative",
		     machine_fault("{ \"processors\": [1], \"memory\": [-5] }", self->why));
	EXPECT_STREQ(
		"f:2: 'links': a link that there is already",
		machine_fault(
			"{ \"processors\": [1, 1], \"links\": [ { \"from\": 0, \"to\": 1, \"data_rate\": 2 },\n{ \"from\": 0, \"to\": 1, \"data_rate\": 3 } ] }",
			self->why));
	EXPECT_STREQ(
		"f:2: 'task': one that is pinned already",
		machine_fault(
			"{ \"processors\": [1], \"pinned\": [ { \"task\": 0, \"processor\": 0 },\n{ \"task\": 0, \"processor\": 0 } ] }",
			self->why));
	EXPECT_STREQ(
		"f:1: '1': expected 0",
		machine_fault(
			"{ \"processors\": [1], \"pinned\": [ { \"task\": 0, \"processor\": 1 } ] }",
			self->why));
	EXPECT_STREQ("f:2: 'bus': expected free, shared or duplex",
		     machine_fault("{ \"processors\": [1],\n\"channels\": \"bus\" }", self->why));
	EXPECT_STREQ("f:2: 'costs': a row has one for each processor",
		     machine_fault("{ \"processors\": [1, 1],\n\"costs\": [ [1] ] }", self->why));
	EXPECT_STREQ("f:1: '2': not from 0 to 1",
		     machine_fault("{ \"processors\": [1, 1], \"links\": [ { \"from\": 2 } ] }",
				   self->why));
	EXPECT_STREQ("f:1: '0': a rate is above 0",
		     machine_fault("{ \"processors\": [1, 1], \"data_rate\": 0 }", self->why));
	EXPECT_STREQ("f:1: '-1': expected a number, not negative",
		     machine_fault("{ \"processors\": [1, -1] }", self->why));
	EXPECT_STREQ("f:2: '-1': expected a number, not negative",
		     machine_fault("{ \"processors\": [1, 1],\n\"startup\": -1 }", self->why));
	EXPECT_STREQ("f:2: '-2': expected a number, not negative",
		     machine_fault("{ \"processors\": [1],\n\"costs\": [ [-2] ] }", self->why));
}

/* ---- files --------------------------------------------------------------------------------- */

TEST_F(read, files_are_known_by_their_endings)
{
	char path[] = "/tmp/equant-dag-XXXXXX.gv";
	int file = mkstemps(path, 3);
	struct equant_dag *dag;

	ASSERT_LE(0, file);
	ASSERT_EQ(26, write(file, "digraph { a [weight = 2] }", 26));
	dag = equant_dag_read(path, NULL, self->why, sizeof(self->why));
	EXPECT_EQ(NULL, equant_dag_read(path, "stg", self->why, sizeof(self->why)));
	EXPECT_EQ(NULL, equant_dag_machine_read(path, self->why, sizeof(self->why)));
	EXPECT_EQ(EINVAL, errno);
	close(file);
	unlink(path);
	ASSERT_NE(NULL, dag);
	EXPECT_EQ(1, dag->tasks);
	equant_dag_free(dag);
	EXPECT_EQ(NULL, equant_dag_read("graph.txt", NULL, self->why, sizeof(self->why)));
	EXPECT_STREQ("graph.txt: the name ends in none of .dot, .gv, .stg and .json", self->why);
	EXPECT_EQ(NULL, equant_dag_read("nowhere.dot", NULL, self->why, sizeof(self->why)));
	EXPECT_STREQ("nowhere.dot: No such file or directory", self->why);
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(NULL, equant_dag_read("/", "dot", self->why, sizeof(self->why)));
	EXPECT_STREQ("/: Is a directory", self->why);
}

TEST_HARNESS_MAIN
