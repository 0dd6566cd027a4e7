// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Jobs in simulated time, balanced by equant's own decisions, against the models. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libmodel.h"

#define SECOND 1000000000L
#define RANKS_MOST 64
#define UNITS 1000 /* per rank */
#define STEPS_PER_SECOND 10
#define PERIODS 10
#define MOVE_ALL 2.73 /* seconds, table 7.5: MM */

/* Threshold, filter and profitability off: what the model of section 7.5 assumes. */
static struct equant_balance_options model_options(enum equant_job_probe probe)
{
	return (struct equant_balance_options){
		.sz = sizeof(struct equant_balance_options),
		.mode = probe == EQUANT_JOB_PREDICTED ? EQUANT_RATE_PREDICTED :
							EQUANT_RATE_MEASURED,
		.window = 10,
		.interact_fraction = 0.05,
		.amplitude = 0.1,
		.period = 1,
		.default_quantum = 0.004,
		.moves_allowed = 1,
	};
}

static struct equant_job job_of(int n, struct equant_job_cpu *cpus,
				const struct equant_balance_options *options)
{
	memset(cpus, 0, n * sizeof(*cpus));
	for (int i = 0; i < n; i++)
		cpus[i].unit = SECOND / STEPS_PER_SECOND / UNITS;
	return (struct equant_job){
		.n = n,
		.cpus = cpus,
		.quantum = 4000000,
		.units = (long)n * UNITS,
		.steps = 60 * STEPS_PER_SECOND,
		.barrier = 1,
		.balance = options,
	};
}

/* Efficiency over the model's, the mean over ten phases of the load; NAN on an error. */
static double over_model(int n, double period, int depth, enum equant_job_probe probe)
{
	struct equant_balance_options options = model_options(probe);
	struct equant_oscillation_result model;
	struct equant_job_cpu cpus[RANKS_MOST];
	struct equant_job job = job_of(n, cpus, &options);
	struct equant_oscillation oscillation = {
		.n = n,
		.rmin = 0.5,
		.period = period,
		.target = 1,
		.delay = depth + 0.5,
		.move_all = MOVE_ALL,
		.dedicated = 1,
		.answer = probe == EQUANT_JOB_PREDICTED ? EQUANT_ANSWER_WHOLE :
							  EQUANT_ANSWER_AVERAGED,
	};
	struct equant_job_result result;
	double sum = 0;

	if (equant_model_oscillation(&oscillation, &model))
		return NAN;
	job.steps = (long)(PERIODS * period * STEPS_PER_SECOND);
	job.depth = depth;
	job.probe = probe;
	job.move_per_unit = (int64_t)(MOVE_ALL * SECOND / (double)job.units);
	cpus[0].tasks = 1;
	cpus[0].period = (int64_t)(period * SECOND);
	cpus[0].on = cpus[0].period / 2;
	for (int i = 0; i < 10; i++) {
		cpus[0].start = 5 * SECOND + i * SECOND / 10;
		if (equant_simulate_job(&job, &result))
			return NAN;
		sum += result.efficiency.efficiency;
	}
	return sum / 10 / model.efficiency;
}

TEST(the_job_agrees_with_the_model_of_section_7_5_whether_shares_are_seen_or_rates_measured)
{
	static const enum equant_job_probe probes[] = { EQUANT_JOB_CLOCK, EQUANT_JOB_PREDICTED };
	const int step = is_sanitized() ? 6 : 1;

	for (int n = 2; n <= 8; n += step) {
		for (int i = 0; i < 4; i++) {
			enum equant_job_probe probe = probes[i / 2];
			double at_60 = over_model(n, 60, i % 2, probe);
			double at_20 = over_model(n, 20, i % 2, probe);

			EXPECT_LT(fabs(at_60 - 1), 0.005)
			TH_LOG("%d ranks, depth %d, probe %d, 60 s: %f", n, i % 2, probe, at_60);
			EXPECT_LT(fabs(at_20 - 1), 0.01)
			TH_LOG("%d ranks, depth %d, probe %d, 20 s: %f", n, i % 2, probe, at_20);
		}
	}
}

TEST(an_equal_division_has_the_efficiency_of_table_7_4)
{
	struct equant_job_cpu cpus[RANKS_MOST];
	struct equant_job_result result;

	for (int n = 2; n <= RANKS_MOST; n *= 2) {
		struct equant_job job = job_of(n, cpus, NULL);
		double equal = 0.75 * n / (n - 0.25);

		/* a step while the load is off takes half of one while it is on: 30 s of each */
		job.steps = 30 * STEPS_PER_SECOND * 3 / 2 * 10;
		cpus[0].tasks = 1;
		cpus[0].period = 60 * SECOND;
		cpus[0].on = 30 * SECOND;
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		EXPECT_EQ(0, result.phases);
		EXPECT_LT(fabs(result.efficiency.efficiency - equal), 1e-3);
	}
}

