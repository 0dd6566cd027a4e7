// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * When to measure the costs of messages between the ranks of a pipeline again.
 *
 * The length of strips follows from these costs (Siegell 1995, section 3.3.4), which were measured before the
 * first sweep.  A network has other users, and a measurement may have been disturbed.  Each sweep
 * shows what its messages cost: the time that sending a strip keeps its sender busy, the least of all, because what
 * is above it is something else.  That is less than what is measured, which includes the way; a way that
 * takes longer costs a sweep only once per rank, and is no reason for other strips.
 *
 * The costs in use are in doubt when a sweep shows half or twice as much and strips would take noticeably less time
 * if all costs were in that proportion.  Some doubtful sweeps in a row are followed by a measurement.  If
 * that does not find what they have shown, the costs are right and sending is only a part of them, or not all of it:
 * the next doubts of that kind are let pass, ever more of them.
 *
 * A disturbed measurement is always one of too much.  So costs do not rise by one that was made because they seemed
 * too high: else they would go up and down, and each time down would be one that had found something.
 *
 * So strips become long when messages become dear and short when they become fast again; costs that were measured too
 * high, for which no phase has room, do not last; and where nothing changes nothing is sent.
 */
#include <equant/advise.h>

#include "loop/shift_watch.h"

#define DOUBTS 3 /* sweeps in a row */
#define APART 2.0 /* costs that differ by less are the same */
#define LOSS 0.02 /* of the time of a sweep, that other strips have to save */
#define REST 64 /* sweeps */
#define REST_MOST 4096

static double cost_of(const struct equant_strips *strips, long block)
{
	return strips->shift_fixed + strips->bytes * strips->byte_time * (double)block;
}

/* -1 less, 1 more, 0 about the same. */
static int compare(double cost, double with)
{
	return cost * APART <= with ? -1 : cost >= with * APART ? 1 : 0;
}

/* How much longer strips by the costs in use take than the best ones, if messages cost so much as others. */
static double loss_of(const struct equant_strips *strips, double as_much)
{
	struct equant_strips shown = *strips;
	struct equant_block used, best;

	shown.shift_fixed *= as_much;
	shown.byte_time *= as_much;
	if (equant_block_size(strips, &used, NULL, 0) ||
	    equant_block_size(&shown, &best, NULL, 0) || !(best.time > 0))
		return 0;
	return equant_strips_time(&shown, used.size) / best.time - 1;
}

/* What the last measurement was good for. */
static void judge(struct equant_shift_watch *w, const struct equant_strips *strips)
{
	int kind = w->asked > 0, found = compare(cost_of(strips, w->block), w->cost) == w->asked;

	w->asked = 0;
	if (found) {
		w->rest[0] = w->rest[1] = 0;
		w->pause[0] = w->pause[1] = 0;
		return;
	}
	w->rest[kind] = w->rest[kind] ? 4 * w->rest[kind] : REST;
	w->rest[kind] = w->rest[kind] < REST_MOST ? w->rest[kind] : REST_MOST;
	w->pause[kind] = w->rest[kind];
}

/* 1: messages were dearer in the sweep than taken for, -1: cheaper, 0: neither, or it makes no difference. */
static int doubt(const struct equant_strips *strips, double cost, double sent)
{
	int how = compare(sent, cost);

	return how && loss_of(strips, sent / cost) >= LOSS ? how : 0;
}

int equant_shift_watch(struct equant_shift_watch *w, const struct equant_strips *strips, long block,
		       double sent)
{
	double cost = cost_of(strips, block);
	int how = 0;

	if (w->asked)
		judge(w, strips);
	if (sent > 0 && cost > 0 && strips->unit_time > 0)
		how = doubt(strips, cost, sent);
	if (how && w->pause[how > 0] > 0) {
		w->pause[how > 0]--;
		how = 0;
	}
	w->doubts = how * w->doubts > 0 ? w->doubts + how : how;
	if (w->doubts != how * DOUBTS || !how)
		return 0;
	w->doubts = 0;
	w->asked = how;
	w->block = block;
	w->cost = cost;
	return how;
}
