// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A binomial tree: the children of a rank are rank + 1, rank + 2, rank + 4... up to the lowest bit
 * that is set in the rank itself.  Samples reach rank 0 in ceil(log2 P) steps, in each of which a
 * rank sends or receives one message, and orders come back in as many.
 */
#include <stdlib.h>

#include "control/gather.h"

static int rounds(int ranks)
{
	int n = 0;

	while ((1L << n) < ranks)
		n++;
	return 2 * n;
}

/* The parent's children beyond it, which have larger subtrees. */
static int turn_of(int parent, int distance, int ranks)
{
	int most = parent ? parent & -parent : ranks, turn = 0;

	for (distance *= 2; distance < most && parent + distance < ranks; distance *= 2)
		turn++;
	return turn;
}

static struct equant_interaction *create(struct equant_control *c, int tag)
{
	int most = c->rank ? c->rank & -c->rank : c->ranks, distance;
	struct equant_branch branch = { .parent = -1 };

	branch.children = calloc((size_t)c->ranks, sizeof(*branch.children));
	if (!branch.children)
		return NULL;
	for (distance = 1; distance < most && c->rank + distance < c->ranks; distance *= 2)
		branch.children[branch.nr_children++] = c->rank + distance;
	branch.size = most < c->ranks - c->rank ? most : c->ranks - c->rank;
	if (c->rank) {
		branch.parent = c->rank - most;
		branch.turn = turn_of(branch.parent, most, c->ranks);
	}
	return equant_gather_new(c, tag, &branch);
}

const struct equant_control_ops equant_control_tree = {
	.name = "tree",
	.decides = equant_gather_decides,
	.rounds = rounds,
	.create = create,
	.free = equant_gather_free,
	.start = equant_gather_start,
	.progress = equant_gather_progress,
	.complete = equant_gather_complete,
	.awaited = equant_gather_awaited,
	.cancel = equant_gather_cancel,
};
