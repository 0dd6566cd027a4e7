// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Barriers on round-robin CPUs, section 3.4.2: figures 3.12 to 3.14. */
#include <errno.h>
#include <limits.h>
#include <math.h>

#include "kselftest_harness.h"
#include "libmodel.h"

#define SYNCHRONIZATIONS 1000

/* The loads of figure 3.14 and its first peaks in hundredths of a quantum. */
static const struct {
	int loads[5];
	int peak;
} figure[] = {
	{ { 2, 1, 1, 1 }, 175 },
	{ { 3, 1, 1, 1 }, 250 },
	{ { 4, 1, 1, 1 }, 325 },
	{ { 5, 4, 3, 2 }, 1925 },
};

#define FIGURES ((int)(sizeof(figure) / sizeof(figure[0])))

/* Efficiency at a grain, before balancing, in hundredths of a quantum; -1 on an error. */
static double balanced(const struct cpus *cpus, int64_t grain, long barriers)
{
	const struct equant_machine *m = &cpus->machine;
	struct equant_efficiency result;
	int64_t work[CPUS_MOST];

	if (equant_divide(m, grain * m->n * m->quantum / 100, work) ||
	    equant_simulate_barrier(m, work, barriers, &result))
		return -1;
	return result.efficiency;
}

static double equal(const struct cpus *cpus, int64_t grain, long barriers)
{
	struct equant_efficiency result;
	int64_t work[CPUS_MOST];

	for (int i = 0; i < cpus->machine.n; i++)
		work[i] = grain * cpus->machine.quantum / 100;
	if (equant_simulate_barrier(&cpus->machine, work, barriers, &result))
		return -1;
	return result.efficiency;
}

/* To the three digits of the figures' captions. */
static double rounded(double efficiency)
{
	return round(efficiency * 1000) / 1000;
}

TEST(the_first_peaks_are_those_of_figure_3_14)
{
	struct cpus cpus;
	int64_t total;

	for (int f = 0; f < FIGURES; f++) {
		cpus_init(&cpus, figure[f].loads);
		ASSERT_EQ(0, equant_peak_work(&cpus.machine, &total));
		EXPECT_EQ(figure[f].peak * QUANTUM / 100 * cpus.machine.n, total);
	}
}

TEST(at_every_multiple_of_the_peak_nothing_is_lost)
{
	struct cpus cpus;

	for (int f = 0; f < FIGURES; f++) {
		cpus_init(&cpus, figure[f].loads);
		for (int multiple = 1; multiple <= 8; multiple++)
			EXPECT_EQ(1.0,
				  balanced(&cpus, multiple * figure[f].peak, SYNCHRONIZATIONS));
	}
}

TEST(at_every_grain_below_the_first_peak_something_is_lost)
{
	struct cpus cpus;

	for (int f = 0; f < FIGURES; f++) {
		cpus_init(&cpus, figure[f].loads);
		for (int grain = 1; grain < figure[f].peak; grain++) {
			double efficiency = balanced(&cpus, grain, SYNCHRONIZATIONS);

			EXPECT_LT(efficiency, 1 - 1e-6)
			TH_LOG("figure 3.14%c, grain %d", 'a' + f, grain);
			EXPECT_GT(efficiency, 0);
		}
	}
}

/* All of its work is done in time from the second barrier on: figure 3.14a to c. */
TEST(at_half_a_peak_only_the_start_is_lost)
{
	static const double near_peak[] = { 0.99943, 0.99960, 0.99969 };
	struct equant_efficiency result;
	int64_t work[CPUS_MOST], total;
	struct cpus cpus;

	for (int f = 0; f < 3; f++) {
		cpus_init(&cpus, figure[f].loads);
		ASSERT_EQ(0, equant_peak_work(&cpus.machine, &total));
		ASSERT_EQ(0, equant_divide(&cpus.machine, total / 2, work));
		ASSERT_EQ(0,
			  equant_simulate_barrier(&cpus.machine, work, SYNCHRONIZATIONS, &result));
		EXPECT_LT(result.efficiency - near_peak[f], 1e-5);
		EXPECT_GT(result.efficiency - near_peak[f], -1e-5);
	}
}

/* Each figure shows ten synchronisations on four CPUs, one of them shared by two. */
TEST(the_time_lines_of_figures_3_12_and_3_13_have_their_efficiencies)
{
	static const struct {
		int grain; /* hundredths of a quantum */
		double equal, balanced;
	} line[] = { { 70, 0.609, 0.765 }, { 140, 0.589, 0.946 } };
	struct cpus cpus;

	cpus_init(&cpus, figure[0].loads);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(line[i].equal, rounded(equal(&cpus, line[i].grain, 10)));
		EXPECT_EQ(line[i].balanced, rounded(balanced(&cpus, line[i].grain, 10)));
	}
}

TEST(without_competing_tasks_nothing_is_lost)
{
	struct cpus cpus;

	cpus_init(&cpus, (const int[]){ 1, 1, 1, 0 });
	for (int grain = 1; grain < 300; grain += 7)
		EXPECT_EQ(1.0, balanced(&cpus, grain, 100));
}

/* A quantum at a time, ticks counted one by one: nothing of the arithmetic of turns.c. */
static void tick_by_tick(const struct equant_machine *m, const int64_t *work, long barriers,
			 struct equant_efficiency *result)
{
	int64_t left[CPUS_MOST];
	int done;

