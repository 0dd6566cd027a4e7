/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_PLAN_LINES_H
#define EQUANT_PLAN_LINES_H

/**
 * struct equant_lines - the lowest of p lines at an x that only falls
 * @count: p
 * @leaves: a power of two, at least p
 * @at: value of each line at 0
 * @slope: of each line, not negative
 * @lowest: of a tournament of all lines: who wins at a node; leaves are nodes @leaves + i
 * @until: the x down to which all of the subtree stays as it is
 * @x: where it has got to
 */
struct equant_lines {
	int count;
	int leaves;
	double *at;
	double *slope;
	int *lowest;
	double *until;
	double x;
};

/* Copies @at and @slope; @x is the first that will be asked for.  0 or -ENOMEM. */
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
