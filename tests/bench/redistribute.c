// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * redistribute NETWORK K NAME ROUNDS: cyclic(1000) to cyclic(1000 K) of 10^7 doubles, one after the other by a
 * transfer, by one that relays, by equant_gemr2d() as what replaces ScaLAPACK's pdgemr2d uses it with the
 * network's file and without, by MPI_Alltoallv with packing, by MPI_Alltoallw with types, and by that
 * pdgemr2d.  Planning is in the last one's time only, as that plans each time.  Prints a line per round: the
 * seconds of the slowest rank beside the bound.  Results are compared with the definition.
 */
#include <equant/gemr2d.h>
#include <equant/transfer.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemr2d/scalapack.h"

#define ELEMENTS 10000000
#define BLOCK 1000

static int rank, ranks;

/**
 * struct bench - the arrays, and what each way of redistributing them needs
 * @plans: for the network, and for one that is not known
 * @out: what this rank has for each
 * @in: what it gets from each
 * @counts: doubles: of @out, and of @in
 * @starts: where they begin in @packed
 * @types: of @out in @a, and of @in in @b
 * @context: of the BLACS
 */
struct bench {
	struct equant_redist_array array;
	struct equant_redist_network *network;
	struct equant_transfer *transfer;
	struct equant_transfer *relayed;
	struct equant_gemr2d_plans *plans[2];
	struct equant_redist_part **out;
	struct equant_redist_part **in;
	int *counts[2];
	int *starts[2];
	double *packed[2];
	MPI_Datatype *types[2];
	double *a;
	double *b;
	int context;
};

