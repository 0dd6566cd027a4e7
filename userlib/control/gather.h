/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the structures have in common in which rank 0 decides: a tree of ranks. */
#ifndef EQUANT_CONTROL_GATHER_H
#define EQUANT_CONTROL_GATHER_H

#include "control/control.h"

/**
 * struct equant_branch - a rank's place in a tree
 *
 * The ranks below a rank, itself first, are neighbours.
 *
 * @parent: -1 for rank 0
 * @turn: how many of the parent's other children get the order earlier
 * @size: ranks from this one on that are below it, itself included
 * @nr_children: their number
 * @children: in the order in which their samples are expected; room for all ranks
 */
struct equant_branch {
	int parent;
	int turn;
	int size;
	int nr_children;
	int *children;
};

/**
 * equant_star_branch(), equant_tree_branch() - the place of a rank in a star around rank 0, or in a binomial tree
 *
 * The children, in ascending order, are to be freed.  Return: 0 or -ENOMEM.
 */
int equant_star_branch(struct equant_branch *branch, int rank, int ranks);
int equant_tree_branch(struct equant_branch *branch, int rank, int ranks);

/** equant_gather_new() - of a branch whose @children are handed over; NULL and errno */
struct equant_interaction *equant_gather_new(struct equant_control *c, int tag,
					     const struct equant_branch *branch);

/* The operations of every tree. */
int equant_gather_decides(int rank);
void equant_gather_free(struct equant_interaction *x);
int equant_gather_start(struct equant_interaction *x, const struct equant_sample *sample);
int equant_gather_progress(struct equant_interaction *x);
int equant_gather_complete(struct equant_interaction *x, double timeout, uint64_t *waited_ns);
int equant_gather_awaited(const struct equant_interaction *x, int *itself);
void equant_gather_cancel(struct equant_interaction *x);

#endif /* EQUANT_CONTROL_GATHER_H */