	*result = (struct equant_efficiency){ .elapsed = 0 };
	for (long s = 0; s < barriers; s++) {
		for (int i = 0; i < m->n; i++)
			left[i] = work[i];
		do {
			done = 1;
			for (int i = 0; i < m->n; i++) {
				int64_t round = m->quantum * m->turns[i].tasks;
				int64_t at = (result->elapsed + m->turns[i].phase) % round;

				if (at < m->quantum) {
					result->available++;
					result->productive += left[i] > 0;
					left[i] -= left[i] > 0;
				}
				done &= !left[i];
			}
			result->elapsed++;
		} while (!done);
	}
}

TEST(the_simulator_agrees_with_counting_ticks)
{
	struct random random = random_seeded();
	struct equant_efficiency result, counted;
	int64_t work[CPUS_MOST];
	struct cpus cpus;

	for (int round = 0; round < 500; round++) {
		long barriers = 1 + random_below(&random, 20);

		cpus_random(&cpus, 6, &random);
		for (int i = 0; i < cpus.machine.n; i++)
			work[i] = 1 + random_below(&random, 40);
		tick_by_tick(&cpus.machine, work, barriers, &counted);
		ASSERT_EQ(0, equant_simulate_barrier(&cpus.machine, work, barriers, &result));
		ASSERT_EQ(counted.elapsed, result.elapsed);
		ASSERT_EQ(counted.productive, result.productive);
		ASSERT_EQ(counted.available, result.available);
	}
}

TEST(divided_work_is_in_proportion_and_complete)
{
	struct random random = random_seeded();
	int64_t work[CPUS_MOST];
	struct cpus cpus;

	for (int round = 0; round < 1000; round++) {
		int64_t total = random_below(&random, 1000000000), sum = 0;
		double shares = 0;

		cpus_random(&cpus, CPUS_MOST, &random);
		for (int i = 0; i < cpus.machine.n; i++)
			shares += 1.0 / cpus.turns[i].tasks;
		ASSERT_EQ(0, equant_divide(&cpus.machine, total, work));
		for (int i = 0; i < cpus.machine.n; i++) {
			double exact = (double)total / cpus.turns[i].tasks / shares;

			ASSERT_LT(work[i] - exact, 1.000001);
			ASSERT_GT(work[i] - exact, -1.000001);
			sum += work[i];
		}
		ASSERT_EQ(total, sum);
	}
}

TEST(a_rank_without_work_only_enters_the_barrier)
{
	struct equant_efficiency result;
	struct cpus cpus;

	cpus_init(&cpus, (const int[]){ 1, 3, 0 });
	ASSERT_EQ(0, equant_simulate_barrier(&cpus.machine, (const int64_t[]){ QUANTUM, 0 }, 2,
					     &result));
	/* 0..1, where rank 1 has its turn; 1..2, then it waits for its turn at 3 */
	EXPECT_EQ(2 * QUANTUM, result.elapsed);
	cpus.turns[1].phase = 2 * QUANTUM;
	ASSERT_EQ(0, equant_simulate_barrier(&cpus.machine, (const int64_t[]){ QUANTUM / 2, 0 }, 1,
					     &result));
	EXPECT_EQ(QUANTUM, result.elapsed);
}

TEST(what_is_out_of_range_is_refused)
{
	struct equant_efficiency result;
	int64_t work[CPUS_MOST] = { 1, 1 }, total;
	struct cpus cpus;

	cpus_init(&cpus, (const int[]){ 2, 1, 0 });
	EXPECT_EQ(-EINVAL, equant_simulate_barrier(&cpus.machine, work, 0, &result));
	work[1] = -1;
	EXPECT_EQ(-EINVAL, equant_simulate_barrier(&cpus.machine, work, 1, &result));
	work[0] = work[1] = 0;
	EXPECT_EQ(-EINVAL, equant_simulate_barrier(&cpus.machine, work, 1, &result));
	work[0] = INT64_MAX / 3;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_barrier(&cpus.machine, work, 2, &result));
	work[0] = INT64_MAX;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_barrier(&cpus.machine, work, 1, &result));
	work[0] = work[1] = 1;
	EXPECT_EQ(-EOVERFLOW, equant_simulate_barrier(&cpus.machine, work, LONG_MAX, &result));
	EXPECT_EQ(-EINVAL, equant_divide(&cpus.machine, -1, work));
	cpus.turns[0].phase = 2 * QUANTUM;
	EXPECT_EQ(-EINVAL, equant_divide(&cpus.machine, 1, work));
	EXPECT_EQ(-EINVAL, equant_peak_work(&cpus.machine, &total));
	cpus.turns[0] = (struct equant_turns){ .tasks = 0 };
	EXPECT_EQ(-EINVAL, equant_simulate_barrier(&cpus.machine, work, 1, &result));
	cpus_init(&cpus, (const int[]){ 999983, 999979, 999961, 999959, 0 });
	EXPECT_EQ(-EOVERFLOW, equant_peak_work(&cpus.machine, &total));
	EXPECT_EQ(-EOVERFLOW, equant_divide(&cpus.machine, 1, work));
	cpus.machine.n = 0;
	EXPECT_EQ(-EINVAL, equant_peak_work(&cpus.machine, &total));
}

TEST_HARNESS_MAIN
