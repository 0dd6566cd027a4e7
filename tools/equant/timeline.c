// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The time line in a terminal: a column is a slice of time, the height of its
 * block the mean of the value in it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "timeline.h"

#define LABEL_COLUMNS 17 /* "rank 1234 units  " */
#define VALUE_COLUMNS 9 /* "  1234567" */
#define MIN_COLUMNS 8

static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii[] = { " ", "_", ".", "-", "=", "+", "*", "%", "#" };

#define LEVELS ((int)(sizeof(blocks) / sizeof(blocks[0])) - 1)

double timeline_mean(const struct timeline_series *series, double from, double to)
{
	double sum = 0.0, known = 0.0, start, end;

	for (size_t i = 0; i < series->count; i++) {
		start = fmax(series->points[i].t, from);
		end = i + 1 < series->count ? fmin(series->points[i + 1].t, to) : to;
		if (end <= start || isnan(series->points[i].value))
			continue;
		sum += series->points[i].value * (end - start);
		known += end - start;
	}
	return known > 0.0 ? sum / known : NAN;
}

double timeline_top(const struct timeline *timeline)
{
	double top = 0.0;

	for (int r = 0; r < timeline->nr_ranks; r++) {
		const struct timeline_series *units = &timeline->ranks[r].units;

		for (size_t i = 0; i < units->count; i++)
			top = fmax(top, units->points[i].value);
	}
	return top;
}

int timeline_width(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

/* Unless the user has chosen another character set, terminals are UTF-8 today. */
static bool is_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (int i = 0; i < 3 && (!value || !*value); i++)
		value = getenv(variables[i]);
	return !value || !*value || strcasestr(value, "utf-8") || strcasestr(value, "utf8");
}

static int level(double value, double top)
{
	int height = (int)lround(value / top * LEVELS);

	if (height < 1)
		return value > 0.0; /* something is not nothing */
	return height > LEVELS ? LEVELS : height;
}

static void draw_bar(FILE *out, const struct timeline_series *series, double top, double length,
		     int columns)
{
	const char *const *glyphs = is_utf8() ? blocks : ascii;
	double step = length / columns, mean;
	/* Not known at all, or the rank was not computing then. */
	const char *nothing = isnan(timeline_mean(series, 0.0, length)) ? "?" : " ";

	for (int i = 0; i < columns; i++) {
		mean = timeline_mean(series, i * step, (i + 1) * step);
		fputs(isnan(mean) || top <= 0.0 ? nothing : glyphs[level(mean, top)], out);
	}
}

/* The axis: 0 at the left end, the length at the right end. */
static void draw_axis(FILE *out, const struct timeline *timeline, int columns)
{
	char end[32];

	snprintf(end, sizeof(end), "%.3g s", timeline->length);
	fprintf(out, "%*s0 s%*s\n", LABEL_COLUMNS, "", columns - 3, end);
}

static double last_value(const struct timeline_series *series)
{
	return series->count ? series->points[series->count - 1].value : NAN;
}

static void draw_rank(FILE *out, const struct timeline *timeline, const struct timeline_rank *rank,
		      double top, int columns)
{
	double share = timeline_mean(&rank->share, 0.0, timeline->length);

	fprintf(out, "rank %-4d units  ", rank->rank);
	draw_bar(out, &rank->units, top, timeline->length, columns);
	fprintf(out, "%*.0f\n", VALUE_COLUMNS, last_value(&rank->units));
	fprintf(out, "%*s", LABEL_COLUMNS, "share  ");
	draw_bar(out, &rank->share, 1.0, timeline->length, columns);
	if (isnan(share))
		fprintf(out, "%*s\n", VALUE_COLUMNS, "-");
	else
		fprintf(out, "%*.2f\n", VALUE_COLUMNS, share);
}

void timeline_draw(FILE *out, const struct timeline *timeline, int width)
{
	double top = timeline_top(timeline);
	int columns;

	columns = (width > 0 ? width : timeline_width(out)) - LABEL_COLUMNS - VALUE_COLUMNS;
	if (columns < MIN_COLUMNS)
		columns = MIN_COLUMNS;
	draw_axis(out, timeline, columns);
	for (int r = 0; r < timeline->nr_ranks; r++)
		draw_rank(out, timeline, &timeline->ranks[r], top, columns);
}
