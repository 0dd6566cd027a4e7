// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How far the heuristics are from the best schedule, in iterations of the largest cost on the
 * slowest processor.  Where the best is NP-hard to find, from what no schedule can beat; for
 * small instances from the best of all assignments.
 */
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libbrute.h"

#include "plan/deal.h"

#define INSTANCES random_cases(10000)

/* Roundings of sums count as nothing. */
#define NOTHING 1e-9

FIXTURE(excess)
{
	struct random random;
};

FIXTURE_SETUP(excess)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(excess)
{
}

/**
 * struct kind - of instances
 * @planner: the heuristic
 * @affine: are iterations affine, or equal?
 * @bytes: do they send?
 * @unequal: do processors have speeds of their own?
 */
struct kind {
	const char *planner;
	bool affine;
	bool bytes;
	bool unequal;
};

/* slope i + constant, rising or falling, never below 0; sometimes 0 at one end. */
static void draw_cost(struct random *random, long n, bool affine, double *slope, double *constant)
{
	*constant = random_below(random, 4) ? 10 * random_unit(random) : 0.5;
	*slope = affine ? random_unit(random) : 0;
	if (affine && random_below(random, 2)) {
		*constant += *slope * (double)(n + 1);
		*slope = -*slope;
	}
}

static struct instance draw(struct random *random, const struct kind *kind, long n, int p)
{
	struct instance instance = { equant_plan_program_new(n), equant_plan_machine_new() };
	struct equant_plan_processor one = { .operation = 1, .memory = INFINITY };
	double slope, constant;

	if (!instance.program || !instance.machine)
		abort();
	draw_cost(random, n, kind->affine, &slope, &constant);
	if (equant_plan_program_work(instance.program, slope, constant))
		abort();
	draw_cost(random, n, kind->affine, &slope, &constant);
	if (kind->bytes && equant_plan_program_bytes(instance.program, slope, constant))
		abort();
	one.startup = 100 * random_unit(random);
	one.byte = 2 * random_unit(random);
	for (int i = 0; i < p; i++) {
		if (kind->unequal)
			one.operation = exp2(6 * random_unit(random));
		if (equant_plan_machine_add(instance.machine, &one, 1))
			abort();
	}
	return instance;
}

/* The dearest iteration where it takes longest; costs are affine. */
static double dearest(const struct instance *instance)
{
	long last = instance->program->iterations - 1;
	double most = 0;

	for (int i = 0; i < instance->machine->count; i++) {
		const struct equant_plan_processor *one = &instance->machine->processors[i];

		most = fmax(most, one->operation * work_at(instance, 0) +
					  one->byte * bytes_at(instance, 0));
		most = fmax(most, one->operation * work_at(instance, last) +
					  one->byte * bytes_at(instance, last));
	}
	return most;
}

static double makespan(const struct instance *instance, const char *planner)
{
	struct equant_plan *plan =
		equant_plan_new(planner, instance->program, instance->machine, NULL, 0);
	double result = plan && plan_is_whole(plan) ? plan->makespan : NAN;

	equant_plan_free(plan);
	return result;
}

/**
 * struct tally - of many instances
 * @worst: the largest excess
 * @exact: how many had none
 */
struct tally {
	double worst;
	int exact;
};

static void count(struct tally *tally, double excess)
{
	/* NaN, which nobody wants, would be lost in fmax(). */
	if (!(excess <= tally->worst))
		tally->worst = excess;
	tally->exact += fabs(excess) <= NOTHING;
}

/* What the best planner for equal iterations takes. */
static double optimum(const struct instance *instance)
{
	return makespan(instance, "optimum");
}

static double bound(const struct instance *instance)
{
	return equant_plan_bound(instance->program, instance->machine);
}

/* Iterations that can be split: a closer bound where processors differ in what they are good at. */
static double fluid(const struct instance *instance)
{
	struct equant_plan_limits limits;
	struct equant_plan_chain chain = { .program = instance->program,
					   .machine = instance->machine,
					   .limits = &limits };
	double time = NAN;
	long *items;
	int *order;

	if (equant_plan_limits_init(&limits, chain.program, chain.machine, NULL, 0))
		abort();
	if (!equant_plan_compared(&chain, &order, &items))
		time = equant_plan_chain_fluid(&chain);
	equant_plan_chain_release(&chain);
	equant_plan_limits_release(&limits);
	free(order);
	free(items);
	return fmax(time, bound(instance));
}

