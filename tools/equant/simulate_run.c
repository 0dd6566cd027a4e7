// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant simulate run: a job in simulated time, balanced by the library's own
 * decisions, while a load on its first rank's CPU comes and goes.
 */
#include <errno.h>
#include <math.h>

#include <equant/balance.h>

#include "simulate.h"

#define MODEL "run"

struct run_options {
	struct simulate_sweep period;
	long ranks;
	long tasks;
	long units;
	long depth;
	long ports;
	long omit;
	int scheduler;
	int probe;
	bool no_barrier;
	bool no_filter;
	bool no_prompt;
	bool no_steady;
	bool restricted;
	double duty;
	double step;
	double seconds;
	double quantum;
	double target;
	double threshold;
	double profit;
	double interact;
	double move_all;
};

static const struct table_column columns[] = {
	{ "period", "%.4g", 0 }, { "balanced", "%.4f", 1 },
	{ "equal", "%.4f", 1 },	 { "model", "%.4f", 1 },
	{ "phases", "%.0f", 0 }, { "moves", "%.0f", 0 },
	{ "moved", "%.0f", 0 },	 { 0 },
};

static int64_t nanoseconds(double seconds)
{
	return llround(seconds * 1e9);
}

static struct equant_balance_options balance_options(const struct run_options *o)
{
	struct equant_balance_options b;

	equant_balance_options_init(&b);
	if (o->probe != EQUANT_JOB_PREDICTED)
		b.mode = EQUANT_RATE_MEASURED;
	b.threshold = o->threshold;
	b.profit = o->profit;
	b.period = o->target;
	b.restraint = 0; /* to wait costs nothing in the simulation */
	b.default_quantum = o->quantum;
	b.move_per_unit = o->move_all / (double)(o->units * o->ranks);
	b.interact = o->interact;
	if (o->no_filter)
		b.filter = EQUANT_FILTER_NONE;
	if (o->no_prompt)
		b.prompt = 0;
	if (o->no_steady)
		b.steady = 0;
	b.ports = (int)o->ports;
	b.omit = o->omit;
	if (o->restricted)
		b.movement = EQUANT_MOVEMENT_RESTRICTED;
	return b;
}

#define SHORTEST 1e-7

/* Simulated time is whole nanoseconds: shorter ones would be off by more than a two-hundredth. */
static int check_lengths(const struct run_options *o)
{
	double unit = o->step / (double)o->units,
	       move = o->move_all / (double)(o->units * o->ranks);

	if (unit < SHORTEST)
		return simulate_fail(MODEL, "--units %ld: one takes less than %g s of --step %g",
				     o->units, SHORTEST, o->step);
	if (move > 0 && move < SHORTEST)
		return simulate_fail(
			MODEL,
			"--units %ld, of %ld ranks: to move one takes less than %g s of --move-all %g",
			o->units, o->ranks, SHORTEST, o->move_all);
	return 0;
}

static struct equant_job job_of(const struct run_options *o)
{
	return (struct equant_job){
		.n = (int)o->ranks,
		.scheduler = (enum equant_job_scheduler)o->scheduler,
		.quantum = nanoseconds(o->quantum),
		.units = o->units * o->ranks,
		.steps = lround(ceil(o->seconds / o->step)),
		.barrier = !o->no_barrier,
		.depth = (int)o->depth,
		.probe = (enum equant_job_probe)o->probe,
		.interact = nanoseconds(o->interact),
		.move_per_unit = nanoseconds(o->move_all / (double)(o->units * o->ranks)),
	};
}

/* Section 7.5, where it applies: a fixed balancing period, a load that is on half of the time. */
static double model(const struct run_options *o, double period)
{
	const struct equant_oscillation oscillation = {
		.n = (int)o->ranks,
		.rmin = 1.0 / (double)(o->tasks + 1),
		.period = period,
		.target = o->target,
		.delay = (double)o->depth + 0.5,
		.move_all = o->move_all,
		.dedicated = 1,
		.restricted = o->restricted,
		.answer = o->probe == EQUANT_JOB_PREDICTED ? EQUANT_ANSWER_WHOLE :
							     EQUANT_ANSWER_AVERAGED,
	};
	struct equant_oscillation_result result;

	if (o->target <= 0 || o->duty != 0.5 || period <= 0 || o->ranks < 2 ||
	    equant_model_oscillation(&oscillation, &result))
		return NAN;
	return result.efficiency;
}

/* The load comes for the first time once it has been off as long as it will be each time. */
static int set_load(const struct run_options *o, double period, struct equant_job_cpu *cpu)
{
	int64_t quantum = nanoseconds(o->quantum);

	cpu->tasks = (int)o->tasks;
	cpu->period = nanoseconds(period);
	cpu->on = nanoseconds(period * o->duty);
	cpu->start = cpu->period - cpu->on;
	if (cpu->period && (cpu->on < quantum || cpu->period - cpu->on < quantum))
		return simulate_fail(
			MODEL, "--period %g: the load is on or off for less than a quantum of %g s",
			period, o->quantum);
	return 0;
}

