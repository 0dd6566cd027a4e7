// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant redist experiment: Bhat, Prasanna, Raghavendra, section 5, figures 4 and 5, in simulation.
 *
 * Bandwidths are drawn for every ordered pair of ranks, cyclic(1) is redistributed to cyclic(K),
 * and schedules are compared with the bound and with each other; a row has means over seeds.
 * Every schedule is checked, greedy also against its guarantee of a row and a column of C.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "option.h"
#include "redist_experiment.h"

#define SEEDS 1000
#define ALIKE 150e6 /* bytes per second of all links, if sizes are scaled: the paper's B_2 */

static const char *over(int i)
{
	static const char *const words[] = { "k", "spread", "planning" };

	return i < 3 ? words[i] : NULL;
}

/* ---- an instance --------------------------------------------------------------------------- */

/* What each scheduler takes; the same order as in the names. */
enum { GREEDY, DIRECT, BARRIER, LONGEST, EAGER, IMPROVED, PREEMPTIVE, BEST, SCHEDULERS };

static const char *const schedulers[SCHEDULERS] = {
	"greedy", "direct", "barrier", "longest", "eager", "improved", "preemptive", "best",
};

/**
 * struct instance - one network and one K
 * @network: what is between the ranks
 * @volumes: the messages
 * @count: of them
 * @costs: what they take
 * @time: what the schedulers take
 * @bound: what none can be faster than
 */
struct instance {
	struct equant_redist_network *network;
	struct equant_redist_volume *volumes;
	int64_t count;
	struct equant_redist_costs *costs;
	double time[SCHEDULERS];
	double bound;
};

static int add_own(const struct experiment *experiment, const struct equant_redist_array *array,
		   struct instance *instance)
{
	struct equant_redist_volume *more = reallocarray(
		instance->volumes, (size_t)instance->count + (size_t)experiment->ranks + 1,
		sizeof(*more));

	if (!more)
		return -ENOMEM;
	instance->volumes = more;
	for (int i = 0; i < experiment->ranks && experiment->self; i++) {
		int64_t elements = equant_redist_part_elements(array, i, i);

		if (elements)
			more[instance->count++] =
				(struct equant_redist_volume){ i, i, 8 * elements };
	}
	return 0;
}

/* Step 4: all links alike, and messages as long as they would have taken. */
static int scale(const struct experiment *experiment, struct instance *instance)
{
	struct equant_redist_network *alike =
		equant_redist_network_new(experiment->ranks, experiment->startup, ALIKE, NULL, 0);

	if (!alike)
		return -errno;
	for (int64_t k = 0; k < instance->count; k++) {
		struct equant_redist_volume *volume = &instance->volumes[k];
		double bandwidth =
			equant_redist_network_link(instance->network, volume->from, volume->to)
				.bandwidth;

		volume->bytes = llround((double)volume->bytes * ALIKE / bandwidth);
	}
	equant_redist_network_free(instance->network);
	instance->network = alike;
	return 0;
}

static int make(const struct experiment *experiment, int k, double fastest, int seed,
		struct instance *instance)
{
	struct equant_redist_array array = {
		.dimensions = 1,
		.extent = { experiment->elements },
		.from = { { 1, experiment->ranks, 0, 0 } },
		.to = { { k, experiment->ranks, 0, 0 } },
	};
	int err;

	*instance = (struct instance){ .network = NULL };
	instance->network = equant_redist_network_random(experiment->ranks, experiment->startup,
							 experiment->slowest, fastest,
							 (uint64_t)seed, NULL, 0);
	instance->volumes = equant_redist_volumes(&array, 8, NULL, NULL, &instance->count);
	if (!instance->network || !instance->volumes)
		return -errno;
	err = add_own(experiment, &array, instance);
	if (!err && experiment->scaled)
		err = scale(experiment, instance);
	if (err)
		return err;
	instance->costs = equant_redist_network_costs(instance->network, instance->count,
						      instance->volumes, NULL, 0);
	if (!instance->costs)
		return -errno;
	instance->bound = equant_redist_bound(instance->costs);
	return 0;
}

static void release(struct instance *instance)
{
	equant_redist_network_free(instance->network);
	free(instance->volumes);
	equant_redist_costs_free(instance->costs);
}

