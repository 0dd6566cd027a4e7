/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_PLAN_NETWORK_H
#define EQUANT_PLAN_NETWORK_H

#include "plan/search.h"

/**
 * struct equant_plan_share_of - what a processor gets in section 8
 * @takes_part: it is not left out
 * @back: its extra iterations are from the end of the loop
 * @first: of its extra iterations
 * @extra: how many
 * @load: time with what it has so far, start-up included
 * @rest: pairs, or iterations if they are equal, of those that remain
 * @single: the first of its single iterations, by index, or -1
 */
struct equant_plan_share_of {
	bool takes_part;
	bool back;
	long first;
	long extra;
	double load;
	long rest;
	int single;
};

/**
 * struct equant_plan_network - a schedule of section 8 under construction
 * @forward: the program's iterations from the first on
 * @backward: from the last on
 * @of: by processor
 * @low: iterations that remain after the extra ones: from here
 * @high: to below
 * @first: of these, the first that is in a pair
 * @singles: of these, what is dealt one by one
 * @next: the next single of the same owner, or -1
 * @many: singles
 */
struct equant_plan_network {
	struct equant_plan_chain forward;
	struct equant_plan_chain backward;
	struct equant_plan_share_of *of;
	long low;
	long high;
	long first;
	long *singles;
	int *next;
	long many;
};

/* network_rest.c: affine iterations that remain; sets rest, singles and loads.  0 or -ENOMEM. */
int equant_plan_network_rest(struct equant_plan_network *network);

#endif /* EQUANT_PLAN_NETWORK_H */
