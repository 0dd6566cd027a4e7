// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Iterations in proportion to the processors' speeds.  Equal iterations: processor
 * i takes g_i = gamma_i x + beta_i y for one (6.1, 6.2).  Affine ones are pairs of
 * equal cost first (6.3), g_i = gamma_i (a (n + 1) + 2 b) + beta_i (c (n + 1) + 2 d).
 *
 * Start-up costs are taken to be equal, as in section 6; 8.1 and 8.2 are for those
 * that are not.  The paper does not say what happens to the iteration that is left
 * over when n is odd: here it is the cheapest one, and goes where it is done first.
 *
 * Deviation: pairs have all the same mixture of work and bytes.  Where processors differ in what
 * they are good at, balance of such is not the best there is; so blocks in the order of
 * comparative advantage (compare.c) are made too, and the better of both is taken.
 *
 * Reference: Cierniak, Zaki, Li 1997, section 6.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"

/**
 * struct shares - what each processor gets
 * @time: that it needs for one iteration or pair
 * @counts: of them
 */
struct shares {
	double *time;
	long *counts;
};

/*
 * By pairs of the iterations @first and @last; a pair of one with itself twice as long, which
 * shares do not notice.  Nothing takes no time at all, or else all shares are equal.
 */
static void measure(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine, long first, long last, double *time)
{
	bool none = true;

	for (int i = 0; i < machine->count; i++) {
		const struct equant_plan_processor *processor = &machine->processors[i];

		time[i] = equant_plan_iteration(program, processor, first) +
			  equant_plan_iteration(program, processor, last);
		none = none && time[i] <= 0;
	}
	for (int i = 0; i < machine->count; i++)
		if (none || time[i] < DBL_MIN)
			time[i] = none ? 1 : DBL_MIN;
}

/* Who is done first with its pairs and iteration @one. */
static int quickest(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine, const struct shares *shares,
		    long one)
{
	double least = INFINITY;
	int who = 0;

	for (int i = 0; i < machine->count; i++) {
		double done = shares->time[i] * (double)shares->counts[i] +
			      equant_plan_iteration(program, &machine->processors[i], one);

		if (done < least) {
			least = done;
			who = i;
		}
	}
	return who;
}

static double makespan(const struct equant_plan_program *program,
		       const struct equant_plan_machine *machine, const struct shares *shares,
		       int who, long one)
{
	double longest = 0, time;

	for (int i = 0; i < machine->count; i++) {
		time = shares->time[i] * (double)shares->counts[i];
		if (i == who)
			time += equant_plan_iteration(program, &machine->processors[i], one);
		longest = fmax(longest, time);
	}
	return longest;
}

/* Blocks, if they take less than @time, without start-ups.  As equant_plan_give_compared(). */
static int by_advantage(const struct equant_plan_program *program,
			const struct equant_plan_machine *machine, double time,
			struct equant_plan_draft *draft)
{
	struct equant_plan_limits limits = { 0 };
	struct equant_plan_chain chain = { .program = program,
					   .machine = machine,
					   .limits = &limits };
	int error = equant_plan_limits_none(&limits, program, machine);

	if (!error)
		error = equant_plan_give_compared(&chain, time, draft);
	equant_plan_limits_release(&limits);
	return error;
}

static int by_pairs(const struct equant_plan_program *program,
		    const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		    struct shares *shares)
{
	long n = program->iterations, pairs = n / 2, from = 0;
	bool rises = equant_plan_rises(program, &machine->processors[0]);
	long first = n % 2 && rises, one = rises ? 0 : n - 1;
	int who = -1, error = 0;

	measure(program, machine, first, first + 2 * pairs - 1, shares->time);
	equant_plan_share(shares->time, machine->count, pairs, shares->counts);
	if (n % 2)
		who = quickest(program, machine, shares, one);
	error = by_advantage(program, machine, makespan(program, machine, shares, who, one), draft);
	if (error)
		return error < 0 ? error : 0;
	for (int i = 0; !error && i < machine->count; i++) {
		error = equant_plan_give_pairs(draft, i, first, pairs, from, shares->counts[i]);
		if (!error && i == who)
			error = equant_plan_give(draft, i, one, 1, 1);
		from += shares->counts[i];
	}
	return error;
}

static int by_iterations(const struct equant_plan_program *program,
			 const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
			 struct shares *shares)
{
	measure(program, machine, 0, 0, shares->time);
	equant_plan_share(shares->time, machine->count, program->iterations, shares->counts);
	return equant_plan_give_blocks(draft, shares->counts);
}

static int plan_speed(const struct equant_plan_program *program,
		      const struct equant_plan_machine *machine, struct equant_plan_draft *draft,
		      char *why, size_t why_size)
{
	size_t p = (size_t)machine->count;
	struct shares shares;
	int error = equant_plan_affine(program, why, why_size);
	bool equal = !program->work.slope && !program->bytes.slope;

	if (error)
		return error;
	shares.time = calloc(p, sizeof(*shares.time));
	shares.counts = calloc(p, sizeof(*shares.counts));
	if (!shares.time || !shares.counts)
		error = -ENOMEM;
	else
		error = (equal ? by_iterations : by_pairs)(program, machine, draft, &shares);
	free(shares.time);
	free(shares.counts);
	return error;
}

const struct equant_planner equant_planner_speed = {
	.name = "speed",
	.summary = "equal or affine iterations in proportion to the processors' speeds",
	.plan = plan_speed,
};
