// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Longest first: iterations in the order of falling costs, each to the processor on
 * which it ends first.
 *
 * The cost of iteration i on processor j, gamma_j x_i + beta_j y_i, is a product of one number
 * of each if all processors have the same beta / gamma or all iterations the same y / x
 * (uniform processors).  Then the choice is exact.  If not, who would end first is
 * guessed by the iteration's cost on the mean processor times how much slower processor j is
 * for the loop as a whole; loads are always the true ones.
 *
 * Reference: T. Gonzalez, O. H. Ibarra, S. Sahni, Bounds for LPT Schedules on Uniform
 * Processors, SIAM Journal on Computing 6(1), 1977: at most twice the optimum.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/deal.h"
#include "plan/lines.h"

/* The load that a processor's line begins with; none if its memory is full. */
static double base(const struct equant_plan_deal *deal, int i)
{
	return deal->of[i].count == deal->of[i].room ? INFINITY : equant_plan_deal_base(deal, i);
}

/* @work, @bytes: of all that is to be dealt. */
static int draw_lines(const struct equant_plan_deal *deal, const struct equant_plan_processor *mean,
		      double work, double bytes, double x, struct equant_lines *lines)
{
	int p = deal->machine->count, error = -ENOMEM;
	double *at = reallocarray(NULL, (size_t)p, sizeof(*at));
	double *slope = reallocarray(NULL, (size_t)p, sizeof(*slope));
	double whole = mean->operation * work + mean->byte * bytes;

	*lines = (struct equant_lines){ 0 };
	if (at && slope) {
		for (int i = 0; i < p; i++) {
			const struct equant_plan_processor *one = &deal->machine->processors[i];

			at[i] = base(deal, i);
			slope[i] = whole > 0 ? (one->operation * work + one->byte * bytes) / whole :
					       1;
		}
		error = equant_lines_init(lines, at, slope, p, x);
	}
	free(at);
	free(slope);
	return error;
}

int equant_plan_deal_longest(struct equant_plan_deal *deal, const struct equant_plan_item *items)
{
	struct equant_plan_processor mean = equant_plan_mean(deal->machine);
	struct equant_lines lines;
	double work = 0, bytes = 0;
	long n = deal->program->iterations;
	int error;

	for (long k = 0; k < n; k++) {
		work += items[k].work;
		bytes += items[k].bytes;
	}
	error = draw_lines(deal, &mean, work, bytes, items[0].weight, &lines);
	for (long k = 0; k < n && !error; k++) {
		const struct equant_plan_item *item = &items[k];
		int i = equant_lines_lowest(&lines, item->weight);

		if (k + EQUANT_PLAN_AHEAD < n)
			__builtin_prefetch(&deal->owner[items[k + EQUANT_PLAN_AHEAD].at], 1);
		equant_plan_deal_add(deal, i, item->at,
				     equant_plan_deal_cost(deal, i, item->work, item->bytes));
		equant_lines_put(&lines, i, base(deal, i));
	}
	equant_lines_release(&lines);
	return error;
}
