// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Asynchronous passes: ranks are passes apart, and each unit is computed once in each pass all the same. */
#include <equant/equant.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libpasses.h"
#include "loop/loop_internal.h"
#include "libworker.h"
#include "random.h"

#define CHANGES (1.0 / 3) /* of a rank's speed in a pass: some pass whole passes ahead of others */

static MPI_Comm watched; /* the loop's: others have the same tags for something else */
static int tree; /* but for transfers, messages go to ranks that are next to this one there */
static long reports, notices; /* messages meanwhile */
static long relayed, together; /* messages with reports of others, and of those with several */

static void check_notice(const struct equant_notice *notice, int to)
{
	int below = to - rank;

	if (notice->kind == EQUANT_NOTICE_TAKE)
		return;
	demand(below > 0 && !(below & (below - 1)));
	demand(!rank || below < (rank & -rank));
	notices++;
}

static void check_reports(const struct equant_report_up *report, int size, int to)
{
	int n = size / (int)sizeof(*report), others = 0;

	demand_equal(rank - (rank & -rank), to);
	for (int i = 0; i < n; i++) {
		demand(report[i].rank >= rank && report[i].rank < rank + (rank & -rank));
		others += report[i].rank != rank;
	}
	reports++;
	relayed += others > 0;
	together += others > 0 && n > 1;
}

int MPI_Isend(const void *b, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	if (tree && comm == watched && tag == EQUANT_TAG_UP)
		check_reports(b, n, to);
	if (tree && comm == watched && tag == EQUANT_TAG_NOTICE)
		check_notice(b, to);
	return PMPI_Isend(b, n, type, to, tag, comm, request);
}

/* A unit is computed in its own next pass, which is this one or one that it has missed. */
static void pass(struct run *run, long number, int joined)
{
	demand_equal(0, equant_pass_begin(run->loop));
	if (joined)
		demand_equal(0, equant_pass_join(run->loop));
	equant_for_each_next(run->loop, u) {
		demand_equal(run->ledger.count[u], equant_pass(run->loop));
		demand(equant_pass(run->loop) <= number);
		demand_equal(rank, equant_loop_owner(run->loop, u));
		run->caught_up += equant_pass(run->loop) < number;
		run_unit(run, u);
	}
	demand_equal(0, equant_pass_end(run->loop));
}

static void passes(struct run *run)
{
	const struct shape *s = run->shape;

	for (long p = 0; p < s->passes; p++) {
		int joined = p == s->passes - 1 || p % s->every == s->every - 1;

		pass(run, p, joined);
		if (joined)
			run_demand_met(run, p + 1);
	}
}

static void finish(struct run *run)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long mine[2], all[2];

	ledger_audit(&run->ledger, MPI_COMM_WORLD, run->shape->passes);
	demand_equal(0, equant_loop_stats(run->loop, &stats));
	demand_equal(run->handed, stats.computed);
	demand(stats.total_run + stats.total_wait <= stats.elapsed + 1e-6);
	mine[0] = stats.moves;
	mine[1] = run->caught_up;
	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%s: %ld moves, %ld computations caught up\n", run->shape->name, all[0] / 2,
		       all[1]);
	demand(all[0] > 0 || !run->shape->must_move || ranks == 1);
	run_close(run);
}

static void conserve(const struct equant_options *options, const struct shape *shape)
{
	struct run run;

	run_start(&run, options, shape, CHANGES);
	watched = run.loop->comm;
	passes(&run);
	finish(&run);
}

static struct equant_options asynchronous(void)
{
	struct equant_options o = eager_options();

	o.period = 0.003;
	o.check = 1;
	o.mode = EQUANT_MODE_ASYNCHRONOUS;
	return o;
}

static void moving(void)
{
	static const struct shape shape = { "moving", 300, 12, 0.004, 1, 100, 1 };
	struct equant_options o = asynchronous();

	conserve(&o, &shape);
	o.check = 0;
	conserve(&o, &shape);
}

