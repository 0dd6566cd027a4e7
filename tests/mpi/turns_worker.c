// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops that share a distribution and take turns, one or both of them passed over. */
#include <equant/equant.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "libledger.h"
#include "libworker.h"

#define UNITS 240
#define MOST 3

/**
 * struct turns - how the loops are run
 * @passes: by loop, with equant_next(), else with a hook after it; the first is the leader
 * @every: by loop, passes from one joined pass to the next; 0 = none is joined
 * @section: by loop, seconds that the fastest rank needs for its first block
 */
struct turns {
	const char *name;
	int loops;
	int passes[MOST];
	int every[MOST];
	double section[MOST];
	long steps;
	int must_move;
};

struct run {
	const struct turns *turns;
	struct equant *eq;
	struct equant_loop *loop[MOST];
	struct ledger ledger[MOST];
	long handed[MOST];
	uint64_t order;
	double debt;
};

static void start(struct run *run, const struct equant_options *options, const struct turns *turns)
{
	static const char *const names[] = { "first", "second", "third" };

	*run = (struct run){ .turns = turns };
	run->eq = must_open(MPI_COMM_WORLD, options);
	for (int i = 0; i < turns->loops; i++) {
		run->loop[i] = must_loop(run->eq, names[i], UNITS);
		if (i)
			demand_equal(0, equant_loop_share(run->loop[i], run->loop[0]));
		ledger_init(&run->ledger[i], run->loop[i], UNITS);
	}
}

/* Loops before the @which-th have had their turn with a unit, those after it have not. */
static void demand_turn(const struct run *run, int which, long unit, long step)
{
	for (int i = 0; i < run->turns->loops; i++) {
		demand_equal(rank, equant_loop_owner(run->loop[i], unit));
		demand_equal(step + (i < which), run->ledger[i].count[unit]);
	}
}

/* From 1 to 5 times slower than the fastest, different on each rank, changing within a pass. */
static void work(struct run *run, int which, long unit)
{
	long changes = run->handed[0] * 3 / (UNITS / ranks + 1);

	run->debt += run->turns->section[which] * ranks / UNITS *
		     (1 + (double)((rank * 2 + changes) % 5));
	if (run->debt > 0.0005) {
		compute(run->debt);
		run->debt = 0;
	}
	run->handed[which]++;
	run->order = (run->order ^ (uint64_t)(unit * MOST + which)) * 0x100000001b3ull;
}

static void pass(struct run *run, int which, long step)
{
	struct equant_loop *loop = run->loop[which];
	int every = run->turns->every[which];

	demand_equal(0, equant_pass_begin(loop));
	if (every && step % every == every - 1)
		demand_equal(0, equant_pass_join(loop));
	equant_for_each_next(loop, u) {
		demand_equal(step, equant_pass(loop));
		demand_turn(run, which, u, step);
		work(run, which, u);
		ledger_unit(&run->ledger[which], u);
	}
	demand_equal(0, equant_pass_end(loop));
}

static void hook(struct run *run, int which, long step)
{
	struct equant_loop *loop = run->loop[which];

	equant_begin(loop);
	equant_for_each_unit(loop, u) {
		demand_turn(run, which, u, step);
		work(run, which, u);
		ledger_unit(&run->ledger[which], u);
	}
	equant_end(loop);
	demand_equal(0, equant_hook(loop));
}

static void steps(struct run *run, long from, long to)
{
	for (long n = from; n < to; n++)
		for (int i = 0; i < run->turns->loops; i++)
			(run->turns->passes[i] ? pass : hook)(run, i, n);
}

static long moves_of(const struct equant_loop *loop)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long moves;

	demand_equal(0, equant_loop_stats(loop, &stats));
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	return moves;
}

