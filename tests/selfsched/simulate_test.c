// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops in simulated time: who gets what when, by hand; and what must hold for all. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libselfsched.h"

#define WORKERS 9

struct costs {
	int dimensions;
	double slope; /* iteration i costs 1 + slope x i */
};

static double cost(void *arg, const int64_t *first, const int64_t *extents)
{
	const struct costs *c = arg;
	double n = (double)extents[0], from = (double)first[0];
	double sum = n + c->slope * (n * from + n * (n - 1) / 2);

	for (int i = 1; i < c->dimensions; i++)
		sum *= (double)extents[i];
	return sum;
}

static struct equant_chunks_machine machine_of(struct costs *costs)
{
	return (struct equant_chunks_machine){
		.sz = sizeof(struct equant_chunks_machine),
		.cost = cost,
		.arg = costs,
	};
}

/*
 * css(10) of 40 at 1 s each; worker 1 twice as fast, a message takes 1 s, the master 2.
 * Requests at 0 and 0: the master serves 1..3 and 3..5, answers at 4 and 6.  Worker 0 computes to 14,
 * 1 to 11.  1 asks at 11 and is answered at 15, computes to 20; 0 asks at 14: the master is
 * free at 14, gets it at 15, answers at 18, computes to 28.  1 is told the end at 24, 0 at 32.
 */
TEST(messages_and_the_master_take_their_time)
{
	struct equant_chunks_options o = loop_of("css", 40, 2);
	struct costs costs = { 1, 0 };
	struct equant_chunks_machine m = machine_of(&costs);
	struct equant_chunks_worker did[2];
	const double speeds[] = { 1, 2 };
	double time;

	m.speeds = speeds;
	m.message = 1;
	m.service = 2;
	ASSERT_EQ(0, equant_chunks_simulate(&o, &m, did, &time, NULL, 0));
	EXPECT_EQ(32., time);
	EXPECT_EQ(20., did[0].compute);
	EXPECT_EQ(10., did[1].compute);
	EXPECT_EQ(12., did[0].overhead);
	EXPECT_EQ(14., did[1].overhead);
	EXPECT_EQ(32., did[0].end);
	EXPECT_EQ(24., did[1].end);
	EXPECT_EQ(2, did[0].requests);
	EXPECT_EQ(20, did[1].iterations);
}

/* gss of 8 for 2: 4 2 1 1, each iteration 1 + its number.  The first to ask gets 0..3. */
TEST(who_arrives_first_gets_the_first_chunk)
{
	struct equant_chunks_options o = loop_of("gss", 8, 2);
	struct costs costs = { 1, 1 };
	struct equant_chunks_machine m = machine_of(&costs);
	struct equant_chunks_worker did[2];
	const double arrivals[] = { 1, 0 };
	double time;

	m.arrivals = arrivals;
	ASSERT_EQ(0, equant_chunks_simulate(&o, &m, did, &time, NULL, 0));
	EXPECT_EQ(5, did[1].iterations);
	EXPECT_EQ(10 + 7., did[1].compute);
	EXPECT_EQ(11 + 8., did[0].compute);
	EXPECT_EQ(20., time);
}

/* Worker 0 has the cheap half. It takes the last of the other's when its own are done. */
TEST(trees_pay_for_what_they_ask_their_neighbour_for)
{
	struct equant_chunks_options o = loop_of("trees", 4, 2);
	struct costs costs = { 1, 0 };
	struct equant_chunks_machine m = machine_of(&costs);
	struct equant_chunks_worker did[2];
	const double speeds[] = { 4, 1 };
	double time;

	m.speeds = speeds;
	m.message = 0.1;
	ASSERT_EQ(0, equant_chunks_simulate(&o, &m, did, &time, NULL, 0));
	EXPECT_EQ(3, did[0].iterations);
	EXPECT_EQ(1, did[1].iterations);
	/* 0.75 computing, 0.2 for the one it was given, and 0.4 to learn that nobody has more. */
	EXPECT_EQ(0.75, did[0].compute);
	EXPECT_LT(fabs(did[0].overhead - 0.6), 1e-12);
}