TEST(a_constant_load_is_balanced_once_and_for_good)
{
	struct equant_balance_options options = model_options(EQUANT_JOB_MEASURED);
	struct equant_job_cpu cpus[RANKS_MOST];
	struct equant_job_result result;

	for (int n = 2; n <= RANKS_MOST; n *= 2) {
		for (int barrier = 0; barrier <= 1; barrier++) {
			struct equant_job job = job_of(n, cpus, &options);

			options.threshold = 0.03;
			job.barrier = barrier;
			job.probe = EQUANT_JOB_MEASURED;
			job.depth = 1;
			cpus[0].tasks = 1;
			cpus[n - 1].unit *= 3;
			ASSERT_EQ(0, equant_simulate_job(&job, &result));
			EXPECT_EQ(1, result.moves);
			EXPECT_GT(result.efficiency.efficiency, 0.99)
			TH_LOG("%d ranks, barrier %d", n, barrier);
			EXPECT_LE(result.efficiency.efficiency, 1);
		}
	}
}

/* The same CPUs, the same work: two simulators that share only the arithmetic of turns. */
TEST(without_balancing_turns_and_barriers_are_those_of_the_barrier_simulator)
{
	struct random random = random_seeded();
	struct equant_job_cpu cpus[RANKS_MOST];
	struct equant_efficiency expected;
	struct equant_job_result result;
	int64_t work[CPUS_MOST];
	struct cpus machine;

	for (int round = 0; round < random_cases(200); round++) {
		struct equant_job job;

		cpus_random(&machine, CPUS_MOST, &random);
		job = job_of(machine.machine.n, cpus, NULL);
		job.scheduler = EQUANT_JOB_TURNS;
		job.quantum = machine.machine.quantum;
		job.steps = 1 + random_below(&random, 50);
		for (int i = 0; i < job.n; i++) {
			machine.turns[i].phase = 0;
			cpus[i].tasks = machine.turns[i].tasks - 1;
			cpus[i].unit = 1 + random_below(&random, 3);
			work[i] = cpus[i].unit * UNITS;
		}
		ASSERT_EQ(0, equant_simulate_barrier(&machine.machine, work, job.steps, &expected));
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		ASSERT_EQ(expected.elapsed, result.efficiency.elapsed);
		ASSERT_EQ(expected.available, result.efficiency.available);
		ASSERT_EQ(expected.productive, result.efficiency.productive);
	}
}

/* What a rank computes in a time is what its CPU gave it, however the load changes. */
TEST(a_rank_alone_wastes_nothing_under_any_load)
{
	struct random random = random_seeded();
	struct equant_job_cpu cpu;
	struct equant_job_result result;

	for (int round = 0; round < random_cases(300); round++) {
		struct equant_job job = job_of(1, &cpu, NULL);

		job.scheduler = round % 2 ? EQUANT_JOB_TURNS : EQUANT_JOB_SHARED;
		job.quantum = 1 + random_below(&random, 9) * 1000;
		job.steps = 1 + random_below(&random, 20);
		cpu.unit = 1 + random_below(&random, 1000);
		cpu.tasks = (int)random_below(&random, 5);
		cpu.on = job.quantum * (1 + random_below(&random, 5));
		cpu.period = cpu.on + job.quantum * (1 + random_below(&random, 5));
		cpu.start = random_below(&random, cpu.period);
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		ASSERT_EQ(job.steps * UNITS * cpu.unit, result.efficiency.productive);
		ASSERT_EQ(result.efficiency.productive, result.efficiency.available);
	}
}

/* Nanosecond by nanosecond: is the load on, and whose turn is it? */
static int64_t counted_until(const struct equant_job *job, int64_t work)
{
	const struct equant_job_cpu *cpu = job->cpus;
	int64_t time = 0;

	for (; work; time++) {
		int64_t since = (time + cpu->period - cpu->start) % cpu->period;
		int64_t tasks = since < cpu->on ? cpu->tasks + 1 : 1;

		if (since >= cpu->on)
			since -= cpu->on;
		work -= since % (tasks * job->quantum) < job->quantum;
	}
	return time;
}

