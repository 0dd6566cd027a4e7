// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Where the blocks of a sweep meet, and what has to cross over when they have moved.
 *
 * A unit needs, for its next strip, new values of the unit before it, for this strip
 * and the ones before, and old values of the unit after it, from this strip on.  At the
 * beginning of a sweep these are the old values of each block's first unit, for the rank
 * before.  Units that move in mid-sweep are as far as their former owner was: the farther,
 * the lower they are.  Then
 *
 * - work from the rank after is behind.  The first unit that stays there goes along as a copy of
 *   its old values: neighbours travel to lower ranks only (section 6.4.1);
 * - work from the rank before is ahead, and has left the strips behind that come to the
 *   new owner as usual, one at a time;
 * - but a rank that gets only foreign units does not know the unit before them: its owner
 *   sends what that has done so far.
 *
 * Everything follows from who owned what before and who owns what now, which all ranks know.
 *
 * Reference: Siegell 1995, sections 6.4.1 and 6.5.
 */
#include <string.h>

#include "loop/loop_internal.h"

static int owner(const struct equant_range *blocks, int ranks, long unit)
{
	for (int r = 0; r < ranks; r++)
		if (unit >= blocks[r].first && unit < blocks[r].first + blocks[r].count)
			return r;
	return -1;
}

/*
 * Can a rank still read the neighbour of a unit?  It could if the unit was its own.  If both
 * were, the neighbour's values are still in an array's memory, but a table's slices are gone.
 */
static int has_neighbour(const struct equant_loop *loop, int rank, long unit, long neighbour)
{
	const struct equant_pipeline *p = loop->pipeline;

	return owner(p->before, loop->ranks, unit) == rank &&
	       (!p->tables || owner(p->before, loop->ranks, neighbour) != rank);
}

static void note_progress(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;

	for (int r = 0; r < loop->ranks; r++) {
		const struct equant_range *block = &p->blocks[r];
		long due = equant_strips_due(p, r);

		for (long u = block->first; u < block->first + block->count; u++)
			if (p->done[u] < due)
				p->done[u] = due;
	}
}

static void note_blocks(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	struct equant_range *before = p->before;

	p->before = p->blocks;
	p->blocks = before;
	for (int r = 0; r < loop->ranks; r++) {
		const struct equant_runs *own = &loop->units.owned[r];

		p->blocks[r] = own->n ? own->ranges[0] : (struct equant_range){ 0, 0 };
	}
}

/* The next rank in this direction that has units. */
static int neighbour(const struct equant_loop *loop, int step)
{
	const struct equant_range *blocks = loop->pipeline->blocks;

	if (!blocks[loop->rank].count)
		return -1;
	for (int r = loop->rank + step; r >= 0 && r < loop->ranks; r += step)
		if (blocks[r].count)
			return r;
	return -1;
}

static int draw_left(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	const struct equant_intent *all = equant_exchange_items(p->exchange);
	long first = p->blocks[loop->rank].first, unit = first - 1;
	int error = equant_channel_open(loop, p->left, &all[p->left].channel);

	p->arrived = p->posted = p->done[unit];
	if (!error && !has_neighbour(loop, loop->rank, first, unit) && p->done[unit])
		error = equant_strips_owe(loop, p->done[unit]);
	if (!error && !has_neighbour(loop, p->left, unit, first) && p->done[unit] < p->strips)
		error = equant_above_send(loop, first, p->done[unit]);
	return error;
}

static int draw_right(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	const struct equant_range *own = &p->blocks[loop->rank];
	long last = own->first + own->count - 1;
	int error = 0;

	if (equant_channel_reaches(loop, p->right))
		equant_channel_address(&p->channel);
	if (!has_neighbour(loop, p->right, last + 1, last) && p->done[last])
		error = equant_strips_send(loop, p->right, last, 0, p->done[last]);
	if (!error && !has_neighbour(loop, loop->rank, last, last + 1) && p->done[last] < p->strips)
		error = equant_above_post(loop, last + 1, p->done[last]);
	return error;
}

int equant_boundaries_draw(struct equant_loop *loop)
{
	struct equant_pipeline *p = loop->pipeline;
	int error = 0;

	p->channel.draws++;
	note_progress(loop);
	note_blocks(loop);
	p->left = neighbour(loop, -1);
	p->right = neighbour(loop, 1);
	if (p->left >= 0)
		error = draw_left(loop);
	if (!error && p->right >= 0)
		error = draw_right(loop);
	return error;
}
