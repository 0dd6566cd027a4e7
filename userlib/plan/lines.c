// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Who would end next iteration first?  With loads l_i and times g_i per unit of
 * work that is the lowest of the lines l_i + g_i x, and longest-first asks for it at an x that
 * only falls.  So the lines hold a tournament whose nodes know how far x may fall before
 * the outcome changes: O(log p) per load that changes, and amortised as little for x.
 *
 * Reference: kinetic tournament; J. Basch, L. J. Guibas, J. Hershberger, Data Structures for
 * Mobile Data, Journal of Algorithms 31(1), 1999.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "plan/lines.h"

/* Two nodes that meet are in one line of the cache. */
#define ALIGNED (2 * sizeof(struct equant_lines_node))

static double value(struct equant_lines_node node, double x)
{
	return node.at + node.slope * x;
}

/* Let the winners of both halves meet at @x; @mine wins if it is lower, or as low and @first. */
static inline struct equant_lines_node play(struct equant_lines_node mine,
					    struct equant_lines_node other, bool first, double x)
{
	double here = value(mine, x), there = value(other, x);
	bool wins = here < there || (here == there && first);
	struct equant_lines_node won, lost;
	double until = mine.until > other.until ? mine.until : other.until, meet;

	won.at = wins ? mine.at : other.at;
	won.slope = wins ? mine.slope : other.slope;
	won.who = wins ? mine.who : other.who;
	lost.at = wins ? other.at : mine.at;
	lost.slope = wins ? other.slope : mine.slope;
	/* Going down, only a steeper line can become the lower one. */
	meet = (won.at - lost.at) / (lost.slope - won.slope);
	won.until = lost.slope > won.slope && meet > until ? meet : until;
	/* A crossing at x itself, or rounded to above it, has been looked at. */
	if (won.until >= x)
		won.until = nextafter(x, -INFINITY);
	return won;
}

static void replay(struct equant_lines *lines, int node, double x)
{
	lines->nodes[node] = play(lines->nodes[2 * node], lines->nodes[2 * node + 1], true, x);
}

/* Bring what has changed above @x up to date. */
static void fall(struct equant_lines *lines, int node, double x)
{
	if (node >= lines->leaves || lines->nodes[node].until < x)
		return;
	fall(lines, 2 * node, x);
	fall(lines, 2 * node + 1, x);
	replay(lines, node, x);
}

int equant_lines_init(struct equant_lines *lines, const double *at, const double *slope, int count,
		      double x)
{
	*lines = (struct equant_lines){ .leaves = 1, .x = x };
	while (lines->leaves < count)
		lines->leaves *= 2;
	lines->nodes = aligned_alloc(ALIGNED, (size_t)lines->leaves * ALIGNED);
	if (!lines->nodes)
		return -ENOMEM;
	for (int i = 0; i < lines->leaves; i++) {
		struct equant_lines_node *leaf = &lines->nodes[lines->leaves + i];

		*leaf = (struct equant_lines_node){ -INFINITY, INFINITY, 0, -1 };
		if (i < count) {
			leaf->at = at[i];
			leaf->slope = slope[i];
			leaf->who = i;
		}
	}
	for (int node = lines->leaves - 1; node > 0; node--)
		replay(lines, node, x);
	return 0;
}

void equant_lines_release(struct equant_lines *lines)
{
	free(lines->nodes);
	*lines = (struct equant_lines){ 0 };
}

int equant_lines_lowest(struct equant_lines *lines, double x)
{
	fall(lines, 1, x);
	lines->x = x;
	return lines->nodes[1].who;
}

void equant_lines_put(struct equant_lines *lines, int i, double at)
{
	int node = lines->leaves + i;
	struct equant_lines_node winner = lines->nodes[node];

	winner.at = at;
	for (lines->nodes[node] = winner; node > 1; node /= 2) {
		winner = play(winner, lines->nodes[node ^ 1], !(node & 1), lines->x);
		lines->nodes[node / 2] = winner;
	}
}