TEST(turns_under_a_load_that_comes_and_goes_agree_with_counting)
{
	struct random random = random_seeded();
	struct equant_job_cpu cpu;
	struct equant_job_result result;

	for (int round = 0; round < random_cases(300); round++) {
		struct equant_job job = job_of(1, &cpu, NULL);

		job.scheduler = EQUANT_JOB_TURNS;
		job.quantum = 1 + random_below(&random, 9);
		job.units = 1 + random_below(&random, 50);
		job.steps = 1 + random_below(&random, 20);
		cpu.unit = 1 + random_below(&random, 10);
		cpu.tasks = (int)random_below(&random, 5);
		cpu.on = job.quantum + random_below(&random, 50);
		cpu.period = cpu.on + job.quantum + random_below(&random, 50);
		cpu.start = random_below(&random, cpu.period);
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		ASSERT_EQ(counted_until(&job, job.steps * job.units * cpu.unit),
			  result.efficiency.elapsed);
	}
}

/* Steps of 0.1 s, the library's own period, and a load that is on for half of @period. */
static struct equant_job predicted_pair(struct equant_job_cpu *cpus,
					struct equant_balance_options *options, int64_t period)
{
	struct equant_job job = job_of(2, cpus, options);

	*options = model_options(EQUANT_JOB_PREDICTED);
	options->period = 0;
	options->threshold = 0.03;
	options->profit = 5;
	job.probe = EQUANT_JOB_PREDICTED;
	job.depth = 1;
	job.move_per_unit = 1000;
	cpus[0].tasks = 1;
	cpus[0].period = period;
	cpus[0].on = period / 2;
	return job;
}

TEST(a_load_that_changes_too_fast_to_follow_is_not_chased_with_predictions)
{
	struct equant_balance_options options;
	struct equant_job_cpu cpus[RANKS_MOST];
	struct equant_job job = predicted_pair(cpus, &options, SECOND / 2);
	struct equant_job_result equal, balanced;

	ASSERT_EQ(0, equant_simulate_job(&job, &balanced));
	job.balance = NULL;
	ASSERT_EQ(0, equant_simulate_job(&job, &equal));
	EXPECT_GT(balanced.efficiency.efficiency, equal.efficiency.efficiency);
	EXPECT_LT(balanced.moves, balanced.phases / 4);
}

/* Phases of 0.1 s, a load that changes every second: decisions that come a phase late are no use. */
TEST(a_load_that_changes_every_few_phases_is_followed_if_decisions_need_not_be_late)
{
	struct equant_balance_options options;
	struct equant_job_cpu cpus[RANKS_MOST];
	struct equant_job job = predicted_pair(cpus, &options, 2 * SECOND);
	struct equant_job_result late, prompt;

	ASSERT_EQ(0, equant_simulate_job(&job, &late));
	options.prompt = 1;
	ASSERT_EQ(0, equant_simulate_job(&job, &prompt));
	EXPECT_GT(prompt.efficiency.efficiency, late.efficiency.efficiency + 0.05)
	TH_LOG("%g, %g", prompt.efficiency.efficiency, late.efficiency.efficiency);
}

TEST(a_unit_that_shrinks_takes_a_nanosecond_at_least)
{
	struct equant_job_cpu cpu = { .unit = 1 };
	struct equant_job job = {
		.n = 1,
		.cpus = &cpu,
		.quantum = 1,
		.units = 2,
		.steps = 1,
		.program = EQUANT_JOB_SHRINKING,
	};
	struct equant_job_result result;

	ASSERT_EQ(0, equant_simulate_job(&job, &result));
	EXPECT_EQ(1, result.efficiency.elapsed);
	EXPECT_EQ(1.0, result.efficiency.efficiency);
	EXPECT_EQ(1.0, result.efficiency.conservative);
}

TEST(what_is_out_of_range_is_refused)
{
	struct equant_balance_options options = model_options(EQUANT_JOB_CLOCK);
	struct equant_job_cpu cpus[2];
	struct equant_job good = job_of(2, cpus, &options), job = good;
	struct equant_job_result result;

	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	job.depth = 1024;
	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	job.depth = 1025;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	job.units = 1;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	job.steps = 0;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	job.units = INT64_MAX;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_job(&job, &result));
	for (job = good; job.program <= EQUANT_JOB_SHRINKING; job.program++) {
		job.steps = 1;
		job.blocks = 1;
		job.message = 0;
		EXPECT_EQ(0, equant_simulate_job(&job, &result));
		job.message = -1;
		EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	}
	job = good;
	job.probe = 3;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	cpus[1].period = SECOND;
	cpus[1].on = SECOND;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	cpus[1].on = SECOND / 2;
	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	cpus[1].start = SECOND;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	cpus[1].start = 0;
	options.amplitude = 0;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
}

TEST_HARNESS_MAIN
