// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One allocation of the library fails on one rank: all ranks come to an end, and the next loop works. */
#include <equant/equant.h>
#include <equant/gemr2d.h>
#include <equant/table.h>
#include <equant/transfer.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libcmalloc.h"
#include "libdagwork.h"
#include "libledger.h"
#include "libsetup.h"
#include "libworker.h"

#define UNITS 40
#define EXPORTED __attribute__((visibility("default")))

static int starving; /* inside calls of the library */
static int victim; /* the rank */
static long left; /* allocations until one fails */
static int for_good; /* and all after it */
static long failed;

/* MPI's own are not ours to answer for. */
static int fails(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;

	if (!starving || at < (uintptr_t)&__executable_start || at > (uintptr_t)&etext)
		return 0;
	if (--left > 0 || (left && !for_good))
		return 0;
	failed++;
	errno = ENOMEM;
	return 1;
}

EXPORTED void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

EXPORTED void *realloc(void *memory, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

EXPORTED void *reallocarray(void *memory, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || fails(__builtin_return_address(0)))
		return NULL;
	return __libc_realloc(memory, bytes);
}

EXPORTED void free(void *memory)
{
	__libc_free(memory);
}

/* ---- loops ------------------------------------------------------------------------ */

static double mesh[UNITS + 2][UNITS + 2];

static void relax(void *ctx, long first, long units, long from, long to)
{
	(void)ctx;
	for (long u = first; u < first + units; u++)
		for (long i = from + 1; i <= to; i++)
			mesh[u + 1][i] = (mesh[u][i] + mesh[u + 2][i]) / 2;
	compute(1e-6 * (double)units * (1 + rank % 3));
}

static double slowness(long n)
{
	return 1 + (double)((rank * 2 + n / 8) % 4);
}

static int hook_step(struct equant_loop *loop, long n)
{
	equant_begin(loop);
	compute(2e-5 * slowness(n) * (double)equant_loop_count(loop));
	equant_end(loop);
	return equant_hook(loop);
}

static int pass_step(struct equant_loop *loop, long n)
{
	equant_pass_begin(loop);
	if (n % 4 == 3)
		equant_pass_join(loop);
	equant_for_each_next(loop, u)
		compute(2e-5 * slowness(n));
	return equant_pass_end(loop);
}

static int sweep_step(struct equant_loop *loop, long n)
{
	(void)n;
	return equant_loop_sweep(loop, UNITS, relax, NULL);
}

static void prepare(struct equant_loop *loop, struct ledger *ledger, int sweeps)
{
	if (sweeps) {
		demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
		demand_equal(0, equant_loop_array(loop, mesh[1], sizeof(mesh[1])));
		demand_equal(0,
			     equant_loop_pipelined(loop, mesh[1], sizeof(double), sizeof(double)));
	} else {
		demand(equant_loop_table(loop, 24, EQUANT_TABLE_AUTO));
	}
	ledger_init(ledger, loop, UNITS);
}

static int pairs; /* each loop has another one that shares its distribution */

static struct equant_loop *share(struct equant *eq, struct equant_loop *loop)
{
	struct equant_loop *second;

	if (!pairs)
		return NULL;
	second = must_loop(eq, "sharing", UNITS);
	demand_equal(0, equant_loop_share(second, loop));
	demand(equant_loop_table(second, 24, EQUANT_TABLE_AUTO));
	return second;
}

/*
 * The @nth allocation fails on the victim; 0 if there are fewer.  Either all ranks hear of it, or the
 * library could do without.
 */
static long starve(struct equant *eq, int (*step)(struct equant_loop *loop, long n), int steps,
		   long nth)
{
	struct equant_loop *loop = must_loop(eq, "starved", UNITS), *second = share(eq, loop);
	long mine[2], all[2];
	struct ledger ledger;
	int error = 0, freed;

	prepare(loop, &ledger, step == sweep_step);
	failed = 0;
	left = nth;
	starving = rank == victim;
	for (long n = 0; n < steps && !error; n++)
		error = step(loop, n);
	starving = 0;
	/* Some can be done without. */
	demand(!failed || !error || error == -ENOMEM);
	equant_loop_free(second);
	freed = equant_loop_free(loop);
	ledger_free(&ledger);
	mine[0] = failed;
	mine[1] = error < 0 || freed < 0;
	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(all[1] == 0 || all[1] == ranks);
	demand(all[0] || !all[1]);
	return all[0];
}

/* Every @apart-th rank from @first on, one after the other. */
static void starve_ranks(int (*step)(struct equant_loop *loop, long n), int steps,
			 const struct equant_options *options, int first, int apart)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, options);

	for (victim = first; victim < ranks; victim += apart)
		for (long nth = 1; nth < 200 && starve(eq, step, steps, nth); nth += 1 + nth / 16)
			;
	starve(eq, step, steps, 1000000000);
	must_close(eq);
}

static void starve_all(int (*step)(struct equant_loop *loop, long n), int steps, int mode)
{
	struct equant_options o = eager_options();

	o.period = 0.001;
	o.mode = mode;
	starve_ranks(step, steps, &o, 0, ranks - 1);
}

