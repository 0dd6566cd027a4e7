// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate program: the thesis' programs under the thesis' loads, with one
 * balancer beside the other: figures 7.2 to 7.12, and the effect of one mechanism at
 * a time: figures 2.5, 3.8, 4.12, 5.3, 5.7 and 5.11.
 *
 * Reference: Siegell 1995; the parameters of the ablations are those of its footnotes.
 */
#include <errno.h>
#include <string.h>

#include "simulate.h"
#include "thesis.h"

#define MODEL "program"
#define SETTINGS 5

/* "Load balancing interactions are not pipelined; ... no optimizations are included." */
#define BASIC .target = 1

/* Table 7.3, but for one. */
#define TUNED .target = 1, .threshold = 0.1, .profit = 5, .filter = EQUANT_FILTER_STATES

static const struct thesis_setting depths[] = {
	{ .name = "none", .off = true },
	{ .name = "synchronous", TUNED, .depth = 0 },
	{ .name = "pipelined", TUNED, .depth = 1 },
	{ .name = "pipelined2", TUNED, .depth = 2 },
	{ .name = "asynchronous", TUNED, .asynchronous = true },
	{ 0 },
};

static const struct thesis_setting grains[] = {
	{ .name = "fixed", .off = true, .grain = 1.5 },
	{ .name = "automatic", .off = true },
	{ 0 },
};

static const struct thesis_setting periods[] = {
	{ .name = "none", .off = true },       { .name = "2 quanta", .target = 0.2 },
	{ .name = "5 quanta", .target = 0.5 }, { .name = "10 quanta", .target = 1 },
	{ .name = "20 quanta", .target = 2 },  { 0 },
};

static const struct thesis_setting thresholds[] = {
	{ .name = "none", .off = true },
	{ .name = "without", BASIC },
	{ .name = "threshold", BASIC, .threshold = 0.1 },
	{ 0 },
};

static const struct thesis_setting filters[] = {
	{ .name = "none", .off = true },
	{ .name = "raw", BASIC, .filter = EQUANT_FILTER_NONE },
	{ .name = "constant", BASIC, .filter = EQUANT_FILTER_CONSTANT },
	{ .name = "direction", BASIC, .filter = EQUANT_FILTER_DIRECTION },
	{ .name = "states", BASIC, .filter = EQUANT_FILTER_STATES },
	{ 0 },
};

static const struct thesis_setting profits[] = {
	{ .name = "none", .off = true },
	{ .name = "without", BASIC, .threshold = 0.1, .filter = EQUANT_FILTER_STATES, .depth = 1 },
	{ .name = "profit", TUNED, .depth = 1 },
	{ 0 },
};

static const struct thesis_setting steadies[] = {
	{ .name = "none", .off = true },
	{ .name = "without", .library = true, .follows = true, .depth = 1 },
	{ .name = "steady", .library = true, .depth = 1 },
	{ 0 },
};

static const char *const comparisons[] = { "settings", "depth",	 "grain",  "period", "threshold",
					   "filter",   "profit", "steady", NULL };

/* In the order of the words; the first is made of the settings that the thesis and equant use. */
static const struct thesis_setting *const compared[] = {
	NULL, depths, grains, periods, thresholds, filters, profits, steadies,
};

struct program_options {
	struct simulate_sweep ranks;
	int program;
	int load;
	int comparison;
	double period;
};

static const struct table_column settings_columns[] = {
	{ "ranks", "%.0f", 0 },
	{ "none", "%.4f", 1 },
	{ "thesis", "%.4f", 1 },
	{ "equant", "%.4f", 1 },
	{ "none_lower", "%.4f", 0 },
	{ "thesis_lower", "%.4f", 0 },
	{ "equant_lower", "%.4f", 0 },
	{ "none_s", "%.2f", 0 },
	{ "thesis_s", "%.2f", 0 },
	{ "equant_s", "%.2f", 0 },
	{ 0 },
};

static int simulate(const struct program_options *o, const struct thesis_setting *setting,
		    long ranks, struct equant_efficiency *efficiency)
{
	const struct thesis_run run = {
		.program = &thesis_programs[o->program],
		.setting = setting,
		.load = (enum thesis_load)o->load,
		.period = o->period,
		.ranks = (int)ranks,
	};
	struct equant_job_result result;
	int error = thesis_simulate(&run, &result);

	*efficiency = result.efficiency;
	return error;
}

