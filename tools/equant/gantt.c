// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Gantt charts: a row is a processor, a link or a side of a rank, a block what it is busy with.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gantt.h"
#include "plain.h"
#include "svg.h"
#include "timeline.h"

#define LABEL 8 /* columns */
#define LEAST 20

/* ---- text ------------------------------------------------------------------------------------ */

/* What is outside of the axis is at its end. */
static int column(double t, double length, int columns)
{
	double part = length > 0 ? t / length : 0;

	return (int)lround(fmin(fmax(part, 0), 1) * columns);
}

/* [name--], or what there is room for. */
static void put_block(char *line, int from, int to, const char *text)
{
	char name[PLAIN_SIZE(GANTT_TEXT)];
	int length = (int)strlen(plain_text(name, sizeof(name), text));

	if (to <= from)
		return;
	memset(line + from, '-', (size_t)(to - from));
	line[from] = '[';
	line[to - 1] = to - from > 1 ? ']' : '|';
	if (length <= to - from - 2)
		memcpy(line + from + 1, name, (size_t)length);
}

static void draw_row(FILE *out, const struct gantt *gantt, int row, char *line, int columns)
{
	struct gantt_block block;
	char name[GANTT_TEXT];
	int64_t at = 0;
	int end;

	memset(line, ' ', (size_t)columns);
	while (gantt->next(gantt->of, row, &at, &block))
		put_block(line, column(block.start, gantt->length, columns),
			  column(block.finish, gantt->length, columns), block.text);
	for (end = columns; end > 0 && line[end - 1] == ' '; end--)
		;
	line[end] = '\0';
	gantt->name(gantt->of, row, name);
	fprintf(out, "%*s |%s\n", LABEL - 2, name, line);
}

int gantt_draw(FILE *out, const struct gantt *gantt)
{
	int columns = timeline_width(out) - LABEL;
	char end[32], *line;

	columns = columns < LEAST ? LEAST : columns;
	line = malloc((size_t)columns + 1);
	if (!line)
		return -ENOMEM;
	snprintf(end, sizeof(end), "%.6g", gantt->length);
	fprintf(out, "%*s0%*s\n", LABEL, "", columns - 1, end);
	for (int i = 0; i < gantt->rows; i++)
		draw_row(out, gantt, i, line, columns);
	free(line);
	return 0;
}

/* ---- SVG ----------------------------------------------------------------------------------- */

#define LEFT 70.0
#define TOP 40.0
#define WIDTH 900.0
#define ROW 24.0
#define BOTTOM 40.0
#define LETTER 7.0 /* width of one, about */

static void svg_block(FILE *out, const struct gantt_block *block, double y, double scale)
{
	double x = LEFT + block->start * scale, width = (block->finish - block->start) * scale;

	fprintf(out,
		"<rect class=\"%s\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\"><title>",
		block->class, x, y + 2, width, ROW - 4);
	svg_text(out, block->text);
	fprintf(out, ": %.6g to %.6g</title></rect>\n", block->start, block->finish);
	if (LETTER * (double)strlen(block->text) > width)
		return;
	fprintf(out, "<text x=\"%.2f\" y=\"%.0f\" text-anchor=\"middle\">", x + width / 2,
		y + ROW - 8);
	svg_text(out, block->text);
	fputs("</text>\n", out);
}

static void svg_row(FILE *out, const struct gantt *gantt, int row, double y)
{
	double scale = gantt->length > 0 ? WIDTH / gantt->length : 0;
	struct gantt_block block;
	char name[GANTT_TEXT];
	int64_t at = 0;

	gantt->name(gantt->of, row, name);
	fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">", LEFT - 8, y + ROW - 8);
	svg_text(out, name);
	fputs("</text>\n", out);
	while (gantt->next(gantt->of, row, &at, &block))
		svg_block(out, &block, y, scale);
}

static void svg_head(FILE *out, const struct gantt *gantt, double height)
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
	svg_text(out, gantt->title);
	fprintf(out, ": %.6g</text>\n", gantt->length);
}

void gantt_svg(FILE *out, const struct gantt *gantt)
{
	double bottom = TOP + ROW * gantt->rows;

	svg_head(out, gantt, bottom + BOTTOM);
	for (int i = 0; i < gantt->rows; i++)
		svg_row(out, gantt, i, TOP + ROW * i);
	for (int i = 0; i <= 4; i++)
		fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%.4g</text>\n",
			LEFT + WIDTH * i / 4, bottom + 18, gantt->length * i / 4);
	fputs("</svg>\n", out);
}
