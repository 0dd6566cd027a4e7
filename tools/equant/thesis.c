// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The experiments of Siegell 1995, chapter 7, as jobs in simulated time.
 *
 * Times of programs are those of table 7.1, times of moves those of table 7.5, quanta
 * 100 ms (section 3.3.6).  SOR's rows are the iterations of its pipelined loop, blocks
 * of them are chosen as by the library; a sweep ends with the test for convergence.
 *
 * Taken without a source, because the text has no numbers: a message of SOR costs
 * its sender 2 ms and 1 us per element (4 bytes at 4 MB/s), an interaction 5 ms.
 * LU is not measured in the thesis; here a multiply and add takes as long as in MM,
 * and to move a row half as long as the two columns of MM.
 */
#include <errno.h>
#include <math.h>

#include <equant/advise.h>

#include "simulate.h"
#include "thesis.h"

#define MESSAGE 2e-3
#define ELEMENT 1e-6
#define INTERACT 5e-3
#define PERIOD 60

const struct thesis_program thesis_programs[] = {
	{ "mm", EQUANT_JOB_DOALL, 500, 500, 252.71, 5.46e-3 },
	{ "sor", EQUANT_JOB_DOACROSS, 1000, 40, 335.07, 6.91e-3 },
	{ "sor2000", EQUANT_JOB_DOACROSS, 2000, 10, 353.24, 11.99e-3 },
	{ "lu", EQUANT_JOB_SHRINKING, 500, 490, 252.71 / 3, 2.73e-3 },
};

const char *const thesis_program_names[] = { "mm", "sor", "sor2000", "lu", NULL };
const char *const thesis_load_names[] = { "none", "constant", "oscillating", NULL };

const struct thesis_setting thesis_none = { .name = "none", .off = true };

/* Table 7.3; k = 5: section 5.6. */
const struct thesis_setting thesis_settings = {
	.name = "thesis",
	.filter = EQUANT_FILTER_STATES,
	.depth = 1,
	.threshold = 0.1,
	.profit = 5,
	.target = 1,
};

const struct thesis_setting thesis_equant = {
	.name = "equant",
	.library = true,
	.depth = 1,
};

/* Seconds of a unit in one sweep or step on a dedicated CPU; LU: in the first step. */
static double unit_time(const struct thesis_program *p)
{
	double units = (double)p->units, repeats = (double)p->repeats;

	if (p->kind == EQUANT_JOB_SHRINKING) /* the sum of (n - k)^2 / n over the steps k */
		return 3 * p->seconds / (units * units);
	return p->seconds / (units * repeats);
}

/* The number of blocks of a sweep. */
static long blocks_of(const struct thesis_run *run)
{
	const struct thesis_program *p = run->program;
	const struct equant_strips strips = {
		.ranks = run->ranks,
		.iterations = p->units,
		.units = (p->units + run->ranks - 1) / run->ranks,
		.unit_time = unit_time(p) / (double)p->units,
		.shift_fixed = MESSAGE,
		.byte_time = ELEMENT,
		.bytes = 1,
	};
	struct equant_block block;
	long size;

	if (run->setting->grain > 0) {
		size = equant_block_for_grain(&strips, run->setting->grain * THESIS_QUANTUM, NULL,
					      0);
		return size > 0 ? (p->units + size - 1) / size : 1;
	}
	return equant_block_size(&strips, &block, NULL, 0) ? 1 : block.blocks;
}

static struct equant_balance_options options_of(const struct thesis_run *run)
{
	const struct thesis_setting *s = run->setting;
	struct equant_balance_options b;

	equant_balance_options_init(&b);
	if (!s->library) {
		b.mode = EQUANT_RATE_MEASURED;
		b.threshold = s->threshold;
		b.profit = s->profit;
		b.period = s->target;
		b.filter = s->filter;
		b.prompt = 0;
	}
	b.restraint = 0; /* to wait costs nothing in the simulation */
	if (s->follows)
		b.steady = 0;
	b.default_quantum = THESIS_QUANTUM;
	b.move_per_unit = run->program->move;
	b.interact = INTERACT;
	if (run->program->kind == EQUANT_JOB_DOACROSS)
		b.movement = EQUANT_MOVEMENT_RESTRICTED;
	return b;
}

static int64_t nanoseconds(double seconds)
{
	return llround(seconds * 1e9);
}

/* What the program is made of; without CPUs and balancer. */
static struct equant_job job_of(const struct thesis_run *run)
{
	const struct thesis_program *p = run->program;
	struct equant_job job = {
		.n = run->ranks,
		.scheduler = EQUANT_JOB_TURNS,
		.quantum = nanoseconds(THESIS_QUANTUM),
		.units = p->units,
		.steps = p->repeats,
		.barrier = p->kind != EQUANT_JOB_DOALL,
		.depth = run->setting->depth,
		.asynchronous = run->setting->asynchronous,
		.probe = run->setting->library ? EQUANT_JOB_PREDICTED : EQUANT_JOB_CLOCK,
		.interact = nanoseconds(INTERACT),
		.move_per_unit = nanoseconds(p->move),
		.program = p->kind,
	};

	if (p->kind == EQUANT_JOB_DOACROSS) {
		job.blocks = blocks_of(run);
		job.steps *= job.blocks;
		job.message =
			nanoseconds(MESSAGE + ELEMENT * (double)p->units / (double)job.blocks);
	}
	return job;
}

int thesis_period(const char *model, int load, double *period)
{
	if (load != THESIS_OSCILLATING && *period > 0)
		return simulate_fail(model, "--period: of an oscillating load only");
	if (load == THESIS_OSCILLATING && *period <= 0)
		*period = PERIOD;
	return 0;
}

static void set_load(const struct thesis_run *run, struct equant_job_cpu *cpu)
{
	if (run->load == THESIS_DEDICATED)
		return;
	cpu->tasks = 1;
	if (run->load == THESIS_CONSTANT)
		return;
	cpu->period = nanoseconds(run->period);
	cpu->on = cpu->period / 2;
	cpu->start = cpu->period - cpu->on;
}

double thesis_cpu(const struct thesis_run *run, double time)
{
	double since = fmod(time, run->period > 0 ? run->period : 1);

	if (run->load == THESIS_DEDICATED)
		return 1;
	return run->load == THESIS_CONSTANT || since >= run->period / 2 ? 0.5 : 1;
}

double thesis_unit_rate(const struct thesis_run *run)
{
	struct equant_job job = job_of(run);

	return (double)(job.blocks ? job.blocks : 1) / unit_time(run->program);
}

int thesis_watch(const struct thesis_run *run, struct equant_job_result *result,
		 void (*watch)(void *watcher, int64_t time, const struct equant_sample *samples,
			       const struct equant_rate *rates, const long *units,
			       const struct equant_decision *decision),
		 void *watcher)
{
	const struct equant_balance_options options = options_of(run);
	struct equant_job_cpu cpus[SIMULATE_CPUS] = { 0 };
	struct equant_job job = job_of(run);

	if (run->ranks > SIMULATE_CPUS)
		return -EINVAL;
	for (int i = 0; i < run->ranks; i++)
		cpus[i].unit = nanoseconds(1 / thesis_unit_rate(run));
	set_load(run, &cpus[0]);
	job.cpus = cpus;
	job.balance = run->setting->off ? NULL : &options;
	job.watch = watch;
	job.watcher = watcher;
	return equant_simulate_job(&job, result);
}

int thesis_simulate(const struct thesis_run *run, struct equant_job_result *result)
{
	return thesis_watch(run, result, NULL, NULL);
}
