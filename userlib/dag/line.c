// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A line of time: spans that do not overlap, in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dag_internal.h"

/* The first span that ends after @from. */
static int first_after(const struct dag_line *line, double from)
{
	int low = 0, high = line->count;

	if (!high || line->span[high - 1].finish <= from)
		return high;
	while (low < high) {
		int middle = low + (high - low) / 2;

		if (line->span[middle].finish > from)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double equant_dag_line_earliest(const struct dag_line *line, double from, double length)
{
	for (int i = first_after(line, from); i < line->count; i++) {
		if (from + length <= line->span[i].start)
			break;
		from = line->span[i].finish;
	}
	return from;
}

/* Where a span belongs: behind those that start earlier, or as early and end no later. */
static int place_of(const struct dag_line *line, double start, double finish)
{
	int low = 0, high = line->count;

	while (low < high) {
		int middle = low + (high - low) / 2;
		const struct dag_span *span = &line->span[middle];

		if (span->start > start || (span->start == start && span->finish > finish))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int equant_dag_line_insert(struct dag_line *line, double start, double finish)
{
	int at = place_of(line, start, finish);

	if (line->count == line->room) {
		int room = line->room ? 2 * line->room : 8;
		struct dag_span *span = realloc(line->span, (size_t)room * sizeof(*span));

		if (!span)
			return -ENOMEM;
		line->span = span;
		line->room = room;
	}
	memmove(line->span + at + 1, line->span + at,
		(size_t)(line->count - at) * sizeof(*line->span));
	line->span[at] = (struct dag_span){ start, finish };
	line->count++;
	return 0;
}

void equant_dag_line_remove(struct dag_line *line, double start, double finish)
{
	int at = place_of(line, start, finish) - 1;

	line->count--;
	memmove(line->span + at, line->span + at + 1,
		(size_t)(line->count - at) * sizeof(*line->span));
}
