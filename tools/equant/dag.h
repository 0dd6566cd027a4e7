/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_DAG_H
#define EQUANT_TOOL_DAG_H

#include <stdbool.h>
#include <stdio.h>

#include <equant/dag.h>

/**
 * struct dag_answer - what one scheduler says
 * @scheduler: its name
 * @schedule: what it made
 * @improved: the same after the improvement pass, or NULL if that was not asked for
 */
struct dag_answer {
	const char *scheduler;
	struct equant_dag_schedule *schedule;
	struct equant_dag_schedule *improved;
};

/**
 * struct dag_report - all that is printed
 * @path: of the graph
 * @dag: the graph
 * @machine: what was planned for
 * @actual: what the plan was carried out on, or NULL
 * @bounds: of the graph on @machine
 * @answers: of the schedulers that were asked
 * @count: how many
 * @optimum: the shortest schedule of all, or NULL if that was not asked for
 * @planned: the shortest of @answers, improved or not
 * @done: the same on @actual, or NULL
 */
struct dag_report {
	const char *path;
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
	struct equant_dag_machine *actual;
	struct equant_dag_bounds bounds;
	struct dag_answer *answers;
	int count;
	struct equant_dag_schedule *optimum;
	const struct equant_dag_schedule *planned;
	struct equant_dag_schedule *done;
};

#define DAG_NAME EQUANT_DAG_NAME

/* --format of `equant @command`: @word if it is one that equant_dag_read() knows, or NULL after a message. */
const char *dag_format(const char *command, const char *word);

/* A row of a chart: processor @from, or, if @to is not the same, the link between them. */
struct dag_row {
	int from;
	int to;
};

/* All processors, each followed by the links from it whose messages take time.  NULL: no memory. */
struct dag_row *dag_rows(const struct equant_dag_schedule *schedule, int processors, int *count);

/* The next thing of @row at or behind number *@at: its label in @text, and when.  False: none. */
bool dag_next(const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	      const struct dag_row *row, int *at, char text[DAG_NAME], double *start,
	      double *finish);

/* What a row is called: "2", or "2>0". */
const char *dag_row_name(const struct dag_row *row, char text[DAG_NAME]);

/* Both: 0, or -errno. */
int dag_draw(FILE *out, const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	     int processors);
int dag_svg(FILE *out, const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	    int processors);

void dag_print_compare(const struct dag_report *report);
int dag_print_schedule(const struct dag_report *report);
void dag_print_json(const struct dag_report *report, bool compare);

/* equant dag generate: prints a graph of a family as JSON; the exit status. */
int dag_generate(int argc, char **argv);

/* equant dag draw: the chart of a schedule from a file; the exit status. */
int dag_show(int argc, char **argv);

/* equant dag experiment: prints average lengths of schedules; the exit status. */
int dag_experiment(int argc, char **argv);

#endif /* EQUANT_TOOL_DAG_H */
