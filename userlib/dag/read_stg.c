// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The format of the Standard Task Graph Set: T. Tobita, H. Kasahara, A Standard Task Graph Set for
 * Fair Evaluation of Multiprocessor Scheduling Algorithms, Journal of Scheduling 5(5), 2002.
 *
 *	n
 *	task work predecessors [predecessor ...]	for tasks 0 to n + 1, 0 and n + 1 added
 *							as the beginning and the end
 *
 * With communication a task's predecessors follow in lines of their own, each with its data.  In
 * the format of the prototype set a number of processors is behind n, and tasks are 1 to n + 1.
 * # begins a comment.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scan.h"

struct stg {
	struct dag_scan *scan;
	struct equant_dag *dag;
	int first; /* number of the first task */
};

/* Blanks and comments; lines too. */
static void skip(struct dag_scan *scan, bool lines)
{
	bool comment = false;

	for (; !dag_at_end(scan); dag_step(scan)) {
		char c = dag_peek(scan);

		if (c == '\n' && !lines)
			return;
		if (c == '#' || c == '\n')
			comment = c == '#';
		else if (!comment && c != ' ' && c != '\t' && c != '\r')
			return;
	}
}

static bool at_line_end(struct dag_scan *scan)
{
	skip(scan, false);
	return dag_at_end(scan) || dag_peek(scan) == '\n';
}

static struct dag_word word(struct dag_scan *scan)
{
	struct dag_word word;

	skip(scan, true);
	word = (struct dag_word){ scan->text + scan->at, 0, scan->line };
	while (!dag_at_end(scan) && !strchr(" \t\r\n#", dag_peek(scan))) {
		dag_step(scan);
		word.length++;
	}
	return word;
}

static int whole(struct stg *stg, int least, int most, int *value)
{
	struct dag_word next = word(stg->scan);

	if (!next.length)
		return equant_dag_refuse_here(stg->scan, "expected a number");
	return equant_dag_whole(stg->scan, &next, least, most, value);
}

static int number(struct stg *stg, double *value)
{
	struct dag_word next = word(stg->scan);

	if (!next.length)
		return equant_dag_refuse_here(stg->scan, "expected a number");
	return equant_dag_number(stg->scan, &next, value);
}

static int line_end(struct stg *stg)
{
	struct dag_word more;

	if (at_line_end(stg->scan))
		return 0;
	more = word(stg->scan);
	return equant_dag_refuse(stg->scan, &more, "unexpected");
}

/* Predecessors come before the tasks that need them, as in the whole set. */
static int predecessors(struct stg *stg, int task, int count)
{
	bool with_data = at_line_end(stg->scan);
	int last = stg->first + task - 1, err = 0;

	for (int i = 0; i < count && !err; i++) {
		double data = 0;
		int from;

		if (!with_data && at_line_end(stg->scan))
			return equant_dag_refuse_here(stg->scan, "expected another predecessor");
		err = whole(stg, stg->first, last, &from);
		if (!err && with_data)
			err = number(stg, &data);
		if (!err && with_data)
			err = line_end(stg);
		if (!err)
			err = equant_dag_add_edge(stg->dag, from - stg->first, task, data);
	}
	return err;
}

static int one_task(struct stg *stg, int task)
{
	char name[EQUANT_DAG_NAME];
	int called, count = 0, err;
	double work = 0;

	err = whole(stg, stg->first + task, stg->first + task, &called);
	if (!err)
		err = number(stg, &work);
	if (!err)
		err = whole(stg, 0, task, &count);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%d", called);
	err = equant_dag_add_task(stg->dag, name, work);
	err = err < 0 ? err : predecessors(stg, task, count);
	return err ? err : line_end(stg);
}

int equant_dag_read_stg(struct dag_scan *scan, struct equant_dag *dag)
{
	struct stg stg = { scan, dag, 0 };
	int tasks = 0, processors, err = whole(&stg, 1, EQUANT_DAG_TASKS - 2, &tasks);

	if (!err && !at_line_end(scan)) {
		stg.first = 1;
		err = whole(&stg, 1, EQUANT_DAG_PROCESSORS, &processors);
	}
	err = err ? err : line_end(&stg);
	for (int i = 0; !err && i < tasks + 2 - stg.first; i++)
		err = one_task(&stg, i);
	skip(scan, true);
	if (!err && !dag_at_end(scan)) {
		struct dag_word more = word(scan);

		err = equant_dag_refuse(scan, &more, "more than the number of tasks");
	}
	return err;
}
