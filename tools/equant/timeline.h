/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What each rank held and got over time, as bars in a terminal or as SVG.
 */
#ifndef EQUANT_TOOL_TIMELINE_H
#define EQUANT_TOOL_TIMELINE_H

#include <stddef.h>
#include <stdio.h>

/**
 * struct timeline_point - a value that holds from @t to the next point
 * @t: seconds since the start
 * @value: NAN = not known
 */
struct timeline_point {
	double t;
	double value;
};

struct timeline_series {
	size_t count;
	struct timeline_point *points; /* in order of time; the owner frees them */
};

struct timeline_rank {
	int rank;
	struct timeline_series units; /* units held */
	struct timeline_series share; /* share of a CPU, 0..1 */
	struct timeline_series rate; /* units per second of compute sections */
};

/**
 * struct timeline - all ranks of one loop
 * @title: the loop's name
 * @length: seconds
 * @total: units of the loop
 */
struct timeline {
	const char *title;
	double length;
	long total;
	int nr_ranks;
	struct timeline_rank *ranks;
};

/** timeline_mean() - mean of the known values between two times, NAN where none is known */
double timeline_mean(const struct timeline_series *series, double from, double to);

/** timeline_top() - the largest number of units any rank held at any time */
double timeline_top(const struct timeline *timeline);

/** timeline_width() - columns of the terminal behind @out, 80 where there is none */
int timeline_width(FILE *out);

/**
 * timeline_draw() - two bars per rank: units held, and the share it had
 * @out: stream; block characters unless the locale's character set is not UTF-8
 * @timeline: what to draw
 * @width: columns; 0 = timeline_width()
 */
void timeline_draw(FILE *out, const struct timeline *timeline, int width);

/** timeline_svg() - the same as a picture, with rates; -1 on a write error, as ferror() says */
int timeline_svg(FILE *out, const struct timeline *timeline);

#endif /* EQUANT_TOOL_TIMELINE_H */
