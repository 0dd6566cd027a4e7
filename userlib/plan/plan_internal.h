/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_PLAN_INTERNAL_H
#define EQUANT_PLAN_INTERNAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/say.h"
#include <equant/plan.h>

/* The same plan everywhere: IEEE doubles in source order, no more precision. */
#ifdef __FAST_MATH__
#error "userlib/plan must not be compiled with -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "userlib/plan needs arithmetic in the precision of double (on x86: -mfpmath=sse)"
#endif

/* ---- program.c --------------------------------------------------------------- */

/* Cost of iteration @at, from 0. */
static inline double equant_plan_cost_at(const struct equant_plan_cost *cost, long at)
{
	return cost->each ? cost->each[at] : cost->slope * (double)(at + 1) + cost->constant;
}

/* Iterations in another order are all over memory: how many early one is asked for. */
#define EQUANT_PLAN_AHEAD 16

static inline void equant_plan_prefetch(const struct equant_plan_program *program, long at)
{
	if (program->work.each)
		__builtin_prefetch(&program->work.each[at]);
	if (program->bytes.each)
		__builtin_prefetch(&program->bytes.each[at]);
}

double equant_plan_cost_sum(const struct equant_plan_cost *cost, struct equant_plan_span span);

/* Are all iterations equal? */
bool equant_plan_cost_uniform(const struct equant_plan_cost *cost, long n);

/* Does any iteration have bytes to send? */
bool equant_plan_sends(const struct equant_plan_program *program);

/* ---- machine.c ---------------------------------------------------------------- */

bool equant_plan_has_medium(const struct equant_plan_machine *machine);

/* Do all processors have the same gamma, alpha and beta? */
bool equant_plan_equal_processors(const struct equant_plan_machine *machine);

/* Time that iteration @at takes on @processor, with its bytes: g_ij of section 8.2. */
static inline double equant_plan_iteration(const struct equant_plan_program *program,
					   const struct equant_plan_processor *processor, long at)
{
	return processor->operation * equant_plan_cost_at(&program->work, at) +
	       processor->byte * equant_plan_cost_at(&program->bytes, at);
}

/* ---- limits.c ---------------------------------------------------------------- */

/* Is there room for all iterations?  0, or -ENOSPC and the shortfall in @why. */
int equant_plan_check_room(const struct equant_plan_program *program,
			   const struct equant_plan_machine *machine, char *why, size_t why_size);

/* ---- read.c ------------------------------------------------------------------------- */

/* equant_plan_read() of @file, which is called @path; NULL: of the one that is there. */
int equant_plan_read_stream(FILE *file, const char *path, struct equant_plan_program **program,
			    struct equant_plan_machine **machine, char *why, size_t why_size);

/* ---- plan.c: a schedule under construction --------------------------------------- */

/**
 * struct equant_plan_draft - spans go in processor by processor
 * @plan: processors, iterations, starts and spans; the rest is filled in afterwards
 * @at: the processor that gets spans now
 * @room: of @plan->spans
 */
struct equant_plan_draft {
	struct equant_plan *plan;
	int at;
	long room;
};

/*
 * Give iterations to @processor, not below the one given to before.  An empty span is
 * nothing, and one that goes on where the processor's last one ended becomes one with it.
 * 0 or -ENOMEM.
 */
int equant_plan_give(struct equant_plan_draft *draft, int processor, long first, long count,
		     long step);

/* Contiguous blocks of @counts iterations in the order of the processors. */
int equant_plan_give_blocks(struct equant_plan_draft *draft, const long *counts);

/* ---- share.c: in proportion to speeds ---------------------------------------------- */

/*
 * @n things to processors that take @time[i] > 0 for one: section 6.1's floor of prefix sums,
 * so @counts[i] is less than one away from its exact part.
 */
void equant_plan_share(const double *time, int p, long n, long *counts);

/* ---- pairs.c: the transformed loop ------------------------------------------------- */

/*
 * Both affine costs, or -EOPNOTSUPP and what is wrong: only then do the first and the last
 * iteration together cost as much as the second and the last but one.
 */
int equant_plan_affine(const struct equant_plan_program *program, char *why, size_t why_size);

/* Do iterations take longer with their number, on this processor? */
bool equant_plan_rises(const struct equant_plan_program *program,
		       const struct equant_plan_processor *processor);

/*
 * Iterations from @first on, 2 x @pairs of them, as pairs of one from the end and one from the
 * beginning: pair j is (first + 2 pairs - 1 - j, first + j).  Gives pairs @from to below
 * @from + @count to @processor.
 */
int equant_plan_give_pairs(struct equant_plan_draft *draft, int processor, long first, long pairs,
			   long from, long count);

/* ---- planners.c ------------------------------------------------------------------- */

/**
 * struct equant_planner - one way to schedule
 * @name: to find it by
 * @summary: one line for those who choose
 * @plan: fills in the draft; program and machine have been checked.  0 or -errno: -EOPNOTSUPP for
 *	what it is not made for, with a reason in @why
 */
struct equant_planner {
	const char *name;
	const char *summary;
	int (*plan)(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		    char *why, size_t why_size);
};

/* A new planner is a file with one of these and a line in planners.c. */
extern const struct equant_planner equant_planner_block;
extern const struct equant_planner equant_planner_cyclic;
extern const struct equant_planner equant_planner_bitonic;
extern const struct equant_planner equant_planner_speed;
extern const struct equant_planner equant_planner_contention_free;
extern const struct equant_planner equant_planner_memory;
extern const struct equant_planner equant_planner_memory_share;
extern const struct equant_planner equant_planner_network;
extern const struct equant_planner equant_planner_longest_first;
extern const struct equant_planner equant_planner_optimum;
extern const struct equant_planner equant_planner_optimum_blocks;

const struct equant_planner *equant_planner_find(const char *name);

#endif /* EQUANT_PLAN_INTERNAL_H */
