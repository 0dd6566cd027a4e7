// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate sampling, sampled, periods: what the scheduler's quantum does to a rate
 * that is measured, and the balancing period that follows, Siegell 1995, figures 4.9 to 4.11.
 */
#include <errno.h>
#include <math.h>

#include <equant/balance.h>

#include "simulate.h"

#define LINES 4

static const int loads[LINES] = { 1, 2, 3, 4 };
static const double samples[LINES] = { 0.5, 2.5, 5.5, 10.5 }; /* quanta */

static const struct table_column sampling_columns[] = {
	{ "sample", "%.4g", 0 },  { "1 load", "%.4f", 1 },  { "2 loads", "%.4f", 1 },
	{ "3 loads", "%.4f", 1 }, { "4 loads", "%.4f", 1 }, { 0 },
};

static const struct table_column sampled_columns[] = {
	{ "time", "%.4g", 0 },	     { "0.5 quanta", "%.4f", 1 },  { "2.5 quanta", "%.4f", 1 },
	{ "5.5 quanta", "%.4f", 1 }, { "10.5 quanta", "%.4f", 1 }, { 0 },
};

static const struct table_column period_columns[] = {
	{ "quantum", "%.4g", 0 },    { "interaction", "%.4f", 1 }, { "movement", "%.4f", 1 },
	{ "scheduling", "%.4f", 1 }, { "target", "%.4f", 1 },	   { 0 },
};

int simulate_sampling(int argc, char **argv, struct table *table)
{
	struct simulate_sweep sample = { .from = 0.1, .step = 0.1, .count = 200 };
	const struct simulate_option known[] = {
		{ "sample", SIMULATE_SWEEP, &sample, 1e-3, 1e6, NULL },
		{ 0 },
	};

	if (simulate_parse("sampling", argc, argv, known))
		return -EINVAL;
	table->columns = sampling_columns;
	table->x_title = "sampling period, quanta";
	snprintf(table->title, sizeof(table->title),
		 "what sampling leaves of the changes of a rate by the scheduler, eq. 4.9");
	for (long i = 0; i < sample.count; i++) {
		double row[1 + LINES] = { simulate_at(&sample, i) };
		int error;

		for (int l = 0; l < LINES; l++)
			row[1 + l] = equant_sampling_scale(1, 1.0 / (1 + loads[l]), row[0]);
		error = table_add(table, row);
		if (error)
			return error;
	}
	return 0;
}

/* Of a rank that has every other quantum. */
static double on_cpu(double time)
{
	double rest = fmod(time, 2);

	return floor(time / 2) + fmin(rest, 1);
}

/* The rate that was measured last, over each of the sampling periods. */
int simulate_sampled(int argc, char **argv, struct table *table)
{
	struct simulate_sweep time = { .from = 0, .step = 0.25, .count = 400 };
	const struct simulate_option known[] = {
		{ "time", SIMULATE_SWEEP, &time, 0, 1e6, NULL },
		{ 0 },
	};

	if (simulate_parse("sampled", argc, argv, known))
		return -EINVAL;
	table->columns = sampled_columns;
	table->x_title = "time, quanta";
	snprintf(table->title, sizeof(table->title),
		 "a rate measured beside one competing task, over sampling periods");
	for (long i = 0; i < time.count; i++) {
		double row[1 + LINES] = { simulate_at(&time, i) };
		int error;

		for (int l = 0; l < LINES; l++) {
			double end = floor(row[0] / samples[l]) * samples[l];
			double begin = end - samples[l];

			row[1 + l] = begin < -1e-9 ? NAN :
						     (on_cpu(end) - on_cpu(begin)) / samples[l];
		}
		error = table_add(table, row);
		if (error)
			return error;
	}
	return 0;
}

int simulate_periods(int argc, char **argv, struct table *table)
{
	struct simulate_sweep quantum = { .from = 0.001, .step = 0.001, .count = 100 };
	double interact = 0.005, movement = 1, worksale = 5, amplitude = 0.1;
	const struct simulate_option known[] = {
		{ "quantum", SIMULATE_SWEEP, &quantum, 1e-6, 10, NULL },
		{ "interact", SIMULATE_NUMBER, &interact, 0, 1e3, NULL },
		{ "movement", SIMULATE_NUMBER, &movement, 0, 1e3, NULL },
		{ "worksale", SIMULATE_NUMBER, &worksale, 1, 1e3, NULL },
		{ "amplitude", SIMULATE_NUMBER, &amplitude, 1e-3, 1, NULL },
		{ 0 },
	};

	if (simulate_parse("periods", argc, argv, known))
		return -EINVAL;
	table->columns = period_columns;
	table->x_title = "quantum, seconds";
	snprintf(table->title, sizeof(table->title),
		 "lower bounds of the balancing period in seconds, eqs. 4.2 to 4.4 and 4.11");
	snprintf(table->note, sizeof(table->note),
		 "an interaction of %g s, moves of %g s every %g periods, an amplitude of %g left",
		 interact, movement, worksale, amplitude);
	for (long i = 0; i < quantum.count; i++) {
		double q = simulate_at(&quantum, i),
		       bound = equant_sampling_bound(q, 0.5, amplitude);
		double cost = interact / 0.05, moves = movement / worksale;
		int error = table_add(table, (double[]){ q, cost, moves, bound,
							 fmax(fmax(cost, moves), bound) });

		if (error)
			return error;
	}
	return 0;
}
