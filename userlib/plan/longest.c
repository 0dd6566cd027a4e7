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
	const struct equant_plan_dealt *one = &deal->of[i];

	if (one->count == one->room)
		return INFINITY;
	return one->count ? one->load : one->startup;
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

int equant_plan_deal_longest(struct equant_plan_deal *deal,
			     const struct equant_plan_weighed *weighed, long many)
{
	struct equant_plan_processor mean = equant_plan_mean(deal->machine);
	struct equant_lines lines;
	double work = 0, bytes = 0;
	int error;

	if (!many)
		return 0;
	for (long k = 0; k < many; k++) {
		if (k + EQUANT_PLAN_AHEAD < many)
			equant_plan_deal_prefetch(deal, weighed[k + EQUANT_PLAN_AHEAD].at);
		work += equant_plan_cost_at(&deal->program->work, weighed[k].at);
		bytes += equant_plan_cost_at(&deal->program->bytes, weighed[k].at);
	}
	error = draw_lines(deal, &mean, work, bytes, weighed[0].weight, &lines);
	for (long k = 0; k < many && !error; k++) {
		int i;

		if (k + EQUANT_PLAN_AHEAD < many)
			equant_plan_deal_prefetch(deal, weighed[k + EQUANT_PLAN_AHEAD].at);
		i = equant_lines_lowest(&lines, weighed[k].weight);
		equant_plan_deal_add(deal, i, weighed[k].at);
		equant_lines_put(&lines, i, base(deal, i));
	}
	equant_lines_release(&lines);
	return error;
}