static void in_tree(void)
{
	static const struct shape shape = { "tree", 300, 12, 0.004, 1, 4, 1 };
	struct equant_options o = asynchronous();
	long mine[2], all[2];

	o.control = EQUANT_CONTROL_TREE;
	tree = 1;
	conserve(&o, &shape);
	tree = 0;
	demand(ranks == 1 || (rank ? reports : notices) > 0);
	/* Of ranks that lie between others and rank 0 some are in every job of four. */
	mine[0] = relayed;
	mine[1] = together;
	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("tree: %ld messages with reports of others, %ld of them with several\n",
		       all[0], all[1]);
	demand(ranks < 4 || all[1] > 0);
	o.check = 0;
	conserve(&o, &shape);
}

static void shapes(void)
{
	static const struct shape shapes[] = {
		{ "once", 300, 1, 0.03, 1, 1, 0 },     { "uneven", 200, 5, 0.001, 50, 3, 0 },
		{ "short", 64, 80, 0.0002, 1, 37, 0 }, { "joined", 100, 8, 0.005, 4, 1, 0 },
		{ "five", 5, 10, 0.002, 3, 4, 0 },     { "one", 1, 10, 0.0005, 1, 2, 0 },
		{ "none", 0, 10, 0.001, 1, 3, 0 },
	};
	struct equant_options o = asynchronous();

	for (int i = 0; i < 7; i++) {
		o.control = i % 2 ? EQUANT_CONTROL_TREE : EQUANT_CONTROL_CENTRAL;
		conserve(&o, &shapes[i]);
	}
	o.balance = 0;
	conserve(&o, &shapes[3]);
}

static void stopped_rank(int victim, int control)
{
	static const struct shape shape = { "stopped", 200, 10, 0.003, 3, 6, 0 };
	struct random random = random_seeded();
	struct equant_options o = asynchronous();
	pid_t pid = rank == victim ? start_stopping(&random, 0.4) : 0;

	o.control = control;
	conserve(&o, &shape);
	if (pid)
		demand(waitpid(pid, NULL, 0) == pid);
}

static void stopped(void)
{
	stopped_rank(ranks - 1, EQUANT_CONTROL_EXCHANGE);
	stopped_rank(0, EQUANT_CONTROL_TREE);
	stopped_rank(ranks / 2, EQUANT_CONTROL_TREE);
}

/* Between joined passes nobody knows all owners; after them everybody does. */
static void forbidden(void)
{
	static const struct shape shape = { "forbidden", 60, 4, 0.001, 1, 2, 0 };
	struct equant_options o = asynchronous();
	double values[60] = { 0 }, sum;
	struct run run;

	run_start(&run, &o, &shape, CHANGES);
	for (long p = 0; p < shape.passes; p++) {
		int joined = p % 2;

		pass(&run, p, joined);
		demand_equal(joined ? 0 : -EINVAL, equant_loop_broadcast(run.loop, 0));
		demand_equal(joined ? 0 : -EINVAL, equant_loop_ghosts_start(run.loop, 1, 1));
		if (joined)
			demand_equal(0, equant_loop_ghosts_finish(run.loop));
		demand_equal(joined ? 0 : -EINVAL,
			     equant_allreduce_units(run.loop, values, EQUANT_SUM, &sum, NULL));
		demand_equal(joined ? 0 : -EINVAL, equant_loop_deactivate(run.loop, 7, 1));
		if (joined)
			demand_equal(0, equant_loop_activate(run.loop, 7, 1));
	}
	finish(&run);
}

