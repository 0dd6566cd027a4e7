// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * gemr2d X K ROUNDS [ELEMENTS]: doubles from cyclic(X) to cyclic(K X) on all ranks, by equant and by others,
 * one after the other in each round.  A time is from the first rank's start to the last one's end, ms, and
 * planning is a part of it.  The floor is a memcpy of the local array by all ranks at once.
 *
 * Prints ROUND WAY MS; every result is compared with what it must be.
 */
#include <equant/gemr2d.h>
#include <equant/redist.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gemr2d/scalapack.h"

/**
 * struct side - cyclic(@block) on all ranks
 * @length: of @local
 */
struct side {
	int64_t block;
	int64_t length;
	double *local;
};

static int rank, ranks, context;
static int64_t elements;
static struct side from, to;
static struct equant_gemr2d_plans *none, *kept;

static void die(const char *what)
{
	fprintf(stderr, "gemr2d: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static void *memory(size_t bytes)
{
	void *p = malloc(bytes + 1);

	if (!p)
		die("no memory");
	return p;
}

/* ---- by equant, and by ScaLAPACK ------------------------------------------------------- */

static struct equant_gemr2d_matrix matrix(const struct side *side)
{
	return (struct equant_gemr2d_matrix){
		.rows = elements,
		.columns = 1,
		.row_block = side->block,
		.column_block = 1,
		.grid_rows = ranks,
		.grid_columns = 1,
		.my_row = rank,
		.leading = side->length,
	};
}

static void by_plans(struct equant_gemr2d_plans *plans)
{
	struct equant_gemr2d_matrix a = matrix(&from), b = matrix(&to);

	if (equant_gemr2d(plans, elements, 1, MPI_DOUBLE, &a, from.local, &b, to.local))
		die("equant_gemr2d");
}

static void by_equant(void)
{
	by_plans(none);
}

static void by_plan_kept(void)
{
	by_plans(kept);
}

static void by_scalapack(void)
{
	int a[9] = { 1, context, (int)elements, 1, (int)from.block, 1, 0, 0, (int)from.length };
	int b[9] = { 1, context, (int)elements, 1, (int)to.block, 1, 0, 0, (int)to.length };

	Cpdgemr2d((int)elements, 1, from.local, 1, 1, a, to.local, 1, 1, b, context);
}

/* ---- by MPI's collectives -------------------------------------------------------------- */

/* Call @each with the rank that has it on the other side for each run of this rank's elements. */
static __always_inline void walk(const struct side *mine, int64_t other,
				 void (*each)(void *to, int peer, int64_t at, int64_t n),
				 void *with)
{
	int64_t at = 0;

	for (int64_t g = rank * mine->block; g < elements; g += (ranks - 1) * mine->block) {
		int64_t end = g + mine->block < elements ? g + mine->block : elements;

		while (g < end) {
			int64_t stop = (g / other + 1) * other;

			stop = stop < end ? stop : end;
			each(with, (int)(g / other % ranks), at, stop - g);
			at += stop - g;
			g = stop;
		}
	}
}

/**
 * struct exchange - one side of a collective
 * @counts: of each rank: elements, or runs
 * @starts: of each rank
 * @next: likewise
 * @buffer: packed elements
 * @local: the array
 * @lengths: of runs
 * @places: of runs
 */
struct exchange {
	int *counts;
	int *starts;
	int *next;
	double *buffer;
	double *local;
	int *lengths;
	int *places;
};

static void count_elements(void *with, int peer, int64_t at, int64_t n)
{
	(void)at;
	((struct exchange *)with)->counts[peer] += (int)n;
}

static void count_runs(void *with, int peer, int64_t at, int64_t n)
{
	(void)at;
	(void)n;
	((struct exchange *)with)->counts[peer]++;
}

static void pack(void *with, int peer, int64_t at, int64_t n)
{
	struct exchange *x = with;

	memcpy(x->buffer + x->next[peer], x->local + at, (size_t)n * sizeof(double));
	x->next[peer] += (int)n;
}

static void unpack(void *with, int peer, int64_t at, int64_t n)
{
	struct exchange *x = with;

	memcpy(x->local + at, x->buffer + x->next[peer], (size_t)n * sizeof(double));
	x->next[peer] += (int)n;
}

static void note_run(void *with, int peer, int64_t at, int64_t n)
{
	struct exchange *x = with;

	x->lengths[x->next[peer]] = (int)n;
	x->places[x->next[peer]++] = (int)at;
}

/* After counting: where each rank's begin.  Return: all of them. */
static int begin(struct exchange *x)
{
	int all = 0;

	for (int r = 0; r < ranks; r++) {
		x->starts[r] = x->next[r] = all;
		all += x->counts[r];
	}
	return all;
}

static struct exchange exchange_new(const struct side *side)
{
	return (struct exchange){
		.counts = calloc((size_t)ranks, sizeof(int)),
		.starts = memory((size_t)ranks * sizeof(int)),
		.next = memory((size_t)ranks * sizeof(int)),
		.local = side->local,
	};
}

static void exchange_free(struct exchange *x)
{
	free(x->counts);
	free(x->starts);
	free(x->next);
	free(x->buffer);
	free(x->lengths);
	free(x->places);
}

static void by_alltoallv(void)
{
	struct exchange out = exchange_new(&from), in = exchange_new(&to);

	walk(&from, to.block, count_elements, &out);
	walk(&to, from.block, count_elements, &in);
	out.buffer = memory((size_t)begin(&out) * sizeof(double));
	in.buffer = memory((size_t)begin(&in) * sizeof(double));
	walk(&from, to.block, pack, &out);
	MPI_Alltoallv(out.buffer, out.counts, out.starts, MPI_DOUBLE, in.buffer, in.counts,
		      in.starts, MPI_DOUBLE, MPI_COMM_WORLD);
	walk(&to, from.block, unpack, &in);
	exchange_free(&out);
	exchange_free(&in);
}

/* @types and @counts of the elements for each rank, or from it, where they are. */
static void index_types(const struct side *mine, int64_t other, MPI_Datatype *types, int *counts)
{
	struct exchange x = exchange_new(mine);
	size_t runs;

	walk(mine, other, count_runs, &x);
	runs = (size_t)begin(&x);
	x.lengths = memory(runs * sizeof(int));
	x.places = memory(runs * sizeof(int));
	walk(mine, other, note_run, &x);
	for (int r = 0; r < ranks; r++) {
		MPI_Type_indexed(x.counts[r], x.lengths + x.starts[r], x.places + x.starts[r],
				 MPI_DOUBLE, &types[r]);
		MPI_Type_commit(&types[r]);
		counts[r] = x.counts[r] > 0;
	}
	exchange_free(&x);
}

static void by_alltoallw(void)
{
	MPI_Datatype *types = memory(2 * (size_t)ranks * sizeof(*types));
	int *counts = memory(2 * (size_t)ranks * sizeof(*counts));
	int *starts = calloc((size_t)ranks, sizeof(*starts));

	index_types(&from, to.block, types, counts);
	index_types(&to, from.block, types + ranks, counts + ranks);
	MPI_Alltoallw(from.local, counts, starts, types, to.local, counts + ranks, starts,
		      types + ranks, MPI_COMM_WORLD);
	for (int i = 0; i < 2 * ranks; i++)
		MPI_Type_free(&types[i]);
	free(types);
	free(counts);
	free(starts);
}

/* ---- measuring --------------------------------------------------------------------------- */

static void by_memcpy(void)
{
	int64_t n = from.length < to.length ? from.length : to.length;

	memcpy(to.local, from.local, (size_t)n * sizeof(double));
}

static const struct {
	const char *name;
	void (*run)(void);
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

static double measure(void (*run)(void))
{
	double mine[2], all[2];

	MPI_Barrier(MPI_COMM_WORLD);
	mine[0] = -now();
	run();
	mine[1] = now();
	MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return all[0] + all[1];
}

/* Element g of the array is g. */
static void fill(struct side *side)
{
	int64_t at = 0;

	for (int64_t g = rank * side->block; g < elements; g += (ranks - 1) * side->block)
		for (int64_t end = g + side->block; g < end; g++)
			if (g < elements)
				side->local[at++] = (double)g;
}

static void check(const char *name)
{
	int64_t at = 0;

	for (int64_t g = rank * to.block; g < elements; g += (ranks - 1) * to.block)
		for (int64_t end = g + to.block; g < end; g++)
			if (g < elements && to.local[at++] != (double)g)
				die(name);
	memset(to.local, 0, (size_t)to.length * sizeof(double));
}

static void side_init(struct side *side, int64_t block)
{
	struct equant_redist_cyclic cyclic = { block, ranks, 0, 0 };

	side->block = block;
	side->length = equant_redist_local(elements, &cyclic, rank);
	side->local = memory((size_t)side->length * sizeof(double));
	memset(side->local, 0, (size_t)side->length * sizeof(double));
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[3]) : 0, x = argc > 1 ? atoi(argv[1]) : 0;
	int k = argc > 2 ? atoi(argv[2]) : 0;

	MPI_Init(&argc, &argv);
	Cblacs_pinfo(&rank, &ranks);
	elements = argc > 4 ? atol(argv[4]) : 10000000;
	if (x < 1 || k < 1 || rounds < 1 || elements < 1 || elements > 1 << 30 || ranks < 2)
		die("usage: gemr2d X K ROUNDS [ELEMENTS], on two or more ranks");
	Cblacs_get(-1, 0, &context);
	Cblacs_gridinit(&context, "C", ranks, 1);
	none = equant_gemr2d_plans_new(MPI_COMM_WORLD, 0, 0);
	kept = equant_gemr2d_plans_new(MPI_COMM_WORLD, 1, 0);
	side_init(&from, x);
	side_init(&to, (int64_t)x * k);
	fill(&from);
	for (int way = 0; way < WAYS - 1; way++) {
		ways[way].run();
		check(ways[way].name);
	}
	for (int round = 1; round <= rounds; round++) {
		for (int way = 0; way < WAYS; way++) {
			double ms = measure(ways[way].run);

			if (!rank)
				printf("%d %s %.4f\n", round, ways[way].name, ms);
		}
	}
	equant_gemr2d_plans_free(none);
	equant_gemr2d_plans_free(kept);
	MPI_Finalize();
	return 0;
}
