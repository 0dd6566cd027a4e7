// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops that fail leave no message behind that a later loop could take for one of its own. */
#include <equant/equant.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libledger.h"
#include "libworker.h"
#include "random.h"

#define UNITS 60

static long strays;

/* The library calls this one: what has come by now for the communicator nobody has received. */
int MPI_Comm_free(MPI_Comm *comm)
{
	MPI_Status status;
	int here = 0;

	for (int i = 0; i < 20 && !here; i++) {
		PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *comm, &here, &status);
		usleep(500);
	}
	strays += here;
	return PMPI_Comm_free(comm);
}

static void demand_no_strays(void)
{
	long all;

	MPI_Allreduce(&strays, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(0, all);
}

static struct equant_options options(int control, int depth, int check)
{
	struct equant_options o = eager_options();

	o.period = 0.001;
	o.control = (enum equant_control_mode)control;
	o.depth = depth;
	o.check = check;
	return o;
}

/* A loop that nothing is wrong with, after one that something was wrong with. */
static void go_on(struct equant *eq)
{
	struct equant_loop *loop = must_loop(eq, "after", UNITS);
	struct ledger ledger;

	ledger_init(&ledger, loop, UNITS);
	for (int n = 0; n < 30; n++) {
		equant_begin(loop);
		ledger_step(&ledger);
		compute(1e-4 * (1 + (rank + n / 10) % 3));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
	ledger_audit(&ledger, MPI_COMM_WORLD, 30);
	must_free(loop);
	ledger_free(&ledger);
}

static int hooks(struct equant_loop *loop, struct ledger *ledger, int steps, int wrong)
{
	int error = 0;

	for (int n = 0; n < steps && !error; n++) {
		equant_begin(loop);
		ledger_step(ledger);
		compute(1e-4 * (1 + (rank + n / 10) % 3));
		if (n == wrong)
			equant_begin(loop);
		equant_end(loop);
		error = equant_hook(loop);
	}
	return error;
}

/* One rank errs in some step; the last to free the loop does so a while after the others. */
static void fail_in_hooks(struct equant *eq, struct random *random)
{
	struct equant_loop *loop = must_loop(eq, "failing", UNITS);
	int victim = (int)random_below(random, ranks), late = (int)random_below(random, ranks);
	int wrong = (int)random_below(random, 40), error;
	struct ledger ledger;

	ledger_init(&ledger, loop, UNITS);
	error = hooks(loop, &ledger, 100000, rank == victim ? wrong : -1);
	demand_equal(rank == victim ? -EINVAL : -ECANCELED, error);
	if (rank == late)
		compute(0.005);
	demand_equal(error, equant_loop_free(loop));
	ledger_free(&ledger);
}

static void failed_hooks(void)
{
	struct random random = random_from(7);

	for (int control = 0; control < 3; control++)
		for (int depth = 1; depth < 5; depth += control ? 2 : 1) {
			struct equant_options o = options(control, depth, depth == 4);
			struct equant *eq = must_open(MPI_COMM_WORLD, &o);

			fail_in_hooks(eq, &random);
			go_on(eq);
			must_close(eq);
		}
	demand_no_strays();
}

/* ---- passes -------------------------------------------------------------------- */

static int passes(struct equant_loop *loop, struct ledger *ledger, int wrong)
{
	int error = 0;

	for (int n = 0; n < 100000 && !error; n++) {
		equant_pass_begin(loop);
		equant_for_each_next(loop, u) {
			ledger_unit(ledger, u);
			compute(1e-5);
		}
		error = equant_pass_end(loop);
		if (n == wrong)
			error = equant_pass_end(loop);
	}
	return error;
}

static void failed_passes(void)
{
	for (int mode = 0; mode < 2; mode++)
		for (int depth = 1; depth < 4; depth += 2) {
			struct equant_options o = options(1, depth, 0);
			struct equant_loop *loop;
			struct ledger ledger;
			struct equant *eq;
			int error;

			if (mode)
				o.mode = EQUANT_MODE_ASYNCHRONOUS;
			eq = must_open(MPI_COMM_WORLD, &o);
			loop = must_loop(eq, "failing", UNITS);
			ledger_init(&ledger, loop, UNITS);
			error = passes(loop, &ledger, rank == ranks - 1 ? 7 + depth : -1);
			demand(error < 0);
			demand(equant_loop_free(loop) < 0);
			ledger_free(&ledger);
			must_close(eq);
		}
	demand_no_strays();
}

/* ---- callbacks ------------------------------------------------------------------- */

static long refusals; /* unpacks until one is refused */
static int stubborn; /* so are all that come after it, and several ranks send at once */
static int refusal = -EIO; /* what says so: the library tells of all as of this one */

static size_t bulk_size(void *ctx, long unit)
{
	(void)ctx;
	(void)unit;
	return 3000;
}

static void bulk_pack(void *ctx, long unit, void *buffer)
{
	(void)ctx;
	memset(buffer, (int)unit, 3000);
}

static int bulk_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	const char *bytes = buffer;

	(void)ctx;
	demand_equal(3000, size);
	demand_equal((char)unit, bytes[2999]);
	refusals--;
	return refusals && !(stubborn && refusals < 0) ? 0 : refusal;
}

static const struct equant_data_ops bulk_ops = {
	.sz = sizeof(bulk_ops),
	.size = bulk_size,
	.pack = bulk_pack,
	.unpack = bulk_unpack,
};

static double seconds(int n)
{
	return 1e-5 * (stubborn ? rank < ranks - 1 ? 10 : 1 : 1 + (rank + n / 8) % 4);
}

/* The last rank refuses what is sent to it, the nth unit or all from there on. */
static int refuse(struct equant *eq, int with_passes, long nth)
{
	struct equant_loop *loop = must_loop(eq, "refusing", UNITS);
	/* One rank alone refuses nothing. */
	int error = 0, freed, ended, all, steps = ranks > 1 ? 60 : 5;

	demand_equal(0, equant_loop_data(loop, &bulk_ops, NULL));
	refusals = rank == ranks - 1 ? nth : LONG_MAX;
	for (int n = 0; n < steps && !error; n++) {
		if (with_passes) {
			equant_pass_begin(loop);
			if (n == steps - 1)
				equant_pass_join(loop);
			equant_for_each_next(loop, u)
				compute(seconds(n));
			error = equant_pass_end(loop);
		} else {
			equant_begin(loop);
			compute(seconds(n) * UNITS / ranks);
			equant_end(loop);
			error = equant_hook(loop);
		}
	}
	freed = equant_loop_free(loop);
	demand(refusals > 0 || rank < ranks - 1 || error == -EIO);
	ended = error < 0 || freed < 0;
	MPI_Allreduce(&ended, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	demand(all == 0 || all == ranks);
	return all;
}

static void failed_callbacks(void)
{
	static const int errors[] = { -EIO, -ETIMEDOUT, -ECANCELED };
	int refused = 0;

	for (int i = 0; i < 18; i++) {
		struct equant_options o = options(i % 3, i % 4, i == 5);
		struct equant *eq;

		stubborn = i % 2;
		refusal = errors[i / 6];
		if (i % 3 == 2)
			o.mode = EQUANT_MODE_ASYNCHRONOUS;
		eq = must_open(MPI_COMM_WORLD, &o);
		refused += refuse(eq, i % 3 > 0, 1 + i);
		must_close(eq);
	}
	stubborn = 0;
	refusal = -EIO;
	demand(refused || ranks == 1);
	demand_no_strays();
}

static int turn(struct equant_loop *loop, int n)
{
	equant_begin(loop);
	compute(1e-4 * (1 + (rank + n / 8) % 4));
	equant_end(loop);
	return equant_hook(loop);
}

/* The last rank refuses units of one loop and frees it, while the others wait for it in another one. */
static void refused_between_loops(void)
{
	struct equant_options o = options(0, 0, 0);
	struct equant_loop *refusing, *other;
	struct equant *eq;
	int error = 0;

	o.timeout = 1;
	eq = must_open(MPI_COMM_WORLD, &o);
	refusing = must_loop(eq, "refusing", UNITS);
	other = must_loop(eq, "other", UNITS);
	demand_equal(0, equant_loop_data(refusing, &bulk_ops, NULL));
	refusals = rank == ranks - 1;
	for (int n = 0; n < 100000 && !error; n++) {
		error = turn(refusing, n);
		if (!error)
			error = turn(other, n);
	}
	demand(error < 0);
	demand(equant_loop_free(refusing) < 0);
	equant_loop_free(other);
	must_close(eq);
}

static int fetch(struct equant_loop *loop, int copies)
{
	int error;

	if (copies)
		return equant_loop_copy(loop, 0, ranks - 1);
	error = equant_loop_ghosts_start(loop, 1, 1);
	return error ? error : equant_loop_ghosts_finish(loop);
}

/* ... or has freed the loop while they wait for its slices. */
static void refused_before_slices(void)
{
	static double slices[UNITS];

	for (int i = 0; i < 2; i++) {
		struct equant_options o = options(0, 0, 0);
		struct equant *eq = must_open(MPI_COMM_WORLD, &o);
		struct equant_loop *loop = must_loop(eq, "refusing", UNITS);
		int error = 0;

		demand_equal(0, equant_loop_array(loop, slices, sizeof(*slices)));
		demand_equal(0, equant_loop_data(loop, &bulk_ops, NULL));
		refusals = rank == ranks - 1;
		for (int n = 0; n < 100000 && !error; n++) {
			error = fetch(loop, i);
			if (!error)
				error = turn(loop, n);
		}
		demand(error < 0);
		demand(equant_loop_free(loop) < 0);
		go_on(eq);
		must_close(eq);
	}
}

static int meet(struct equant *eq, struct equant_loop *loop, int kind)
{
	static double values[UNITS];
	struct equant_loop *another;
	double result = rank;

	switch (kind) {
	case 0:
		return equant_barrier(eq);
	case 1:
		return equant_allreduce(eq, MPI_IN_PLACE, &result, 1, MPI_DOUBLE, MPI_SUM);
	case 2:
		return equant_allreduce_units(loop, values, EQUANT_SUM, &result, NULL);
	case 3:
		return equant_allreduce_units(loop, values, EQUANT_MAX, &result, NULL);
	case 4:
		return equant_loop_broadcast(loop, UNITS - 1);
	case 5:
		return equant_loop_neighbours(loop, 0, 0);
	default:
		another = equant_loop_new(eq, "another", UNITS);
		return another ? equant_loop_free(another) : -errno;
	}
}

/* ... or while they wait where all ranks meet. */
static void refused_before_meetings(void)
{
	static double slices[UNITS];

	for (int kind = 0; kind < 7; kind++) {
		struct equant_options o = options(0, 0, 0);
		struct equant_loop *loop;
		struct equant *eq;
		int error = 0;

		o.timeout = 0.2;
		eq = must_open(MPI_COMM_WORLD, &o);
		loop = must_loop(eq, "refusing", UNITS);
		demand_equal(0, equant_loop_array(loop, slices, sizeof(*slices)));
		demand_equal(0, equant_loop_data(loop, &bulk_ops, NULL));
		refusals = rank == ranks - 1;
		for (int n = 0; n < 100000 && !error; n++) {
			error = turn(loop, n);
			if (!error)
				error = meet(eq, loop, kind);
		}
		demand_equal(rank == ranks - 1 ? -EIO : -ECANCELED, error);
		demand(equant_loop_free(loop) <= 0);
		equant_close(eq);
	}
}

/* The same in asynchronous passes, where ranks hear of each other only by way of rank 0. */
static void failed_before_a_barrier(void)
{
	for (int victim = 0; victim < ranks; victim++) {
		struct equant_options o = options(1, 1, 0);
		struct equant_loop *loop;
		struct equant *eq;
		int error = 0;

		o.mode = EQUANT_MODE_ASYNCHRONOUS;
		o.timeout = 0.2;
		eq = must_open(MPI_COMM_WORLD, &o);
		loop = must_loop(eq, "failing", UNITS);
		for (int n = 0; n < 100000 && !error; n++) {
			equant_pass_begin(loop);
			equant_for_each_next(loop, u)
				compute(1e-5);
			error = equant_pass_end(loop);
			if (!error)
				error = equant_barrier(eq);
			if (error || rank != victim || n < 5)
				continue;
			/* The others are in the next barrier by then. */
			compute(0.1);
			error = equant_pass_end(loop);
		}
		demand_equal(rank == victim ? -EINVAL : -ECANCELED, error);
		demand(equant_loop_free(loop) < 0);
		equant_close(eq);
	}
}

/* ---- sweeps --------------------------------------------------------------------- */

static double mesh[UNITS + 2][UNITS + 2];

static void relax(void *ctx, long first, long units, long from, long to)
{
	/* A section within the one that the body is in. */
	if (ctx)
		equant_begin(ctx);
	for (long u = first; u < first + units; u++)
		for (long i = from + 1; i <= to; i++)
			mesh[u + 1][i] = (mesh[u][i] + mesh[u + 2][i]) / 2;
}

static void sweeps(struct equant *eq, int wrong)
{
	struct equant_loop *loop = must_loop(eq, "columns", UNITS);
	int error = 0;

	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_array(loop, mesh[1], sizeof(mesh[1])));
	demand_equal(0, equant_loop_pipelined(loop, mesh[1], sizeof(double), sizeof(double)));
	for (int n = 0; n < (wrong < 6 ? 100000 : 6) && !error; n++)
		error = equant_loop_sweep(loop, UNITS, relax,
					  n == wrong && rank == ranks / 2 ? loop : NULL);
	demand_equal(wrong < 6, error < 0);
	/* All have failed: some free the loop when others have done so. */
	compute(0.01 * rank);
	if (wrong == 6)
		must_free(loop);
	else
		demand(equant_loop_free(loop) < 0);
}

static void failed_sweeps(void)
{
	struct equant_options o = options(0, 1, 0);
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);

	for (int n = 0; n < 4; n++) {
		sweeps(eq, n);
		sweeps(eq, 6);
	}
	must_close(eq);
	demand_no_strays();
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(failed_hooks),
		CASE(failed_passes),
		CASE(failed_callbacks),
		CASE(failed_sweeps),
		CASE(refused_between_loops, .alone = 1),
		CASE(refused_before_slices, .least = 2),
		CASE(failed_before_a_barrier, .alone = 1),
		CASE(refused_before_meetings, .alone = 1),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
