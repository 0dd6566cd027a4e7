// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate oscillating: the closed model of Siegell 1995, section 7.5.
 */
#include <errno.h>
#include <math.h>

#include "simulate.h"

#define MODEL "oscillating"

static const struct table_column columns[] = {
	{ "period", "%.4g", 0 },	{ "balanced", "%.4f", 1 },   { "equal", "%.4f", 1 },
	{ "avoid_changes", "%.4f", 1 }, { "avoid_rank", "%.4f", 1 }, { 0 },
};

static int fill(struct equant_oscillation *oscillation, const struct simulate_sweep *periods,
		struct table *table)
{
	struct equant_oscillation_result r;

	snprintf(table->title, sizeof(table->title),
		 "%d ranks, one with %.3g of its CPU half of the time; %.3g of the work moves",
		 oscillation->n, oscillation->rmin,
		 1.0 / oscillation->n -
			 oscillation->rmin / (oscillation->rmin + oscillation->n - 1));
	table_fact(table, "ranks", oscillation->n);
	table_fact(table, "rmin", oscillation->rmin);
	table_fact(table, "delay", oscillation->delay);
	table_fact(table, "target", oscillation->target);
	for (long i = 0; i < periods->count; i++) {
		int error;

		oscillation->period = simulate_at(periods, i);
		error = equant_model_oscillation(oscillation, &r);
		if (error && error != -ERANGE)
			return error;
		error = table_add(table, (double[]){ oscillation->period, r.efficiency, r.equal,
						     r.avoid_changes, r.avoid_rank });
		if (error)
			return error;
	}
	return 0;
}

int simulate_oscillating(int argc, char **argv, struct table *table)
{
	struct equant_oscillation oscillation = { .rmin = 0.5, .target = 1, .dedicated = 1 };
	struct simulate_sweep periods = { .from = 2, .step = 2, .count = 30 };
	static const char *const answers[] = { "printed", "whole", "averaged", NULL };
	double late = 0;
	int answer = EQUANT_ANSWER_PRINTED;
	long ranks = 4, depth = 1;
	bool restricted = false;
	const struct simulate_option known[] = {
		{ "ranks", SIMULATE_WHOLE, &ranks, 2, 1e6, NULL },
		{ "rmin", SIMULATE_NUMBER, &oscillation.rmin, 1e-6, 1, NULL },
		{ "period", SIMULATE_SWEEP, &periods, 1e-6, 1e9, NULL },
		{ "target", SIMULATE_NUMBER, &oscillation.target, 0, 1e9, NULL },
		{ "depth", SIMULATE_WHOLE, &depth, 0, 1000, NULL },
		{ "late", SIMULATE_NUMBER, &late, 0, 1000, NULL },
		{ "move-all", SIMULATE_NUMBER, &oscillation.move_all, 0, 1e9, NULL },
		{ "restricted", SIMULATE_FLAG, &restricted, 0, 0, NULL },
		{ "dedicated", SIMULATE_NUMBER, &oscillation.dedicated, 1e-6, 1, NULL },
		{ "answer", SIMULATE_CHOICE, &answer, 0, 0, answers },
		{ 0 },
	};

	if (simulate_parse(MODEL, argc, argv, known))
		return -EINVAL;
	oscillation.n = (int)ranks;
	oscillation.delay = (double)depth + 0.5 + late;
	oscillation.restricted = restricted;
	oscillation.answer = (enum equant_answer)answer;
	table->columns = columns;
	table->x_title = "period of the load, seconds";
	return fill(&oscillation, &periods, table);
}
