// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * gemr2d X K ROUNDS [ELEMENTS]: doubles from cyclic(X) to cyclic(K X) on all ranks, by equant and by others,
 * one after the other in each round.  A time is from the first rank's start to the last one's end, ms, and
 * planning is a part of it.  The floor is a memcpy of the local array by all ranks at once.
 *
 * Prints ROUND WAY MS; every result is compared with what it must be, outside of that time.
 */
#include <equant/gemr2d.h>
#include <equant/redist.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gemr2d/scalapack.h"
#include "libcollective.h"

static int context;
static struct equant_gemr2d_plans *none, *kept;

/* ---- by equant, and by ScaLAPACK ------------------------------------------------------- */

static struct equant_gemr2d_matrix matrix(const struct change *change, const struct side *side)
{
	return (struct equant_gemr2d_matrix){
		.rows = change->elements,
		.columns = 1,
		.row_block = side->block,
		.column_block = 1,
		.grid_rows = change->ranks,
		.grid_columns = 1,
		.my_row = change->rank,
		.leading = side->length,
	};
}

static void by_plans(struct equant_gemr2d_plans *plans, const struct change *change)
{
	struct equant_gemr2d_matrix a = matrix(change, &change->from),
				    b = matrix(change, &change->to);

	if (equant_gemr2d(plans, change->elements, 1, MPI_DOUBLE, &a, change->from.local, &b,
			  change->to.local))
		die("equant_gemr2d");
}

static void by_equant(const struct change *change)
{
	by_plans(none, change);
}

static void by_plan_kept(const struct change *change)
{
	by_plans(kept, change);
}

static void by_scalapack(const struct change *change)
{
	const struct side *from = &change->from, *to = &change->to;
	int n = (int)change->elements;
	int a[9] = { 1, context, n, 1, (int)from->block, 1, 0, 0, (int)from->length };
	int b[9] = { 1, context, n, 1, (int)to->block, 1, 0, 0, (int)to->length };

	Cpdgemr2d(n, 1, from->local, 1, 1, a, to->local, 1, 1, b, context);
}

/* ---- measuring --------------------------------------------------------------------------- */

static void by_memcpy(const struct change *change)
{
	const struct side *from = &change->from, *to = &change->to;
	int64_t n = from->length < to->length ? from->length : to->length;

	memcpy(to->local, from->local, (size_t)n * sizeof(double));
}

static const struct {
	const char *name;
	void (*run)(const struct change *change);
} ways[] = {
	{ "equant", by_equant },       { "kept", by_plan_kept },      { "pdgemr2d", by_scalapack },
	{ "alltoallv", by_alltoallv }, { "alltoallw", by_alltoallw }, { "memcpy", by_memcpy },
};

#define WAYS (int)(sizeof(ways) / sizeof(ways[0]))

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double measure(const struct change *change, int way)
{
	double mine[2], all[2];

	MPI_Barrier(MPI_COMM_WORLD);
	mine[0] = -now();
	ways[way].run(change);
	mine[1] = now();
	MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return all[0] + all[1];
}

/* Element g of the array is g: put it there, or look whether it is. */
static bool walk_elements(const struct change *change, const struct side *side, bool fill)
{
	int64_t step = (change->ranks - 1) * side->block, at = 0;

	for (int64_t g = change->rank * side->block; g < change->elements; g += step) {
		for (int64_t end = g + side->block; g < end; g++) {
			if (g < change->elements && fill)
				side->local[at++] = (double)g;
			else if (g < change->elements && side->local[at++] != (double)g)
				return false;
		}
	}
	return true;
}

static void side_init(const struct change *change, struct side *side, int64_t block)
{
	struct equant_redist_cyclic cyclic = { block, change->ranks, 0, 0 };

	side->block = block;
	side->length = equant_redist_local(change->elements, &cyclic, change->rank);
	side->local = memory((size_t)side->length * sizeof(double));
}

/* What a way leaves, where nothing was, but for the last, which is no redistribution. */
static double must_run(const struct change *change, int way)
{
	double ms;

	memset(change->to.local, 0xff, (size_t)change->to.length * sizeof(double));
	ms = measure(change, way);
	if (way < WAYS - 1 && !walk_elements(change, &change->to, false))
		die(ways[way].name);
	return ms;
}

/* The first round is for memory that is touched for the first time, and plans that are kept. */
static void measure_ways(const struct change *change, int rounds)
{
	for (int round = 0; round <= rounds; round++) {
		for (int way = 0; way < WAYS; way++) {
			double ms = must_run(change, way);

			if (!change->rank && round)
				printf("%d %s %.4f\n", round, ways[way].name, ms);
		}
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[3]) : 0, x = argc > 1 ? atoi(argv[1]) : 0;
	struct change change = { 0 };
	int k = argc > 2 ? atoi(argv[2]) : 0;

	MPI_Init(&argc, &argv);
	Cblacs_pinfo(&change.rank, &change.ranks);
	change.elements = argc > 4 ? atol(argv[4]) : 10000000;
	if (x < 1 || k < 1 || rounds < 1 || change.elements < 1 || change.elements > 1 << 30 ||
	    change.ranks < 2)
		die("usage: gemr2d X K ROUNDS [ELEMENTS], on two or more ranks");
	Cblacs_get(-1, 0, &context);
	Cblacs_gridinit(&context, "C", change.ranks, 1);
	none = equant_gemr2d_plans_new(MPI_COMM_WORLD, 0, 0);
	kept = equant_gemr2d_plans_new(MPI_COMM_WORLD, 1, 0);
	side_init(&change, &change.from, x);
	side_init(&change, &change.to, (int64_t)x * k);
	change.out = memory((size_t)change.from.length * sizeof(double));
	change.in = memory((size_t)change.to.length * sizeof(double));
	walk_elements(&change, &change.from, true);
	measure_ways(&change, rounds);
	equant_gemr2d_plans_free(none);
	equant_gemr2d_plans_free(kept);
	MPI_Finalize();
	return 0;
}
