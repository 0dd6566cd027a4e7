// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The rows of a chart: what happens on each processor, and on the links that messages take.
 */
#include <stdlib.h>
#include <string.h>

#include "dag.h"

/* As its user knows it. */
static void name_of(const struct equant_dag *dag, int task, char text[DAG_NAME])
{
	if (dag->task[task].name[0])
		snprintf(text, DAG_NAME, "%s", dag->task[task].name);
	else
		snprintf(text, DAG_NAME, "%d", task);
}

const char *dag_row_name(const struct dag_row *row, char text[DAG_NAME])
{
	if (row->from == row->to)
		snprintf(text, DAG_NAME, "%d", row->from);
	else
		snprintf(text, DAG_NAME, "%d>%d", row->from, row->to);
	return text;
}

static int in_order(const void *a, const void *b)
{
	const struct dag_row *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	/* The processor itself comes first. */
	if ((x->from == x->to) != (y->from == y->to))
		return x->from == x->to ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

struct dag_row *dag_rows(const struct equant_dag_schedule *schedule, int processors, int *count)
{
	int all = processors, kept = 0;
	struct dag_row *rows =
		calloc((size_t)processors + (size_t)schedule->messages, sizeof(*rows));

	if (!rows)
		return NULL;
	for (int k = 0; k < processors; k++)
		rows[k] = (struct dag_row){ k, k };
	for (int i = 0; i < schedule->messages; i++) {
		const struct equant_dag_message *message = &schedule->message[i];

		if (message->finish > message->start)
			rows[all++] = (struct dag_row){ message->from, message->to };
	}
	qsort(rows, (size_t)all, sizeof(*rows), in_order);
	for (int i = 0; i < all; i++)
		if (!kept || memcmp(&rows[kept - 1], &rows[i], sizeof(*rows)))
			rows[kept++] = rows[i];
	*count = kept;
	return rows;
}

static bool next_task(const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
		      int processor, int *at, char text[DAG_NAME], double *start, double *finish)
{
	while (*at < schedule->slots && schedule->slot[*at].processor != processor)
		++*at;
	if (*at == schedule->slots)
		return false;
	name_of(dag, schedule->slot[*at].task, text);
	*start = schedule->slot[*at].start;
	*finish = schedule->slot[*at].finish;
	++*at;
	return true;
}

/* A message is called after the task whose data it has. */
bool dag_next(const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	      const struct dag_row *row, int *at, char text[DAG_NAME], double *start,
	      double *finish)
{
	const struct equant_dag_message *message;

	if (row->from == row->to)
		return next_task(dag, schedule, row->from, at, text, start, finish);
	while (*at < schedule->messages &&
	       (schedule->message[*at].from != row->from || schedule->message[*at].to != row->to))
		++*at;
	if (*at == schedule->messages)
		return false;
	message = &schedule->message[(*at)++];
	name_of(dag, dag->edge[message->edge].from, text);
	*start = message->start;
	*finish = message->finish;
	return true;
}
