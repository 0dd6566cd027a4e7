// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Table 7 of Cierniak, Zaki, Li 1997 by simulation: matrix multiply, 600 rows, on machines whose
 * normalised speeds are those of table 6.  The model has no communication, which the
 * paper's program has, so its speed-ups come close to the ideal ones.
 */
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libplan.h"

#define ROWS 600

/* Table 6: SPARCstation 1, LX, 10. */
static const double speeds[] = { 1.00, 1.85, 3.00 };

/**
 * struct row - of table 7
 * @count: processors of each type
 * @ideal: as printed
 * @conscious: the paper's measured speed-up, shares in proportion to speeds
 * @oblivious: the same, equal shares
 * @simulated: ours in hundredths: by speed, equal shares, the optimum
 */
static const struct row {
	int count[3];
	double ideal;
	double conscious;
	double oblivious;
	int simulated[3];
} rows[] = {
	{ { 1, 1, 0 }, 2.85, 2.84, 2.00, { 285, 200, 285 } },
	{ { 1, 0, 1 }, 4.00, 3.74, 2.05, { 400, 200, 400 } },
	{ { 2, 1, 1 }, 6.85, 6.68, 4.03, { 682, 400, 682 } },
	{ { 1, 3, 2 }, 12.55, 10.26, 6.12, { 1247, 600, 1250 } },
	{ { 1, 8, 1 }, 18.80, 18.75, 10.06, { 1850, 1000, 1875 } },
	{ { 10, 3, 1 }, 18.55, 17.22, 13.92, { 1818, 1395, 1820 } },
	/* Printed as 26.2: 2 + 12 x 1.85 + 3 are 27.2. */
	{ { 2, 12, 1 }, 27.20, 23.09, 15.40, { 2687, 1500, 2707 } },
	{ { 15, 0, 1 }, 18.00, 15.88, 13.73, { 1765, 1579, 1765 } },
};

static struct equant_plan_machine *machine_of_row(const struct row *row)
{
	double times[20];
	int p = 0;

	for (int type = 0; type < 3; type++)
		for (int i = 0; i < row->count[type]; i++)
			times[p++] = 1 / speeds[type];
	return machine_of(times, p);
}

/* Against one processor of the first type. */
static double speedup(const char *planner, const struct equant_plan_machine *machine)
{
	struct equant_plan_program *program = affine_program(ROWS, 0, 1);
	struct equant_plan *plan = equant_plan_new(planner, program, machine, NULL, 0);
	double result = plan ? ROWS / plan->makespan : 0;

	equant_plan_free(plan);
	equant_plan_program_free(program);
	return result;
}

TEST(table_7_by_simulation)
{
	static const char *const planners[] = { "speed", "block", "optimum" };

	TH_LOG("   ideal  conscious (paper)  oblivious (paper)  optimum");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct equant_plan_machine *machine = machine_of_row(&rows[i]);
		double ours[3];

		for (int k = 0; k < 3; k++) {
			ours[k] = speedup(planners[k], machine);
			EXPECT_EQ(rows[i].simulated[k], lround(100 * ours[k]));
		}
		TH_LOG("%8.2f %10.2f %7.2f %10.2f %7.2f %8.2f", rows[i].ideal, ours[0],
		       rows[i].conscious, ours[1], rows[i].oblivious, ours[2]);
		equant_plan_machine_free(machine);
	}
}

TEST(ideal_speedups_are_sums_of_speeds)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double sum = 0;

		for (int type = 0; type < 3; type++)
			sum += rows[i].count[type] * speeds[type];
		EXPECT_TRUE(near(sum, rows[i].ideal));
	}
}

/* The slowest is behind its exact part by less than one row. */
TEST(shares_in_proportion_are_less_than_a_row_from_the_ideal)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct equant_plan_machine *machine = machine_of_row(&rows[i]);
		double ours = speedup("speed", machine);

		EXPECT_TRUE(ROWS / ours < ROWS / rows[i].ideal + 1);
		EXPECT_TRUE(speedup("block", machine) < ours);
		EXPECT_TRUE(ours <= speedup("optimum", machine));
		EXPECT_TRUE(speedup("optimum", machine) <= rows[i].ideal);
		equant_plan_machine_free(machine);
	}
}

TEST_HARNESS_MAIN
