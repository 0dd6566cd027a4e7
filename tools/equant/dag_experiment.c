// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant dag experiment: average lengths of schedules, as Sung and Lai, section 4, figures 3 to 7.
 *
 * One of their parameters is the abscissa, the others have all of their values, or the one that
 * was asked for; every cell has as many graphs and machines as seeds.  They do not say how large
 * their graphs are.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dag.h"
#include "option.h"
#include "table.h"

#define SEEDS 1000
#define MOST 5 /* values of a parameter */
#define WORK 10.0
#define SPREAD 0.5 /* of work and data */

static const struct {
	const char *name;
	int size;
} families[] = {
	{ "fork", 40 }, { "join", 40 },	 { "fork-join", 40 },
	{ "fft", 16 },	{ "gauss", 10 }, { "lu", 5 },
};

#define FAMILIES ((int)(sizeof(families) / sizeof(families[0])))

enum { PE, CCR, BETA, ALPHA, SPREAD_OF_RATES, PARAMETERS };

static const struct {
	const char *name;
	const char *title;
	double value[MOST];
	int count;
} parameters[PARAMETERS] = {
	{ "pe", "processors", { 2, 4, 8, 16, 32 }, 5 },
	{ "ccr", "computation / communication", { 0.05, 0.1, 1 }, 3 },
	{ "beta", "mean communication rate", { 10, 100, 200 }, 3 },
	{ "alpha", "mean computation rate", { 10, 100, 200 }, 3 },
	{ "spread", "spread of rates", { 0.5, 0.9 }, 2 },
};

static const struct {
	const char *name;
	const char *scheduler;
	struct equant_dag_options options;
} variants[] = {
	{ "heft", "heft", { 0 } },
	{ "cpop", "cpop", { 0 } },
	{ "dls", "dls", { 0 } },
	{ "dls-plain", "dls-plain", { 0 } },
	{ "dts-printed", "dts-printed", { 0 } },
	{ "dts-repaired", "dts-repaired", { 0 } },
	{ "without A", "dts-repaired", { .without_a = true } },
	{ "without B", "dts-repaired", { .without_b = true } },
	{ "insertion", "dts-repaired", { .insertion = true } },
	{ "single", "single", { 0 } },
};

#define VARIANTS ((int)(sizeof(variants) / sizeof(variants[0])))

/**
 * struct experiment - the command line
 * @over: parameter on the abscissa
 * @family: number, or -1 for all
 * @value: of each parameter, or NAN for all of them
 * @seeds: graphs and machines of a cell
 * @json: as JSON
 * @svg: file for the chart, or NULL
 */
struct experiment {
	int over;
	int family;
	double value[PARAMETERS];
	int seeds;
	bool json;
	const char *svg;
};

/* ---- a cell ------------------------------------------------------------------------------------ */

struct sums {
	double length[VARIANTS];
	long count;
};

static int one(const struct equant_dag *dag, const struct equant_dag_machine *machine, int v,
	       const struct equant_dag_bounds *bounds, struct sums *sums)
{
	struct equant_dag_options options = variants[v].options;
	struct equant_dag_schedule *schedule;
	bool possible;

	options.sz = sizeof(options);
	schedule = equant_dag_schedule(variants[v].scheduler, dag, machine, &options, NULL, 0);
	if (!schedule)
		return -errno;
	sums->length[v] += schedule->makespan;
	possible = schedule->makespan >= bounds->lower;
	equant_dag_schedule_free(schedule);
	return possible ? 0 : -ERANGE;
}

static int graph(int family, const double *at, uint64_t seed, struct sums *sums)
{
	struct equant_dag_shape shape = { .sz = sizeof(shape),
					  .size = families[family].size,
					  .work = WORK,
					  .spread = SPREAD,
					  .comp_comm = at[CCR],
					  .seed = seed };
	struct equant_dag *dag = equant_dag_generate(families[family].name, &shape, NULL, 0);
	struct equant_dag_machine *machine = equant_dag_machine_random(
		(int)at[PE], at[ALPHA], at[BETA], at[SPREAD_OF_RATES], seed);
	struct equant_dag_bounds bounds;
	int err = dag && machine ? equant_dag_bounds(dag, machine, &bounds, NULL, 0) : -errno;

	for (int v = 0; v < VARIANTS && !err; v++)
		err = one(dag, machine, v, &bounds, sums);
	sums->count++;
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
	return err;
}

static int cell(const struct experiment *experiment, const double *at, struct sums *sums)
{
	int err = 0;

	for (int family = 0; family < FAMILIES; family++)
		for (int seed = 1; seed <= experiment->seeds && !err; seed++)
			if (experiment->family < 0 || experiment->family == family)
				err = graph(family, at, (uint64_t)seed, sums);
	return err;
}

