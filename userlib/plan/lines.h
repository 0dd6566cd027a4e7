/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_PLAN_LINES_H
#define EQUANT_PLAN_LINES_H

/**
 * struct equant_lines_node - of a tournament: who wins it
 * @until: the x down to which all of the subtree stays as it is
 * @at: value at 0 of the line that wins, infinite if nobody does
 * @slope: of that line
 * @who: the line, -1 where there is none
 */
struct equant_lines_node {
	double until;
	double at;
	double slope;
	int who;
};

/**
 * struct equant_lines - the lowest of p lines at an x that only falls
 * @leaves: a power of two, at least p
 * @nodes: 2 x @leaves of a tree; 1 is the root, the lines are nodes @leaves + i, 0 is not used
 * @x: where it has got to
 */
struct equant_lines {
	int leaves;
	struct equant_lines_node *nodes;
	double x;
};

/*
 * @count lines: their values at 0, and slopes, not negative; both are copied.  @x is the first that
 * will be asked for.  0 or -ENOMEM.
 */
int equant_lines_init(struct equant_lines *lines, const double *at, const double *slope, int count,
		      double x);
void equant_lines_release(struct equant_lines *lines);

/*
 * Which line is lowest at @x, the first of those that are equal.  @x is at most
 * that of the call before.
 */
int equant_lines_lowest(struct equant_lines *lines, double x);

/* Line @i becomes another one; @at may be infinite. */
void equant_lines_put(struct equant_lines *lines, int i, double at);

#endif /* EQUANT_PLAN_LINES_H */
