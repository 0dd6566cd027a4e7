// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Comparative advantage: who sends at little cost for the speed of its processor should
 * have the iterations that send much for their work.
 *
 * Put processors in the order of rising beta_j / gamma_j and iterations in that of
 * falling y_i / x_i.  If iterations could be split, some assignment of blocks in these
 * orders would be as good as any assignment at all: where processor j comes before k, and j has
 * an iteration u and k one v with y_u / x_u < y_v / x_v, as much of v for u as leaves j's
 * load as it is makes k's smaller, because
 *
 *	(x_u + r y_u) / (x_v + r y_v)
 *
 * falls with r = beta / gamma.  Start-ups change none of this: they only make processors
 * begin later.  So the best blocks in these orders are less than one iteration away from
 * the best assignment, and blocks of split iterations are a bound for all.
 *
 * Reference: our own; the argument is Ricardo's for two goods and many countries.  For
 * "mixed signs" of Cierniak, Zaki, Li 1997, section 8.2, and all else the pairs of section
 * 5.1 are not made for.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"

/* y / x of an iteration; those without either fit anywhere. */
static double ratio_of(const struct equant_plan_program *program, long at)
{
	double work = equant_plan_cost_at(&program->work, at);
	double bytes = equant_plan_cost_at(&program->bytes, at);

	if (bytes == 0)
		return 0;
	return work > 0 ? bytes / work : INFINITY;
}

/* Has every iteration the same? */
static bool same_ratio(const struct equant_plan_program *program)
{
	double first = ratio_of(program, 0);

	if (!program->work.each && !program->bytes.each)
		return program->work.slope * program->bytes.constant ==
		       program->bytes.slope * program->work.constant;
	for (long at = 1; at < program->iterations; at++)
		if (ratio_of(program, at) != first)
			return false;
	return true;
}

static bool same_advantage(const struct equant_plan_machine *machine)
{
	const struct equant_plan_processor *one = machine->processors;

	for (int i = 1; i < machine->count; i++)
		if (one[i].byte * one[0].operation != one[0].byte * one[i].operation)
			return false;
	return true;
}

/* @sign: -1 for those who send dearly first. */
static int sort_processors(const struct equant_plan_machine *machine, int sign, int *order)
{
	struct equant_plan_weighed *ranked =
		reallocarray(NULL, (size_t)machine->count, sizeof(*ranked));
	int error = ranked ? 0 : -ENOMEM;

	for (int i = 0; i < machine->count && !error; i++) {
		const struct equant_plan_processor *one = &machine->processors[i];

		ranked[i] = (struct equant_plan_weighed){ -sign * one->byte / one->operation, i };
	}
	if (!error)
		error = equant_plan_sort(ranked, machine->count);
	for (int i = 0; i < machine->count && !error; i++)
		order[i] = (int)ranked[i].at;
	free(ranked);
	return error;
}

static int sort_items(const struct equant_plan_program *program, long *items)
{
	long n = program->iterations;
	struct equant_plan_weighed *ranked = reallocarray(NULL, (size_t)n, sizeof(*ranked));
	int error = ranked ? 0 : -ENOMEM;

	for (long at = 0; at < n && !error; at++)
		ranked[at] = (struct equant_plan_weighed){ ratio_of(program, at), at };
	if (!error)
		error = equant_plan_sort(ranked, n);
	for (long at = 0; at < n && !error; at++)
		items[at] = ranked[at].at;
	free(ranked);
	return error;
}

/*
 * Set @chain's orders, NULL where any will do, and its sums.  @order and @items are then the
 * caller's to free, whatever is returned.  0 or -ENOMEM.
 */
int equant_plan_compared(struct equant_plan_chain *chain, int **order, long **items)
{
	const struct equant_plan_program *program = chain->program;
	int error, sign = 1;

	*order = NULL;
	*items = NULL;
	if (!same_ratio(program) && !same_advantage(chain->machine)) {
		*order = reallocarray(NULL, (size_t)chain->machine->count, sizeof(**order));
		if (!*order)
			return -ENOMEM;
		if (program->work.each || program->bytes.each) {
			*items = reallocarray(NULL, (size_t)program->iterations, sizeof(**items));
			error = *items ? sort_items(program, *items) : -ENOMEM;
			if (error)
				return error;
		} else if (ratio_of(program, 0) < ratio_of(program, program->iterations - 1)) {
			/* The ratio of two lines rises or falls everywhere. */
			sign = -1;
		}
		error = sort_processors(chain->machine, sign, *order);
		if (error)
			return error;
	}
	chain->order = *order;
	chain->items = *items;
	return equant_plan_chain_init(chain);
}

/* What each has of @ends, by processor; -ENOMEM, or 1. */
static int give_ends(const struct equant_plan_chain *chain, const long *ends,
		     struct equant_plan_draft *draft)
{
	int p = chain->machine->count, error = 1;
	int *place = reallocarray(NULL, (size_t)p, sizeof(*place));

	if (!place)
		return -ENOMEM;
	for (int k = 0; k < p; k++)
		place[chain->order[k]] = k;
	for (int i = 0; i < p && error > 0; i++) {
		long first = place[i] ? ends[place[i] - 1] : 0;

		if (equant_plan_give(draft, i, first, ends[place[i]] - first, 1))
			error = -ENOMEM;
	}
	free(place);
	return error;
}

int equant_plan_give_compared(const struct equant_plan_chain *of, double time,
			      struct equant_plan_draft *draft)
{
	struct equant_plan_chain chain = *of;
	long *ends = reallocarray(NULL, (size_t)chain.machine->count, sizeof(*ends)), *items;
	int *order, error = equant_plan_compared(&chain, &order, &items);

	if (!error && !ends)
		error = -ENOMEM;
	if (!error && order && equant_plan_chain_optimum(&chain, ends) < time)
		error = give_ends(&chain, ends, draft);
	equant_plan_chain_release(&chain);
	free(order);
	free(items);
	free(ends);
	return error;
}