/* Checked, and carried out by the simulator. */
static int ask(const struct experiment *experiment, struct instance *instance, int i)
{
	char why[256] = "";
	struct equant_redist_schedule *schedule =
		equant_redist_schedule_new(schedulers[i], instance->costs, NULL, 0);
	struct equant_redist_schedule *done;
	int err = schedule ? equant_redist_schedule_check(schedule, instance->costs, why,
							  sizeof(why)) :
			     -errno;

	if (err) {
		if (why[0])
			fprintf(stderr, "equant redist: %s: %s\n", schedulers[i], why);
		equant_redist_schedule_free(schedule);
		return err;
	}
	instance->time[i] = schedule->makespan;
	/* Times of the barrier's steps are those that its schedule says. */
	if (experiment->scaled && i != BARRIER) {
		done = equant_redist_replay(schedule, instance->network, instance->count,
					    instance->volumes, 1, false, NULL, 0);
		if (done)
			instance->time[i] = done->makespan;
		else
			err = -errno;
		equant_redist_schedule_free(done);
	}
	equant_redist_schedule_free(schedule);
	return err;
}

/* The largest sum of a row and a column of C: the lemma of section 4.3. */
static double row_and_column(const struct equant_redist_costs *costs)
{
	double *sums = calloc(2 * (size_t)costs->ranks, sizeof(*sums)), most = 0;

	if (!sums)
		return NAN;
	for (int64_t k = 0; k < costs->count; k++) {
		const struct equant_redist_message *m = &costs->messages[k];

		sums[m->from] += m->startup + m->data;
		sums[costs->ranks + m->to] += m->startup + m->data;
	}
	for (int64_t k = 0; k < costs->count; k++)
		most = fmax(most, sums[costs->messages[k].from] +
					  sums[costs->ranks + costs->messages[k].to]);
	free(sums);
	return most;
}

static int ask_all(const struct experiment *experiment, struct instance *instance)
{
	int err = 0;

	for (int i = 0; i < SCHEDULERS && !err; i++)
		err = ask(experiment, instance, i);
	if (!err && !(instance->time[GREEDY] <= row_and_column(instance->costs) * (1 + 1e-9)))
		err = -ERANGE;
	return err;
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

static void add(const struct experiment *experiment, const struct instance *instance, double *row)
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
		struct instance instance;
		double ratio;

		err = make(experiment, k, fastest, seed, &instance);
		if (!err)
			err = ask_all(experiment, &instance);
		ratio = err ? 0 : instance.time[GREEDY] / instance.bound;
		if (!err)
			add(experiment, &instance, row);
		if (experiment->worse > 0 && ratio > experiment->worse)
			printf("K = %d, seed %d: greedy takes %.3f of the bound\n", k, seed, ratio);
		release(&instance);
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
	fprintf(stderr, "equant redist: %s\n",
		err == -ERANGE ? "a greedy schedule is longer than a row and a column" :
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

static int positive(const struct named_option *option, double *value)
{
	int err = option_number(option, optarg, value);

	return err || *value > 0 ? err : option_refuse(option, optarg, "expected a number above 0");
}

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
		return positive(option, &experiment->worse);
	if (c == 'l')
		return positive(option, &experiment->slowest);
	if (c == 'h')
		return positive(option, &experiment->fastest);
	if (c == 't')
		return option_number(option, optarg, &experiment->startup);
	if (c == 'v')
		experiment->svg = optarg;
	else
		return c == '?' ? -EINVAL : option_whole(option, optarg, 1, most, value);
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
	int c, index = 0, err = 0;

	optind = 0;
	while (err >= 0 && (c = getopt_long(argc, argv, "", known, &index)) != -1) {
		const struct named_option option = { "redist experiment", known[index].name };

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
	return err < 0 ? err : 0;
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
	if (!(experiment.fastest >= experiment.slowest) || experiment.startup < 0) {
		fprintf(stderr, "equant redist experiment: bandwidths from %g to %g, start-up %g\n",
			experiment.slowest, experiment.fastest, experiment.startup);
		return EQUANT_EXIT_USAGE;
	}
	if (experiment.over == OVER_PLANNING)
		return redist_planning(&experiment);
	return run(&experiment);
}