TEST(all_is_computed_once_and_nobody_is_done_before_it_computed)
{
	struct random random = random_seeded();

	for (int round = 0; round < 2000; round++) {
		struct equant_chunks_options o = loop_of("ss", 0, 1);
		struct costs costs = { 1 + round % 3, random_unit(&random) };
		struct equant_chunks_machine m = machine_of(&costs);
		double speeds[WORKERS], arrivals[WORKERS], time, cells = 1, sum = 0;
		struct equant_chunks_worker did[WORKERS];
		int64_t zero[3] = { 0 }, all = 0;
		int powers[WORKERS];

		o.scheme = equant_scheme_name(round % 14);
		o.chunk = 1 + random_below(&random, 9);
		o.workers = 1 + (int)random_below(&random, WORKERS);
		o.dimensions = costs.dimensions;
		o.powers = powers;
		for (int i = 0; i < o.dimensions; i++) {
			o.extents[i] = random_below(&random, o.dimensions > 1 ? 20 : 3000);
			cells *= (double)o.extents[i];
		}
		for (int j = 0; j < WORKERS; j++) {
			powers[j] = 1 + (int)random_below(&random, 5);
			speeds[j] = powers[j];
			arrivals[j] = random_unit(&random);
		}
		m.speeds = speeds;
		m.arrivals = arrivals;
		m.message = random_unit(&random) / 10;
		m.service = random_unit(&random) / 10;
		ASSERT_EQ(0, equant_chunks_simulate(&o, &m, did, &time, NULL, 0));
		for (int j = 0; j < o.workers; j++) {
			all += did[j].iterations;
			sum += did[j].compute * speeds[j];
			ASSERT_LE(did[j].end, time);
			ASSERT_LT(fabs(arrivals[j] + did[j].compute + did[j].overhead - did[j].end),
				  1e-6 * (1 + did[j].end));
		}
		ASSERT_EQ((int64_t)cells, all);
		ASSERT_LT(fabs(sum - cost(&costs, zero, o.extents)), 1e-6 * (1 + sum));
	}
}

/* Nobody told awf-c and af who is fast; fs hands out equal parts. */
TEST(schemes_that_learn_come_close_to_the_ideal)
{
	const double speeds[] = { 2, 2, 1, 1 };
	const char *const names[] = { "awf-c", "awf-e", "af", "dtss", "wf", "trees" };
	const int powers[] = { 2, 2, 1, 1 };
	struct costs costs = { 1, 0 };
	struct equant_chunks_machine m = machine_of(&costs);

	m.speeds = speeds;
	for (int i = 0; i < 6; i++) {
		struct equant_chunks_options o = loop_of(names[i], 60000, 4);
		struct equant_chunks_worker did[4];
		double time;

		o.powers = i > 2 ? powers : NULL;
		ASSERT_EQ(0, equant_chunks_simulate(&o, &m, did, &time, NULL, 0));
		EXPECT_LT(time, 1.01 * 10000);
		o.scheme = "fs";
		ASSERT_EQ(0, equant_chunks_simulate(&o, &m, did, &time, NULL, 0));
		EXPECT_EQ(15000., time);
	}
}

static int refused(const struct equant_chunks_options *o, const struct equant_chunks_machine *m,
		   const char *text)
{
	struct equant_chunks_worker did[WORKERS];
	char why[256] = "";
	double time;
	int error = equant_chunks_simulate(o, m, did, &time, why, sizeof(why));

	if (error == -EINVAL && strstr(why, text))
		return 0;
	fprintf(stderr, "# error %d: '%s' without '%s'\n", error, why, text);
	return 1;
}

TEST(machines_that_cannot_be_are_refused)
{
	struct equant_chunks_options o = loop_of("ss", 10, 2);
	struct costs costs = { 1, 0 }, negative = { 1, -1 }, none = { 1, NAN };
	struct equant_chunks_machine m = machine_of(&costs);
	double speeds[] = { 1, 0 }, arrivals[] = { 0, -1 };

	m.speeds = speeds;
	EXPECT_EQ(0, refused(&o, &m, "speed 0 of worker 1"));
	speeds[1] = NAN;
	EXPECT_EQ(0, refused(&o, &m, "speed nan of worker 1"));
	m.speeds = NULL;
	m.arrivals = arrivals;
	EXPECT_EQ(0, refused(&o, &m, "arrival -1 of worker 1"));
	m.arrivals = NULL;
	m.message = -1;
	EXPECT_EQ(0, refused(&o, &m, "message -1"));
	m.message = 0;
	m.arg = &negative;
	EXPECT_EQ(0, refused(&o, &m, "cost -1 of 1 iterations"));
	m.arg = &none;
	EXPECT_EQ(0, refused(&o, &m, "cost nan"));
	m.arg = &costs;
	m.speeds = speeds;
	speeds[1] = 1e-309;
	EXPECT_EQ(0, refused(&o, &m, "cost inf of 1 iterations on worker 1"));
	m.speeds = NULL;
	m.sz--;
	EXPECT_EQ(0, refused(&o, &m, "must be sizeof(struct equant_chunks_machine)"));
	o.scheme = "none";
	EXPECT_EQ(0, refused(&o, &m, "unknown scheme 'none'"));
}

TEST_HARNESS_MAIN
