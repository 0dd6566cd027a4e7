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
#include <string.h>

#include "plan/lines.h"

static double value(const struct equant_lines *lines, int i, double x)
{
	return lines->at[i] + lines->slope[i] * x;
}

/* Let the winners of both halves meet at @x. */
static void play(struct equant_lines *lines, int node, double x)
{
	int left = lines->lowest[2 * node], right = lines->lowest[2 * node + 1], other;
	double until = fmax(lines->until[2 * node], lines->until[2 * node + 1]);
	bool first = right < 0 || (left >= 0 && value(lines, left, x) <= value(lines, right, x));
	int won = first ? left : right;

	other = first ? right : left;
	/* Going down, only a steeper line can become the lower one. */
	if (won >= 0 && other >= 0 && lines->slope[other] > lines->slope[won] &&
	    isfinite(lines->at[other]))
		until = fmax(until, (lines->at[won] - lines->at[other]) /
					    (lines->slope[other] - lines->slope[won]));
	lines->lowest[node] = won;
	lines->until[node] = until;
}

static void replay(struct equant_lines *lines, int node, double x)
{
	play(lines, node, x);
	/* A crossing at x itself, or rounded to above it, has been looked at. */
	if (lines->until[node] >= x)
		lines->until[node] = nextafter(x, -INFINITY);
}

/* Bring what has changed above @x up to date. */
static void fall(struct equant_lines *lines, int node, double x)
{
	if (node >= lines->leaves || lines->until[node] < x)
		return;
	fall(lines, 2 * node, x);
	fall(lines, 2 * node + 1, x);
	replay(lines, node, x);
}

int equant_lines_init(struct equant_lines *lines, const double *at, const double *slope, int count,
		      double x)
{
	size_t p = (size_t)count, nodes;

	*lines = (struct equant_lines){ .count = count, .leaves = 1, .x = x };
	while (lines->leaves < count)
		lines->leaves *= 2;
	nodes = 2 * (size_t)lines->leaves;
	lines->at = reallocarray(NULL, p, sizeof(*at));
	lines->slope = reallocarray(NULL, p, sizeof(*slope));
	lines->lowest = reallocarray(NULL, nodes, sizeof(*lines->lowest));
	lines->until = reallocarray(NULL, nodes, sizeof(*lines->until));
	if (!lines->at || !lines->slope || !lines->lowest || !lines->until)
		return -ENOMEM;
	memcpy(lines->at, at, p * sizeof(*at));
	memcpy(lines->slope, slope, p * sizeof(*slope));
	for (int i = 0; i < lines->leaves; i++) {
		lines->lowest[lines->leaves + i] = i < count ? i : -1;
		lines->until[lines->leaves + i] = -INFINITY;
	}
	for (int node = lines->leaves - 1; node > 0; node--)
		replay(lines, node, x);
	return 0;
}

void equant_lines_release(struct equant_lines *lines)
{
	free(lines->at);
	free(lines->slope);
	free(lines->lowest);
	free(lines->until);
	*lines = (struct equant_lines){ 0 };
}

int equant_lines_lowest(struct equant_lines *lines, double x)
{
	fall(lines, 1, x);
	lines->x = x;
	return lines->lowest[1];
}

void equant_lines_put(struct equant_lines *lines, int i, double at)
{
	lines->at[i] = at;
	for (int node = (lines->leaves + i) / 2; node > 0; node /= 2)
		replay(lines, node, lines->x);
}
