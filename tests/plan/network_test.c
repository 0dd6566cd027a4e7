// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Unequal start-ups and links: Cierniak, Zaki, Li 1997, sections 8.1 and 8.2. */
#include <math.h>

#include "libbrute.h"

#include "plan/deal.h"

#include "kselftest_harness.h"

#define ROUNDS 10000
#define SMALL 300 /* of which all schedules are tried */

/* What iterations and processors are like. */
enum kind {
	EQUAL, /* section 8.1 */
	SAME, /* affine; sending is as dear on each processor as computing */
	RISING, /* affine, both rise; any processors */
	MIXED, /* one rises, the other falls */
};

FIXTURE(network)
{
	struct random random;
	char line[PLAN_LINE];
};

FIXTURE_SETUP(network)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(network)
{
}

static void random_costs(struct random *random, struct equant_plan_program *program, enum kind kind)
{
	double n = (double)program->iterations;
	double a = random_unit(random) * 5, b = random_unit(random) * 50;
	double c = random_unit(random) * 5, d = random_unit(random) * 50;

	if (kind == EQUAL)
		a = c = 0;
	else if (random_below(random, 2))
		a = -a;
	if (kind == MIXED)
		c = a > 0 ? -c : c;
	else
		c = a > 0 ? c : -c;
	/* No iteration may have a negative cost. */
	equant_plan_program_work(program, a, b + (a < 0 ? -a * (n + 1) : 0));
	equant_plan_program_bytes(program, c, d + (c < 0 ? -c * (n + 1) : 0));
}

static struct instance affine_instance(struct random *random, long n, int p, enum kind kind)
{
	struct instance instance = { equant_plan_program_new(n), equant_plan_machine_new() };
	struct equant_plan_processor processor = { .memory = INFINITY };
	double same = random_unit(random);

	random_costs(random, instance.program, kind);
	for (int i = 0; i < p; i++) {
		processor.operation = 1 + 9 * random_unit(random);
		processor.byte = kind == SAME ? same * processor.operation :
						10 * random_unit(random);
		processor.startup = random_unit(random) * (double)(n * 20);
		equant_plan_machine_add(instance.machine, &processor, 1);
	}
	return instance;
}

/* The dearest iteration on the slowest processor. */
static double largest(const struct instance *instance)
{
	double cost = 0;

	for (int i = 0; i < instance->machine->count; i++) {
		const struct equant_plan_processor *processor = &instance->machine->processors[i];

		cost = fmax(cost, equant_plan_iteration(instance->program, processor, 0));
		cost = fmax(cost, equant_plan_iteration(instance->program, processor,
							instance->program->iterations - 1));
	}
	return cost;
}

/* The exact optimum of equal iterations, the time of split ones of others. */
static double best(const struct instance *instance, enum kind kind)
{
	struct equant_plan_limits limits;
	struct equant_plan_chain chain = {
		instance->program, instance->machine, &limits, NULL, NULL, NULL, NULL
	};
	struct equant_plan *plan;
	double time = NAN;
	long *items;
	int *order;

	if (kind == EQUAL) {
		plan = equant_plan_new("optimum", instance->program, instance->machine, NULL, 0);
		time = plan ? plan->makespan : NAN;
		equant_plan_free(plan);
		return time;
	}
	if (!equant_plan_limits_startups(&limits, instance->program, instance->machine, NULL, 0) &&
	    !equant_plan_compared(&chain, &order, &items)) {
		time = equant_plan_chain_fluid(&chain);
		equant_plan_chain_release(&chain);
		free(order);
		free(items);
	}
	equant_plan_limits_release(&limits);
	return time;
}

static void hold_against(struct __test_metadata *_metadata, FIXTURE_DATA(network) * self,
			 enum kind kind, double most)
{
	int rounds = random_cases(ROUNDS), exact = 0;
	double worst = 0, sum = 0;

	for (int round = 0; round < rounds; round++) {
		struct instance instance = affine_instance(
			&self->random, 1 + random_below(&self->random, round % 2 ? 20 : 300),
			1 + (int)random_below(&self->random, 12), kind);
		struct equant_plan *plan =
			equant_plan_new("network", instance.program, instance.machine, NULL, 0);
		double bound = best(&instance, kind), excess;

		ASSERT_NE(NULL, plan);
		ASSERT_TRUE(plan_is_whole(plan));
		excess = (plan->makespan - bound) / largest(&instance);
		EXPECT_GE(excess, -1e-9);
		EXPECT_LE(excess, most)
		{
			TH_LOG("%s", instance_text(&instance, self->line));
		}
		worst = fmax(worst, excess);
		sum += excess;
		exact += excess < 1e-9;
		equant_plan_free(plan);
		free_instance(&instance);
	}
	TH_LOG("of %d: excess at most %.3f, in the mean %.3f; %s in %.1f %%", rounds, worst,
	       sum / rounds, kind == EQUAL ? "optimal" : "at the bound", 100.0 * exact / rounds);
}

TEST_F(network, equal_iterations_are_at_most_two_from_the_optimum)
{
	hold_against(_metadata, self, EQUAL, 2);
}

