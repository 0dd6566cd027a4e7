// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate predict: the formula of Siegell 1995, section 7.5, beside the simulated
 * runs of the same program, figures 7.19 to 7.24.  "Offset by dedicated inefficiency" means
 * that the formula is multiplied by the efficiency without any load, which here is the
 * simulated one, too.
 */
#include <errno.h>
#include <math.h>

#include "simulate.h"
#include "thesis.h"

#define MODEL "predict"

struct predict_options {
	struct simulate_sweep ranks;
	double period;
	double late;
	double costs;
	int program;
	int answer;
	bool offset;
	bool unrestricted;
};

static const struct table_column columns[] = {
	{ "ranks", "%.0f", 0 },	      { "model", "%.4f", 1 },
	{ "model_equal", "%.4f", 1 }, { "balanced", "%.4f", 1 },
	{ "equal", "%.4f", 1 },	      { "dedicated", "%.4f", 1 },
	{ "fraction", "%.4f", 0 },    { 0 },
};

static int simulated(const struct predict_options *o, int ranks, enum thesis_load load,
		     const struct thesis_setting *setting, double *efficiency)
{
	const struct thesis_run run = {
		.program = &thesis_programs[o->program],
		.setting = setting,
		.load = load,
		.period = o->period,
		.ranks = ranks,
	};
	struct equant_job_result result;
	int error = thesis_simulate(&run, &result);

	*efficiency = result.efficiency.efficiency;
	return error;
}

static int model(const struct predict_options *o, int ranks, double dedicated,
		 struct equant_oscillation_result *result)
{
	const struct thesis_program *p = &thesis_programs[o->program];
	const struct equant_oscillation oscillation = {
		.n = ranks,
		.rmin = 0.5,
		.period = o->period,
		.target = thesis_settings.target,
		.delay = thesis_settings.depth + 0.5 + o->late,
		.move_all = (double)p->units * p->move * o->costs,
		.restricted = p->kind == EQUANT_JOB_DOACROSS && !o->unrestricted,
		.dedicated = o->offset ? dedicated : 1,
		.answer = (enum equant_answer)o->answer,
	};
	int error = equant_model_oscillation(&oscillation, result);

	return error == -ERANGE ? 0 : error;
}

static int point(const struct predict_options *o, int ranks, struct table *table)
{
	struct equant_oscillation_result with, without;
	double balanced, equal, dedicated, plain;
	int error = simulated(o, ranks, THESIS_OSCILLATING, &thesis_settings, &balanced);

	if (!error)
		error = simulated(o, ranks, THESIS_OSCILLATING, &thesis_none, &equal);
	if (!error)
		error = simulated(o, ranks, THESIS_DEDICATED, &thesis_settings, &dedicated);
	if (!error)
		error = simulated(o, ranks, THESIS_DEDICATED, &thesis_none, &plain);
	if (!error)
		error = model(o, ranks, dedicated, &with);
	if (!error)
		error = model(o, ranks, plain, &without);
	if (error)
		return error;
	return table_add(table, (double[]){ ranks, with.efficiency, without.equal, balanced, equal,
					    dedicated, with.fraction });
}

int simulate_predict(int argc, char **argv, struct table *table)
{
	static const char *const answers[] = { "printed", "whole", "averaged", NULL };
	struct predict_options o = {
		.ranks = { .from = 2, .step = 1, .count = 7 },
		.period = 60,
		.costs = 1,
	};
	const struct simulate_option known[] = {
		{ "app", SIMULATE_CHOICE, &o.program, 0, 0, thesis_program_names },
		{ "period", SIMULATE_NUMBER, &o.period, 2 * THESIS_QUANTUM, 1e6, NULL },
		{ "ranks", SIMULATE_WHOLE_SWEEP, &o.ranks, 2, 8, NULL },
		{ "late", SIMULATE_NUMBER, &o.late, 0, 1000, NULL },
		{ "costs", SIMULATE_NUMBER, &o.costs, 0, 1000, NULL },
		{ "offset", SIMULATE_FLAG, &o.offset, 0, 0, NULL },
		{ "unrestricted", SIMULATE_FLAG, &o.unrestricted, 0, 0, NULL },
		{ "answer", SIMULATE_CHOICE, &o.answer, 0, 0, answers },
		{ 0 },
	};

	if (simulate_parse(MODEL, argc, argv, known))
		return -EINVAL;
	table->columns = columns;
	table->x_title = "processors";
	snprintf(table->title, sizeof(table->title),
		 "%s, a load of %g s on the first CPU: the model%s beside simulated runs",
		 thesis_program_names[o.program], o.period,
		 o.offset ? ", offset by dedicated inefficiency," : "");
	table_fact(table, "period", o.period);
	table_fact(table, "late", o.late);
	table_fact(table, "costs", o.costs);
	for (long i = 0; i < o.ranks.count; i++) {
		int error = point(&o, (int)simulate_at(&o.ranks, i), table);

		if (error)
			return error;
	}
	return 0;
}
