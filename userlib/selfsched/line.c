// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One loop, cut from its beginning:
 *
 *	istart = istart + C_i,  R_i = R_{i-1} - C_i		(eq. 2)
 *
 * where no C_i is below L, nor above what is left.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section III.
 */
#include "selfsched/selfsched_internal.h"

void equant_line_init(struct equant_line *line, const struct equant_scheme *scheme,
		      const struct equant_chunks_options *options, int64_t total, int64_t workers)
{
	*line = (struct equant_line){
		.total = total,
		.left = total,
		.workers = workers,
		.minimum = options->minimum ? options->minimum : 1,
		.chunk = options->chunk ? options->chunk : 1,
		.first = options->first,
		.rounding = options->rounding,
	};
	if (line->chunk < line->minimum)
		line->chunk = line->minimum;
	if (scheme->start)
		scheme->start(line);
}

static int64_t take_one(struct equant_line *line, const struct equant_scheme *scheme)
{
	int64_t size = scheme->size(line);

	if (size < line->minimum)
		size = line->minimum;
	if (size > line->left)
		size = line->left;
	line->left -= size;
	line->step++;
	return size;
}

int64_t equant_line_take(struct equant_line *line, const struct equant_scheme *scheme,
			 int64_t steps)
{
	int64_t left = line->left, end;

	if (scheme->before && left > 0) {
		line->step += steps;
		end = scheme->before(line, line->step);
		line->left = end < line->total ? line->total - end : 0;
	}
	for (; !scheme->before && steps > 0 && line->left > 0; steps--)
		take_one(line, scheme);
	return left - line->left;
}
