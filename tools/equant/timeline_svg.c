// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The time line as SVG: per rank a filled band for the units it held, and lines for its share
 * of a CPU and its rate, as in Siegell 1995, figures 7.13 and 7.26.
 */
#include <math.h>

#include "svg.h"
#include "timeline.h"

#define LEFT 90.0
#define TOP 50.0
#define PLOT_WIDTH 800.0
#define BAND 60.0
#define GAP 16.0
#define RIGHT 90.0
#define BOTTOM 40.0

static double x_of(const struct timeline *timeline, double t)
{
	double fraction = timeline->length > 0.0 ? t / timeline->length : 0.0;

	return LEFT + PLOT_WIDTH * fmin(fmax(fraction, 0.0), 1.0);
}

static double band_base(int row)
{
	return TOP + row * (BAND + GAP) + BAND;
}

static double point_end(const struct timeline *timeline, const struct timeline_series *series,
			size_t i)
{
	return i + 1 < series->count ? series->points[i + 1].t : timeline->length;
}

static void put_units(FILE *out, const struct timeline *timeline, int row, double top)
{
	const struct timeline_series *units = &timeline->ranks[row].units;
	double base = band_base(row), height;

	if (top <= 0.0)
		return;
	fputs("<path class=\"units\" d=\"", out);
	for (size_t i = 0; i < units->count; i++) {
		height = BAND * units->points[i].value / top;
		fprintf(out, "M%.1f %.1fV%.1fH%.1fV%.1fZ", x_of(timeline, units->points[i].t), base,
			base - height, x_of(timeline, point_end(timeline, units, i)), base);
	}
	fputs("\"/>\n", out);
}

/* Values up to @top, which is the height of a band. */
static void put_line(FILE *out, const struct timeline *timeline, int row,
		     const struct timeline_series *series, const char *class, double top)
{
	double y, base = band_base(row);
	char command = 'M';

	fprintf(out, "<path class=\"%s\" d=\"M0 0", class);
	for (size_t i = 0; i < series->count && top > 0.0; i++) {
		if (isnan(series->points[i].value)) {
			command = 'M';
			continue;
		}
		y = base - BAND * series->points[i].value / top;
		fprintf(out, "%c%.1f %.1fH%.1f", command, x_of(timeline, series->points[i].t), y,
			x_of(timeline, point_end(timeline, series, i)));
		command = 'L';
	}
	fputs("\"/>\n", out);
}

/* The highest rate that any rank had. */
static double top_rate(const struct timeline *timeline)
{
	double top = 0.0;

	for (int r = 0; r < timeline->nr_ranks; r++)
		for (size_t i = 0; i < timeline->ranks[r].rate.count; i++)
			top = fmax(top, timeline->ranks[r].rate.points[i].value);
	return top;
}

static void put_rank(FILE *out, const struct timeline *timeline, int row, double top)
{
	double base = band_base(row);

	fprintf(out,
		"<rect class=\"band\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n",
		LEFT, base - BAND, PLOT_WIDTH, BAND);
	put_units(out, timeline, row, top);
	put_line(out, timeline, row, &timeline->ranks[row].rate, "rate", top_rate(timeline));
	put_line(out, timeline, row, &timeline->ranks[row].share, "share", 1.0);
	fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">rank %d</text>\n", LEFT - 8,
		base - BAND / 2 + 4, timeline->ranks[row].rank);
}

static void put_head(FILE *out, const struct timeline *timeline, double height)
{
	double width = LEFT + PLOT_WIDTH + RIGHT;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n"
		"<style>\n"
		"text{font:12px sans-serif;fill:#222} .band{fill:#f3f3f3} .units{fill:#7aa6d8}\n"
		".share{fill:none;stroke:#c03020;stroke-width:1.5}\n"
		".rate{fill:none;stroke:#207040;stroke-width:1;stroke-dasharray:3 2}\n"
		"</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		width, height, width, height);
	fprintf(out, "<text x=\"%.0f\" y=\"22\" font-weight=\"bold\">", LEFT);
	svg_text(out, timeline->title);
	fprintf(out,
		"</text>\n<text x=\"%.0f\" y=\"40\">\n"
		"filled: units held, of %ld, full height %.0f;\n"
		"line: share of a CPU, full height 1;\n"
		"dashed: measured rate, full height %.4g units/s</text>\n",
		LEFT, timeline->total, timeline_top(timeline), top_rate(timeline));
}

static void put_axis(FILE *out, const struct timeline *timeline, double y)
{
	for (int i = 0; i <= 4; i++) {
		double t = timeline->length * i / 4;

		fprintf(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.3g s</text>\n",
			x_of(timeline, t), y, t);
	}
}

int timeline_svg(FILE *out, const struct timeline *timeline)
{
	double bottom = TOP + timeline->nr_ranks * (BAND + GAP);

	put_head(out, timeline, bottom + BOTTOM);
	for (int r = 0; r < timeline->nr_ranks; r++)
		put_rank(out, timeline, r, timeline_top(timeline));
	put_axis(out, timeline, bottom + 14);
	fputs("</svg>\n", out);
	return ferror(out) ? -1 : 0;
}
