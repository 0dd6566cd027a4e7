// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant redist experiment: Bhat, Prasanna, Raghavendra, section 5, figures 4 and 5, in simulation.
 *
 * Bandwidths are drawn for every ordered pair of ranks, cyclic(1) is redistributed to cyclic(K),
 * and schedules are compared with the bound and with each other; a row has means over seeds.
 * Every schedule is checked, greedy also against its guarantee of a row and a column of C.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "option.h"
#include "redist_experiment.h"

#define SEEDS 1000
#define TOLD 1 /* instead of -errno */

static const char *over(int i)
{
	static const char *const words[] = { "k", "spread", "planning" };

	return i < 3 ? words[i] : NULL;
}

/* ---- a row --------------------------------------------------------------------------------- */

enum {
	ABSCISSA,
	BOUND,
	OVER,
	WORST,
	OVER_EAGER,
	OVER_LONGEST,
	OVER_IMPROVED,
	OVER_PREEMPTIVE,
	OVER_BEST,
	DIRECT_GREEDY,
	BARRIER_GREEDY,
	COLUMNS
};

static void add(const struct experiment *experiment, const struct redist_instance *instance,
		double *row)
{
	static const int of_bound[][2] = {
		{ OVER, GREEDY },	   { OVER_EAGER, EAGER },
		{ OVER_LONGEST, LONGEST }, { OVER_IMPROVED, IMPROVED },
		{ OVER_BEST, BEST },	   { OVER_PREEMPTIVE, PREEMPTIVE },
	};
	double seeds = experiment->seeds, greedy = instance->time[GREEDY];

	row[BOUND] += 1e3 * instance->bound / seeds;
	for (size_t i = 0; i < sizeof(of_bound) / sizeof(*of_bound); i++)
		row[of_bound[i][0]] += instance->time[of_bound[i][1]] / instance->bound / seeds;
	row[WORST] = fmax(row[WORST], greedy / instance->bound);
	row[DIRECT_GREEDY] += instance->time[DIRECT] / greedy / seeds;
	row[BARRIER_GREEDY] += instance->time[BARRIER] / greedy / seeds;
}

static int fill_row(const struct experiment *experiment, int k, double fastest, double *row)
{
	int err = 0;

	for (int seed = 1; seed <= experiment->seeds && !err; seed++) {
		struct redist_instance instance;
		double ratio;

		err = redist_instance_make(experiment, k, fastest, seed, &instance);
		if (!err)
			err = redist_instance_ask(experiment, &instance);
		if (!err && !(instance.bound > 0))
			err = -ENODATA;
		ratio = err ? 0 : instance.time[GREEDY] / instance.bound;
		if (!err)
			add(experiment, &instance, row);
		if (experiment->worse > 0 && ratio > experiment->worse)
			fprintf(experiment->json ? stderr : stdout,
				"K = %d, seed %d: greedy takes %.3f of the bound\n", k, seed,
				ratio);
		if (err && instance.why[0]) {
			fprintf(stderr, "equant redist: %s\n", instance.why);
			err = TOLD;
		}
		redist_instance_free(&instance);
	}
	return err;
}

/* Means over all rows. */
static void add_facts(struct table *table)
{
	double worst = 0, best = 0, direct = 0, barrier = 0, rows = (double)table->rows;

	for (size_t r = 0; r < table->rows; r++) {
		const double *row = table->values + r * COLUMNS;

		worst = fmax(worst, row[OVER]);
		best += row[OVER_BEST] / rows;
		direct += row[DIRECT_GREEDY] / rows;
		barrier += row[BARRIER_GREEDY] / rows;
	}
	table_fact(table, "worst_mean_greedy", worst);
	table_fact(table, "mean_best", best);
	table_fact(table, "mean_direct", direct);
	table_fact(table, "mean_barrier", barrier);
	snprintf(
		table->note, sizeof(table->note),
		"greedy at most %.4f of the bound in a row; means: best %.4f of it, direct %.3f and barrier %.3f of greedy",
		worst, best, direct, barrier);
}

static int fill(const struct experiment *experiment, struct table *table)
{
	bool spread = experiment->over == OVER_SPREAD;
	int first = spread ? 100 : 2, step = spread ? 100 : experiment->step, err = 0;
	int end = spread ? 1900 : experiment->ranks - 1;

	for (int at = first; at <= end && !err; at += step) {
		double row[COLUMNS] = { at };

		if (spread)
			err = fill_row(experiment, experiment->k,
				       experiment->slowest * (1 + at / 100.0), row);
		else
			err = fill_row(experiment, at, experiment->fastest, row);
		err = err ? err : table_add(table, row);
	}
	return err;
}

/* ---- the table ----------------------------------------------------------------------------- */

static const struct table_column columns[COLUMNS + 1] = {
	[ABSCISSA] = { "K", "%.0f", 0 },
	[BOUND] = { "bound, ms", "%.3f", 0 },
	[OVER] = { "greedy", "%.4f", 1 },
	[WORST] = { "worst", "%.3f", 0 },
	[OVER_EAGER] = { "eager", "%.4f", 1 },
	[OVER_LONGEST] = { "longest", "%.4f", 0 },
	[OVER_IMPROVED] = { "improved", "%.4f", 1 },
	[OVER_PREEMPTIVE] = { "preemptive", "%.4f", 0 },
	[OVER_BEST] = { "best", "%.4f", 1 },
	[DIRECT_GREEDY] = { "direct", "%.3f", 1 },
	[BARRIER_GREEDY] = { "barrier", "%.3f", 0 },
};