static void fail(const char *what)
{
	fprintf(stderr, "redistribute: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *memory(int64_t count, size_t size)
{
	void *zeros = calloc((size_t)count + 1, size);

	if (!zeros)
		fail("no memory");
	return zeros;
}

/* ---- the ways ---------------------------------------------------------------------------- */

static const int64_t stride[1] = { 1 };

static void by_transfer(struct bench *bench)
{
	if (equant_transfer_run(bench->transfer, stride, bench->a, stride, bench->b))
		fail("equant_transfer_run");
}

static void by_relays(struct bench *bench)
{
	if (equant_transfer_run(bench->relayed, stride, bench->a, stride, bench->b))
		fail("equant_transfer_run");
}

static void by_alltoallv(struct bench *bench)
{
	for (int r = 0; r < ranks; r++)
		equant_redist_pack(bench->out[r], sizeof(double), stride, bench->a,
				   bench->packed[0] + bench->starts[0][r]);
	MPI_Alltoallv(bench->packed[0], bench->counts[0], bench->starts[0], MPI_DOUBLE,
		      bench->packed[1], bench->counts[1], bench->starts[1], MPI_DOUBLE,
		      MPI_COMM_WORLD);
	for (int r = 0; r < ranks; r++)
		equant_redist_unpack(bench->in[r], sizeof(double), stride,
				     bench->packed[1] + bench->starts[1][r], bench->b);
}

static void by_alltoallw(struct bench *bench)
{
	int ones[64], zeros[64] = { 0 };

	for (int r = 0; r < ranks; r++)
		ones[r] = 1;
	MPI_Alltoallw(bench->a, ones, zeros, bench->types[0], bench->b, ones, zeros,
		      bench->types[1], MPI_COMM_WORLD);
}

static void describe(const struct bench *bench, const struct equant_redist_cyclic *cyclic,
		     int desc[9])
{
	const int rows = ELEMENTS, local = (int)equant_redist_local(ELEMENTS, cyclic, rank);
	const int values[9] = { 1, bench->context, rows, 1, (int)cyclic->block, 1, 0, 0, local };

	memcpy(desc, values, sizeof(values));
}

static void by_pdgemr2d(struct bench *bench)
{
	int a[9], b[9];

	describe(bench, &bench->array.from[0], a);
	describe(bench, &bench->array.to[0], b);
	Cpdgemr2d(ELEMENTS, 1, bench->a, 1, 1, a, bench->b, 1, 1, b, bench->context);
}

static struct equant_gemr2d_matrix column(const struct equant_redist_cyclic *cyclic)
{
	return (struct equant_gemr2d_matrix){
		.rows = ELEMENTS,
		.columns = 1,
		.row_block = cyclic->block,
		.column_block = 1,
		.grid_rows = ranks,
		.grid_columns = 1,
		.my_row = rank,
		.leading = equant_redist_local(ELEMENTS, cyclic, rank),
	};
}

static void by_plans(struct bench *bench, struct equant_gemr2d_plans *plans)
{
	struct equant_gemr2d_matrix a = column(&bench->array.from[0]);
	struct equant_gemr2d_matrix b = column(&bench->array.to[0]);

	if (equant_gemr2d(plans, ELEMENTS, 1, MPI_DOUBLE, &a, bench->a, &b, bench->b))
		fail("equant_gemr2d");
}

static void by_gemr2d(struct bench *bench)
{
	by_plans(bench, bench->plans[0]);
}

static void by_unknown(struct bench *bench)
{
	by_plans(bench, bench->plans[1]);
}

static const struct way {
	const char *name;
	void (*run)(struct bench *bench);
} ways[] = {
	{ "equant", by_transfer },   { "relayed", by_relays },	    { "gemr2d", by_gemr2d },
	{ "unknown", by_unknown },   { "alltoallv", by_alltoallv }, { "alltoallw", by_alltoallw },
	{ "pdgemr2d", by_pdgemr2d },
};

#define WAYS ((int)(sizeof(ways) / sizeof(ways[0])))

/* ---- set-up ------------------------------------------------------------------------------ */

static MPI_Datatype make_type(const struct equant_redist_part *part, int side)
{
	const struct equant_redist_runs *runs = part->runs[0];
	int *lengths = memory(part->elements, sizeof(int)), count = 0;
	int *places = memory(part->elements, sizeof(int));
	MPI_Datatype type;

	for (int64_t i = 0; i < runs->count; i++) {
		const struct equant_redist_run *run = &runs->run[i];

		for (int64_t k = 0; k < run->repeats * run->count; k++) {
			int64_t period = k / run->count, step = k % run->count;

			lengths[count] = (int)run->length;
			places[count++] = (int)(side ? run->to + period * run->to_period +
								step * run->to_step :
						       run->from + period * run->from_period +
								step * run->from_step);
		}
	}
	MPI_Type_indexed(count, lengths, places, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	free(lengths);
	free(places);
	return type;
}

static void set_up_parts(struct bench *bench)
{
	bench->out = memory(ranks, sizeof(struct equant_redist_part *));
	bench->in = memory(ranks, sizeof(struct equant_redist_part *));
	for (int side = 0; side < 2; side++) {
		int start = 0;

		bench->counts[side] = memory(ranks, sizeof(int));
		bench->starts[side] = memory(ranks, sizeof(int));
		bench->types[side] = memory(ranks, sizeof(MPI_Datatype));
		for (int r = 0; r < ranks; r++) {
			struct equant_redist_part *part = equant_redist_part_new(
				&bench->array, side ? r : rank, side ? rank : r);

			if (!part)
				fail("equant_redist_part_new");
			(side ? bench->in : bench->out)[r] = part;
			bench->counts[side][r] = (int)part->elements;
			bench->starts[side][r] = start;
			bench->types[side][r] = make_type(part, side);
			start += (int)part->elements;
		}
		bench->packed[side] = memory(start, sizeof(double));
	}
}

static int64_t global(const struct equant_redist_cyclic *cyclic, int64_t k)
{
	return (k / cyclic->block * ranks + rank) * cyclic->block + k % cyclic->block;
}

static void set_up(struct bench *bench, const char *path, long k)
{
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .network = bench->network,
						   .scheduler = "shortest",
						   .window = EQUANT_TRANSFER_WINDOW_NETWORK };
	int64_t here;

	bench->array = (struct equant_redist_array){ .dimensions = 1, .extent = { ELEMENTS } };
	bench->array.from[0] = (struct equant_redist_cyclic){ .block = BLOCK, .processes = ranks };
	bench->array.to[0] =
		(struct equant_redist_cyclic){ .block = k * BLOCK, .processes = ranks };
	here = equant_redist_local(ELEMENTS, &bench->array.from[0], rank);
	bench->a = memory(here, sizeof(double));
	for (int64_t i = 0; i < here; i++)
		bench->a[i] = (double)global(&bench->array.from[0], i);
	bench->b = memory(equant_redist_local(ELEMENTS, &bench->array.to[0], rank), sizeof(double));
	set_up_parts(bench);
	Cblacs_get(-1, 0, &bench->context);
	Cblacs_gridinit(&bench->context, "C", ranks, 1);
	bench->transfer =
		equant_transfer_new(MPI_COMM_WORLD, &bench->array, sizeof(double), &options);
	for (int i = 0; i < 2; i++)
		bench->plans[i] = equant_gemr2d_plans_new(MPI_COMM_WORLD, 8, 0);
	if (!bench->plans[0] || !bench->plans[1] ||
	    equant_gemr2d_plans_use(bench->plans[0], &options))
		fail("equant_gemr2d_plans");
	options.scheduler = NULL;
	options.router = "relay";
	bench->relayed =
		equant_transfer_new(MPI_COMM_WORLD, &bench->array, sizeof(double), &options);
	if (!bench->transfer || !bench->relayed)
		fail(path);
}

/* ---- measuring --------------------------------------------------------------------------- */

static void check(struct bench *bench, const char *name)
{
	int64_t here = equant_redist_local(ELEMENTS, &bench->array.to[0], rank);

	for (int64_t i = 0; i < here; i++)
		if (bench->b[i] != (double)global(&bench->array.to[0], i))
			fail(name);
	memset(bench->b, 0, (size_t)here * sizeof(double));
}

static double measure(struct bench *bench, const struct way *way)
{
	double elapsed, longest = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	elapsed = -MPI_Wtime();
	way->run(bench);
	elapsed += MPI_Wtime();
	check(bench, way->name);
	MPI_Allreduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return longest;
}

/* No transfer of what goes straight is faster, and none of what goes as the router has it. */
static double bound(const struct bench *bench, int64_t count,
		    const struct equant_redist_volume *volumes)
{
	return equant_redist_network_bound(bench->network, count, volumes, false);
}

/* What the legs of all steps carry between the same ranks, together. */
static double bound_of_route(const struct bench *bench, int64_t count,
			     const struct equant_redist_volume *volumes)
{
	struct equant_redist_volume *sums = memory((int64_t)ranks * ranks, sizeof(*sums));
	struct equant_redist_route *route =
		equant_redist_route_new("relay", bench->network, count, volumes, NULL, 0);
	double seconds;

	if (!route)
		fail("equant_redist_route_new");
	for (int i = 0; i < ranks * ranks; i++)
		sums[i] = (struct equant_redist_volume){ i / ranks, i % ranks, 0 };
	for (int64_t i = 0; i < route->count; i++)
		sums[route->legs[i].from * ranks + route->legs[i].to].bytes += route->legs[i].bytes;
	seconds = bound(bench, (int64_t)ranks * ranks, sums);
	equant_redist_route_free(route);
	free(sums);
	return seconds;
}

static void print(const struct bench *bench, long round, const char *name, const double *seconds)
{
	int64_t count;
	struct equant_redist_volume *volumes =
		equant_redist_volumes(&bench->array, sizeof(double), NULL, NULL, &count);

	if (!volumes)
		fail("equant_redist_volumes");
	printf("%ld\t%s\tbound=%.6f\troute=%.6f", round, name, bound(bench, count, volumes),
	       bound_of_route(bench, count, volumes));
	free(volumes);
	for (int w = 0; w < WAYS; w++)
		printf("\t%s=%.6f", ways[w].name, seconds[w]);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct bench bench = { 0 };
	char why[200] = "usage: redistribute NETWORK K NAME ROUNDS";
	long rounds = argc == 5 ? strtol(argv[4], NULL, 10) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rounds)
		bench.network = equant_redist_network_read(argv[1], why, sizeof(why));
	if (!bench.network)
		fail(why);
	set_up(&bench, argv[1], strtol(argv[2], NULL, 10));
	/* The first round opens connections. */
	for (long round = 0; round <= rounds; round++) {
		double seconds[WAYS];

		for (int w = 0; w < WAYS; w++)
			seconds[w] = measure(&bench, &ways[w]);
		if (!rank && round)
			print(&bench, round, argv[3], seconds);
	}
	equant_transfer_free(bench.transfer);
	equant_transfer_free(bench.relayed);
	for (int i = 0; i < 2; i++)
		equant_gemr2d_plans_free(bench.plans[i]);
	MPI_Finalize();
	return 0;
}