/* A window over the units, moved on after each joined pass. */
static void varying(void)
{
	static const struct shape shape = { "varying", 200, 30, 0.002, 2, 3, 0 };
	struct equant_options o = asynchronous();
	long computed[200] = { 0 }, all[200], expected[200] = { 0 };
	struct run run;

	run_start(&run, &o, &shape, CHANGES);
	demand_equal(0, equant_loop_deactivate(run.loop, 100, 100));
	for (long p = 0; p < shape.passes; p++) {
		long first = p / 3 * 10;

		demand_equal(0, equant_pass_begin(run.loop));
		if (p % 3 == 2)
			demand_equal(0, equant_pass_join(run.loop));
		equant_for_each_next(run.loop, u) {
			demand(u >= first && u < first + 100);
			run_unit(&run, u);
			computed[u]++;
		}
		demand_equal(0, equant_pass_end(run.loop));
		for (long u = first; u < first + 100; u++)
			expected[u]++;
		if (p % 3 < 2)
			continue;
		demand_equal(0, equant_loop_deactivate(run.loop, first, 10));
		demand_equal(0, equant_loop_activate(run.loop, first + 100, 10));
	}
	MPI_Allreduce(computed, all, 200, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (long u = 0; u < 200; u++)
		demand_equal(expected[u], all[u]);
	run_close(&run);
}

/* ---- who gives -------------------------------------------------------------------- */

#define LONG_SLICE (1 << 20) /* bytes, more than any MPI sends before they are expected */
#define GIVEN 2 /* units to each other rank */

/**
 * struct courier - a mover and what it needs, on each rank
 * @slices: of @bytes, of all units; rank 0 has the first ones
 */
struct courier {
	struct equant *eq;
	struct equant_units units;
	struct equant_slices slices;
	struct equant_mover mover;
	char *bytes;
};

static void courier_start(struct courier *c)
{
	struct equant_options o = eager_options();
	long units = (long)GIVEN * ranks * ranks;

	*c = (struct courier){ .eq = must_open(MPI_COMM_WORLD, &o) };
	c->bytes = calloc((size_t)(GIVEN * ranks), LONG_SLICE);
	demand(c->bytes);
	demand_equal(0, equant_units_init(&c->units, units, ranks, EQUANT_BLOCK));
	demand_equal(0, equant_slices_add_array(&c->slices, GIVEN * ranks, c->bytes, LONG_SLICE));
	equant_mover_init(&c->mover, &c->eq->waiter, c->eq->comm, rank, 1, &c->slices);
	demand_equal(0, equant_mover_queue(&c->mover, GIVEN * ranks));
	c->mover.timeout = 5;
	c->mover.patience = 1e-3;
	for (int u = 0; u < GIVEN * ranks && !rank; u++)
		memset(c->bytes + (size_t)u * LONG_SLICE, u + 1, LONG_SLICE);
}

static void courier_stop(struct courier *c)
{
	demand_equal(0, equant_mover_release(&c->mover));
	equant_slices_release(&c->slices);
	equant_units_release(&c->units);
	must_close(c->eq);
	free(c->bytes);
}

/* By both of its ranks, as in asynchronous mode. */
static void carry(struct courier *c, int from, int to, long unit, uint64_t number)
{
	const struct equant_instruction move = { from, to, 1 };
	struct equant_runs named = { 0 };

	demand_equal(0, equant_runs_add(&named, (struct equant_range){ unit, 1 }));
	if (rank == to)
		demand_equal(0, equant_units_claim(&c->units, from, &named));
	demand_equal(0, equant_mover_run(&c->mover, &c->units, &move, 1, &named, number));
	equant_runs_release(&named);
}

static void demand_bytes(const struct courier *c, long unit)
{
	for (long i = 0; i < LONG_SLICE; i++)
		demand_equal(unit + 1, c->bytes[unit * LONG_SLICE + i]);
}

static void tell(int to)
{
	MPI_Send(NULL, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void await_word(int from)
{
	MPI_Recv(NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/*
 * Receivers look when they are told, which is after rank 0 has given to all of them twice.  The last one
 * gives its first unit back, when the others have not yet looked.
 */
static void giving(void)
{
	int last = ranks - 1;
	struct courier c;

	courier_start(&c);
	for (int n = 0; n < GIVEN && !rank; n++)
		for (int r = 1; r < ranks; r++)
			carry(&c, 0, r, n * ranks + r, (uint64_t)(n * ranks + r));
	if (!rank && last) {
		demand(c.mover.nr_parcels > 0);
		tell(last);
		await_word(last);
		carry(&c, last, 0, last, 99);
		demand_bytes(&c, last);
		for (int r = 1; r < last; r++)
			tell(r);
	} else if (rank) {
		await_word(0);
		for (int n = 0; n < GIVEN; n++) {
			carry(&c, 0, rank, n * ranks + rank, (uint64_t)(n * ranks + rank));
			demand_bytes(&c, n * ranks + rank);
		}
		if (rank == last) {
			tell(0);
			carry(&c, last, 0, last, 99);
		}
	}
	while (c.mover.nr_parcels || c.mover.nr_requests)
		demand_equal(0, equant_mover_progress(&c.mover, 1e-3));
	courier_stop(&c);
}

/* ---- misuse -------------------------------------------------------------------- */

static int some_passes(struct equant_loop *loop, int passes, int joined)
{
	int error = 0;

	for (int p = 0; p < passes && !error; p++) {
		equant_pass_begin(loop);
		if (p == joined)
			equant_pass_join(loop);
		equant_for_each_next(loop, u)
			compute(1e-4);
		error = equant_pass_end(loop);
	}
	return error;
}

static void with_loop(int (*use)(struct equant_loop *loop), int control, int expected, int freed)
{
	struct equant_options o = asynchronous();
	struct equant_loop *loop;
	struct equant *eq;
	int error;

	o.control = control;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "misuse", 40);
	error = use(loop);

	/* Another rank may be the first to err. */
	if (error != -ECANCELED)
		demand_equal(expected, error);
	error = equant_loop_free(loop);
	if (freed < 0)
		demand(error < 0);
	else
		demand_equal(0, error);
	must_close(eq);
}

/* Before the first pass it is not known by the loop alone that it is asynchronous. */
static int keep_neighbours(struct equant_loop *loop)
{
	demand_equal(-EINVAL, equant_loop_neighbours(loop, 1, 0));
	demand_equal(0, equant_loop_neighbours(loop, 0, 0));
	return some_passes(loop, 2, 1);
}

static int use_hook(struct equant_loop *loop)
{
	return equant_hook(loop);
}

static int use_hook_in_order(struct equant_loop *loop)
{
	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	return equant_hook(loop);
}

static void never(void *ctx, long first, long units, long from, long to)
{
	demand(0 && "nothing is computed");
}

/* Refused before the first strip, and not in the hook after it. */
static int sweep(struct equant_loop *loop)
{
	static double rows[40][10];

	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_array(loop, rows, sizeof(rows[0])));
	demand_equal(0, equant_loop_pipelined(loop, rows, 0, sizeof(rows[0][0])));
	demand_equal(-EINVAL, equant_loop_sweep(loop, 10, never, NULL));
	return equant_loop_sweep(loop, 10, never, NULL);
}

static int use_nothing(struct equant_loop *loop)
{
	(void)loop;
	return 0;
}

static int end_early(struct equant_loop *loop)
{
	int error = some_passes(loop, 3, -1);
	long unit;

	if (error)
		return error;
	equant_pass_begin(loop);
	if (rank)
		equant_pass_join(loop);
	demand(equant_loop_count(loop) == 0 || equant_next(loop, &unit) || equant_pass_end(loop));
	if (!rank)
		return equant_pass_end(loop);
	while (equant_next(loop, &unit))
		compute(1e-4);
	error = equant_pass_end(loop);
	return error ? -EINVAL : 0;
}

/* One rank frees the loop while the others wait at the end of a joined pass. */
static int one_leaves(struct equant_loop *loop)
{
	if (rank == ranks - 1)
		return some_passes(loop, 2, -1);
	return some_passes(loop, 3, 2) ? 0 : ranks == 1 ? 0 : -EIO;
}

static void misuse(void)
{
	const int control[] = { EQUANT_CONTROL_CENTRAL, EQUANT_CONTROL_TREE };

	with_loop(keep_neighbours, control[0], 0, 0);
	with_loop(use_nothing, control[0], 0, 0);
	with_loop(use_hook, control[0], -EINVAL, -1);
	with_loop(use_hook_in_order, control[0], -EINVAL, -1);
	with_loop(sweep, control[0], -EINVAL, 0);
	for (int i = 0; i < 2 && ranks > 1; i++) {
		with_loop(end_early, control[i], -EINVAL, -1);
		with_loop(one_leaves, control[i], 0, -1);
	}
}

/* Options from the environment only. */
static void plain(void)
{
	static const struct shape shape = { "plain", 300, 8, 0.01, 1, 100, 0 };

	conserve(NULL, &shape);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(moving),
		CASE(in_tree),
		CASE(shapes),
		CASE(stopped),
		CASE(forbidden, .alone = 1),
		CASE(varying),
		CASE(giving),
		CASE(misuse, .alone = 1),
		CASE(plain, .alone = 1),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
