// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Passes on ranks of different and changing speed: a unit is computed once in each, wherever it is. */
#include <equant/equant.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libpasses.h"
#include "libworker.h"
#include "random.h"

#define CHANGES 3 /* of a rank's speed in a pass, so that work moves in its middle */

static void pass(struct run *run, long number)
{
	demand_equal(0, equant_pass_begin(run->loop));
	if (run->shape->every)
		demand_equal(0, equant_pass_join(run->loop));
	equant_for_each_next(run->loop, u) {
		demand_equal(number, equant_pass(run->loop));
		demand_equal(number, run->ledger.count[u]);
		demand_equal(rank, equant_loop_owner(run->loop, u));
		run_unit(run, u);
	}
	demand_equal(0, equant_pass_end(run->loop));
}

static void finish(struct run *run)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long moves;

	ledger_audit(&run->ledger, MPI_COMM_WORLD, run->shape->passes);
	run_demand_met(run, run->shape->passes);
	demand_equal(0, equant_loop_stats(run->loop, &stats));
	demand_equal(run->handed, stats.computed);
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%s: %ld moves in %ld phases\n", run->shape->name, moves / 2, stats.phases);
	demand(moves > 0 || !run->shape->must_move || ranks == 1);
	run_close(run);
}

static void conserve(const struct equant_options *options, const struct shape *shape)
{
	struct run run;

	run_start(&run, options, shape, CHANGES);
	for (long p = 0; p < shape->passes; p++)
		pass(&run, p);
	finish(&run);
}

static struct equant_options checked(void)
{
	struct equant_options o = eager_options();

	o.period = 0.005;
	o.check = 1;
	return o;
}

static void moves_pipelined(void)
{
	static const struct shape shape = { "pipelined", 400, 3, 0.02, 1, 0, 1 };
	struct equant_options o = checked();

	conserve(&o, &shape);
}

static void moves_synchronously(void)
{
	static const struct shape shape = { "synchronous", 400, 3, 0.02, 1, 0, 1 };
	struct equant_options o = checked();

	o.depth = 0;
	conserve(&o, &shape);
}

static void moves_unchecked(void)
{
	static const struct shape shape = { "unchecked", 400, 3, 0.02, 1, 0, 1 };
	struct equant_options o = checked();

	o.check = 0;
	conserve(&o, &shape);
}

/* One pass is all there is: what moves, moves in its middle. */
static void once(void)
{
	static const struct shape shape = { "once", 600, 1, 0.06, 1, 0, 1 };
	struct equant_options o = checked();

	conserve(&o, &shape);
}

static void moving(void)
{
	moves_pipelined();
	moves_synchronously();
	moves_unchecked();
	once();
}

static void uneven(void)
{
	static const struct shape shape = { "uneven", 300, 3, 0.0005, 50, 0, 0 };
	struct equant_options o = checked();

	conserve(&o, &shape);
}

/* Many passes fit into a period. */
static void short_passes(void)
{
	static const struct shape shape = { "short", 64, 100, 0.0002, 1, 0, 0 };
	struct equant_options o = checked();

	conserve(&o, &shape);
	o.check = 0;
	conserve(&o, &shape);
}

static void few_units(void)
{
	static const struct shape shapes[] = {
		{ "five", 5, 8, 0.002, 3, 0, 0 },	 { "one", 1, 8, 0.0005, 1, 0, 0 },
		{ "none", 0, 8, 0.001, 1, 0, 0 },	 { "one_joined", 1, 8, 0.0005, 1, 1, 0 },
		{ "none_joined", 0, 8, 0.001, 1, 1, 0 },
	};
	struct equant_options o = checked();

	for (o.depth = 0; o.depth < 2; o.depth++)
		for (int i = 0; i < 5; i++)
			conserve(&o, &shapes[i]);
}

static void joined(void)
{
	static const struct shape shape = { "joined", 300, 4, 0.005, 4, 1, 0 };
	struct equant_options o = checked();
	struct run run;

	for (o.depth = 0; o.depth < 2; o.depth++) {
		run_start(&run, &o, &shape, CHANGES);
		for (long p = 0; p < shape.passes; p++) {
			pass(&run, p);
			run_demand_met(&run, p + 1);
		}
		finish(&run);
	}
}

/* Balancing is off: blocks stay, passes are measured. */
static void off(void)
{
	static const struct shape shape = { "off", 100, 6, 0.005, 4, 0, 0 };
	struct equant_options o = checked();
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct run run;

	o.balance = 0;
	run_start(&run, &o, &shape, CHANGES);
	for (long p = 0; p < shape.passes; p++)
		pass(&run, p);
	demand_equal(0, equant_loop_stats(run.loop, &stats));
	demand_equal(0, stats.moves);
	demand(stats.phases > 1);
	finish(&run);
}

