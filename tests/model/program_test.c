// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Jobs in simulated time whose steps depend on each other: strips, and bounds that shrink. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libmodel.h"

#define SECOND 1000000000L

/* Two simulators that share only the arithmetic of turns. */
TEST(a_sweep_of_strips_takes_as_long_as_the_pipeline_simulator_says)
{
	struct random random = random_seeded();
	struct equant_job_cpu cpus[CPUS_MOST];
	int64_t work[CPUS_MOST];
	struct cpus machine;

	for (int round = 0; round < 300; round++) {
		struct equant_efficiency expected;
		struct equant_job_result result;
		struct equant_pipeline pipeline = { .work = work, .block = 1 };
		struct equant_job job = {
			.cpus = cpus,
			.scheduler = EQUANT_JOB_TURNS,
			.program = EQUANT_JOB_DOACROSS,
			.barrier = 1,
		};
		long each = 1 + random_below(&random, 20);

		cpus_random(&machine, CPUS_MOST, &random);
		memset(cpus, 0, sizeof(cpus));
		job.n = machine.machine.n;
		job.quantum = machine.machine.quantum;
		job.units = each * job.n;
		job.steps = job.blocks = pipeline.iterations = 1 + random_below(&random, 40);
		job.message = pipeline.fixed = random_below(&random, 5);
		for (int i = 0; i < job.n; i++) {
			machine.turns[i].phase = 0;
			cpus[i].tasks = machine.turns[i].tasks - 1;
			cpus[i].unit = 1 + random_below(&random, 3);
			work[i] = cpus[i].unit * each * job.steps;
		}
		ASSERT_EQ(0, equant_simulate_pipeline(&machine.machine, &pipeline, &expected));
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		ASSERT_EQ(expected.elapsed, result.efficiency.elapsed);
		ASSERT_EQ(expected.productive, result.efficiency.productive);
	}
}

TEST(without_a_barrier_a_sweep_begins_before_the_one_before_has_ended)
{
	struct equant_job_cpu cpus[4] = {
		{ .unit = 1000 }, { .unit = 1000 }, { .unit = 1000 }, { .unit = 1000 }
	};
	struct equant_job job = {
		.n = 4,
		.cpus = cpus,
		.quantum = 1000,
		.units = 40,
		.steps = 100,
		.blocks = 10,
		.program = EQUANT_JOB_DOACROSS,
	};
	struct equant_job_result free, joined;

	ASSERT_EQ(0, equant_simulate_job(&job, &free));
	job.barrier = 1;
	ASSERT_EQ(0, equant_simulate_job(&job, &joined));
	/* 3 blocks to fill the pipeline: once, or once in every sweep */
	EXPECT_EQ((100 + 3) * 10 * 1000, free.efficiency.elapsed);
	EXPECT_EQ((100 + 30) * 10 * 1000, joined.efficiency.elapsed);
}

TEST(programs_keep_their_units_and_gain_under_a_constant_load_at_every_depth)
{
	for (int depth = 0; depth <= 16; depth += depth < 4 ? 1 : 4) {
		for (int program = 0; program <= EQUANT_JOB_SHRINKING; program++) {
			bool across = program == EQUANT_JOB_DOACROSS;
			struct equant_balance_options options = balance_options();
			struct equant_job_cpu cpus[4] = { { .unit = 10000, .tasks = 1 },
							  { .unit = 10000 },
							  { .unit = 10000 },
							  { .unit = 10000 } };
			struct equant_job job = {
				.n = 4,
				.cpus = cpus,
				.quantum = 4000000,
				.units = 2000,
				.steps = 1500,
				.barrier = 1,
				.depth = depth,
				.probe = EQUANT_JOB_PREDICTED,
				.program = program,
				.blocks = 50,
				.watch = census_take,
			};
			struct equant_job_result equal, result;
			struct census census = { .job = &job };
			double gain;

			if (across)
				options.movement = EQUANT_MOVEMENT_RESTRICTED;
			ASSERT_EQ(0, equant_simulate_job(&job, &equal));
			EXPECT_EQ(0, census.decisions);
			job.balance = &options;
			job.watcher = &census;
			ASSERT_EQ(0, equant_simulate_job(&job, &result));
			EXPECT_EQ(0, census.wrong)
			TH_LOG("depth %d, program %d", depth, program);
			EXPECT_LT(0, census.decisions);
			EXPECT_LE(census.decisions, result.phases);
			EXPECT_EQ(equal.efficiency.productive, result.efficiency.productive);
			gain = result.efficiency.efficiency / equal.efficiency.efficiency;
			EXPECT_LT(1.2, gain)
			TH_LOG("depth %d, program %d: gain %f", depth, program, gain);
		}
	}
}

