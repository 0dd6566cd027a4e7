// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule as a Gantt chart, in a terminal and as SVG: a row for each processor, and below it
 * one for each link that takes messages from it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "dag.h"
#include "gantt.h"

/* What the rows of the chart are made from. */
struct chart {
	const struct equant_dag *dag;
	const struct equant_dag_schedule *schedule;
	struct dag_row *rows;
};

static void row_name(const void *of, int row, char text[GANTT_TEXT])
{
	const struct chart *chart = of;

	dag_row_name(&chart->rows[row], text);
}

static bool next_block(const void *of, int row, int64_t *at, struct gantt_block *block)
{
	const struct chart *chart = of;
	const struct dag_row *from = &chart->rows[row];
	int number = (int)*at;
	bool found = dag_next(chart->dag, chart->schedule, from, &number, block->text,
			      &block->start, &block->finish);

	block->class = from->from == from->to ? "task" : "message";
	*at = number;
	return found;
}

/* In a schedule from a file messages may come when the last task has ended. */
static double last_finish(const struct equant_dag_schedule *schedule)
{
	double last = schedule->makespan;

	for (int m = 0; m < schedule->messages; m++)
		last = fmax(last, schedule->message[m].finish);
	return last;
}

static int make(struct gantt *gantt, struct chart *chart, int processors)
{
	chart->rows = dag_rows(chart->schedule, processors, &gantt->rows);
	gantt->title = chart->schedule->scheduler;
	gantt->length = last_finish(chart->schedule);
	gantt->of = chart;
	gantt->name = row_name;
	gantt->next = next_block;
	return chart->rows ? 0 : -ENOMEM;
}

int dag_draw(FILE *out, const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	     int processors)
{
	struct chart chart = { .dag = dag, .schedule = schedule };
	struct gantt gantt;
	int err = make(&gantt, &chart, processors);

	if (!err)
		err = gantt_draw(out, &gantt);
	free(chart.rows);
	return err;
}

int dag_svg(FILE *out, const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	    int processors)
{
	struct chart chart = { .dag = dag, .schedule = schedule };
	struct gantt gantt;
	int err = make(&gantt, &chart, processors);

	if (!err)
		gantt_svg(out, &gantt);
	free(chart.rows);
	return err;
}
