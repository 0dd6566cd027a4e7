// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Every rank sends its sample to rank 0 and receives its orders from there: the thesis'
 * central load balancer, which here computes too.  Two messages between a sample and its
 * order, but P - 1 of each pass through rank 0 one after the other.
 *
 * Reference: Siegell 1995, section 2.4.
 */
#include <errno.h>
#include <stdlib.h>

#include "control/gather.h"

static int rounds(int ranks)
{
	return ranks > 1 ? 2 * (ranks - 1) : 0;
}

int equant_star_branch(struct equant_branch *branch, int rank, int ranks)
{
	*branch = (struct equant_branch){ .parent = -1, .size = 1 };
	branch->children = calloc((size_t)ranks, sizeof(*branch->children));
	if (!branch->children)
		return -ENOMEM;
	if (rank) {
		branch->parent = 0;
		branch->turn = ranks - 1 - rank;
		return 0;
	}
	branch->size = ranks;
	for (int r = 1; r < ranks; r++)
		branch->children[branch->nr_children++] = r;
	return 0;
}

static struct equant_interaction *create(struct equant_control *c, int tag)
{
	struct equant_branch branch;

	if (equant_star_branch(&branch, c->rank, c->ranks))
		return NULL;
	return equant_gather_new(c, tag, &branch);
}

const struct equant_control_ops equant_control_central = {
	.name = "central",
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
