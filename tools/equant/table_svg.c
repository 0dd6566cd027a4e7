// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A table as a line chart: fractions or other numbers against the first column.
 */
#include <math.h>

#include "svg.h"
#include "table.h"

#define LEFT 60.0
#define TOP 50.0
#define PLOT_WIDTH 700.0
#define PLOT_HEIGHT 320.0
#define RIGHT 150.0
#define BOTTOM 60.0
#define TICKS 5

static const char *const colours[] = { "#1f5fa8", "#c03020", "#2a8a3a", "#8a5aa8", "#b07a10" };

#define COLOURS (sizeof(colours) / sizeof(colours[0]))

struct frame {
	double from, to; /* of the first column */
	double top; /* of the others; they begin at 0 */
};

/* The next number of one digit. */
static double rounded_up(double value)
{
	double power = pow(10, floor(log10(value)));

	return ceil(value / power - 1e-9) * power;
}

static double top_of(const struct table *table)
{
	int width = table_width(table);
	double most = 0;

	for (size_t r = 0; r < table->rows; r++)
		for (int c = 1; c < width; c++)
			if (table->columns[c].drawn && isfinite(table->values[r * width + c]))
				most = fmax(most, table->values[r * width + c]);
	return most > 1.05 || (most > 0 && most < 0.3) ? rounded_up(most) : 1;
}

static struct frame frame_of(const struct table *table)
{
	struct frame frame = { .from = 0, .to = 0 };
	int width = table_width(table);

	for (size_t r = 0; r < table->rows; r++)
		frame.to = fmax(frame.to, table->values[r * width]);
	if (frame.to <= 0)
		frame.to = 1;
	frame.top = top_of(table);
	return frame;
}

static double x_of(const struct frame *frame, double value)
{
	return LEFT + PLOT_WIDTH * (value - frame->from) / (frame->to - frame->from);
}

static double y_of(const struct frame *frame, double value)
{
	return TOP + PLOT_HEIGHT * (1 - fmin(fmax(value / frame->top, 0), 1.05));
}

static void put_head(FILE *out, const struct table *table)
{
	double width = LEFT + PLOT_WIDTH + RIGHT, height = TOP + PLOT_HEIGHT + BOTTOM;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n"
		"<style>\n"
		"text{font:12px sans-serif;fill:#222} .grid{stroke:#ddd} .line{fill:none;stroke-width:1.5}\n"
		"</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		width, height, width, height);
	fprintf(out, "<text x=\"%.0f\" y=\"24\" font-weight=\"bold\">", LEFT);
	svg_text(out, table->title);
	fprintf(out, "</text>\n<text x=\"%.0f\" y=\"40\">", LEFT);
	svg_text(out, table->note);
	fprintf(out, "</text>\n<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">",
		LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 42);
	svg_text(out, table->x_title);
	fputs("</text>\n", out);
}

static void put_grid(FILE *out, const struct frame *frame)
{
	for (int i = 0; i <= TICKS; i++) {
		double part = (double)i / TICKS, value = frame->top * part;
		double at = frame->from + (frame->to - frame->from) * part;

		fprintf(out,
			"<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
			LEFT, y_of(frame, value), LEFT + PLOT_WIDTH, y_of(frame, value), LEFT - 8,
			y_of(frame, value) + 4, value);
		fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
			x_of(frame, at), TOP + PLOT_HEIGHT + 18, at);
	}
}

/* A number that is not known leaves a gap. */
static void put_line(FILE *out, const struct table *table, const struct frame *frame, int column,
		     const char *colour)
{
	int width = table_width(table);
	char command = 'M';

	fprintf(out, "<path class=\"line\" stroke=\"%s\" d=\"", colour);
	for (size_t r = 0; r < table->rows; r++) {
		const double *row = table->values + r * width;

		if (!isfinite(row[column])) {
			command = 'M';
			continue;
		}
		fprintf(out, "%c%.2f %.2f", command, x_of(frame, row[0]), y_of(frame, row[column]));
		command = 'L';
	}
	fputs("\"/>\n", out);
}

static void put_name(FILE *out, const char *name, int line, const char *colour)
{
	fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" style=\"fill:%s\">", LEFT + PLOT_WIDTH + 12,
		TOP + 14 + 18.0 * line, colour);
	svg_text(out, name);
	fputs("</text>\n", out);
}

int table_svg(FILE *out, const struct table *table)
{
	struct frame frame = frame_of(table);
	int line = 0;

	put_head(out, table);
	put_grid(out, &frame);
	for (int c = 1; table->columns[c].name; c++) {
		const char *colour = colours[line % COLOURS];

		if (!table->columns[c].drawn)
			continue;
		put_line(out, table, &frame, c, colour);
		put_name(out, table->columns[c].name, line++, colour);
	}
	fputs("</svg>\n", out);
	return ferror(out) ? -1 : 0;
}