/* All values of the parameters from @parameter on. */
static int cells(const struct experiment *experiment, int parameter, double *at, struct sums *sums)
{
	int err = 0;

	if (parameter == PARAMETERS)
		return cell(experiment, at, sums);
	if (parameter == experiment->over)
		return cells(experiment, parameter + 1, at, sums);
	at[parameter] = experiment->value[parameter];
	if (!isnan(at[parameter]))
		return cells(experiment, parameter + 1, at, sums);
	for (int i = 0; i < parameters[parameter].count && !err; i++) {
		at[parameter] = parameters[parameter].value[i];
		err = cells(experiment, parameter + 1, at, sums);
	}
	return err;
}

/* ---- the table --------------------------------------------------------------------------------- */

static int fill(const struct experiment *experiment, struct table *table)
{
	double at[PARAMETERS], row[VARIANTS + 1];
	int err = 0;

	for (int i = 0; i < parameters[experiment->over].count && !err; i++) {
		struct sums sums = { 0 };
		double only = experiment->value[experiment->over];

		row[0] = at[experiment->over] = parameters[experiment->over].value[i];
		if (!isnan(only) && row[0] != only)
			continue;
		err = cells(experiment, 0, at, &sums);
		for (int v = 0; v < VARIANTS; v++)
			row[v + 1] = sums.length[v] / (double)sums.count;
		err = err ? err : table_add(table, row);
	}
	return err;
}

static int run(const struct experiment *experiment)
{
	struct table_column columns[VARIANTS + 2] = { { parameters[experiment->over].name, "%.6g",
							0 } };
	struct table table = { .columns = columns, .x_title = parameters[experiment->over].title };
	int err;

	for (int v = 0; v < VARIANTS; v++)
		columns[v + 1] = (struct table_column){ variants[v].name, "%.0f", 1 };
	snprintf(table.title, sizeof(table.title), "average length of schedules, %s, %d seeds",
		 experiment->family < 0 ? "all families" : families[experiment->family].name,
		 experiment->seeds);
	err = fill(experiment, &table);
	if (err)
		fprintf(stderr, "equant dag: %s\n",
			err == -ERANGE ? "a schedule is shorter than a bound" : strerror(-err));
	else
		err = table_show(&table, "dag", experiment->json ? "dag" : NULL, experiment->svg);
	table_release(&table);
	return err ? 1 : 0;
}

/* ---- the command line ---------------------------------------------------------------------------- */

static const char *parameter(int index)
{
	return index < PARAMETERS ? parameters[index].name : NULL;
}

static const char *family(int index)
{
	return index < FAMILIES ? families[index].name : NULL;
}

static int parse_value(const struct named_option *option, int parameter, const char *text,
		       double *value)
{
	int err = option_number(option, text, value);

	for (int i = 0; i < parameters[parameter].count && !err; i++)
		if (parameters[parameter].value[i] == *value)
			return 0;
	return err ? err : option_refuse(option, text, "none of its values");
}

static int parse(int argc, char **argv, struct experiment *experiment)
{
	static const struct option known[] = {
		{ "pe", required_argument, NULL, PE },
		{ "ccr", required_argument, NULL, CCR },
		{ "beta", required_argument, NULL, BETA },
		{ "alpha", required_argument, NULL, ALPHA },
		{ "spread", required_argument, NULL, SPREAD_OF_RATES },
		{ "over", required_argument, NULL, 'o' },
		{ "family", required_argument, NULL, 'f' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "svg", required_argument, NULL, 'v' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	int c, index = 0, err = 0;

	optind = 0;
	while (err >= 0 && (c = option_next(argc, argv, known, &index)) != -1) {
		const struct named_option option = { "dag experiment", known[index].name };

		if (c < PARAMETERS)
			err = parse_value(&option, c, optarg, &experiment->value[c]);
		else if (c == 'o')
			err = experiment->over = option_word(&option, optarg, parameter);
		else if (c == 'f')
			err = experiment->family = option_word(&option, optarg, family);
		else if (c == 'n')
			err = option_whole(&option, optarg, 1, SEEDS, &experiment->seeds);
		else if (c == 'v')
			experiment->svg = optarg;
		else if (c == 'j')
			experiment->json = true;
		else
			err = -EINVAL;
	}
	if (err >= 0 && optind != argc) {
		fprintf(stderr, "equant dag experiment: unexpected argument '%s'\n", argv[optind]);
		err = -EINVAL;
	}
	return err < 0 ? err : 0;
}

int dag_experiment(int argc, char **argv)
{
	struct experiment experiment = { .over = PE, .family = -1, .seeds = 20 };

	for (int i = 0; i < PARAMETERS; i++)
		experiment.value[i] = NAN;
	return parse(argc, argv, &experiment) ? EQUANT_EXIT_USAGE : run(&experiment);
}