/* A window over the units: those outside are in no pass. */
static void varying(void)
{
	static const struct shape shape = { "varying", 300, 40, 0.002, 2, 0, 0 };
	struct equant_options o = checked();
	long computed[300] = { 0 }, all[300];
	struct run run;

	run_start(&run, &o, &shape, CHANGES);
	demand_equal(0, equant_loop_deactivate(run.loop, 100, 200));
	for (long p = 0; p < shape.passes; p++) {
		demand_equal(0, equant_pass_begin(run.loop));
		demand_equal(-EBUSY, equant_loop_deactivate(run.loop, 5 * p, 1));
		equant_for_each_next(run.loop, u) {
			demand(u >= 5 * p && u < 100 + 5 * p);
			run_unit(&run, u);
			computed[u]++;
		}
		demand_equal(0, equant_pass_end(run.loop));
		demand_equal(0, equant_loop_deactivate(run.loop, 5 * p, 5));
		demand_equal(0, equant_loop_activate(run.loop, 100 + 5 * p, 5));
	}
	MPI_Allreduce(computed, all, 300, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (long u = 0; u < 300; u++) {
		long entered = u < 100 ? 0 : (u - 100) / 5 + 1;
		long left = u / 5 + 1 < 40 ? u / 5 + 1 : 40;

		demand_equal(left > entered ? left - entered : 0, all[u]);
	}
	run_close(&run);
}

static long phases_of(const struct equant_loop *loop)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	demand_equal(0, equant_loop_stats(loop, &stats));
	return stats.phases;
}

static void short_pass(struct equant_loop *loop)
{
	demand_equal(0, equant_pass_begin(loop));
	equant_for_each_next(loop, u)
		compute(20e-6);
	demand_equal(0, equant_pass_end(loop));
}

/* The next phase was some thousand passes over one unit away, and is the first thing in one over all. */
static void grown(void)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;
	long phases;

	o.period = 0.1;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "grown", 100);
	for (int time = 0; time < 2; time++) {
		demand_equal(0, equant_loop_deactivate(loop, 1, 99));
		for (phases = phases_of(loop); phases_of(loop) < phases + 2;)
			short_pass(loop);
		demand_equal(0, equant_loop_activate(loop, 1, 99));
		phases = phases_of(loop);
		short_pass(loop);
		demand(phases_of(loop) > phases);
	}
	must_free(loop);
	must_close(eq);
}

static void shapes(void)
{
	uneven();
	short_passes();
	few_units();
	off();
	varying();
}

static void stopped(void)
{
	static const struct shape shape = { "stopped", 200, 5, 0.006, 3, 0, 0 };
	struct random random = random_seeded();
	struct equant_options o = checked();
	pid_t pid = rank == ranks - 1 ? start_stopping(&random, 0.4) : 0;

	o.period = 0.002;
	for (o.depth = 0; o.depth < 2; o.depth++)
		conserve(&o, &shape);
	if (pid)
		demand(waitpid(pid, NULL, 0) == pid);
}

/* ---- misuse -------------------------------------------------------------------- */

enum wrong {
	NEXT_OUTSIDE,
	END_WITHOUT_BEGIN,
	END_EARLY,
	BEGIN_TWICE,
	HOOK_IN_PASS,
	HOOK_BETWEEN,
	PASS_AFTER_HOOK,
	PASS_IN_ORDER,
	JOIN_LATE,
	SECTION_INSIDE,
	WRONGS,
};

static int hook_first(struct equant_loop *loop)
{
	int error = equant_hook(loop);

	return error ? error : equant_pass_begin(loop);
}

/* One pass, in which something is @wrong; the first error. */
static int wrong_pass(struct equant_loop *loop, enum wrong wrong)
{
	long unit, n = 0;

	if (wrong == NEXT_OUTSIDE)
		demand_equal(0, equant_next(loop, &unit));
	if (wrong == END_WITHOUT_BEGIN)
		return equant_pass_end(loop);
	equant_pass_begin(loop);
	if (wrong == BEGIN_TWICE)
		return equant_pass_begin(loop);
	equant_for_each_next(loop, u) {
		if (wrong == END_EARLY && n++ == 3)
			return equant_pass_end(loop);
		if (wrong == HOOK_IN_PASS)
			return equant_hook(loop);
		if (wrong == JOIN_LATE)
			return equant_pass_join(loop);
		if (wrong == SECTION_INSIDE)
			equant_begin(loop);
		compute(5e-5);
	}
	if (wrong == HOOK_BETWEEN)
		return equant_hook(loop);
	return equant_pass_end(loop);
}

static int right_passes(struct equant_loop *loop, int passes)
{
	int error = 0;

	for (int p = 0; p < passes && !error; p++) {
		equant_pass_begin(loop);
		equant_for_each_next(loop, u)
			compute(5e-5);
		error = equant_pass_end(loop);
	}
	return error;
}

