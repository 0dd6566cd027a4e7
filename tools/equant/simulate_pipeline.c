// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate pipeline: efficiency against block size, Siegell 1995,
 * figures 3.7 (costs of messages) and 3.10 (competing loads); and fill: what filling and
 * draining leave of it, figure 3.6.
 */
#include <equant/advise.h>
#include <errno.h>
#include <math.h>

#include "simulate.h"

#define MODEL "pipeline"
#define SIZES 40 /* of blocks, where none are asked for */

struct pipeline_options {
	struct simulate_list loads;
	struct simulate_list phases;
	struct simulate_sweep block;
	long iterations;
	double sequential;
	double fixed;
	double per_iteration;
};

static const struct table_column columns[] = {
	{ "block", "%.0f", 0 }, { "blocks", "%.0f", 0 },    { "balanced", "%.4f", 1 },
	{ "equal", "%.4f", 1 }, { "dedicated", "%.4f", 1 }, { 0 },
};

static int64_t ticks(double quanta)
{
	return llround(quanta * (double)SIMULATE_QUANTUM);
}

static int simulate(const struct equant_machine *machine, const struct pipeline_options *options,
		    long block, bool equal, double *efficiency)
{
	int64_t work[SIMULATE_CPUS];
	const struct equant_pipeline pipeline = {
		.work = work,
		.iterations = options->iterations,
		.block = block,
		.fixed = ticks(options->fixed),
		.per_iteration = ticks(options->per_iteration),
	};
	struct equant_efficiency result;
	int error = simulate_split(MODEL, machine, equal, ticks(options->sequential), work);

	if (error)
		return error;
	error = equant_simulate_pipeline(machine, &pipeline, &result);
	if (error == -EOVERFLOW)
		return simulate_fail(MODEL, "--block %ld: the simulated time does not fit 63 bits",
				     block);
	*efficiency = result.efficiency;
	return error;
}

/* The same loop on CPUs without loads, in quanta for seconds. */
static struct equant_strips strips(int n, const struct pipeline_options *options)
{
	return (struct equant_strips){
		.ranks = n,
		.iterations = options->iterations,
		.units = 1,
		.unit_time = options->sequential / (n * (double)options->iterations),
		.shift_fixed = options->fixed,
		.byte_time = options->per_iteration,
		.bytes = 1,
	};
}

/* Eq. 3.7 as efficiency, with eq. 3.9: what the same blocks would reach there. */
static double dedicated(int n, const struct pipeline_options *options, long block)
{
	const struct equant_strips s = strips(n, options);

	return options->sequential / (n * equant_strips_time(&s, block));
}

static int point(const struct equant_machine *machine, const struct pipeline_options *options,
		 long block, struct table *table)
{
	double blocks = ceil((double)options->iterations / (double)block);
	double balanced = NAN, equal = NAN;
	int error = simulate(machine, options, block, false, &balanced);

	if (!error)
		error = simulate(machine, options, block, true, &equal);
	if (error)
		return error;
	return table_add(table, (double[]){ (double)block, blocks, balanced, equal,
					    dedicated(machine->n, options, block) });
}

/* Of a thousand iterations blocks of up to 200; of few, of all sizes. */
static void default_block(struct simulate_sweep *block, long iterations)
{
	if (block->count)
		return;
	block->step = iterations < SIZES     ? 1 :
		      iterations < 5 * SIZES ? (double)(iterations / SIZES) :
					       5;
	block->from = block->step;
	block->count = iterations < SIZES ? iterations : SIZES;
}

static int fill(const struct equant_machine *machine, struct pipeline_options *options,
		struct table *table)
{
	const struct equant_strips s = strips(machine->n, options);
	struct equant_block choice;
	double best;

