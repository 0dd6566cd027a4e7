// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A binomial tree: the children of a rank are rank + 1, rank + 2, rank + 4... up to the lowest bit
 * that is set in the rank itself.  Samples reach rank 0 in ceil(log2 P) steps, in each of which a
 * rank sends or receives one message, and orders come back in as many.
 */
#include <errno.h>
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

int equant_tree_branch(struct equant_branch *branch, int rank, int ranks)
{
	int most = rank ? rank & -rank : ranks, distance;

	*branch = (struct equant_branch){ .parent = -1 };
	branch->children = calloc((size_t)ranks, sizeof(*branch->children));
	if (!branch->children)
		return -ENOMEM;
	for (distance = 1; distance < most && rank + distance < ranks; distance *= 2)
		branch->children[branch->nr_children++] = rank + distance;
	branch->size = most < ranks - rank ? most : ranks - rank;
	if (rank) {
		branch->parent = rank - most;
		branch->turn = turn_of(branch->parent, most, ranks);
	}
	return 0;
}

static struct equant_interaction *create(struct equant_control *c, int tag)
{
	struct equant_branch branch;

	if (equant_tree_branch(&branch, c->rank, c->ranks))
		return NULL;
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