static void do_wrong(enum wrong wrong, int check)
{
	struct equant_options o = checked();
	struct equant_loop *loop;
	struct equant *eq;
	int error;

	o.check = check;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "wrong", 100);
	if (wrong == PASS_IN_ORDER)
		demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	if (wrong == PASS_AFTER_HOOK)
		error = hook_first(loop);
	else if (wrong == PASS_IN_ORDER)
		error = equant_pass_begin(loop);
	else
		error = right_passes(loop, 2);
	if (wrong != PASS_AFTER_HOOK && wrong != PASS_IN_ORDER) {
		demand_equal(0, error);
		error = wrong_pass(loop, wrong);
	}
	/* A section in a pass shows at the next phase. */
	for (int i = 0; wrong == SECTION_INSIDE && i < 100 && !error; i++)
		error = wrong_pass(loop, wrong);
	/* Another rank may have been first, and this one have heard of it. */
	if (ranks == 1 || error != -ECANCELED)
		demand_equal(-EINVAL, error);
	demand_equal(error, equant_pass_begin(loop));
	demand_equal(error, equant_loop_free(loop));
	must_close(eq);
}

static void all_misuse(void)
{
	for (int check = 0; check < 2; check++)
		for (int wrong = 0; wrong < WRONGS; wrong++)
			do_wrong((enum wrong)wrong, check);
}

/* One rank does wrong in some pass; all ranks end with an error. */
static void one_wrong(enum wrong wrong, int check, int depth)
{
	struct equant_options o = checked();
	struct equant_loop *loop;
	struct equant *eq;
	int error;

	o.check = check;
	o.depth = depth;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "one_wrong", 100);
	error = right_passes(loop, 3);
	if (!error)
		error = rank == ranks - 1 ? wrong_pass(loop, wrong) : right_passes(loop, 5);
	if (error != -ECANCELED)
		demand_equal(rank == ranks - 1 ? -EINVAL : 0, error);
	demand(equant_loop_free(loop) < 0);
	must_close(eq);
}

static void one_misuses(void)
{
	static const enum wrong wrongs[] = { NEXT_OUTSIDE, END_EARLY, HOOK_BETWEEN };

	for (int i = 0; i < 12; i++)
		one_wrong(wrongs[i % 3], i / 3 % 2, i / 6);
}

/* The others wait for it at the end of a joined pass, balanced or not. */
static void one_errs_unbalanced(void)
{
	struct equant_options o = eager_options();
	int odd = rank == ranks - 1, error;
	struct equant_loop *loop;
	struct equant *eq;
	long n = 0;

	o.balance = 0;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "unbalanced", 4L * ranks);
	demand_equal(0, equant_pass_begin(loop));
	demand_equal(0, equant_pass_join(loop));
	equant_for_each_next(loop, u)
		if (odd && ++n == equant_loop_count(loop))
			equant_begin(loop);
	error = equant_pass_end(loop);
	demand_equal(odd ? -EINVAL : 0, error);
	demand_equal(error, equant_loop_free(loop));
	must_close(eq);
}

static void one_passes_more(void)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.period = 10;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "more", 10);
	demand_equal(0, right_passes(loop, rank ? 10 : 11));
	demand_equal(ranks > 1 ? -EPROTO : 0, equant_loop_free(loop));
	must_close(eq);
}

static void misuse(void)
{
	all_misuse();
	one_misuses();
	one_errs_unbalanced();
	one_passes_more();
}

/* A step in two timed segments, with a wait between them that is none. */
static void segments(void)
{
	struct equant_options o = checked();
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "segments", 100);
	struct ledger ledger;
	double seconds = 0;
	long computed = 0;

	ledger_init(&ledger, loop, 100);
	for (int step = 0; step < 20; step++) {
		equant_begin(loop);
		compute(0.0004 * (1 + rank));
		equant_end_units(loop, 0);
		compute(0.003);
		equant_begin(loop);
		ledger_step(&ledger);
		compute(0.0002);
		equant_end(loop);
		seconds += 0.0004 * (1 + rank) + 0.0002;
		computed += equant_loop_count(loop);
		demand_equal(0, equant_hook(loop));
	}
	ledger_audit(&ledger, MPI_COMM_WORLD, 20);
	demand_equal(0, equant_loop_stats(loop, &stats));
	demand_equal(computed, stats.computed);
	/* Both segments, and not the wait: it alone would be more than half of what has passed. */
	demand(stats.wall >= seconds);
	demand(stats.wall <= stats.elapsed - 20 * 0.003);
	must_free(loop);
	must_close(eq);
	ledger_free(&ledger);
}

/* Options from the environment only. */
static void plain(void)
{
	static const struct shape shape = { "plain", 300, 8, 0.01, 1, 0, 0 };

	conserve(NULL, &shape);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(moving),
		CASE(shapes),
		CASE(joined),
		CASE(stopped),
		CASE(misuse, .alone = 1),
		CASE(segments),
		CASE(plain, .alone = 1),
		CASE(grown),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