static void hooks(void)
{
	starve_all(hook_step, 24, EQUANT_MODE_PIPELINED);
}

static void passes(void)
{
	starve_all(pass_step, 16, EQUANT_MODE_PIPELINED);
}

/* The victim has a unit less then, which nobody else knows.  Nothing but a table, as callbacks' data would have to follow. */
static long starve_rename(struct equant *eq, long nth)
{
	struct equant_loop *loop = must_loop(eq, "renamed", UNITS);
	long mine[2], all[2];
	int error = 0, freed;

	demand(equant_loop_table(loop, 24, EQUANT_TABLE_AUTO));
	failed = 0;
	left = nth;
	starving = rank == victim;
	for (long n = 0; n < 16 && !error; n++) {
		error = equant_loop_rename(loop, n, UNITS - 1 - n);
		error = error ? error : hook_step(loop, n);
	}
	starving = 0;
	demand(!failed || !error || error == -ENOMEM);
	freed = equant_loop_free(loop);
	mine[0] = failed;
	mine[1] = error < 0 || freed < 0;
	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(all[1] == 0 || (all[0] && all[1] == ranks));
	return all[0];
}

static void renames(void)
{
	struct equant_options o = eager_options();
	struct equant *eq;

	o.period = 0.001;
	eq = must_open(MPI_COMM_WORLD, &o);
	for (victim = 0; victim < ranks; victim++)
		for (long nth = 1; nth < 200 && starve_rename(eq, nth); nth++)
			;
	must_close(eq);
}

/* Others may be in a move of the second loop that the victim has not come to. */
static void shared(void)
{
	pairs = 1;
	hooks();
	passes();
	pairs = 0;
}

static void asynchronous(void)
{
	starve_all(pass_step, 16, EQUANT_MODE_ASYNCHRONOUS);
}

/* Of four ranks the one between another and rank 0. */
static void in_tree(void)
{
	struct equant_options o = eager_options();

	o.period = 0.001;
	o.mode = EQUANT_MODE_ASYNCHRONOUS;
	o.control = EQUANT_CONTROL_TREE;
	starve_ranks(pass_step, 16, &o, 2, ranks);
}

static void sweeps(void)
{
	starve_all(sweep_step, 8, EQUANT_MODE_PIPELINED);
}

/* ---- contexts --------------------------------------------------------------------- */

/* The @nth allocation fails on the victim; 0 if there are fewer.  All open it or none, or it can do without. */
static long starve_context(long nth)
{
	struct equant *eq;
	long mine[2], all[2];
	int error;

	failed = 0;
	left = nth;
	starving = rank == victim;
	error = equant_open(&eq, MPI_COMM_WORLD, NULL);
	starving = 0;
	mine[0] = failed;
	mine[1] = error < 0;
	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(all[1] == 0 || (all[0] && all[1] == ranks));
	demand(!failed || !error || error == -ENOMEM);
	demand_equal(error, eq ? 0 : error);
	must_close(eq);
	return all[0];
}

static void contexts(void)
{
	for (victim = 0; victim < ranks; victim++)
		for (long nth = 1; starve_context(nth); nth++)
			;
}

/* ---- reductions ------------------------------------------------------------------- */

struct place {
	double value;
	int rank;
};

