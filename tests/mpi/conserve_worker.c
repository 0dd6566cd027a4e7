// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks of different and changing speed; whatever moves, every unit is computed once a step. */
#include <equant/equant.h>
#include <stdio.h>

#include "libledger.h"
#include "libworker.h"

struct shape {
	const char *name;
	long units;
	long steps;
	double section; /* seconds that a fast rank needs for its first block */
	int must_move;
};

/* From 1 to 5 times slower than the fastest, different on each rank, not for long. */
static double slowness(long step)
{
	return 1 + (double)((rank * 2 + step / 20 * 3) % 5);
}

static long moves_of(const struct equant_loop *loop)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long mine[3], all[3];

	demand_equal(0, equant_loop_stats(loop, &stats));
	mine[0] = stats.moves;
	mine[1] = stats.sent;
	mine[2] = stats.received;
	MPI_Allreduce(mine, all, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(all[1], all[2]);
	demand(!all[0] == !all[1]);
	return all[0];
}

static void conserve(const struct equant_options *options, const struct shape *shape)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, options);
	struct equant_loop *loop = must_loop(eq, shape->name, shape->units);
	double unit = shape->section * ranks / (double)(shape->units ? shape->units : 1);
	struct ledger ledger;
	long step, moves;

	ledger_init(&ledger, loop, shape->units);
	for (step = 0; step < shape->steps; step++) {
		equant_begin(loop);
		ledger_step(&ledger);
		compute(unit * slowness(step) * (double)equant_loop_count(loop));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
	ledger_audit(&ledger, MPI_COMM_WORLD, shape->steps);
	moves = moves_of(loop);
	if (!rank)
		printf("%s: %ld moves\n", shape->name, moves / 2);
	if (ranks == 1 || !shape->units)
		demand_equal(0, moves);
	else if (shape->must_move)
		demand(moves > 0);
	must_free(loop);
	must_close(eq);
	ledger_free(&ledger);
}

static struct equant_options checked(void)
{
	struct equant_options o = eager_options();

	o.check = 1;
	return o;
}

static void pipelined(void)
{
	static const struct shape shape = { "pipelined", 1000, 60, 0.0015, 1 };
	struct equant_options o = checked();

	conserve(&o, &shape);
}

static void synchronous(void)
{
	static const struct shape shape = { "synchronous", 1000, 60, 0.0015, 1 };
	struct equant_options o = checked();

	o.depth = 0;
	conserve(&o, &shape);
}

static void depths(void)
{
	static const int all[] = { 0, 1, 2, 3, 4, 16, 1024 };
	static const struct shape shape = { "depths", 1000, 50, 0.001, 1 };
	struct equant_options o = checked();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		o.depth = all[i];
		conserve(&o, &shape);
	}
}

static void unchecked(void)
{
	static const struct shape shape = { "unchecked", 1000, 60, 0.0015, 1 };
	struct equant_options o = eager_options();

	conserve(&o, &shape);
}

static void one_port(void)
{
	static const struct shape shape = { "one_port", 1000, 50, 0.0015, 1 };
	struct equant_options o = checked();

	o.ports = 1;
	conserve(&o, &shape);
	o.depth = 0;
	conserve(&o, &shape);
}

static void omitting(void)
{
	static const struct shape shape = { "omitting", 1000, 50, 0.0015, 1 };
	struct equant_options o = checked();

	o.omit = 3;
	conserve(&o, &shape);
}

static void few_units(void)
{
	static const struct shape five = { "five", 5, 20, 0.001, 0 };
	static const struct shape one = { "one", 1, 20, 0.0005, 0 };
	static const struct shape none = { "none", 0, 20, 0.001, 0 };
	struct equant_options o = checked();

	for (o.depth = 0; o.depth < 2; o.depth++) {
		conserve(&o, &five);
		conserve(&o, &one);
		conserve(&o, &none);
	}
}

/* Options from the environment only; for records and for valgrind. */
static void plain(void)
{
	static const struct shape shape = { "plain", 300, 40, 0.002, 1 };

	conserve(NULL, &shape);
}

static void still(void)
{
	static const struct shape shape = { "still", 300, 20, 0.002, 0 };

	conserve(NULL, &shape);
}

/* The probe plays back what shares of their CPUs two ranks have: a half and all of it. */
static void replayed(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "replayed", 300);
	struct ledger ledger;

	ledger_init(&ledger, loop, 300);
	for (int step = 0; step < 120; step++) {
		equant_begin(loop);
		ledger_step(&ledger);
		compute((rank ? 20e-6 : 40e-6) * (double)equant_loop_count(loop));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
	ledger_audit(&ledger, MPI_COMM_WORLD, 120);
	if (!rank)
		printf("rank 0 holds %ld\n", equant_loop_count(loop));
	must_free(loop);
	must_close(eq);
	ledger_free(&ledger);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(pipelined),	 CASE(depths, .alone = 1),
		CASE(synchronous),	 CASE(unchecked),
		CASE(one_port),		 CASE(omitting),
		CASE(few_units),	 CASE(plain, .alone = 1),
		CASE(still, .alone = 1), CASE(replayed, .alone = 1),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
