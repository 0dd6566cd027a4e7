// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate cycle, moves: how work is divided while a load comes and goes once, Siegell
 * 1995, figures 7.14 and 7.16, and what then moves between neighbours, figure 7.18.
 */
#include <errno.h>
#include <math.h>

#include <equant/balance.h>

#include "simulate.h"

#define POINTS 240
#define UNITS 1000000 /* of work that moves are counted in */

static const struct table_column cycle_columns[] = {
	{ "time", "%.3f", 0 },
	{ "cpu", "%.4f", 1 },
	{ "equal", "%.4f", 1 },
	{ "avoid_changes", "%.4f", 1 },
	{ "avoid_rank", "%.4f", 1 },
	{ "balanced", "%.4f", 1 },
	{ 0 },
};

static const struct table_column move_columns[] = {
	{ "boundary", "%.0f", 0 },
	{ "slows", "%.4f", 1 },
	{ "recovers", "%.4f", 1 },
	{ 0 },
};

/* From one value to another between @delay and @delay + @moving after a change. */
static double passing(double since, double delay, double moving, double from, double to)
{
	if (since < delay)
		return from;
	if (since >= delay + moving)
		return to;
	return from + (to - from) * (since - delay) / moving;
}

int simulate_cycle(int argc, char **argv, struct table *table)
{
	struct equant_oscillation o = {
		.n = 4,
		.rmin = 0.5,
		.period = 20,
		.target = 1,
		.delay = 1.5,
		.move_all = 6.91,
		.dedicated = 1,
	};
	struct equant_oscillation_result r;
	long ranks = 4;
	const struct simulate_option known[] = {
		{ "ranks", SIMULATE_WHOLE, &ranks, 2, 1e6, NULL },
		{ "rmin", SIMULATE_NUMBER, &o.rmin, 1e-6, 1, NULL },
		{ "period", SIMULATE_NUMBER, &o.period, 1e-6, 1e9, NULL },
		{ "move-all", SIMULATE_NUMBER, &o.move_all, 0, 1e9, NULL },
		{ 0 },
	};
	double low;
	int error;

	if (simulate_parse("cycle", argc, argv, known))
		return -EINVAL;
	o.n = (int)ranks;
	error = equant_model_oscillation(&o, &r);
	if (error)
		return error == -ERANGE ?
			       simulate_fail("cycle", "--period %g: the load is back too soon",
					     o.period) :
			       error;
	low = o.rmin * o.n / (o.rmin + o.n - 1);
	table->columns = cycle_columns;
	table->x_title =
		"time, seconds; upwards: rate of the first CPU, its work over an equal part";
	snprintf(table->title, sizeof(table->title),
		 "%d CPUs; t_c %.3g, t_d %.3g, t_e %.3g, t_f %.3g, t_g %.3g, t_h %.3g s", o.n, r.c,
		 r.d, r.e, r.f, r.g, r.h);
	for (int i = 0; i <= POINTS && !error; i++) {
		double time = o.period * i / POINTS, half = o.period / 2;
		double work = time < half ? passing(time, r.c, r.d, low, 1) :
					    passing(time - half, r.f, r.g, 1, low);

		error = table_add(table,
				  (double[]){ time, time < half ? 1 : o.rmin, 1, low, 0, work });
	}
	return error;
}

/* Parts in proportion to a first rate and ones. */
static int parts(double first, int n, long *units)
{
	double rates[SIMULATE_CPUS] = { first };

	for (int i = 1; i < n; i++)
		rates[i] = 1;
	return equant_distribute(rates, n, UNITS, 1, units);
}

/* What crosses each boundary: algorithm 5.2, as the library carries it out. */
static int crossing(const long *from, const long *to, int n, double *part)
{
	struct equant_instruction moves[SIMULATE_CPUS];
	int count = equant_instruct_restricted(from, to, n, moves);

	for (int i = 0; i < count; i++) {
		int left = moves[i].from < moves[i].to ? moves[i].from : moves[i].to;

		part[left] = (double)moves[i].units / UNITS;
	}
	return count < 0 ? count : 0;
}

int simulate_moves(int argc, char **argv, struct table *table)
{
	long ranks = 4, even[SIMULATE_CPUS], uneven[SIMULATE_CPUS];
	double rmin = 0.5, slows[SIMULATE_CPUS] = { 0 }, recovers[SIMULATE_CPUS] = { 0 };
	const struct simulate_option known[] = {
		{ "ranks", SIMULATE_WHOLE, &ranks, 2, SIMULATE_CPUS, NULL },
		{ "rmin", SIMULATE_NUMBER, &rmin, 1e-6, 1, NULL },
		{ 0 },
	};
	int error;

	if (simulate_parse("moves", argc, argv, known))
		return -EINVAL;
	table->columns = move_columns;
	table->x_title = "boundary between CPU n - 1 and CPU n; upwards: part of all work";
	snprintf(
		table->title, sizeof(table->title),
		"what crosses each boundary of %ld CPUs when the first one's rate changes to %g and back",
		ranks, rmin);
	error = parts(1, (int)ranks, even);
	if (!error)
		error = parts(rmin, (int)ranks, uneven);
	if (!error)
		error = crossing(even, uneven, (int)ranks, slows);
	if (!error)
		error = crossing(uneven, even, (int)ranks, recovers);
	for (int i = 0; i < ranks - 1 && !error; i++)
		error = table_add(table, (double[]){ i + 1, slows[i], recovers[i] });
	return error;
}
