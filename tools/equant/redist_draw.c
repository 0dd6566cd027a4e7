// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Timing diagrams: what each rank sends, and below that what each receives (Bhat, Prasanna,
 * Raghavendra, section 4.2 and its figure 3, where time goes down).
 */
#include <errno.h>
#include <stdlib.h>

#include "gantt.h"
#include "redist.h"

/**
 * struct diagram - what the rows are made from
 * @schedule: the schedule
 * @starts: row r has those pieces of @list from @starts[r] to below @starts[r + 1]
 * @list: pieces row by row
 */
struct diagram {
	const struct equant_redist_schedule *schedule;
	int64_t *starts;
	int64_t *list;
};

static int row_of(const struct equant_redist_schedule *schedule, int64_t piece, int side)
{
	const struct equant_redist_piece *p = &schedule->pieces[piece];

	return side ? schedule->ranks + p->to : p->from;
}

static void row_name(const void *of, int row, char text[GANTT_TEXT])
{
	int ranks = ((const struct diagram *)of)->schedule->ranks;

	if (row < ranks)
		snprintf(text, GANTT_TEXT, "%d>", row);
	else
		snprintf(text, GANTT_TEXT, ">%d", row - ranks);
}

static bool next_block(const void *of, int row, int64_t *at, struct gantt_block *block)
{
	const struct diagram *diagram = of;
	const struct equant_redist_piece *piece;
	bool sends = row < diagram->schedule->ranks;

	if (*at >= diagram->starts[row + 1] - diagram->starts[row])
		return false;
	piece = &diagram->schedule->pieces[diagram->list[diagram->starts[row] + (*at)++]];
	snprintf(block->text, sizeof(block->text), "%d", sends ? piece->to : piece->from);
	block->class = sends ? "message" : "task";
	block->start = piece->begin;
	block->finish = piece->end;
	return true;
}

static int make(struct diagram *diagram)
{
	const struct equant_redist_schedule *schedule = diagram->schedule;
	int rows = 2 * schedule->ranks;

	diagram->starts = calloc((size_t)rows + 2, sizeof(*diagram->starts));
	diagram->list = calloc(2 * (size_t)schedule->count + 1, sizeof(*diagram->list));
	if (!diagram->starts || !diagram->list)
		return -ENOMEM;
	for (int side = 0; side < 2; side++)
		for (int64_t i = 0; i < schedule->count; i++)
			diagram->starts[row_of(schedule, i, side) + 2]++;
	for (int r = 0; r < rows; r++)
		diagram->starts[r + 2] += diagram->starts[r + 1];
	/* Filling a row moves the beginning of the next one to where it belongs. */
	for (int side = 0; side < 2; side++)
		for (int64_t i = 0; i < schedule->count; i++)
			diagram->list[diagram->starts[row_of(schedule, i, side) + 1]++] = i;
	return 0;
}

static int chart(FILE *out, const struct equant_redist_schedule *schedule, bool svg)
{
	struct diagram diagram = { .schedule = schedule };
	struct gantt gantt = {
		.title = schedule->scheduler,
		.length = schedule->makespan,
		.rows = 2 * schedule->ranks,
		.of = &diagram,
		.name = row_name,
		.next = next_block,
	};
	int err = make(&diagram);

	if (!err && svg)
		gantt_svg(out, &gantt);
	else if (!err)
		err = gantt_draw(out, &gantt);
	free(diagram.starts);
	free(diagram.list);
	return err;
}

int redist_draw(FILE *out, const struct equant_redist_schedule *schedule)
{
	return chart(out, schedule, false);
}

int redist_svg(FILE *out, const struct equant_redist_schedule *schedule)
{
	return chart(out, schedule, true);
}
