// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate barrier: efficiency against grain, Siegell 1995, figure 3.14.
 */
#include <errno.h>
#include <math.h>

#include "simulate.h"

#define MODEL "barrier"
#define POINTS_PER_PEAK 40

struct barrier_options {
	struct simulate_list loads;
	struct simulate_list phases;
	struct simulate_sweep grain;
	long barriers;
};

static const struct table_column columns[] = {
	{ "grain", "%.4g", 0 },
	{ "balanced", "%.4f", 1 },
	{ "equal", "%.4f", 1 },
	{ 0 },
};

static int too_long(double grain)
{
	return simulate_fail(MODEL, "--grain %g: the simulated time does not fit 63 bits", grain);
}

static int efficiency(const struct equant_machine *machine, const struct barrier_options *options,
		      double grain, bool equal, double *value)
{
	int64_t work[SIMULATE_CPUS], one = llround(grain * (double)machine->quantum);
	struct equant_efficiency result;
	int error = simulate_split(MODEL, machine, equal, one * machine->n, work);

	if (error)
		return error;
	error = equant_simulate_barrier(machine, work, options->barriers, &result);
	*value = result.efficiency;
	return error == -EOVERFLOW ? too_long(grain) : error;
}

static int point(const struct equant_machine *machine, const struct barrier_options *options,
		 double grain, struct table *table)
{
	double balanced = NAN, equal = NAN;
	int error;

	if (llround(grain * (double)machine->quantum) < 1)
		return simulate_fail(MODEL, "--grain %g: less than a tick of 1e-9 quanta", grain);
	error = efficiency(machine, options, grain, false, &balanced);
	if (!error)
		error = efficiency(machine, options, grain, true, &equal);
	return error ? error : table_add(table, (double[]){ grain, balanced, equal });
}

/*
 * What fits 63 bits with room to spare, where the most loaded CPU has as much work as the others and may be
 * two rounds late.
 */
static double longest_grain(const struct equant_machine *machine, long barriers)
{
	double room = (double)(INT64_MAX / machine->quantum) / (double)(barriers + 1);
	int most = 1;

	for (int i = 0; i < machine->n; i++)
		if (machine->turns[i].tasks > most)
			most = machine->turns[i].tasks;
	return 0.99 * (room / most / (machine->n + 1) - 2);
}

/* Two peaks are what there is to see, if they are near enough. */
static void default_grain(struct simulate_sweep *grain, double peak, double longest)
{
	if (grain->count)
		return;
	grain->count = 2 * POINTS_PER_PEAK;
	grain->step = fmin(peak / POINTS_PER_PEAK, longest / (double)grain->count);
	grain->from = grain->step;
}

static int fill(const struct equant_machine *machine, struct barrier_options *options,
		struct table *table)
{
	double peak, longest;
	int64_t total;
	int error;

	if (equant_peak_work(machine, &total))
		return simulate_fail(MODEL, "--loads: their least common multiple is too large");
	peak = (double)total / (double)machine->quantum / machine->n;
	longest = longest_grain(machine, options->barriers);
	if (!options->grain.count && longest * (double)machine->quantum < 2 * POINTS_PER_PEAK)
		return simulate_fail(
			MODEL,
			"--barriers %ld: the simulated time of these loads does not fit 63 bits",
			options->barriers);
	default_grain(&options->grain, peak, longest);
	snprintf(table->title, sizeof(table->title),
		 "%ld barriers on %d round-robin CPUs; nothing is lost at multiples of %.4g quanta",
		 options->barriers, machine->n, peak);
	table_fact(table, "ranks", machine->n);
	table_fact(table, "barriers", (double)options->barriers);
	table_fact(table, "peak", peak);
	for (long i = 0; i < options->grain.count; i++) {
		error = point(machine, options, simulate_at(&options->grain, i), table);
		if (error)
			return error;
	}
	return 0;
}

int simulate_barrier(int argc, char **argv, struct table *table)
{
	struct barrier_options options = {
		.loads = { .count = 4, .values = { 2, 1, 1, 1 } },
		.barriers = 1000,
	};
	const struct simulate_option known[] = {
		{ "loads", SIMULATE_LOADS, &options.loads, 1, 1000, NULL },
		{ "phases", SIMULATE_LIST, &options.phases, 0, 1000, NULL },
		{ "grain", SIMULATE_SWEEP, &options.grain, 1e-6, 1e6, NULL },
		{ "barriers", SIMULATE_WHOLE, &options.barriers, 1, 1e6, NULL },
		{ 0 },
	};
	struct equant_turns turns[SIMULATE_CPUS];
	struct equant_machine machine;

	if (simulate_parse(MODEL, argc, argv, known) ||
	    simulate_machine(MODEL, &options.loads, &options.phases, turns, &machine))
		return -EINVAL;
	table->columns = columns;
	table->x_title = "work per rank between barriers before balancing, quanta";
	return fill(&machine, &options, table);
}