/* INSTANCES of a kind, against what may be the least time. */
static struct tally against(struct random *random, const struct kind *kind,
			    double (*least)(const struct instance *instance))
{
	struct tally tally = { 0 };

	for (int round = 0; round < INSTANCES; round++) {
		long n = 1 + random_below(random, round % 2 ? 40 : 400);
		int p = 1 + (int)random_below(random, 16);
		struct instance instance = draw(random, kind, n, p);

		count(&tally,
		      (makespan(&instance, kind->planner) - least(&instance)) / dearest(&instance));
		free_instance(&instance);
	}
	return tally;
}

/* The same, few and small, against the best of all assignments. */
static struct tally against_all(struct random *random, const struct kind *kind, int rounds)
{
	struct tally tally = { 0 };

	for (int round = 0; round < rounds; round++) {
		long n = 1 + random_below(random, 8);
		int p = 1 + (int)random_below(random, 3);
		struct instance instance = draw(random, kind, n, p);

		count(&tally, (makespan(&instance, kind->planner) - brute_any(&instance)) /
				      dearest(&instance));
		free_instance(&instance);
	}
	return tally;
}

/* ---- equal iterations: section 6.1, 6.2 ---------------------------------------------------- */

static const char *const what[] = { "without bytes", "with bytes" };

TEST_F(excess, by_speed_equal_iterations_take_less_than_one_more)
{
	for (int bytes = 0; bytes < 2; bytes++) {
		const struct kind kind = { "speed", false, bytes, true };
		struct tally tally = against(&self->random, &kind, optimum);

		EXPECT_TRUE(tally.worst < 1);
		TH_LOG("%s: up to %.3f iterations, none in %.1f %% of instances", what[bytes],
		       tally.worst, 100.0 * tally.exact / INSTANCES);
	}
}

/* ---- affine iterations: 5.1, 5.2, 6.3 --------------------------------------------------------- */

TEST_F(excess, bitonic_takes_at_most_one_more)
{
	for (int bytes = 0; bytes < 2; bytes++) {
		const struct kind kind = { "bitonic", true, bytes, false };
		struct tally tally = against(&self->random, &kind, bound);
		struct tally small = against_all(&self->random, &kind, 1000);

		EXPECT_TRUE(tally.worst <= 1 + NOTHING);
		EXPECT_TRUE(small.worst <= 1 + NOTHING);
		TH_LOG("%s: up to %.3f iterations over the bound, which %.1f %% reach", what[bytes],
		       tally.worst, 100.0 * tally.exact / INSTANCES);
		TH_LOG("up to 8 iterations: optimal in %.1f %%, else up to %.3f more",
		       small.exact / 10.0, small.worst);
	}
}

TEST_F(excess, by_speed_affine_iterations_take_at_most_two_more)
{
	for (int bytes = 0; bytes < 2; bytes++) {
		const struct kind kind = { "speed", true, bytes, true };
		struct tally tally = against(&self->random, &kind, fluid);
		struct tally small = against_all(&self->random, &kind, 1000);

		EXPECT_TRUE(tally.worst <= 2 + NOTHING);
		EXPECT_TRUE(small.worst <= 2 + NOTHING);
		TH_LOG("%s: up to %.3f iterations over the bound, which %.1f %% reach", what[bytes],
		       tally.worst, 100.0 * tally.exact / INSTANCES);
		TH_LOG("up to 8 iterations: optimal in %.1f %%, else up to %.3f more",
		       small.exact / 10.0, small.worst);
	}
}

/* ---- an instance in which 6.1 is not optimal ---------------------------------------------------- */

TEST(times_1_and_10_and_five_iterations_take_10_where_5_is_optimal)
{
	static const double times[] = { 1, 10 };
	struct instance instance = { affine_program(5, 0, 1), machine_of(times, 2) };

	EXPECT_EQ(10, makespan(&instance, "speed"));
	EXPECT_EQ(5, makespan(&instance, "optimum"));
	EXPECT_EQ(5, brute_any(&instance));
	free_instance(&instance);
}

TEST_HARNESS_MAIN
