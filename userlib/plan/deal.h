/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_PLAN_DEAL_H
#define EQUANT_PLAN_DEAL_H

#include "plan/search.h"

/**
 * struct equant_plan_dealt - a processor, all that giving it an iteration needs side by side
 * @operation: as in the machine
 * @byte: the same
 * @startup: as in the limits
 * @load: time with the start-up of its message; 0 without iterations
 * @count: of its iterations
 * @room: as in the limits
 */
struct equant_plan_dealt {
	double operation;
	double byte;
	double startup;
	double load;
	long count;
	long room;
};

/**
 * struct equant_plan_deal - iterations given out one by one
 * @program: the program
 * @machine: the machine
 * @limits: of its processors
 * @owner: by iteration, -1 = nobody yet
 * @of: by processor
 */
struct equant_plan_deal {
	const struct equant_plan_program *program;
	const struct equant_plan_machine *machine;
	const struct equant_plan_limits *limits;
	int *owner;
	struct equant_plan_dealt *of;
};

/* What an iteration of @work and @bytes takes on processor @i. */
static inline double equant_plan_deal_cost(const struct equant_plan_deal *deal, int i, double work,
					   double bytes)
{
	return deal->of[i].operation * work + deal->of[i].byte * bytes;
}

/* What iteration @at takes on processor @i. */
static inline double equant_plan_deal_time(const struct equant_plan_deal *deal, int i, long at)
{
	return equant_plan_deal_cost(deal, i, equant_plan_cost_at(&deal->program->work, at),
				     equant_plan_cost_at(&deal->program->bytes, at));
}

/* The load that one more iteration is added to. */
static inline double equant_plan_deal_base(const struct equant_plan_deal *deal, int i)
{
	return deal->of[i].count ? deal->of[i].load : deal->of[i].startup;
}

/* Nobody has anything.  0, -EOPNOTSUPP for too many iterations, -ENOMEM. */
int equant_plan_deal_init(struct equant_plan_deal *deal, const struct equant_plan_program *program,
			  const struct equant_plan_machine *machine,
			  const struct equant_plan_limits *limits, char *why, size_t why_size);
void equant_plan_deal_release(struct equant_plan_deal *deal);

/* Have what @from has, of the same program and machine. */
void equant_plan_deal_copy(struct equant_plan_deal *deal, const struct equant_plan_deal *from);

/* @time: what iteration @at takes on processor @i. */
void equant_plan_deal_add(struct equant_plan_deal *deal, int i, long at, double time);
void equant_plan_deal_remove(struct equant_plan_deal *deal, int i, long at);

double equant_plan_deal_makespan(const struct equant_plan_deal *deal);

/* Put all that is owned into a schedule.  0 or -ENOMEM. */
int equant_plan_deal_give(const struct equant_plan_deal *deal, struct equant_plan_draft *draft);

/* sort.c: falling weights, equal ones as they were.  0 or -ENOMEM. */
struct equant_plan_weighed {
	double weight;
	long at;
};

int equant_plan_sort(struct equant_plan_weighed *weighed, long n);

/* A processor as slow as all are in the mean. */
struct equant_plan_processor equant_plan_mean(const struct equant_plan_machine *machine);

/**
 * struct equant_plan_item - an iteration that is taken out of the program's order
 * @weight: what it takes on the mean processor
 * @work: its operations
 * @bytes: its bytes
 * @at: which it is
 */
struct equant_plan_item {
	double weight;
	double work;
	double bytes;
	long at;
};

/*
 * heaviest.c: all iterations, the one of the largest weight first.  The caller's to free; NULL = no
 * memory.
 */
struct equant_plan_item *equant_plan_heaviest(const struct equant_plan_program *program,
					      const struct equant_plan_machine *machine);

/* longest.c: deal them in this order, each to the processor on which it ends first.  0 or -ENOMEM. */
int equant_plan_deal_longest(struct equant_plan_deal *deal, const struct equant_plan_item *items);

/* exchange.c: move and swap iterations of the last processor while that makes it end earlier. */
int equant_plan_deal_exchange(struct equant_plan_deal *deal);

/* compare.c: iterations and processors so that blocks are as good as anything; see there. */
int equant_plan_compared(struct equant_plan_chain *chain, int **order, long **items);

/*
 * The best blocks of an affine program in these orders, if there are such and they end before
 * @time; @of: its first three members.  1 = they have been given, 0, or -ENOMEM.
 */
int equant_plan_give_compared(const struct equant_plan_chain *of, double time,
			      struct equant_plan_draft *draft);

/* lower_bound.c: no assignment, of blocks or not, takes less.  0 or -ENOMEM. */
int equant_plan_lower_bound(const struct equant_plan_chain *compared,
			    const struct equant_plan_item *heaviest, double *bound);

#endif /* EQUANT_PLAN_DEAL_H */