static int fail(int err)
{
	if (err == TOLD)
		return 1;
	fprintf(stderr, "equant redist: %s\n",
		err == -ERANGE	? "a greedy schedule is longer than a row and a column" :
		err == -ENODATA ? "an instance without messages: more --elements, or more --ranks" :
				  strerror(-err));
	return 1;
}

static int run(const struct experiment *experiment)
{
	struct table_column own[COLUMNS + 1];
	struct table table = { .columns = own, .x_title = "K" };
	int err;

	memcpy(own, columns, sizeof(columns));
	if (experiment->over == OVER_SPREAD) {
		own[ABSCISSA].name = "spread, %";
		table.x_title = "variation of the bandwidth, %";
	}
	snprintf(table.title, sizeof(table.title),
		 "parts of the bound, direct and barrier of greedy: %d ranks, %d seeds%s%s",
		 experiment->ranks, experiment->seeds,
		 experiment->self ? ", messages to oneself counted" : "",
		 experiment->scaled ? ", sizes scaled" : "");
	err = fill(experiment, &table);
	if (!err && !table.rows)
		err = -ENODATA;
	if (!err)
		add_facts(&table);
	if (err)
		err = fail(err);
	else
		err = table_show(&table, "redist", experiment->json ? "redist" : NULL,
				 experiment->svg);
	table_release(&table);
	return err;
}

/* ---- the command line ---------------------------------------------------------------------- */

static int set(int c, const struct named_option *option, struct experiment *experiment)
{
	int most = c == 'n' ? SEEDS : c == 'e' ? 1 << 30 : RANKS;
	int *value = c == 'n' ? &experiment->seeds :
		     c == 'r' ? &experiment->ranks :
		     c == 's' ? &experiment->step :
		     c == 'e' ? &experiment->elements :
				&experiment->k;

	if (c == 'o')
		return experiment->over = option_word(option, optarg, over);
	if (c == 'w')
		return option_positive(option, optarg, &experiment->worse);
	if (c == 'l')
		return option_positive(option, optarg, &experiment->slowest);
	if (c == 'h')
		return option_positive(option, optarg, &experiment->fastest);
	if (c == 't')
		return option_not_negative(option, optarg, &experiment->startup);
	if (c == 'v')
		experiment->svg = optarg;
	else
		return c == '?' ? -EINVAL : option_whole(option, optarg, 1, most, value);
	return 0;
}

/* Options that change nothing here. */
static int check_given(const struct experiment *experiment, const struct option *known,
		       const bool *given)
{
	static const char *const idle[] = {
		[OVER_K] = "k",
		[OVER_SPREAD] = "sh",
		[OVER_PLANNING] = "ksnlhwfc",
	};

	for (int i = 0; known[i].name; i++) {
		if (!given[i] || !strchr(idle[experiment->over], known[i].val))
			continue;
		fprintf(stderr, "equant redist experiment: --%s changes nothing over %s\n",
			known[i].name, over(experiment->over));
		return -EINVAL;
	}
	return 0;
}

static int parse(int argc, char **argv, struct experiment *experiment)
{
	static const struct option known[] = {
		{ "over", required_argument, NULL, 'o' },
		{ "ranks", required_argument, NULL, 'r' },
		{ "k", required_argument, NULL, 'k' },
		{ "step", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "elements", required_argument, NULL, 'e' },
		{ "startup", required_argument, NULL, 't' },
		{ "slowest", required_argument, NULL, 'l' },
		{ "fastest", required_argument, NULL, 'h' },
		{ "worse", required_argument, NULL, 'w' },
		{ "svg", required_argument, NULL, 'v' },
		{ "self", no_argument, NULL, 'f' },
		{ "scaled", no_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	bool given[sizeof(known) / sizeof(known[0])] = { false };
	int c, index = 0, err = 0;

	optind = 0;
	while (err >= 0 && (c = option_next(argc, argv, known, &index)) != -1) {
		const struct named_option option = { "redist experiment", known[index].name };

		given[index] = true;
		if (c == 'f')
			experiment->self = true;
		else if (c == 'c')
			experiment->scaled = true;
		else if (c == 'j')
			experiment->json = true;
		else
			err = set(c, &option, experiment);
	}
	if (err >= 0 && optind != argc) {
		fprintf(stderr, "equant redist experiment: unexpected argument '%s'\n",
			argv[optind]);
		err = -EINVAL;
	}
	return err < 0 ? err : check_given(experiment, known, given);
}

int redist_experiment(int argc, char **argv)
{
	struct experiment experiment = {
		.ranks = 16,
		.k = 40,
		.step = 1,
		.seeds = 20,
		.elements = 10000000,
		.slowest = 1e7,
		.fastest = 2e8,
	};

	if (parse(argc, argv, &experiment))
		return EQUANT_EXIT_USAGE;
	if (experiment.over == OVER_K && !(experiment.fastest >= experiment.slowest)) {
		fprintf(stderr, "equant redist experiment: bandwidths from %g to %g\n",
			experiment.slowest, experiment.fastest);
		return EQUANT_EXIT_USAGE;
	}
	if (experiment.over == OVER_PLANNING)
		return redist_planning(&experiment);
	return run(&experiment);
}
