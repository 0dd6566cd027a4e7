/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Who does what when: rows of blocks over time, in a terminal and as SVG.
 */
#ifndef EQUANT_TOOL_GANTT_H
#define EQUANT_TOOL_GANTT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GANTT_TEXT 256

/**
 * struct gantt_block - something in a row
 * @text: what is written on it
 * @class: of the SVG element: "task" or "message"
 * @start: when it begins
 * @finish: and ends
 */
struct gantt_block {
	char text[GANTT_TEXT];
	const char *class;
	double start;
	double finish;
};

/**
 * struct gantt - a chart
 * @title: what it shows
 * @length: of the axis
 * @rows: how many
 * @of: passed to the functions
 * @name: of a row
 * @next: the block of a row at or behind number *@at, which is moved behind it; false: none
 */
struct gantt {
	const char *title;
	double length;
	int rows;
	const void *of;
	void (*name)(const void *of, int row, char text[GANTT_TEXT]);
	bool (*next)(const void *of, int row, int64_t *at, struct gantt_block *block);
};

/** gantt_draw() - as wide as the terminal behind @out; 0 or -ENOMEM */
int gantt_draw(FILE *out, const struct gantt *gantt);

/** gantt_svg() - as a picture; write errors as ferror() says */
void gantt_svg(FILE *out, const struct gantt *gantt);

#endif /* EQUANT_TOOL_GANTT_H */
