// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Jobs in simulated time whose ranks never meet but where the program makes them. */
#include <errno.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libmodel.h"

#define RANKS 6
#define MS 1000000L

static void shape(struct equant_job *job, struct equant_job_cpu *cpus, struct random *random)
{
	*job = (struct equant_job){
		.n = 1 + (int)random_below(random, RANKS),
		.cpus = cpus,
		.scheduler = random_below(random, 2) ? EQUANT_JOB_TURNS : EQUANT_JOB_SHARED,
		.quantum = 4 * MS,
		.steps = 1 + random_below(random, 300),
		.barrier = !random_below(random, 3),
		.asynchronous = 1,
		.probe = (enum equant_job_probe)random_below(random, 3),
		.interact = random_below(random, 100000),
		.move_fixed = random_below(random, MS),
		.move_per_unit = random_below(random, MS),
	};
	job->units = job->n + random_below(random, 60);
	for (int i = 0; i < job->n; i++) {
		cpus[i] = (struct equant_job_cpu){ .unit = 1 + random_below(random, MS),
						   .tasks = (int)random_below(random, 3) };
		if (random_below(random, 2)) {
			cpus[i].period = (10 + random_below(random, 1000)) * MS;
			cpus[i].on = cpus[i].period / 2;
			cpus[i].start = random_below(random, cpus[i].period);
		}
	}
}

TEST(no_unit_is_lost_whatever_the_program_and_its_loads)
{
	struct random random = random_seeded();
	struct equant_job_cpu cpus[RANKS];
	long moves = 0;

	for (int round = 0; round < 300; round++) {
		struct equant_balance_options options = balance_options();
		struct equant_job_result result, again;
		struct equant_job job;
		struct census census = { .job = &job };

		options.mode = random_below(&random, 2) ? EQUANT_RATE_PREDICTED :
							  EQUANT_RATE_MEASURED;
		shape(&job, cpus, &random);
		job.balance = &options;
		job.watch = census_take;
		job.watcher = &census;
		for (int i = 1; i < job.n; i++)
			cpus[i].unit = cpus[0].unit;
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		EXPECT_EQ(0, census.wrong);
		EXPECT_EQ(result.phases, census.decisions);
		ASSERT_EQ(job.units * job.steps * cpus[0].unit, result.efficiency.productive)
		TH_LOG("round %d", round);
		EXPECT_LE(result.efficiency.efficiency, 1.0000001);
		ASSERT_EQ(0, equant_simulate_job(&job, &again));
		ASSERT_EQ(0, memcmp(&result, &again, sizeof(result)));
		moves += result.moves;
	}
	EXPECT_LT(300, moves);
}

/* Without barriers, and where nothing is to be balanced, only reports cost anything. */
TEST(on_dedicated_cpus_nothing_is_lost)
{
	struct equant_balance_options options = balance_options();
	struct equant_job_cpu cpus[4] = {
		{ .unit = MS }, { .unit = MS }, { .unit = MS }, { .unit = MS }
	};
	struct equant_job job = {
		.n = 4,
		.cpus = cpus,
		.quantum = 4 * MS,
		.units = 400,
		.steps = 20,
		.asynchronous = 1,
		.probe = EQUANT_JOB_PREDICTED,
		.balance = &options,
	};
	struct equant_job_result result;

	ASSERT_EQ(0, equant_simulate_job(&job, &result));
	EXPECT_EQ(2000 * MS, result.efficiency.elapsed);
	EXPECT_EQ(0, result.moves);
	EXPECT_LT(0, result.phases);
}

/* What an equal division loses is won back, the lag of the start included. */
TEST(a_constant_load_is_balanced_and_so_is_what_it_has_made_a_rank_late)
{
	for (int barrier = 0; barrier < 2; barrier++) {
		struct equant_balance_options options = balance_options();
		struct equant_job_cpu cpus[4] = { { .unit = MS / 10, .tasks = 1 },
						  { .unit = MS / 10 },
						  { .unit = MS / 10 },
						  { .unit = MS / 10 } };
		struct equant_job job = {
			.n = 4,
			.cpus = cpus,
			.quantum = 4 * MS,
			.units = 4000,
			.steps = 50,
			.barrier = barrier,
			.asynchronous = 1,
			.probe = EQUANT_JOB_PREDICTED,
		};
		struct equant_job_result equal, result;

		ASSERT_EQ(0, equant_simulate_job(&job, &equal));
		EXPECT_EQ(0, equal.phases);
		job.balance = &options;
		ASSERT_EQ(0, equant_simulate_job(&job, &result));
		EXPECT_GT(0.6, equal.efficiency.efficiency);
		EXPECT_LT(0.97, result.efficiency.efficiency)
		TH_LOG("barrier %d: %f", barrier, result.efficiency.efficiency);
	}
}

TEST(dependent_loops_are_refused)
{
	struct equant_balance_options options = balance_options();
	struct equant_job_cpu cpus[2] = { { .unit = 1000 }, { .unit = 1000 } };
	struct equant_job job = {
		.n = 2,
		.cpus = cpus,
		.quantum = 1000,
		.units = 20,
		.steps = 10,
		.blocks = 5,
		.asynchronous = 1,
		.balance = &options,
	};
	struct equant_job_result result;

	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	job.program = EQUANT_JOB_DOACROSS;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job.program = EQUANT_JOB_SHRINKING;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
}

/* Ranks that pass on more than they have must have received before, which nobody waits for. */
TEST(moves_between_neighbours_are_refused)
{
	struct equant_balance_options options = balance_options();
	struct equant_job_cpu cpus[3] = { { .unit = 1000, .tasks = 3 },
					  { .unit = 1000 },
					  { .unit = 1000 } };
	struct equant_job job = {
		.n = 3,
		.cpus = cpus,
		.quantum = 1000,
		.units = 30,
		.steps = 10,
		.asynchronous = 1,
		.balance = &options,
	};
	struct equant_job_result result;

	options.movement = EQUANT_MOVEMENT_RESTRICTED;
	EXPECT_EQ(-EINVAL, equant_simulate_job(&job, &result));
	job.asynchronous = 0;
	EXPECT_EQ(0, equant_simulate_job(&job, &result));
	job.asynchronous = 1;
	job.balance = NULL;
	EXPECT_EQ(0, equant_simulate_job(&job, &result));
}

TEST_HARNESS_MAIN
