// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * drop BEFORE AFTER COMMAND: 10^7 doubles from cyclic(1000) to cyclic(4000), again and again, by a transfer that is
 * refreshed after each; BEFORE and AFTER are what the network is like before COMMAND is run on rank 0, after
 * three of them, and afterwards.  Prints the seconds of the last one before and of those afterwards, each over
 * its bound: the first one that nothing is known for, and so on.
 */
#include <equant/transfer.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ELEMENTS 10000000
#define BEFORE 3
#define AFTERWARDS 4

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

static double bound(const struct equant_redist_array *array, const char *path)
{
	struct equant_redist_network *network = must_read(path);
	struct equant_redist_volume *volumes;
	double seconds;
	int64_t count;

	volumes = equant_redist_volumes(array, sizeof(double), NULL, NULL, &count);
	if (!volumes)
		fail("equant_redist_volumes");
	seconds = equant_redist_network_bound(network, count, volumes, false);
	free(volumes);
	equant_redist_network_free(network);
	return seconds;
}

static struct equant_transfer *make(const struct equant_redist_array *array, const char *path)
{
	struct equant_redist_network *network = must_read(path);
	const struct equant_transfer_options options = { .sz = sizeof(options),
							 .network = network,
							 .scheduler = "shortest",
							 .window = EQUANT_TRANSFER_WINDOW_NETWORK };
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, array, sizeof(double), &options);

	if (!transfer)
		fail("equant_transfer_new");
	equant_redist_network_free(network);
	return transfer;
}

static double measure(struct equant_transfer *transfer, const double *a, double *b)
{
	static const int64_t stride[1] = { 1 };
	double elapsed, longest = 0;
	int changed;

	MPI_Barrier(MPI_COMM_WORLD);
	elapsed = -MPI_Wtime();
	if (equant_transfer_run(transfer, stride, a, stride, b))
		fail("equant_transfer_run");
	elapsed += MPI_Wtime();
	MPI_Allreduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	if (equant_transfer_refresh(transfer, &changed))
		fail("equant_transfer_refresh");
	return longest;
}

static void run(struct equant_transfer *transfer, char **argv, const double *a, double *b,
		const double bounds[2])
{
	double seconds = 0;

	for (int i = 0; i < BEFORE; i++)
		seconds = measure(transfer, a, b);
	if (!rank)
		printf("before=%.4f", seconds / bounds[0]);
	if (!rank && system(argv[3]))
		fail(argv[3]);
	for (int i = 1; i <= AFTERWARDS; i++) {
		seconds = measure(transfer, a, b);
		if (!rank)
			printf("\tafter%d=%.4f", i, seconds / bounds[1]);
	}
	if (!rank)
		printf("\n");
}

int main(int argc, char **argv)
{
	struct equant_redist_array array = { .dimensions = 1, .extent = { ELEMENTS } };
	struct equant_transfer *transfer;
	double bounds[2], *a, *b;
	int ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 4)
		fail("usage: drop BEFORE AFTER COMMAND");
	array.from[0] = (struct equant_redist_cyclic){ .block = 1000, .processes = ranks };
	array.to[0] = (struct equant_redist_cyclic){ .block = 4000, .processes = ranks };
	for (int i = 0; i < 2; i++)
		bounds[i] = bound(&array, argv[1 + i]);
	a = calloc(ELEMENTS, sizeof(*a));
	b = calloc(ELEMENTS, sizeof(*b));
	if (!a || !b)
		fail("no memory");
	transfer = make(&array, argv[1]);
	run(transfer, argv, a, b, bounds);
	equant_transfer_free(transfer);
	free(a);
	free(b);
	MPI_Finalize();
	return 0;
}
