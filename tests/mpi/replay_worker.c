// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A loop under random loads; it tells who owned which unit after each step. */
#include <equant/equant.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"
#include "libledger.h"
#include "libworker.h"

static long number(const char *name, long otherwise)
{
	const char *given = getenv(name);

	return given ? strtol(given, NULL, 0) : otherwise;
}

static enum equant_distribution distribution(void)
{
	const char *given = getenv("START");

	if (given && !strcmp(given, "order"))
		return EQUANT_BLOCK_ORDER;
	return given && !strcmp(given, "cyclic") ? EQUANT_CYCLIC : EQUANT_BLOCK;
}

static void slow_down(struct random *random, long units, const struct equant_loop *loop)
{
	double slow = 1 + 4 * random_unit(random);

	compute(1e-3 * slow * ranks * (double)equant_loop_count(loop) / (double)units);
}

/* From the middle on a part of the units is inactive. */
static void vary(struct equant_loop *loop, long units, long step, long steps)
{
	if (!number("VARY", 0))
		return;
	if (step == steps / 2)
		demand_equal(0, equant_loop_deactivate(loop, units / 4, units / 3));
	if (step == steps * 3 / 4)
		demand_equal(0, equant_loop_activate(loop, units / 4, units / 6));
}

/**
 * struct run - a loop with its audited work; options and shape from the environment
 * @comm: its ranks
 * @owners: who has owned which unit so far
 */
struct run {
	const char *name;
	MPI_Comm comm;
	long steps;
	struct equant_loop *loop;
	struct ledger ledger;
	struct random random;
	uint64_t owners;
};

static void run_start(struct run *run, struct equant *eq)
{
	long units = number("UNITS", 200);

	run->steps = number("STEPS", 60);
	run->random = random_from((uint64_t)number("LOADS", 1) * 16 + (uint64_t)rank);
	run->loop = must_loop(eq, run->name, units);
	demand_equal(0, equant_loop_distribute(run->loop, distribution()));
	ledger_init(&run->ledger, run->loop, units);
}

static void run_step(struct run *run, long step)
{
	vary(run->loop, run->ledger.units, step, run->steps);
	equant_begin(run->loop);
	ledger_step(&run->ledger);
	slow_down(&run->random, run->ledger.units, run->loop);
	equant_end(run->loop);
	demand_equal(0, equant_hook(run->loop));
	run->owners = hash_of_owners(run->loop, run->owners);
}

static void run_stop(struct run *run)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	if (!number("VARY", 0))
		ledger_audit(&run->ledger, run->comm, run->steps);
	demand_equal(0, equant_loop_stats(run->loop, &stats));
	demand(stats.moves > 0 || ranks == 1 || !number("MUST_MOVE", 0));
	must_free(run->loop);
	ledger_free(&run->ledger);
}

static void run_named(struct equant *eq, const char *name)
{
	struct run run = { .name = name, .comm = MPI_COMM_WORLD };

	run_start(&run, eq);
	for (long step = 0; step < run.steps; step++)
		run_step(&run, step);
	run_stop(&run);
	if (!rank)
		printf("owners of %s %llx\n", name, (unsigned long long)run.owners);
}

/* A pass over units that cost more or less; in which order this rank computes them. */
static uint64_t pass(struct equant_loop *loop, struct ledger *ledger, struct random *random,
		     int joined, uint64_t order)
{
	double slow = 1 + 4 * random_unit(random), debt = 0;

	demand_equal(0, equant_pass_begin(loop));
	if (joined)
		demand_equal(0, equant_pass_join(loop));
	equant_for_each_next(loop, u) {
		order = (order ^ (uint64_t)(u * 1000 + equant_pass(loop))) * 0x100000001b3ull;
		debt += 5e-3 * slow * ranks / (double)ledger->units;
		if (debt > 0.0005) {
			compute(debt);
			debt = 0;
		}
		ledger_unit(ledger, u);
	}
	demand_equal(0, equant_pass_end(loop));
	return order;
}

static void say_orders(const char *name, uint64_t order)
{
	uint64_t mixed = (order + (uint64_t)rank + 1) * 0x9e3779b97f4a7c15ull, all;

	MPI_Reduce(&mixed, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("owners of %s %llx\n", name, (unsigned long long)all);
}

/* The last pass is joined, and so is every one that JOINED divides. */
static void passes(void)
{
	long units = number("UNITS", 200), steps = number("STEPS", 12), every = number("JOINED", 5);
	struct random random = random_from((uint64_t)number("LOADS", 1) * 16 + (uint64_t)rank);
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "one", units);
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct ledger ledger;
	uint64_t order = 0;
	long moves;

	ledger_init(&ledger, loop, units);
	for (long n = 1; n <= steps; n++)
		order = pass(loop, &ledger, &random, n == steps || n % every == 0, order);
	ledger_audit(&ledger, MPI_COMM_WORLD, steps);
	demand_equal(0, equant_loop_stats(loop, &stats));
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(moves > 0 || ranks == 1 || !number("MUST_MOVE", 0));
	say_orders("one", order);
	must_free(loop);
	must_close(eq);
	ledger_free(&ledger);
}

/* ---- sweeps ------------------------------------------------------------------- */

struct sweeper {
	struct equant_loop *loop;
	double (*mesh)[100];
	double slow, debt;
	uint64_t order;
};

