// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What every planner has to do, and the two that look at nothing.
 */
#include <errno.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libplan.h"

static const char *line_of(const char *planner, long n, int p, char line[PLAN_LINE])
{
	struct equant_plan_program *program = affine_program(n, 1, 0);
	struct equant_plan_machine *machine = equal_machine(p);
	struct equant_plan *plan = equant_plan_new(planner, program, machine, NULL, 0);

	line[0] = '\0';
	if (plan)
		plan_line(plan, line);
	equant_plan_free(plan);
	equant_plan_machine_free(machine);
	equant_plan_program_free(program);
	return line;
}

TEST(blocks_are_equal_but_for_one_iteration)
{
	char line[PLAN_LINE];

	EXPECT_STREQ("1-4 | 5-7 | 8-10", line_of("block", 10, 3, line));
	EXPECT_STREQ("1-3 | 4-6 | 7-9", line_of("block", 9, 3, line));
	EXPECT_STREQ("1 | 2 | |", line_of("block", 2, 4, line));
}

TEST(cyclic_deals_out_in_turn)
{
	char line[PLAN_LINE];

	EXPECT_STREQ("1-10/3 | 2-8/3 | 3-9/3", line_of("cyclic", 10, 3, line));
	EXPECT_STREQ("1-5", line_of("cyclic", 5, 1, line));
	EXPECT_STREQ("1 | 2 | |", line_of("cyclic", 2, 4, line));
}

/* ---- every planner ---------------------------------------------------------------- */

static void random_costs(struct random *random, struct equant_plan_program *program)
{
	long n = program->iterations;
	double *each = calloc((size_t)n, sizeof(*each));

	for (long i = 0; i < n; i++)
		each[i] = random_unit(random);
	switch (random_below(random, 4)) {
	case 0:
		equant_plan_program_work_each(program, each);
		break;
	case 1:
		equant_plan_program_work(program, -1, (double)n);
		equant_plan_program_bytes(program, 0, 3);
		break;
	case 2:
		equant_plan_program_work(program, random_unit(random), 1);
		equant_plan_program_bytes_each(program, each);
		break;
	}
	free(each);
}

static struct equant_plan_machine *random_machine(struct random *random)
{
	struct equant_plan_machine *machine = equant_plan_machine_new();
	bool equal = random_below(random, 2), medium = random_below(random, 4) == 0;
	struct equant_plan_processor one = { .operation = 1, .startup = 1, .byte = 0.1 };
	long p = 1 + random_below(random, 20);

	if (!machine)
		abort();
	one.memory = 1e30;
	for (long i = 0; i < p; i++) {
		if (!equal)
			one.operation = 0.1 + random_unit(random);
		if (!equal && random_below(random, 2))
			one.startup = 10 * random_unit(random);
		if (equant_plan_machine_add(machine, &one, 1))
			abort();
	}
	if (medium)
		equant_plan_machine_medium(machine, random_unit(random), random_unit(random));
	return machine;
}

TEST(every_planner_assigns_every_iteration_exactly_once)
{
	struct random random = random_seeded();
	char why[256];

	for (int round = 0; round < 2000; round++) {
		struct equant_plan_program *program =
			equant_plan_program_new(1 + random_below(&random, 100));
		struct equant_plan_machine *machine = random_machine(&random);

		ASSERT_NE(NULL, program);
		random_costs(&random, program);
		for (int i = 0; equant_planner_name(i); i++) {
			const char *name = equant_planner_name(i);
			struct equant_plan *plan =
				equant_plan_new(name, program, machine, why, sizeof(why));

			EXPECT_TRUE(plan ? plan_is_whole(plan) : errno == EOPNOTSUPP)
			{
				TH_LOG("%s, round %d", name, round);
			}
			equant_plan_free(plan);
		}
		equant_plan_program_free(program);
		equant_plan_machine_free(machine);
	}
}

TEST(as_many_iterations_as_a_double_counts_can_be_planned)
{
	struct equant_plan_program *program = affine_program(EQUANT_PLAN_ITERATIONS, 0, 1);
	struct equant_plan_machine *machine = equal_machine(7);

	for (int i = 0; i < 2; i++) {
		struct equant_plan *plan =
			equant_plan_new(equant_planner_name(i), program, machine, NULL, 0);
		long sum = 0;

		ASSERT_NE(NULL, plan);
		for (int p = 0; p < 7; p++)
			sum += plan->counts[p];
		EXPECT_EQ(EQUANT_PLAN_ITERATIONS, sum);
		equant_plan_free(plan);
	}
	equant_plan_program_free(program);
	equant_plan_machine_free(machine);
}

TEST_HARNESS_MAIN