/* The @nth allocation fails on the victim; 0 if there are fewer.  Of pairs the largest, of numbers the sum. */
static long starve_reduction(struct equant *eq, int pairs, long nth)
{
	struct place mine = { rank, rank }, result;
	long all;
	int error;

	failed = 0;
	left = nth;
	starving = rank == victim;
	error = equant_allreduce(eq, &mine, &result, 1, pairs ? MPI_DOUBLE_INT : MPI_DOUBLE,
				 pairs ? MPI_MAXLOC : MPI_SUM);
	starving = 0;
	MPI_Allreduce(&failed, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(all ? -ENOMEM : 0, error);
	demand(all || result.value == (pairs ? ranks - 1 : ranks * (ranks - 1) / 2));
	return all;
}

/* Pairs have gaps and are combined by messages, and between nodes all are; on one node no memory is needed. */
static void reductions(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	long starved[2] = { 0 };

	for (victim = 0; victim < ranks; victim++)
		for (int pairs = 0; pairs < 2; pairs++)
			for (long nth = 1; starve_reduction(eq, pairs, nth); nth++)
				starved[pairs]++;
	demand(starved[1]);
	demand_equal(getenv("NODES") != NULL, starved[0] > 0);
	must_close(eq);
}

/* ---- graphs ----------------------------------------------------------------------- */

static int fed_body(const struct equant_dag_handle *handle, void *user)
{
	int hungry = starving, error;

	starving = 0;
	error = work_body(handle, user);
	starving = hungry;
	return error;
}

/* From the @nth on the victim gets nothing more; a run that has failed is cleaned up all the same. */
static long starve_graph(struct work *work, struct equant_dag_run *run, long nth)
{
	long all;
	int error;

	failed = 0;
	left = nth;
	starving = rank == victim;
	error = equant_dag_carry_out(run);
	starving = 0;
	MPI_Allreduce(&failed, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(all ? -ENOMEM : 0, error);
	memset(work->runs, 0, (size_t)work->dag->tasks * sizeof(*work->runs));
	demand_equal(0, equant_dag_carry_out(run));
	work_demand_done(work);
	return all;
}

static void graphs(void)
{
	struct random random = common_random();

	for_good = 1;
	for (int round = 0; round < 3; round++) {
		struct work work = work_set_up(MPI_COMM_WORLD,
					       work_graph(round ? "fft" : "fork", &random),
					       work_machine(ranks, &random), "heft", &random);
		struct equant_dag_run_options options = work_options(&work);
		struct equant_dag_run *run;

		options.body = fed_body;
		run = equant_dag_run_new(work.eq, &options);
		demand(run);
		for (victim = 0; victim < ranks; victim++)
			for (long nth = 1; starve_graph(&work, run, nth); nth++)
				;
		demand_equal(0, equant_dag_run_free(run));
		work_tear_down(&work);
	}
}

/* ---- transfers -------------------------------------------------------------------- */

/* All have one or none has; and none, if something has failed that is not done without. */
static void demand_agreed(const void *made, long all)
{
	demand_same(made != NULL);
	demand(made || all);
	demand(made || errno == ENOMEM || errno == ECANCELED);
}

/* The @nth allocation fails on the victim while a transfer is made; 0 if there are fewer. */
static long starve_transfer(struct setup *s, const struct equant_transfer_options *options,
			    long nth)
{
	struct equant_transfer *transfer;
	long all;

	failed = 0;
	left = nth;
	starving = rank == victim;
	transfer = equant_transfer_new(MPI_COMM_WORLD, &s->array, s->element, options);
	starving = 0;
	MPI_Allreduce(&failed, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_agreed(transfer, all);
	if (transfer)
		must_run(transfer, s);
	demand_equal(0, equant_transfer_free(transfer));
	return all;
}

static void transfers(void)
{
	struct random random = common_random();
	struct equant_redist_network *network =
		equant_redist_network_random(ranks, 1e-5, 1e3, 1e6, 1, NULL, 0);
	const struct equant_transfer_options options[] = {
		{ .sz = sizeof(options[0]), .scheduler = "preemptive" },
		{ .sz = sizeof(options[0]), .network = network, .router = "relay" },
	};
	struct setup s;

	demand(network);
	setup_small(&s, &random);
	for (int i = 0; i < 2; i++)
		for (victim = 0; victim < ranks; victim++)
			for (long nth = 1; starve_transfer(&s, &options[i], nth); nth++)
				;
	setup_free(&s);
	equant_redist_network_free(network);
}

/* The same of a part of a matrix, with plans that are made and kept. */
static long starve_part(const struct equant_redist_network *network, long nth)
{
	const struct equant_transfer_options options = { .sz = sizeof(options),
							 .network = network,
							 .scheduler = "shortest",
							 .window = EQUANT_TRANSFER_WINDOW_NETWORK };
	struct equant_gemr2d_matrix a = { .rows = 5L * ranks,
					  .columns = 1,
					  .row_block = 5,
					  .column_block = 1,
					  .grid_rows = ranks,
					  .grid_columns = 1,
					  .my_row = rank,
					  .leading = 5 },
				    b = a;
	double from[5] = { rank }, to[5] = { -1 };
	struct equant_gemr2d_plans *plans;
	int error = 0;
	long all;

	b.first_row = 1;
	failed = 0;
	left = nth;
	starving = rank == victim;
	plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 2, 0);
	if (plans)
		error = equant_gemr2d_plans_use(plans, &options);
	if (plans && !error)
		error = equant_gemr2d(plans, a.rows, 1, MPI_DOUBLE, &a, from, &b, to);
	starving = 0;
	MPI_Allreduce(&failed, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_agreed(plans, all);
	demand_same(error != 0);
	demand(!error || error == -ENOMEM || error == -ECANCELED);
	if (plans && error)
		error = equant_gemr2d_plans_use(plans, &options);
	if (plans && !error)
		error = equant_gemr2d(plans, a.rows, 1, MPI_DOUBLE, &a, from, &b, to);
	demand_equal(0, error);
	demand(!plans || to[0] == (rank + ranks - 1) % ranks);
	demand_equal(0, equant_gemr2d_plans_free(plans));
	return all;
}

static void parts(void)
{
	struct equant_redist_network *network =
		equant_redist_network_new(ranks, 1e-5, 1e8, NULL, 0);

	demand(network);
	for (victim = 0; victim < ranks; victim++)
		for (long nth = 1; starve_part(network, nth); nth++)
			;
	equant_redist_network_free(network);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(contexts),	  CASE(renames),      CASE(hooks),     CASE(passes),
		CASE(shared),	  CASE(asynchronous), CASE(in_tree),   CASE(sweeps),
		CASE(reductions), CASE(graphs),	      CASE(transfers), CASE(parts),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