static void relax(void *ctx, long first, long units, long from, long to)
{
	struct sweeper *s = ctx;

	for (long u = first; u < first + units; u++)
		for (long i = from; i < to; i++)
			s->mesh[u][i] = (s->mesh[u][i] + (u ? s->mesh[u - 1][i] : 1)) / 2;
	s->order = (s->order ^ (uint64_t)(((first * 1000 + units) * 1000 + from) * 1000 + to)) *
		   0x100000001b3ull;
	s->debt += 4e-7 * s->slow * (double)units * (double)(to - from);
	if (s->debt > 0.0002) {
		compute(s->debt);
		s->debt = 0;
	}
}

/* Nobody has anything to sweep through in one of them. */
static void rest(struct equant_loop *loop, long units, long step, long resting)
{
	if (resting && step == resting)
		demand_equal(0, equant_loop_deactivate(loop, 0, units));
	if (resting && step == resting + 1)
		demand_equal(0, equant_loop_activate(loop, 0, units));
}

/* Each one that EMPTY divides has no iterations, the one after RESTING no active units. */
static void sweeps(void)
{
	long units = number("UNITS", 200), steps = number("STEPS", 30);
	long empty = number("EMPTY", 0), resting = number("RESTING", 0);
	struct random random = random_from((uint64_t)number("LOADS", 1) * 16 + (uint64_t)rank);
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct sweeper s = { .loop = must_loop(eq, "one", units) };

	s.mesh = calloc((size_t)units, sizeof(*s.mesh));
	demand(s.mesh);
	demand_equal(0, equant_loop_distribute(s.loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_array(s.loop, s.mesh, sizeof(*s.mesh)));
	demand_equal(0, equant_loop_pipelined(s.loop, s.mesh, 0, sizeof(double)));
	for (long n = 0; n < steps; n++) {
		s.slow = 1 + 4 * random_unit(&random);
		demand_equal(0, equant_loop_sweep(s.loop, empty && n % empty == 0 ? 0 : 100, relax,
						  &s));
		rest(s.loop, units, n, resting);
	}
	demand_equal(0, equant_loop_stats(s.loop, &stats));
	say_orders("one", s.order + (uint64_t)stats.sent);
	must_free(s.loop);
	must_close(eq);
	free(s.mesh);
}

/* Other passes are joined than in the recorded run, or fewer units are active: told in some pass. */
static void refused_in_a_pass(void)
{
	long units = number("UNITS", 200), steps = number("STEPS", 12), unit;
	long every = number("JOINED", 5);
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "one", units);
	int error = 0;

	demand_equal(0, equant_loop_deactivate(loop, 0, number("INACTIVE", 0)));
	for (long n = 1; n <= steps && !error; n++) {
		equant_pass_begin(loop);
		if (n == steps || n % every == 0)
			equant_pass_join(loop);
		while (equant_next(loop, &unit))
			;
		error = equant_pass_end(loop);
	}
	demand(error == -EBADMSG || error == -ECANCELED);
	demand(equant_loop_free(loop) < 0);
	must_close(eq);
}

static void one_loop(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);

	run_named(eq, "one");
	must_close(eq);
}

/* The second is recorded as another loop of that name. */
static void two_of_a_name(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);

	run_named(eq, "twin");
	run_named(eq, "other");
	run_named(eq, "twin");
	must_close(eq);
}

/* ---- other communicators ------------------------------------------------------- */

/* Without rank 0, and the other way round. */
static void a_part_of_the_ranks(void)
{
	struct run run = { .name = "one" };
	struct equant *eq;

	MPI_Comm_split(MPI_COMM_WORLD, rank ? 0 : MPI_UNDEFINED, -rank, &run.comm);
	if (rank) {
		eq = must_open(run.comm, NULL);
		run_start(&run, eq);
		for (long step = 0; step < run.steps; step++)
			run_step(&run, step);
		run_stop(&run);
		must_close(eq);
		MPI_Comm_free(&run.comm);
	}
	say_orders("one", run.owners);
}

/* One of all ranks, and in each half of them another; loops of the halves have one name. */
static void contexts_at_once(void)
{
	struct run whole = { .name = "whole", .comm = MPI_COMM_WORLD }, half = { .name = "half" };
	struct equant *world = must_open(MPI_COMM_WORLD, NULL), *part;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half.comm);
	part = must_open(half.comm, NULL);
	run_start(&half, part);
	run_start(&whole, world);
	for (long step = 0; step < whole.steps; step++) {
		run_step(&whole, step);
		run_step(&half, step);
	}
	run_stop(&half);
	run_stop(&whole);
	must_close(world);
	must_close(part);
	say_orders("whole", whole.owners);
	say_orders("half", half.owners);
	MPI_Comm_free(&half.comm);
}

/* The first hook, or a later one, finds that the trace is of something else. */
static void refused_in_a_phase(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "one", number("UNITS", 200));
	int error = 0;

	demand_equal(0, equant_loop_distribute(loop, distribution()));
	if (number("INACTIVE", 0))
		demand_equal(0, equant_loop_deactivate(loop, 0, number("INACTIVE", 0)));
	for (int step = 0; step < 1000 && !error; step++) {
		equant_begin(loop);
		equant_end(loop);
		error = equant_hook(loop);
	}
	demand_equal(-EBADMSG, error);
	demand_equal(-EBADMSG, equant_loop_free(loop));
	must_close(eq);
}

static void refused_at_the_start(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);

	demand(!equant_loop_new(eq, "one", number("UNITS", 200)));
	demand(errno == EINVAL || errno == ENOENT || errno == ECANCELED);
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(one_loop),
		CASE(passes),
		CASE(sweeps),
		CASE(refused_in_a_pass),
		CASE(two_of_a_name),
		CASE(a_part_of_the_ranks),
		CASE(contexts_at_once),
		CASE(refused_in_a_phase),
		CASE(refused_at_the_start),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