static void finish(struct run *run)
{
	const struct turns *t = run->turns;
	long moves = moves_of(run->loop[0]);

	for (int i = 0; i < t->loops; i++) {
		struct equant_stats stats = { .sz = sizeof(stats) };

		ledger_audit(&run->ledger[i], MPI_COMM_WORLD, t->steps);
		demand_equal(0, equant_loop_stats(run->loop[i], &stats));
		demand_equal(run->handed[i], stats.computed);
		demand_equal(moves, moves_of(run->loop[i]));
	}
	if (!rank)
		printf("%s: %ld moves\n", t->name, moves / 2);
	demand(moves > 0 || !t->must_move || ranks == 1);
	for (int i = t->loops - 1; i >= 0; i--)
		must_free(run->loop[i]);
	must_close(run->eq);
	for (int i = 0; i < t->loops; i++)
		ledger_free(&run->ledger[i]);
}

static struct equant_options checked(int depth)
{
	struct equant_options o = eager_options();

	o.period = 0.004;
	o.check = 1;
	o.depth = depth;
	return o;
}

static void conserve(const struct turns *turns, int depth)
{
	struct equant_options o = checked(depth);
	struct run run;

	start(&run, &o, turns);
	steps(&run, 0, turns->steps);
	finish(&run);
}

static void both(void)
{
	static const struct turns turns[] = {
		{ "both", 2, { 1, 1 }, { 0, 0 }, { 0.006, 0.003 }, 4, 1 },
		{ "first joined", 2, { 1, 1 }, { 1, 0 }, { 0.006, 0.003 }, 3, 1 },
		{ "second joined", 2, { 1, 1 }, { 0, 2 }, { 0.006, 0.003 }, 4, 1 },
		{ "short", 2, { 1, 1 }, { 0, 7 }, { 0.0002, 0.0002 }, 30, 0 },
	};

	for (int i = 0; i < 6; i++)
		conserve(&turns[i < 4 ? i : 0], i % 3);
}

static void mixed(void)
{
	static const struct turns turns[] = {
		{ "hooks, passes", 2, { 0, 1 }, { 0, 0 }, { 0.002, 0.002 }, 15, 1 },
		{ "hooks, joined", 2, { 0, 1 }, { 0, 3 }, { 0.002, 0.002 }, 15, 1 },
		{ "passes, hooks", 2, { 1, 0 }, { 0, 0 }, { 0.006, 0.002 }, 4, 1 },
		{ "three", 3, { 1, 0, 1 }, { 2, 0, 3 }, { 0.006, 0.002, 0.002 }, 4, 1 },
	};

	for (int i = 0; i < 4; i++)
		conserve(&turns[i], i % 3);
}

