/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_PLAN_DEAL_H
#define EQUANT_PLAN_DEAL_H

#include "plan/search.h"

/**
 * struct equant_plan_deal - iterations given out one by one
 * @program: the program
 * @machine: the machine
 * @limits: of its processors
 * @owner: by iteration, -1 = nobody yet
 * @load: by processor, time with the start-up of its message; 0 without iterations
 * @count: by processor
 */
struct equant_plan_deal {
	const struct equant_plan_program *program;
	const struct equant_plan_machine *machine;
	const struct equant_plan_limits *limits;
	int *owner;
	double *load;
	long *count;
};

/* Nobody has anything.  0, -EOPNOTSUPP for too many iterations, -ENOMEM. */
int equant_plan_deal_init(struct equant_plan_deal *deal, const struct equant_plan_program *program,
			  const struct equant_plan_machine *machine,
			  const struct equant_plan_limits *limits, char *why, size_t why_size);
void equant_plan_deal_release(struct equant_plan_deal *deal);

/* Load of processor @i with one iteration more. */
double equant_plan_deal_with(const struct equant_plan_deal *deal, int i, long at);
void equant_plan_deal_add(struct equant_plan_deal *deal, int i, long at);
void equant_plan_deal_remove(struct equant_plan_deal *deal, int i, long at);

double equant_plan_deal_makespan(const struct equant_plan_deal *deal);

/* Put all that is owned into a schedule.  0 or -ENOMEM. */
int equant_plan_deal_give(const struct equant_plan_deal *deal, struct equant_plan_draft *draft);

/*
 * heaviest.c: iterations in the order of falling costs on a processor as slow as all are in the
 * mean.  @owner: only those of nobody, by iteration; NULL = all.  @many: receives their number.
 * The caller's to free; NULL = no memory.
 */
struct equant_plan_weighed {
	double weight;
	long at;
};

struct equant_plan_processor equant_plan_mean(const struct equant_plan_machine *machine);
struct equant_plan_weighed *equant_plan_heaviest(const struct equant_plan_program *program,
						 const struct equant_plan_machine *machine,
						 const int *owner, long *many);

/*
 * longest.c: deal iterations in this order, the longest first, each to the processor on which
 * it ends first.  0 or -ENOMEM.
 */
int equant_plan_deal_longest(struct equant_plan_deal *deal,
			     const struct equant_plan_weighed *weighed, long many);

/* exchange.c: move and swap iterations of the last processor while that makes it end earlier. */
int equant_plan_deal_exchange(struct equant_plan_deal *deal);

/* compare.c: iterations and processors so that blocks are as good as anything; see there. */
int equant_plan_compared(struct equant_plan_chain *chain, int **order, long **items);

/* lower_bound.c: no assignment, of blocks or not, takes less; @weighed: all.  0 or -ENOMEM. */
int equant_plan_lower_bound(const struct equant_plan_chain *compared,
			    const struct equant_plan_weighed *weighed, double *bound);

#endif /* EQUANT_PLAN_DEAL_H */