static int point(const struct run_options *o, double period, struct table *table)
{
	struct equant_balance_options balance = balance_options(o);
	struct equant_job_cpu cpus[SIMULATE_CPUS] = { 0 };
	struct equant_job_result balanced, equal;
	struct equant_job job = job_of(o);
	int error = set_load(o, period, &cpus[0]);

	for (int i = 0; i < job.n; i++)
		cpus[i].unit = nanoseconds(o->step / (double)o->units);
	job.cpus = cpus;
	if (!error)
		error = equant_simulate_job(&job, &equal);
	job.balance = &balance;
	if (!error)
		error = equant_simulate_job(&job, &balanced);
	if (error == -EOVERFLOW)
		return simulate_fail(MODEL, "--seconds %g: the simulated time could overflow",
				     o->seconds);
	if (error)
		return error;
	return table_add(table, (double[]){ period, balanced.efficiency.efficiency,
					    equal.efficiency.efficiency, model(o, period),
					    (double)balanced.phases, (double)balanced.moves,
					    (double)balanced.moved });
}

static int fill(const struct run_options *o, const char *probe, struct table *table)
{
	snprintf(table->title, sizeof(table->title),
		 "%ld ranks, %ld competing on the first one's CPU %.3g of the time; probe: %s",
		 o->ranks, o->tasks, o->duty, probe);
	table_fact(table, "ranks", (double)o->ranks);
	table_fact(table, "tasks", (double)o->tasks);
	table_fact(table, "duty", o->duty);
	table_fact(table, "depth", (double)o->depth);
	table_fact(table, "step", o->step);
	table_fact(table, "seconds", o->seconds);
	for (long i = 0; i < o->period.count; i++) {
		int error = point(o, simulate_at(&o->period, i), table);

		if (error)
			return error;
	}
	return 0;
}

int simulate_run(int argc, char **argv, struct table *table)
{
	static const char *const probes[] = { "clock", "measured", "predicted", NULL };
	static const char *const schedulers[] = { "shared", "turns", NULL };
	struct run_options o = {
		.period = { .from = 1, .step = 1, .count = 20 },
		.ranks = 4,
		.tasks = 1,
		.units = 1000,
		.depth = 1,
		.probe = EQUANT_JOB_PREDICTED,
		.duty = 0.5,
		.step = 0.01,
		.seconds = 60,
		.interact = 20e-6,
		.move_all = 0.1,
	};
	struct equant_balance_options defaults;
	const struct simulate_option known[] = {
		{ "ranks", SIMULATE_WHOLE, &o.ranks, 1, SIMULATE_CPUS, NULL },
		{ "tasks", SIMULATE_WHOLE, &o.tasks, 0, 1000, NULL },
		{ "period", SIMULATE_SWEEP, &o.period, 0, 1e6, NULL },
		{ "duty", SIMULATE_NUMBER, &o.duty, 0.001, 0.999, NULL },
		{ "scheduler", SIMULATE_CHOICE, &o.scheduler, 0, 0, schedulers },
		{ "quantum", SIMULATE_NUMBER, &o.quantum, 1e-6, 10, NULL },
		{ "probe", SIMULATE_CHOICE, &o.probe, 0, 0, probes },
		{ "depth", SIMULATE_WHOLE, &o.depth, 0, 1024, NULL },
		{ "units", SIMULATE_WHOLE, &o.units, 1, 1e6, NULL },
		{ "step", SIMULATE_NUMBER, &o.step, 1e-3, 1e3, NULL },
		{ "seconds", SIMULATE_NUMBER, &o.seconds, 1e-3, 1e5, NULL },
		{ "no-barrier", SIMULATE_FLAG, &o.no_barrier, 0, 0, NULL },
		{ "target", SIMULATE_NUMBER, &o.target, 0, 1e3, NULL },
		{ "threshold", SIMULATE_NUMBER, &o.threshold, 0, 1, NULL },
		{ "profit", SIMULATE_NUMBER, &o.profit, 0, 1e6, NULL },
		{ "no-filter", SIMULATE_FLAG, &o.no_filter, 0, 0, NULL },
		{ "no-prompt", SIMULATE_FLAG, &o.no_prompt, 0, 0, NULL },
		{ "no-steady", SIMULATE_FLAG, &o.no_steady, 0, 0, NULL },
		{ "ports", SIMULATE_WHOLE, &o.ports, 0, SIMULATE_CPUS, NULL },
		{ "omit", SIMULATE_WHOLE, &o.omit, 0, 1e6, NULL },
		{ "restricted", SIMULATE_FLAG, &o.restricted, 0, 0, NULL },
		{ "interact", SIMULATE_NUMBER, &o.interact, 0, 10, NULL },
		{ "move-all", SIMULATE_NUMBER, &o.move_all, 0, 1e3, NULL },
		{ 0 },
	};

	equant_balance_options_init(&defaults);
	o.quantum = defaults.default_quantum;
	o.target = defaults.period;
	o.threshold = defaults.threshold;
	o.profit = defaults.profit;
	o.ports = defaults.ports;
	o.omit = defaults.omit;
	if (simulate_parse(MODEL, argc, argv, known) || check_lengths(&o))
		return -EINVAL;
	table->columns = columns;
	table->x_title = "period of the load, seconds";
	return fill(&o, probes[o.probe], table);
}