/* For a recorded run and its replay: in which order this rank has computed what. */
static void once_of(const struct turns *turns)
{
	struct equant_options o = checked(1);
	uint64_t all;
	struct run run;

	o.check = 0;
	start(&run, &o, turns);
	steps(&run, 0, turns->steps);
	run.order = (run.order + (uint64_t)rank) * 0x9e3779b97f4a7c15ull;
	MPI_Reduce(&run.order, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("owners of %s %llx\n", turns->name, (unsigned long long)all);
	finish(&run);
}

static void once(void)
{
	static const struct turns turns = {
		"once", 3, { 1, 0, 1 }, { 2, 0, 3 }, { 0.01, 0.002, 0.002 }, 6, 1
	};

	once_of(&turns);
}

/* The passes that are joined make phases of the loop with hooks, before these are due. */
static void once_joined(void)
{
	static const struct turns turns = { "once joined",	2,  { 0, 1 }, { 0, 1 },
					    { 0.0003, 0.0003 }, 60, 1 };

	once_of(&turns);
}

/* Balancing is off: passes are joined all the same. */
static void off(void)
{
	static const struct turns turns = { "off", 2, { 1, 1 }, { 2, 2 }, { 0.002, 0.001 }, 4, 0 };
	struct equant_options o = checked(1);
	struct run run;

	o.balance = 0;
	start(&run, &o, &turns);
	steps(&run, 0, turns.steps);
	demand_equal(0, moves_of(run.loop[0]));
	finish(&run);
}

/* ---- the leader goes ------------------------------------------------------------ */

static void go_on(const struct turns *turns)
{
	struct equant_options o = checked(1);
	struct run run;
	long before;

	start(&run, &o, turns);
	steps(&run, 0, turns->steps);
	must_free(run.loop[0]);
	before = moves_of(run.loop[1]);
	for (long n = turns->steps; n < 2 * turns->steps; n++) {
		demand_equal(0, equant_pass_begin(run.loop[1]));
		equant_for_each_next(run.loop[1], u) {
			demand_equal(n, run.ledger[1].count[u]);
			run.handed[0]++;
			work(&run, 1, u);
			ledger_unit(&run.ledger[1], u);
		}
		demand_equal(0, equant_pass_end(run.loop[1]));
	}
	ledger_audit(&run.ledger[1], MPI_COMM_WORLD, 2 * turns->steps);
	demand(ranks == 1 || moves_of(run.loop[1]) > before);
	must_free(run.loop[1]);
	must_close(run.eq);
	ledger_free(&run.ledger[0]);
	ledger_free(&run.ledger[1]);
}

static void leader_goes(void)
{
	static const struct turns turns[] = {
		{ "after passes", 2, { 1, 1 }, { 0, 0 }, { 0.006, 0.01 }, 3, 0 },
		{ "after hooks", 2, { 0, 1 }, { 0, 0 }, { 0.006, 0.01 }, 3, 0 },
	};

	go_on(&turns[0]);
	go_on(&turns[1]);
}

/* In the middle of a joined pass over the other one. */
static void leader_goes_in_a_pass(void)
{
	static const struct turns turns = { "in a pass",      2, { 1, 1 }, { 0, 0 },
					    { 0.001, 0.001 }, 2, 0 };
	struct equant_options o = checked(1);
	struct run run;
	long done = 0;

	start(&run, &o, &turns);
	steps(&run, 0, 2);
	demand_equal(0, equant_pass_begin(run.loop[1]));
	demand_equal(0, equant_pass_join(run.loop[1]));
	for (long u = -1; equant_next(run.loop[1], &u);) {
		if (!done++)
			must_free(run.loop[0]);
		ledger_unit(&run.ledger[1], u);
	}
	demand(done > 0);
	demand_equal(0, equant_pass_end(run.loop[1]));
	ledger_audit(&run.ledger[1], MPI_COMM_WORLD, 3);
	must_free(run.loop[1]);
	must_close(run.eq);
	ledger_free(&run.ledger[0]);
	ledger_free(&run.ledger[1]);
}

/* ---- the follower goes ------------------------------------------------------------- */

static void alone(struct run *run, long step)
{
	struct equant_loop *loop = run->loop[0];

	if (run->turns->passes[0]) {
		demand_equal(0, equant_pass_begin(loop));
		equant_for_each_next(loop, u) {
			demand_equal(step, run->ledger[0].count[u]);
			work(run, 0, u);
			ledger_unit(&run->ledger[0], u);
		}
		demand_equal(0, equant_pass_end(loop));
		return;
	}
	equant_begin(loop);
	equant_for_each_unit(loop, u) {
		demand_equal(step, run->ledger[0].count[u]);
		work(run, 0, u);
		ledger_unit(&run->ledger[0], u);
	}
	equant_end(loop);
	demand_equal(0, equant_hook(loop));
}

/* The leader goes on, as if it had been alone. */
static void follower_goes_one(int control, int depth, int passes)
{
	const struct turns turns = {
		"follower goes", 2, { passes, 1 }, { 0, 0 }, { 0.002, 0.001 }, 12, 0
	};
	struct equant_options o = checked(depth);
	struct run run;

	o.control = control;
	o.check = 0;
	start(&run, &o, &turns);
	steps(&run, 0, 4);
	ledger_audit(&run.ledger[1], MPI_COMM_WORLD, 4);
	must_free(run.loop[1]);
	ledger_free(&run.ledger[1]);
	for (long n = 4; n < 12; n++)
		alone(&run, n);
	ledger_audit(&run.ledger[0], MPI_COMM_WORLD, 12);
	must_free(run.loop[0]);
	must_close(run.eq);
	ledger_free(&run.ledger[0]);
}

static void follower_goes(void)
{
	for (int i = 0; i < 6; i++)
		follower_goes_one(i % 3, i % 3, i / 3);
}

/*
 * Without checks: the last rank has one turn of the follower more than the others, or is with the leader, where
 * only it would move what the others have freed.
 */
static void apart_one(int depth, int in_phase)
{
	static const struct turns turns = { "apart", 2, { 0, 1 }, { 0, 0 }, { 0.001, 0.001 }, 2, 0 };
	struct equant_options o = checked(depth);
	int odd = rank == ranks - 1 && ranks > 1, error = 0;
	struct run run;

	o.check = 0;
	start(&run, &o, &turns);
	steps(&run, 0, 2);
	while (odd && in_phase && !error)
		error = equant_hook(run.loop[0]);
	if (odd && !in_phase) {
		demand_equal(0, equant_pass_begin(run.loop[1]));
		equant_for_each_next(run.loop[1], u)
			;
		demand_equal(0, equant_pass_end(run.loop[1]));
	}
	demand_equal(ranks > 1 ? -EPROTO : 0, error ? error : equant_loop_free(run.loop[1]));
	if (error)
		demand_equal(-EPROTO, equant_loop_free(run.loop[1]));
	demand_equal(ranks > 1 ? -EPROTO : 0, equant_loop_free(run.loop[0]));
	must_close(run.eq);
	ledger_free(&run.ledger[0]);
	ledger_free(&run.ledger[1]);
}

static void apart(void)
{
	for (int i = 0; i < 4; i++)
		apart_one(i % 3, i / 3);
}

/* ---- opposite costs ---------------------------------------------------------------- */

/*
 * What the first loop takes nine times as long for on even ranks the second one does on odd ranks.
 * The first alone would have even ranks own a ninth of what odd ones do.
 */
static void opposite(void)
{
	struct equant_options o = checked(1);
	long units = 12L * ranks, owned = 0;
	struct equant_loop *loop[2];
	struct equant *eq;

	eq = must_open(MPI_COMM_WORLD, &o);
	loop[0] = must_loop(eq, "first", units);
	loop[1] = must_loop(eq, "second", units);
	demand_equal(0, equant_loop_share(loop[1], loop[0]));
	for (long n = 0; n < 12; n++) {
		for (int i = 0; i < 2; i++) {
			demand_equal(0, equant_pass_begin(loop[i]));
			equant_for_each_next(loop[i], u)
				compute(0.0003 * (rank % 2 == i ? 9.0 : 1.0));
			demand_equal(0, equant_pass_end(loop[i]));
		}
		owned += n < 4 ? 0 : equant_loop_count(loop[0]);
	}
	if (ranks % 2 == 0) {
		demand(owned > 8 * 12 / 2);
		demand(owned < 8 * 12 * 3 / 2);
	}
	must_free(loop[1]);
	must_free(loop[0]);
	must_close(eq);
}

/* ---- misuse ------------------------------------------------------------------------ */

static void misuse_one(int wrong)
{
	struct equant_options o = checked(1);
	struct equant *eq;
	struct equant_loop *first, *second;
	int error = 0;
	long unit;

	o.mode = wrong == 3 ? EQUANT_MODE_ASYNCHRONOUS : EQUANT_MODE_PIPELINED;
	eq = must_open(MPI_COMM_WORLD, &o);
	first = must_loop(eq, "first", UNITS);
	second = must_loop(eq, "second", UNITS);
	demand_equal(0, equant_loop_share(second, first));
	if (wrong == 0) {
		demand_equal(0, equant_pass_begin(first));
		error = equant_pass_begin(second);
	} else if (wrong == 1) {
		demand_equal(0, equant_pass_begin(second));
		demand_equal(-EBUSY, equant_loop_deactivate(first, 0, 1));
		demand(equant_loop_count(second) == 0 || equant_next(second, &unit));
		error = equant_hook(first);
	} else if (wrong == 2) {
		demand_equal(0, equant_pass_begin(second));
		error = equant_hook(second);
	} else {
		error = equant_pass_begin(first);
	}
	demand_equal(-EINVAL, error);
	demand_equal(-EINVAL, equant_pass_begin(first));
	demand_equal(-EINVAL, equant_pass_begin(second));
	demand_equal(-EINVAL, equant_loop_free(second));
	demand_equal(-EINVAL, equant_loop_free(first));
	must_close(eq);
}

/* One rank errs in the loop that does not lead: the others hear of it from the one that does. */
static void one_errs(int freed_first, int check, int depth)
{
	struct equant_options o = checked(depth);
	struct equant *eq;
	struct equant_loop *loop[2];
	int error = 0;

	o.check = check;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop[0] = must_loop(eq, "first", UNITS / 4);
	loop[1] = must_loop(eq, "second", UNITS / 4);
	demand_equal(0, equant_loop_share(loop[1], loop[0]));
	for (int n = 0; n < 2000 && !error; n++)
		for (int i = 0; i < 2 && !error; i++) {
			equant_pass_begin(loop[i]);
			equant_for_each_next(loop[i], u)
				compute(1e-5);
			error = equant_pass_end(loop[i]);
			if (n == 5 && i && rank == ranks - 1)
				error = equant_pass_end(loop[i]);
		}
	demand_equal(rank == ranks - 1 ? -EINVAL : -ECANCELED, error);
	demand_equal(error, equant_loop_free(loop[freed_first]));
	demand_equal(error, equant_loop_free(loop[!freed_first]));
	must_close(eq);
}

/* Only one rank knows of it before loops are freed. */
static void one_errs_last(int freed_first, int check, int started)
{
	int error = rank == ranks - 1 ? -EINVAL : -ECANCELED;
	struct equant_options o = checked(1);
	struct equant_loop *loop[2];
	struct equant *eq;

	o.check = check;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop[0] = must_loop(eq, "first", UNITS / 4);
	loop[1] = must_loop(eq, "second", UNITS / 4);
	demand_equal(0, equant_loop_share(loop[1], loop[0]));
	for (int n = 0; started && n < 8; n++) {
		demand_equal(0, equant_pass_begin(loop[n % 2]));
		equant_for_each_next(loop[n % 2], u)
			compute(1e-5);
		demand_equal(0, equant_pass_end(loop[n % 2]));
	}
	if (rank == ranks - 1)
		demand_equal(-EINVAL, equant_pass_end(loop[1]));
	demand_equal(error, equant_loop_free(loop[freed_first]));
	demand_equal(error, equant_loop_free(loop[!freed_first]));
	/* The context is as good as new. */
	must_free(must_loop(eq, "next", UNITS));
	must_close(eq);
}

static void misuse(void)
{
	for (int i = 0; i < 8; i++)
		one_errs_last(i % 2, i / 2 % 2, i / 4);
	for (int wrong = 0; wrong < 4; wrong++)
		misuse_one(wrong);
	for (int i = 0; i < 8; i++)
		one_errs(i % 2, i / 2 % 2, i / 4 * 2);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(both),
		CASE(mixed),
		CASE(once, .alone = 1),
		CASE(once_joined, .alone = 1),
		CASE(off),
		CASE(leader_goes),
		CASE(opposite),
		CASE(misuse, .alone = 1),
		CASE(leader_goes_in_a_pass),
		CASE(follower_goes),
		CASE(apart, .alone = 1),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
