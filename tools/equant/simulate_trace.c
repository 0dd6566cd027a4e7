// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate trace: what is measured of the loaded rank of a simulated run, and the work
 * that it is given, over time, Siegell 1995, figures 4.10, 5.2, 7.5, 7.13, 7.25 and 7.26.  Rates
 * are fractions of that on a dedicated CPU, work of an equal part.
 */
#include <errno.h>
#include <math.h>

#include "simulate.h"
#include "thesis.h"

#define MODEL "trace"

/**
 * struct trace - a table that is filled as the run goes on
 * @full: the rate on a dedicated CPU, units per second
 * @error: of table_add()
 */
struct trace {
	const struct thesis_run *run;
	struct table *table;
	double full;
	int error;
};

static const struct table_column columns[] = {
	{ "time", "%.3f", 0 },	{ "cpu", "%.4f", 1 },
	{ "raw", "%.4f", 1 },	{ "rate", "%.4f", 1 },
	{ "work", "%.4f", 1 },	{ "units", "%.0f", 0 },
	{ "moved", "%.0f", 0 }, { 0 },
};

static void note(void *watcher, int64_t time, const struct equant_sample *samples,
		 const struct equant_rate *rates, const long *units,
		 const struct equant_decision *decision)
{
	struct trace *trace = watcher;
	double seconds = (double)time * 1e-9, total = 0, moved = 0;
	double raw = samples[0].wall > 0 ? samples[0].units / samples[0].wall : NAN;

	for (int i = 0; i < trace->run->ranks; i++)
		total += (double)units[i];
	for (int i = 0; i < decision->count; i++)
		moved += (double)decision->instructions[i].units;
	if (!trace->error)
		trace->error = table_add(trace->table,
					 (double[]){ seconds, thesis_cpu(trace->run, seconds),
						     raw / trace->full, rates[0].rate / trace->full,
						     (double)units[0] * trace->run->ranks / total,
						     (double)units[0], moved });
}

int simulate_trace(int argc, char **argv, struct table *table)
{
	static const char *const settings[] = { "thesis", "equant", "unfiltered", NULL };
	static const struct thesis_setting unfiltered = { .name = "unfiltered", .target = 1 };
	const struct thesis_setting *const chosen[] = { &thesis_settings, &thesis_equant,
							&unfiltered };
	struct thesis_run run = { 0 };
	struct trace trace = { .run = &run, .table = table };
	struct equant_job_result result;
	int program = 1, load = THESIS_OSCILLATING, setting = 0, error;
	long ranks = 4;
	const struct simulate_option known[] = {
		{ "app", SIMULATE_CHOICE, &program, 0, 0, thesis_program_names },
		{ "load", SIMULATE_CHOICE, &load, 0, 0, thesis_load_names },
		{ "period", SIMULATE_NUMBER, &run.period, 2 * THESIS_QUANTUM, 1e6, NULL },
		{ "ranks", SIMULATE_WHOLE, &ranks, 2, 8, NULL },
		{ "setting", SIMULATE_CHOICE, &setting, 0, 0, settings },
		{ 0 },
	};

	if (simulate_parse(MODEL, argc, argv, known) || thesis_period(MODEL, load, &run.period))
		return -EINVAL;
	run.program = &thesis_programs[program];
	run.load = (enum thesis_load)load;
	run.setting = chosen[setting];
	run.ranks = (int)ranks;
	trace.full = thesis_unit_rate(&run);
	table->columns = columns;
	table->x_title = "time, seconds";
	snprintf(table->title, sizeof(table->title),
		 "%s on %ld CPUs, the first one's load: %s; settings: %s", run.program->name, ranks,
		 thesis_load_names[load], settings[setting]);
	table_fact(table, "ranks", (double)ranks);
	table_fact(table, "period", load == THESIS_OSCILLATING ? run.period : 0);
	error = thesis_watch(&run, &result, note, &trace);
	table_fact(table, "efficiency", result.efficiency.efficiency);
	table_fact(table, "elapsed", (double)result.efficiency.elapsed * 1e-9);
	return error ? error : trace.error;
}