/* Ranks of a pipeline come to a hook of the same number together, each a block behind the one before. */
TEST(a_phase_per_block_does_not_make_the_ranks_of_a_pipeline_take_turns)
{
	for (int depth = 0; depth < 3; depth++) {
		struct equant_balance_options options = balance_options();
		struct equant_job_cpu cpus[8];
		struct equant_job job = {
			.n = 8,
			.cpus = cpus,
			.quantum = 1000,
			.units = 80,
			.steps = 400,
			.barrier = 1,
			.depth = depth,
			.probe = EQUANT_JOB_PREDICTED,
			.program = EQUANT_JOB_DOACROSS,
			.blocks = 40,
			.balance = &options,
		};
		struct equant_job_result result;

		options.movement = EQUANT_MOVEMENT_RESTRICTED;
		options.period = 1e-9; /* a phase at each hook */
		for (int i = 0; i < job.n; i++)
			cpus[i] = (struct equant_job_cpu){ .unit = 1000 };
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		EXPECT_EQ(10 * (40 + 7), result.phases);
		EXPECT_EQ(10 * (40 + 7) * 10 * 1000, result.efficiency.elapsed);
	}
}

/* Work that arrives is ahead or behind: whatever moves when, every block of every unit is computed. */
TEST(units_that_move_in_mid_sweep_are_computed_once)
{
	struct random random = random_seeded();
	struct census census = { 0 };

	for (int round = 0; round < 200; round++) {
		struct equant_balance_options options = balance_options();
		struct equant_job_cpu cpus[8] = { { 0 } };
		struct equant_job job = {
			.n = 1 + (int)random_below(&random, 8),
			.cpus = cpus,
			.quantum = 4000000,
			.steps = 1 + random_below(&random, 200),
			.barrier = random_below(&random, 2),
			.depth = (int)random_below(&random, 4),
			.probe = EQUANT_JOB_PREDICTED,
			.program = EQUANT_JOB_DOACROSS,
			.blocks = 1 + random_below(&random, 50),
			.message = random_below(&random, 10000),
			.balance = &options,
			.watch = census_take,
			.watcher = &census,
		};
		struct equant_job_result result;

		census.job = &job;
		census.time = 0;
		options.movement = EQUANT_MOVEMENT_RESTRICTED;
		job.units = job.n + random_below(&random, 100);
		for (int i = 0; i < job.n; i++) {
			cpus[i].unit = 200000;
			cpus[i].tasks = (int)random_below(&random, 3);
			cpus[i].period = (10 + random_below(&random, 100)) * 1000000;
			cpus[i].on = cpus[i].period / 2;
		}
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		ASSERT_EQ(job.units * job.steps * 200000, result.efficiency.productive);
		EXPECT_LE(result.efficiency.efficiency, 1.0000001);
	}
	EXPECT_EQ(0, census.wrong);
	EXPECT_LT(1000, census.moves);
}

/* The sum of (n - k) over the units that are left, times (n - k) / n of the first step's time. */
TEST(a_shrinking_program_computes_what_the_sum_over_its_steps_says)
{
	const long n = 100, steps = 90, unit = 100000;
	struct equant_job_cpu cpus[3] = { { .unit = unit }, { .unit = unit }, { .unit = unit } };
	struct equant_job job = {
		.n = 3,
		.cpus = cpus,
		.quantum = 1000,
		.units = n,
		.steps = steps,
		.program = EQUANT_JOB_SHRINKING,
		.barrier = 1,
	};
	struct equant_job_result result;
	int64_t sum = 0;

	for (long k = 1; k <= steps; k++)
		sum += (n - k) * (n - k) * (unit / n);
	ASSERT_EQ(0, equant_simulate_job(&job, &result));
	EXPECT_EQ(sum, result.efficiency.productive);
	/* dealt out in turn, no rank ever has a unit more than another but one */
	EXPECT_GT(result.efficiency.efficiency, 0.95);
}

/* Rank 2 can give to rank 0 only what rank 1 passes on, who has less than that itself. */
TEST(a_rank_of_a_shrinking_program_may_pass_on_more_units_than_it_had)
{
	struct equant_job_cpu cpus[3] = { { .unit = 10000000 },
					  { .unit = 10000000, .tasks = 9 },
					  { .unit = 10000000, .tasks = 9 } };
	struct equant_balance_options options = balance_options();
	struct equant_job job = {
		.n = 3,
		.cpus = cpus,
		.quantum = 1000000,
		.units = 60,
		.steps = 57,
		.program = EQUANT_JOB_SHRINKING,
		.probe = EQUANT_JOB_PREDICTED,
		.barrier = 1,
		.balance = &options,
		.watch = census_take,
	};
	struct census census = { .job = &job };
	struct equant_job_result result;

	job.watcher = &census;
	options.movement = EQUANT_MOVEMENT_RESTRICTED;
	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	EXPECT_EQ(0, census.wrong);
	/* 30 to rank 0, of which 15 came from rank 2 */
	EXPECT_LE(45, result.moved);
}

TEST(what_is_out_of_range_is_refused)
{
	struct equant_job_cpu cpus[2] = { { .unit = 1000 }, { .unit = 1000 } };
	const struct equant_job good = {
		.n = 2,
		.cpus = cpus,
		.quantum = 1000,
		.units = 20,
		.steps = 10,
		.blocks = 5,
		.program = EQUANT_JOB_DOACROSS,
	};
	struct equant_job_result result;
	struct equant_job job = good;

	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	job.blocks = 0;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	job.message = -1;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	job.program = 3;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	job.program = EQUANT_JOB_SHRINKING;
	job.steps = 18;
	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	job.steps = 19;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job = good;
	job.message = INT64_MAX / 2;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_job(&job, &result));
}

TEST_HARNESS_MAIN