static int settings_row(const struct program_options *o, long ranks, struct table *table)
{
	const struct thesis_setting *settings[] = { &thesis_none, &thesis_settings,
						    &thesis_equant };
	double row[10] = { (double)ranks };

	for (int i = 0; i < 3; i++) {
		struct equant_efficiency e;
		int error = simulate(o, settings[i], ranks, &e);

		if (error)
			return error;
		row[1 + i] = e.efficiency;
		row[4 + i] = e.conservative;
		row[7 + i] = (double)e.elapsed * 1e-9;
	}
	return table_add(table, row);
}

/* Until the end of the list, or what the program cannot do: that is last. */
static bool is_compared(const struct program_options *o, const struct thesis_setting *setting)
{
	if (!setting->name)
		return false;
	return !setting->asynchronous || thesis_programs[o->program].kind == EQUANT_JOB_DOALL;
}

static int ablation_row(const struct program_options *o, long ranks, struct table *table)
{
	const struct thesis_setting *settings = compared[o->comparison];
	double row[SETTINGS + 1] = { (double)ranks };

	for (int i = 0; is_compared(o, &settings[i]); i++) {
		struct equant_efficiency e;
		int error = simulate(o, &settings[i], ranks, &e);

		if (error)
			return error;
		row[1 + i] = e.efficiency;
	}
	return table_add(table, row);
}

/* The columns of an ablation are named after its settings. */
static const struct table_column *columns_of(const struct program_options *o)
{
	static struct table_column columns[SETTINGS + 2];
	const struct thesis_setting *settings = compared[o->comparison];
	int n = 0;

	if (!settings)
		return settings_columns;
	columns[n++] = (struct table_column){ "ranks", "%.0f", 0 };
	for (int i = 0; is_compared(o, &settings[i]); i++)
		columns[n++] = (struct table_column){ settings[i].name, "%.4f", 1 };
	columns[n] = (struct table_column){ 0 };
	return columns;
}

static int fill(const struct program_options *o, struct table *table)
{
	const struct thesis_program *program = &thesis_programs[o->program];
	char load[64] = "no load";

	if (o->load == THESIS_CONSTANT)
		snprintf(load, sizeof(load), "a constant load on the first CPU");
	else if (o->load == THESIS_OSCILLATING)
		snprintf(load, sizeof(load), "a load on the first CPU, %.4g s on and off",
			 o->period / 2);
	snprintf(table->title, sizeof(table->title),
		 "%s, %ld units, %.4g s of work, %s; compared: %s", program->name, program->units,
		 program->seconds, load, comparisons[o->comparison]);
	table_fact(table, "period", o->load == THESIS_OSCILLATING ? o->period : 0);
	table_fact(table, "sequential", program->seconds);
	for (long i = 0; i < o->ranks.count; i++) {
		long ranks = (long)simulate_at(&o->ranks, i);
		int error = compared[o->comparison] ? ablation_row(o, ranks, table) :
						      settings_row(o, ranks, table);

		if (error)
			return error;
	}
	return 0;
}

int simulate_program(int argc, char **argv, struct table *table)
{
	struct program_options o = {
		.ranks = { .from = 2, .step = 1, .count = 7 },
		.load = THESIS_OSCILLATING,
	};
	const struct simulate_option known[] = {
		{ "app", SIMULATE_CHOICE, &o.program, 0, 0, thesis_program_names },
		{ "load", SIMULATE_CHOICE, &o.load, 0, 0, thesis_load_names },
		{ "period", SIMULATE_NUMBER, &o.period, 2 * THESIS_QUANTUM, 1e6, NULL },
		{ "ranks", SIMULATE_WHOLE_SWEEP, &o.ranks, 1, 8, NULL },
		{ "compare", SIMULATE_CHOICE, &o.comparison, 0, 0, comparisons },
		{ 0 },
	};

	if (simulate_parse(MODEL, argc, argv, known) || thesis_period(MODEL, o.load, &o.period))
		return -EINVAL;
	table->columns = columns_of(&o);
	table->x_title = "processors";
	return fill(&o, table);
}
