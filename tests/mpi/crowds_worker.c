// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks that share one CPU with each other. */
#include <sched.h>

#include "libworker.h"

#define UNITS 120
#define STEPS 60
#define TURNS 20000 /* of a unit: some 50 us */

static volatile double sink;

static void compute_units(long units)
{
	double sum = 0;

	for (long i = 0; i < units * TURNS; i++)
		sum += (double)i;
	sink = sum;
}

/* The first @sharing ranks share a CPU; the last rank gets its others back before step @when. */
static void run(int sharing, int when)
{
	struct equant_options options = eager_options();
	struct equant_loop *loop;
	struct equant *eq;
	cpu_set_t all;

	options.probe = "schedstat";
	options.period = 0.001;
	demand_equal(0, sched_getaffinity(0, sizeof(all), &all));
	if (rank < sharing)
		share_a_cpu();
	eq = must_open(MPI_COMM_WORLD, &options);
	loop = must_loop(eq, "crowd", UNITS);
	for (int step = 0; step < STEPS; step++) {
		if (step == when && rank == ranks - 1)
			demand_equal(0, sched_setaffinity(0, sizeof(all), &all));
		equant_begin(loop);
		compute_units(equant_loop_count(loop));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
	must_free(loop);
	must_close(eq);
	demand_equal(0, sched_setaffinity(0, sizeof(all), &all));
}

static void together(void)
{
	run(ranks, STEPS);
}

static void parting(void)
{
	run(ranks, STEPS / 2);
}

static void beside_one(void)
{
	run(ranks - 1, STEPS);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(together),
		CASE(parting),
		CASE(beside_one),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