/* Section 8.2 itself: the bound is what pairs of equal cost would take if they were split. */
TEST_F(network, affine_iterations_are_at_most_one_from_the_bound)
{
	hold_against(_metadata, self, SAME, 1);
}

TEST_F(network, processors_good_at_different_things_are_at_most_one_from_the_bound)
{
	hold_against(_metadata, self, RISING, 1);
}

TEST_F(network, mixed_signs_are_at_most_one_from_the_bound)
{
	hold_against(_metadata, self, MIXED, 1);
}

TEST_F(network, schedules_are_often_optimal)
{
	static const char *const names[] = { "equal", "same", "rising", "mixed" };

	for (int kind = EQUAL; kind <= MIXED; kind++) {
		int exact = 0;

		for (int round = 0; round < SMALL; round++) {
			struct instance instance =
				affine_instance(&self->random, 1 + random_below(&self->random, 8),
						3, (enum kind)kind);
			struct equant_plan *plan = equant_plan_new("network", instance.program,
								   instance.machine, NULL, 0);
			double least = brute_any(&instance);

			ASSERT_NE(NULL, plan);
			EXPECT_LE(least, plan->makespan * (1 + 1e-9));
			EXPECT_LE(plan->makespan, least + 2 * largest(&instance));
			exact += near(least, plan->makespan);
			equant_plan_free(plan);
			free_instance(&instance);
		}
		TH_LOG("%s: optimal in %.1f %% of %d", names[kind], 100.0 * exact / SMALL, SMALL);
		EXPECT_GT(exact, 0);
	}
}

static struct instance with_startups(long n, double a, double b, const double *startups, int p)
{
	struct instance instance = { affine_program(n, a, b), equant_plan_machine_new() };

	equant_plan_program_bytes(instance.program, 0, 1);
	for (int i = 0; i < p; i++) {
		struct equant_plan_processor processor = { .operation = 1,
							   .startup = startups[i],
							   .memory = INFINITY };

		equant_plan_machine_add(instance.machine, &processor, 1);
	}
	return instance;
}

static void expect_plan(struct __test_metadata *_metadata, FIXTURE_DATA(network) * self,
			struct instance instance, const char *expected, double makespan)
{
	struct equant_plan *plan =
		equant_plan_new("network", instance.program, instance.machine, NULL, 0);

	ASSERT_NE(NULL, plan);
	EXPECT_STREQ(expected, plan_line(plan, self->line));
	EXPECT_EQ(makespan, plan->makespan);
	equant_plan_free(plan);
	free_instance(&instance);
}

/* 3 and 1 extra iterations, 6 for all three. */
TEST_F(network, short_startups_get_extra_iterations)
{
	expect_plan(_metadata, self, with_startups(10, 0, 2, (double[]){ 0, 5, 7 }, 3),
		    "1-5 | 6-8 | 9-10", 11);
}

/* 10 extra iterations for the first would be more than all. */
TEST_F(network, largest_startup_is_left_out_when_extra_iterations_exceed_all)
{
	expect_plan(_metadata, self, with_startups(8, 0, 1, (double[]){ 0, 2, 10 }, 3),
		    "1-5 | 6-8 |", 5);
	expect_plan(_metadata, self, with_startups(8, 0, 1, (double[]){ 50, 20, 9 }, 3), "| | 1-8",
		    17);
}

/*
 * 1 and 2 take 3 of the 4 units of time before the other begins; 3 to 10 remain, of which
 * 6 and 7 are dealt singly.
 */
TEST_F(network, extra_iterations_are_the_cheapest)
{
	expect_plan(_metadata, self, with_startups(10, 1, 0, (double[]){ 0, 4 }, 2),
		    "1-2 9-10 3-4 | 8 5-7", 30);
	expect_plan(_metadata, self, with_startups(10, -1, 11, (double[]){ 0, 4 }, 2),
		    "9-10 7-8 1-2 | 6 3 5 4", 30);
}

/* A program that sends nothing has no start-ups. */
TEST_F(network, startups_of_no_message_do_not_count)
{
	struct instance instance = with_startups(9, 0, 1, (double[]){ 0, 2, 10 }, 3);

	equant_plan_program_bytes(instance.program, 0, 0);
	expect_plan(_metadata, self, instance, "1-3 | 4-6 | 7-9", 3);
}

TEST_F(network, iterations_that_cost_nothing_are_all_given_out)
{
	expect_plan(_metadata, self, with_startups(5, 0, 0, (double[]){ 3, 3 }, 2), "1-2 | 3-5", 3);
}

/* It begins last, at 3, and takes no time for any number of them; the other one would need 10 for all. */
TEST_F(network, a_processor_whose_iterations_cost_nothing_takes_part)
{
	struct instance instance = { affine_program(5, 0, 0), equant_plan_machine_new() };
	struct equant_plan_processor fast = { .operation = 1, .startup = 3, .memory = INFINITY };
	struct equant_plan_processor slow = { .operation = 1, .byte = 2, .memory = INFINITY };

	equant_plan_program_bytes(instance.program, 0, 1);
	equant_plan_machine_add(instance.machine, &fast, 1);
	equant_plan_machine_add(instance.machine, &slow, 1);
	expect_plan(_metadata, self, instance, "1-4 | 5", 3);
}

TEST_HARNESS_MAIN
