// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A schedule as a Gantt chart, in a terminal and as SVG: a row for each processor, and below it
 * one for each link that takes messages from it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag.h"
#include "svg.h"
#include "timeline.h"

#define LABEL 8 /* columns */
#define LEAST 20

/* ---- text ------------------------------------------------------------------------------------ */

static int column(double t, double makespan, int columns)
{
	return makespan > 0 ? (int)lround(t / makespan * columns) : 0;
}

/* [name--], or what there is room for. */
static void put_block(char *line, int from, int to, const char *name)
{
	int length = (int)strlen(name);

	if (to <= from)
		return;
	memset(line + from, '-', (size_t)(to - from));
	line[from] = '[';
	line[to - 1] = to - from > 1 ? ']' : '|';
	if (length <= to - from - 2)
		memcpy(line + from + 1, name, (size_t)length);
}

static int draw_row(FILE *out, const struct equant_dag *dag,
		    const struct equant_dag_schedule *schedule, const struct dag_row *row,
		    int columns)
{
	char *line = malloc((size_t)columns + 1), name[DAG_NAME];
	double start, finish;
	int at = 0;

	if (!line)
		return -ENOMEM;
	memset(line, ' ', (size_t)columns);
	while (dag_next(dag, schedule, row, &at, name, &start, &finish))
		put_block(line, column(start, schedule->makespan, columns),
			  column(finish, schedule->makespan, columns), name);
	for (at = columns; at > 0 && line[at - 1] == ' '; at--)
		;
	line[at] = '\0';
	fprintf(out, "%*s |%s\n", LABEL - 2, dag_row_name(row, name), line);
	free(line);
	return 0;
}

int dag_draw(FILE *out, const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	     int processors)
{
	int count, err = 0, columns = timeline_width(out) - LABEL;
	struct dag_row *rows = dag_rows(schedule, processors, &count);
	char end[32];

	if (!rows)
		return -ENOMEM;
	columns = columns < LEAST ? LEAST : columns;
	snprintf(end, sizeof(end), "%.6g", schedule->makespan);
	fprintf(out, "%*s0%*s\n", LABEL, "", columns - 1, end);
	for (int i = 0; i < count && !err; i++)
		err = draw_row(out, dag, schedule, &rows[i], columns);
	free(rows);
	return err;
}

/* ---- SVG ----------------------------------------------------------------------------------------- */

#define LEFT 70.0
#define TOP 40.0
#define WIDTH 900.0
#define ROW 24.0
#define BOTTOM 40.0
#define LETTER 7.0 /* width of one, about */

static void svg_block(FILE *out, const char *class, double x, double y, double width,
		      const char *name, double start, double finish)
{
	fprintf(out,
		"<rect class=\"%s\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\"><title>",
		class, x, y + 2, width, ROW - 4);
	svg_text(out, name);
	fprintf(out, ": %.6g to %.6g</title></rect>\n", start, finish);
	if (LETTER * (double)strlen(name) > width)
		return;
	fprintf(out, "<text x=\"%.2f\" y=\"%.0f\" text-anchor=\"middle\">", x + width / 2,
		y + ROW - 8);
	svg_text(out, name);
	fputs("</text>\n", out);
}

static void svg_row(FILE *out, const struct equant_dag *dag,
		    const struct equant_dag_schedule *schedule, const struct dag_row *row, double y)
{
	double start, finish, scale = schedule->makespan > 0 ? WIDTH / schedule->makespan : 0;
	const char *class = row->from == row->to ? "task" : "message";
	char name[DAG_NAME];
	int at = 0;

	fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">", LEFT - 8, y + ROW - 8);
	svg_text(out, dag_row_name(row, name));
	fputs("</text>\n", out);
	while (dag_next(dag, schedule, row, &at, name, &start, &finish))
		svg_block(out, class, LEFT + start * scale, y, (finish - start) * scale, name,
			  start, finish);
}

static void svg_head(FILE *out, const struct equant_dag_schedule *schedule, double height)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n"
		"<style>\n"
		"text{font:12px sans-serif;fill:#222} rect{stroke:#fff;stroke-width:.5}\n"
		".task{fill:#7aa6d8} .message{fill:#e3b47a}\n"
		"</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		LEFT + WIDTH + LEFT, height, LEFT + WIDTH + LEFT, height);
	fprintf(out, "<text x=\"%.0f\" y=\"22\" font-weight=\"bold\">", LEFT);
	svg_text(out, schedule->scheduler);
	fprintf(out, ": %.6g</text>\n", schedule->makespan);
}

int dag_svg(FILE *out, const struct equant_dag *dag, const struct equant_dag_schedule *schedule,
	    int processors)
{
	int count;
	struct dag_row *rows = dag_rows(schedule, processors, &count);
	double bottom;

	if (!rows)
		return -ENOMEM;
	bottom = TOP + ROW * count;
	svg_head(out, schedule, bottom + BOTTOM);
	for (int i = 0; i < count; i++)
		svg_row(out, dag, schedule, &rows[i], TOP + ROW * i);
	for (int i = 0; i <= 4; i++)
		fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%.4g</text>\n",
			LEFT + WIDTH * i / 4, bottom + 18, schedule->makespan * i / 4);
	fputs("</svg>\n", out);
	free(rows);
	return 0;
}
