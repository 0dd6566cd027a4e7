// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * drop BEFORE AFTER COMMAND order|relay: 10^7 doubles from cyclic(1000) to cyclic(4000), again and again,
 * in turns by a transfer that is refreshed after each run and by one that keeps its plan; BEFORE and
 * AFTER are what the network is like before COMMAND is run on rank 0, after three turns, and afterwards.
 * With "order" a rank sends one message at a time, so it matters which; with "relay" data goes by way
 * of other ranks.  Prints the seconds of the last turn before and of those afterwards, each over the bound of
 * what goes straight: after1 is the first one, that nothing is known for, kept1 the same of the plan that
 * is kept, and so on.  Results are compared with the definition.
 */
#include <equant/transfer.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS 10000000
#define EAGER 60000 /* bytes of a piece that goes without asking, also where a window is given */
#define BEFORE 3
#define AFTERWARDS 4

static const struct way {
	const char *name;
	const char *scheduler;
	const char *router;
	int window;
} ways[] = {
	{ "order", "shortest", NULL, 1 },
	{ "relay", NULL, "relay", EQUANT_TRANSFER_WINDOW_NETWORK },
};

static int rank;

static void fail(const char *what)
{
	fprintf(stderr, "drop: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static struct equant_redist_network *must_read(const char *path)
{
	char why[200];
	struct equant_redist_network *network = equant_redist_network_read(path, why, sizeof(why));

	if (!network)
		fail(why);
	return network;
}

static const struct way *must_find(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	fail(name);
	return NULL;
}

static double bound(const struct equant_redist_array *array, const char *path,
		    const struct way *way)
{
	struct equant_redist_network *network = must_read(path);
	struct equant_redist_volume *volumes;
	double seconds;
	int64_t count;

	volumes = equant_redist_volumes(array, sizeof(double), NULL, NULL, &count);
	if (!volumes)
		fail("equant_redist_volumes");
	seconds = equant_redist_network_bound(network, count, volumes, way->window == 1);
	free(volumes);
	equant_redist_network_free(network);
	return seconds;
}

static struct equant_transfer *make(const struct equant_redist_array *array, const char *path,
				    const struct way *way)
{
	struct equant_redist_network *network = must_read(path);
	const struct equant_transfer_options options = { .sz = sizeof(options),
							 .network = network,
							 .scheduler = way->scheduler,
							 .router = way->router,
							 .window = way->window,
							 .largest = EAGER };
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, array, sizeof(double), &options);

	if (!transfer)
		fail("equant_transfer_new");
	equant_redist_network_free(network);
	return transfer;
}

/**
 * struct arrays - what is redistributed
 * @array: its distributions
 * @a: what this rank has
 * @b: what it gets
 */
struct arrays {
	struct equant_redist_array array;
	double *a;
	double *b;
};

static int64_t here(const struct equant_redist_cyclic *cyclic)
{
	return equant_redist_local(ELEMENTS, cyclic, rank);
}

/* Which element of the array this rank's element @k is. */
static double global(const struct equant_redist_cyclic *cyclic, int64_t k)
{
	return (double)((k / cyclic->block * cyclic->processes + rank) * cyclic->block +
			k % cyclic->block);
}

static void fill(struct arrays *arrays)
{
	const struct equant_redist_cyclic *from = &arrays->array.from[0];

	arrays->a = calloc((size_t)here(from) + 1, sizeof(double));
	arrays->b = calloc((size_t)here(&arrays->array.to[0]) + 1, sizeof(double));
	if (!arrays->a || !arrays->b)
		fail("no memory");
	for (int64_t k = 0; k < here(from); k++)
		arrays->a[k] = global(from, k);
}

/* Also makes that nothing of it is taken for what comes next. */
static void check(struct arrays *arrays)
{
	const struct equant_redist_cyclic *to = &arrays->array.to[0];

	for (int64_t k = 0; k < here(to); k++) {
		if (arrays->b[k] != global(to, k))
			fail("the result is wrong");
		arrays->b[k] = -1;
	}
}

static double measure(struct equant_transfer *transfer, struct arrays *arrays)
{
	static const int64_t stride[1] = { 1 };
	double elapsed, longest = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	elapsed = -MPI_Wtime();
	if (equant_transfer_run(transfer, stride, arrays->a, stride, arrays->b))
		fail("equant_transfer_run");
	elapsed += MPI_Wtime();
	check(arrays);
	MPI_Allreduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return longest;
}

/* A turn: seconds of the one that is refreshed and of the one that is not, over @bound. */
static void turn(struct equant_transfer *transfers[2], struct arrays *arrays, double bound,
		 double times[2])
{
	int changed;

	for (int i = 0; i < 2; i++)
		times[i] = measure(transfers[i], arrays) / bound;
	if (equant_transfer_refresh(transfers[0], &changed))
		fail("equant_transfer_refresh");
}

static void run(struct equant_transfer *transfers[2], const char *command, struct arrays *arrays,
		const double bounds[2])
{
	double times[2];

	for (int i = 0; i < BEFORE; i++)
		turn(transfers, arrays, bounds[0], times);
	if (!rank)
		printf("before=%.4f", times[0]);
	if (!rank && system(command))
		fail(command);
	for (int i = 1; i <= AFTERWARDS; i++) {
		turn(transfers, arrays, bounds[1], times);
		if (!rank)
			printf("\tafter%d=%.4f\tkept%d=%.4f", i, times[0], i, times[1]);
	}
	if (!rank)
		printf("\n");
}

int main(int argc, char **argv)
{
	struct arrays arrays = { .array = { .dimensions = 1, .extent = { ELEMENTS } } };
	struct equant_redist_array *array = &arrays.array;
	struct equant_transfer *transfers[2];
	const struct way *way;
	double bounds[2];
	int ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 5)
		fail("usage: drop BEFORE AFTER COMMAND order|relay");
	way = must_find(argv[4]);
	array->from[0] = (struct equant_redist_cyclic){ .block = 1000, .processes = ranks };
	array->to[0] = (struct equant_redist_cyclic){ .block = 4000, .processes = ranks };
	for (int i = 0; i < 2; i++)
		bounds[i] = bound(array, argv[1 + i], way);
	fill(&arrays);
	for (int i = 0; i < 2; i++)
		transfers[i] = make(array, argv[1], way);
	run(transfers, argv[3], &arrays, bounds);
	for (int i = 0; i < 2; i++)
		equant_transfer_free(transfers[i]);
	free(arrays.a);
	free(arrays.b);
	MPI_Finalize();
	return 0;
}
