// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate oscillating: the closed model of Siegell 1995, section 7.5.
 */
#include <errno.h>

#include "simulate.h"

#define MODEL "oscillating"

static const struct table_column columns[] = {
	{ "period", "%.4g", 0 },	{ "balanced", "%.4f", 1 },   { "equal", "%.4f", 1 },
	{ "avoid_changes", "%.4f", 1 }, { "avoid_rank", "%.4f", 1 }, { 0 },
};

/* Figures 7.15 and 7.17 have processors there. */
static const struct table_column rank_columns[] = {
	{ "ranks", "%.0f", 0 },
	{ "balanced", "%.4f", 1 },
	{ "equal", "%.4f", 1 },
	{ "avoid_changes", "%.4f", 1 },
	{ "avoid_rank", "%.4f", 1 },
	{ "fraction", "%.4f", 0 },
	{ 0 },
};

static const struct table_column fraction_columns[] = {
	{ "ranks", "%.0f", 0 },
	{ "fraction", "%.4f", 1 },
	{ 0 },
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

static int fill_ranks(struct equant_oscillation *oscillation, const struct simulate_sweep *ranks,
		      bool fraction, struct table *table)
{
	struct equant_oscillation_result r;

	snprintf(table->title, sizeof(table->title),
		 "a load on one CPU, %.4g s on and off, that leaves %.3g of it",
		 oscillation->period / 2, oscillation->rmin);
	table_fact(table, "period", oscillation->period);
	table_fact(table, "rmin", oscillation->rmin);
	for (long i = 0; i < ranks->count; i++) {
		int error;

		oscillation->n = (int)simulate_at(ranks, i);
		error = equant_model_oscillation(oscillation, &r);
		if (error && error != -ERANGE)
			return error;
		error = table_add(table, fraction ? (double[]){ oscillation->n, r.fraction } :
						    (double[]){ oscillation->n, r.efficiency,
								r.equal, r.avoid_changes,
								r.avoid_rank, r.fraction });
		if (error)
			return error;
	}
	return 0;
}

int simulate_oscillating(int argc, char **argv, struct table *table)
{
	struct equant_oscillation oscillation = { .rmin = 0.5, .target = 1, .dedicated = 1 };
	struct simulate_sweep periods = { 0 };
	static const char *const answers[] = { "printed", "whole", "averaged", NULL };
	double late = 0;
	int answer = EQUANT_ANSWER_PRINTED;
	struct simulate_sweep ranks = { .from = 4, .count = 1 };
	long depth = 1;
	bool restricted = false, fraction = false;
	const struct simulate_option known[] = {
		{ "ranks", SIMULATE_WHOLE_SWEEP, &ranks, 2, 1e6, NULL },
		{ "rmin", SIMULATE_NUMBER, &oscillation.rmin, 1e-6, 1, NULL },
		{ "period", SIMULATE_SWEEP, &periods, 1e-6, 1e9, NULL },
		{ "target", SIMULATE_NUMBER, &oscillation.target, 0, 1e9, NULL },
		{ "depth", SIMULATE_WHOLE, &depth, 0, 1000, NULL },
		{ "late", SIMULATE_NUMBER, &late, 0, 1000, NULL },
		{ "move-all", SIMULATE_NUMBER, &oscillation.move_all, 0, 1e9, NULL },
		{ "fraction", SIMULATE_FLAG, &fraction, 0, 0, NULL },
		{ "restricted", SIMULATE_FLAG, &restricted, 0, 0, NULL },
		{ "dedicated", SIMULATE_NUMBER, &oscillation.dedicated, 1e-6, 1, NULL },
		{ "answer", SIMULATE_CHOICE, &answer, 0, 0, answers },
		{ 0 },
	};

	if (simulate_parse(MODEL, argc, argv, known))
		return -EINVAL;
	if (ranks.count > 1 && periods.count > 1)
		return simulate_fail(MODEL, "--ranks and --period: only one may be a sweep");
	if (fraction && ranks.count == 1)
		return simulate_fail(MODEL, "--fraction: needs more than one of --ranks");
	if (!periods.count)
		periods = ranks.count > 1 ?
				  (struct simulate_sweep){ .from = 60, .count = 1 } :
				  (struct simulate_sweep){ .from = 2, .step = 2, .count = 30 };
	oscillation.n = (int)ranks.from;
	oscillation.delay = (double)depth + 0.5 + late;
	oscillation.restricted = restricted;
	oscillation.answer = (enum equant_answer)answer;
	if (ranks.count > 1) {
		oscillation.period = periods.from;
		table->columns = fraction ? fraction_columns : rank_columns;
		table->x_title = "processors";
		return fill_ranks(&oscillation, &ranks, fraction, table);
	}
	table->columns = columns;
	table->x_title = "period of the load, seconds";
	return fill(&oscillation, &periods, table);
}