	if (equant_block_size(&s, &choice, NULL, 0))
		return -EINVAL; /* cannot happen: the options' ranges are narrower */
	default_block(&options->block, options->iterations);
	best = (double)options->iterations / choice.ideal;
	snprintf(
		table->title, sizeof(table->title),
		"%ld iterations, %g quanta of work, on %d round-robin CPUs; eq. 3.12 chooses blocks of %.3g",
		options->iterations, options->sequential, machine->n, best);
	table_fact(table, "ranks", machine->n);
	table_fact(table, "iterations", (double)options->iterations);
	table_fact(table, "sequential", options->sequential);
	table_fact(table, "best", best);
	for (long i = 0; i < options->block.count; i++) {
		long block = (long)simulate_at(&options->block, i);
		int error;

		if (block > options->iterations)
			return simulate_fail(MODEL, "--block %ld: more than the %ld iterations",
					     block, options->iterations);
		error = point(machine, options, block, table);
		if (error)
			return error;
	}
	return 0;
}

int simulate_pipeline(int argc, char **argv, struct table *table)
{
	struct pipeline_options options = {
		.loads = { .count = 4, .values = { 2, 1, 1, 1 } },
		.iterations = 1000,
		.sequential = 200,
	};
	const struct simulate_option known[] = {
		{ "loads", SIMULATE_LOADS, &options.loads, 1, 1000, NULL },
		{ "phases", SIMULATE_LIST, &options.phases, 0, 1000, NULL },
		{ "block", SIMULATE_WHOLE_SWEEP, &options.block, 1, 1e7, NULL },
		{ "iterations", SIMULATE_WHOLE, &options.iterations, 1, 1e7, NULL },
		{ "sequential", SIMULATE_NUMBER, &options.sequential, 1e-3, 1e6, NULL },
		{ "fixed", SIMULATE_NUMBER, &options.fixed, 0, 1e3, NULL },
		{ "per-iteration", SIMULATE_NUMBER, &options.per_iteration, 0, 1e3, NULL },
		{ 0 },
	};
	struct equant_turns turns[SIMULATE_CPUS];
	struct equant_machine machine;

	if (simulate_parse(MODEL, argc, argv, known) ||
	    simulate_machine(MODEL, &options.loads, &options.phases, turns, &machine))
		return -EINVAL;
	table->columns = columns;
	table->x_title = "iterations of a block";
	return fill(&machine, &options, table);
}

#define FILL_RANKS 3

static const int fill_ranks[FILL_RANKS] = { 2, 4, 8 };

static const struct table_column fill_columns[] = {
	{ "blocks", "%.0f", 0 },
	{ "2 CPUs", "%.4f", 1 },
	{ "4 CPUs", "%.4f", 1 },
	{ "8 CPUs", "%.4f", 1 },
	{ 0 },
};

/* Eq. 3.6, M / (M + P - 1), by way of eq. 3.7 without costs of messages. */
int simulate_fill(int argc, char **argv, struct table *table)
{
	struct simulate_sweep blocks = { .from = 1, .step = 1, .count = 200 };
	const struct simulate_option known[] = {
		{ "blocks", SIMULATE_WHOLE_SWEEP, &blocks, 1, 1e7, NULL },
		{ 0 },
	};

	if (simulate_parse("fill", argc, argv, known))
		return -EINVAL;
	table->columns = fill_columns;
	table->x_title = "blocks of the pipelined loop";
	snprintf(table->title, sizeof(table->title),
		 "what filling and draining leave of a pipeline, eq. 3.6");
	for (long i = 0; i < blocks.count; i++) {
		double row[1 + FILL_RANKS] = { simulate_at(&blocks, i) };
		struct equant_strips s = {
			.iterations = (long)row[0],
			.units = 1,
			.unit_time = 1,
		};
		int error;

		for (int p = 0; p < FILL_RANKS; p++) {
			s.ranks = fill_ranks[p];
			row[1 + p] = row[0] / equant_strips_time(&s, 1);
		}
		error = table_add(table, row);
		if (error)
			return error;
	}
	return 0;
}
