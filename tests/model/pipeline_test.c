// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Pipelined loops on round-robin CPUs, sections 3.3.3, 3.3.4 and 3.3.7. */
#include <equant/advise.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include "kselftest_harness.h"
#include "libmodel.h"

/* Section 3.3.7: four CPUs, and the loop takes 200 quanta on one. */
#define SEQUENTIAL (200 * QUANTUM)
#define ITERATIONS 1000

static const int loads[][5] = { { 1, 1, 1, 1 }, { 2, 1, 1, 1 }, { 3, 1, 1, 1 },
				{ 1, 2, 1, 1 }, { 1, 1, 1, 2 }, { 5, 4, 3, 2 } };

#define LOADS ((int)(sizeof(loads) / sizeof(loads[0])))

/* -1 on an error. */
static double balanced(const struct cpus *cpus, long block)
{
	struct equant_efficiency result;
	int64_t work[CPUS_MOST];
	struct equant_pipeline pipeline = {
		.work = work,
		.iterations = ITERATIONS,
		.block = block,
	};

	if (equant_divide(&cpus->machine, SEQUENTIAL, work) ||
	    equant_simulate_pipeline(&cpus->machine, &pipeline, &result))
		return -1;
	return result.efficiency;
}

TEST(on_dedicated_cpus_the_time_is_that_of_equation_3_7)
{
	for (int n = 2; n <= 8; n++) {
		for (long blocks = 1; blocks <= 100; blocks *= 10) {
			const int64_t fixed = 3000, per_iteration = 7;
			int64_t work[8], block = ITERATIONS / blocks;
			struct equant_pipeline pipeline = {
				.work = work,
				.iterations = ITERATIONS,
				.block = block,
				.fixed = fixed,
				.per_iteration = per_iteration,
			};
			struct equant_strips strips = {
				.ranks = n,
				.iterations = ITERATIONS,
				.units = 5 * blocks,
				.unit_time = 1000.0 / ITERATIONS,
				.shift_fixed = fixed,
				.byte_time = per_iteration,
				.bytes = 1,
			};
			struct equant_efficiency result;
			struct cpus cpus;

			cpus_init(&cpus, (const int[]){ 1, 1, 1, 1, 1, 1, 1, 1, 0 });
			cpus.machine.n = n;
			for (int i = 0; i < n; i++)
				work[i] = 1000 * blocks * 5;
			ASSERT_EQ(0, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
			EXPECT_EQ((double)result.elapsed, equant_strips_time(&strips, block));
		}
	}
}

/* Eq. 3.6: efficiency of a number of blocks on n dedicated CPUs. */
static double bound(int n, double blocks)
{
	return blocks / (blocks + n - 1);
}

TEST(without_messages_a_dedicated_pipeline_reaches_the_bound)
{
	struct cpus cpus;

	cpus_init(&cpus, loads[0]);
	for (long block = 1; block <= ITERATIONS; block++) {
		if (ITERATIONS % block)
			continue;
		EXPECT_LT(fabs(balanced(&cpus, block) - bound(4, (double)ITERATIONS / block)),
			  1e-9);
	}
}

/* Figure 3.10. */
TEST(competing_loads_leave_a_balanced_pipeline_near_the_bound_at_any_grain)
{
	for (int l = 0; l < LOADS; l++) {
		struct cpus cpus;

		cpus_init(&cpus, loads[l]);
		for (long block = 1; block <= 100; block++) {
			double most = bound(4, (double)ITERATIONS / block);

			EXPECT_LT(fabs(balanced(&cpus, block) - most), 0.045)
			TH_LOG("loads %d, block %ld", l, block);
		}
	}
}

/* Figure 3.9a: equal work, and each turn of the competitor is a bubble in the whole pipeline. */
TEST(an_equal_division_of_a_loaded_pipeline_loses_what_the_others_wait_for)
{
	struct equant_efficiency result;
	struct equant_pipeline pipeline = {
		.work = (const int64_t[]){ SEQUENTIAL / 4, SEQUENTIAL / 4, SEQUENTIAL / 4,
					   SEQUENTIAL / 4 },
		.iterations = ITERATIONS,
		.block = 10,
	};
	struct cpus cpus;

	cpus_init(&cpus, loads[1]);
	ASSERT_EQ(0, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	/* all advance at half a CPU: 4 x 1/2 of the 3 1/2 that there are, but for fill and drain */
	EXPECT_LT(fabs(result.efficiency - 4.0 / 7), 0.02);
}

/* Every tick of every CPU: who has it, and has he something to do? */
static void tick_by_tick(const struct equant_machine *m, const struct equant_pipeline *p,
			 struct equant_efficiency *result)
{
	long blocks = (p->iterations - 1) / p->block + 1, done[CPUS_MOST] = { 0 },
	     before[CPUS_MOST];
	int64_t left[CPUS_MOST] = { 0 };

	*result = (struct equant_efficiency){ .elapsed = 0 };
	for (; done[m->n - 1] < blocks; result->elapsed++) {
		for (int i = 0; i < m->n; i++)
			before[i] = done[i];
		for (int i = 0; i < m->n; i++) {
			int64_t round = m->quantum * m->turns[i].tasks;
			bool last = i == m->n - 1;

			if ((result->elapsed + m->turns[i].phase) % round >= m->quantum)
				continue;
			result->available++;
			if (done[i] == blocks || (i && before[i - 1] == done[i]))
				continue;
			if (!left[i])
				left[i] = p->work[i] / blocks +
					  (last ? 0 : p->fixed + p->per_iteration * p->block);
			done[i] += !--left[i];
		}
	}
}

TEST(the_simulator_agrees_with_counting_ticks)
{
	struct random random = random_seeded();
	struct equant_efficiency result, counted;
	int64_t work[CPUS_MOST];
	struct cpus cpus;

	for (int round = 0; round < 500; round++) {
		long blocks = 1 + random_below(&random, 12);
		struct equant_pipeline pipeline = { .work = work };

		cpus_random(&cpus, 6, &random);
		pipeline.block = 1 + random_below(&random, 5);
		pipeline.iterations = blocks * pipeline.block;
		pipeline.fixed = random_below(&random, 4);
		pipeline.per_iteration = random_below(&random, 3);
		for (int i = 0; i < cpus.machine.n; i++)
			work[i] = blocks * (1 + random_below(&random, 30));
		tick_by_tick(&cpus.machine, &pipeline, &counted);
		ASSERT_EQ(0, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
		ASSERT_EQ(counted.elapsed, result.elapsed);
		ASSERT_EQ(counted.available, result.available);
	}
}

TEST(what_is_out_of_range_is_refused)
{
	int64_t work[] = { 1, 1 };
	struct equant_pipeline pipeline = { .work = work, .iterations = 10, .block = 3 };
	struct equant_efficiency result;
	struct cpus cpus;

	cpus_init(&cpus, (const int[]){ 2, 1, 0 });
	EXPECT_EQ(0, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	pipeline.block = 0;
	EXPECT_EQ(-EINVAL, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	pipeline.block = 11;
	EXPECT_EQ(0, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	pipeline.fixed = -1;
	EXPECT_EQ(-EINVAL, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	pipeline.fixed = INT64_MAX;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	pipeline.fixed = 0;
	pipeline.iterations = 0;
	EXPECT_EQ(-EINVAL, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	pipeline.iterations = 1;
	work[0] = work[1] = 0;
	EXPECT_EQ(-EINVAL, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	work[1] = INT64_MAX / 2;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
	cpus.machine.quantum = 1;
	work[0] = work[1] = 2;
	pipeline.iterations = LONG_MAX;
	pipeline.block = 1;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_pipeline(&cpus.machine, &pipeline, &result));
}

TEST_HARNESS_MAIN
