/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_PLAN_SEARCH_H
#define EQUANT_PLAN_SEARCH_H

#include "plan/plan_internal.h"

/* Iterations that are looked at one by one, at most: each takes some 60 bytes, and more in the schedule. */
#define EQUANT_PLAN_ITEMS (1L << 24)

/* ---- least.c: parametric search ------------------------------------------------ */

/*
 * The smallest double in 0..@high for which @enough holds, given that it holds for @high
 * and goes on to hold from where it begins to.  @next is where to go on: if it holds, a time
 * not above @time for which it holds too; if not, one above @time such that nothing in
 * between changes the answer.  At most 64 questions, few if @next says much, and one of what is returned: where
 * rounding is against it that is some units in the last place more.
 */
double equant_plan_least(double high, bool (*enough)(void *ctx, double time, double *next),
			 void *ctx);

/*
 * The same for a continuous question, up to a precision far below that of sums: @left says how
 * much is left at a time, nothing or less if it is enough, and never rises.  Few questions if it
 * falls by much the same in the same time.
 */
double equant_plan_crossing(double high, double (*left)(void *ctx, double time), void *ctx);

/* The double below a positive one. */
double equant_plan_below(double time);

/* ---- limits.c: what a processor may have, and what it takes before the first iteration ---- */

/**
 * struct equant_plan_limits - by processor
 * @startup: time of its message before the first byte; 0 if the program sends nothing
 * @room: iterations that fit into its memory, at most n
 */
struct equant_plan_limits {
	double *startup;
	long *room;
};

/*
 * 0; -EOPNOTSUPP for messages that need a medium; -ENOMEM.  There is room for all iterations
 * since equant_plan_check() has looked.
 */
int equant_plan_limits_init(struct equant_plan_limits *limits,
			    const struct equant_plan_program *program,
			    const struct equant_plan_machine *machine, char *why, size_t why_size);
/* The same for a planner that does not know memory: each processor has room for all. */
int equant_plan_limits_startups(struct equant_plan_limits *limits,
				const struct equant_plan_program *program,
				const struct equant_plan_machine *machine, char *why,
				size_t why_size);
/* The same without start-ups.  0 or -ENOMEM. */
int equant_plan_limits_none(struct equant_plan_limits *limits,
			    const struct equant_plan_program *program,
			    const struct equant_plan_machine *machine);
void equant_plan_limits_release(struct equant_plan_limits *limits);

/* ---- equal.c: equal iterations, any assignment ------------------------------------ */

/**
 * struct equant_plan_equal - start-up and time per iteration of each processor
 * @n: iterations
 * @p: processors
 * @startup: time before the first iteration, paid by who has any
 * @each: time per iteration
 * @room: iterations at most
 */
struct equant_plan_equal {
	long n;
	int p;
	const double *startup;
	const double *each;
	const long *room;
};

/* Iterations that processor @i ends by @time. */
long equant_plan_equal_fit(const struct equant_plan_equal *equal, int i, double time);

/*
 * The counts whose largest time is least.  The rooms hold n iterations together.
 * Return: that time.
 */
double equant_plan_equal_optimum(const struct equant_plan_equal *equal, long *counts);

/* ---- chain.c: contiguous iterations in an order of processors ----------------------- */

/**
 * struct equant_plan_chain - iterations and processors, each in an order
 * @program: the program
 * @machine: the machine
 * @limits: of its processors
 * @order: processors first to last, or NULL for the machine's order
 * @items: iterations first to last, or NULL for the program's order
 * @work: sums of x over the first k iterations in this order; NULL if x is affine
 * @bytes: the same of y
 */
struct equant_plan_chain {
	const struct equant_plan_program *program;
	const struct equant_plan_machine *machine;
	const struct equant_plan_limits *limits;
	const int *order;
	const long *items;
	double *work;
	double *bytes;
};

/* The first six members are given.  0 or -ENOMEM. */
int equant_plan_chain_init(struct equant_plan_chain *chain);
void equant_plan_chain_release(struct equant_plan_chain *chain);

/* Time of the iterations from @from to below @to. */
double equant_plan_chain_time(const struct equant_plan_chain *chain,
			      const struct equant_plan_processor *processor, long from, long to);

/* How far a processor comes by @time that begins with @from at @startup, not beyond @most. */
long equant_plan_chain_reach(const struct equant_plan_chain *chain,
			     const struct equant_plan_processor *processor, double startup,
			     double time, long from, long most);

/* Where the blocks of the best schedule end, by place in the order.  Return: its makespan. */
double equant_plan_chain_optimum(const struct equant_plan_chain *chain, long *ends);

/* The same if iterations could be split, and memory were no limit. */
double equant_plan_chain_fluid(const struct equant_plan_chain *chain);

#endif /* EQUANT_PLAN_SEARCH_H */
