// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * redistribute - a matrix is transposed, or turned round a corner, between the ranks.
 *
 * Transposition: A, of n x m elements, is block-cyclic in both dimensions on a grid of ranks, and
 * so is its transpose on the same grid afterwards.
 *
 * Corner turn, between two steps of a computation that needs rows and then columns, as in signal
 * processing and in transforms of several dimensions: blocks of rows are dealt out before, blocks
 * of columns afterwards, and what was consecutive in a row is then in a column.
 *
 * Every element has a value that tells it from the others.  After each run a checksum over values and
 * places on all ranks is compared with that of the definition, which rank 0 computes alone.
 */
#include <equant/transfer.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "app.h"

struct redistribute {
	const char *name; /* transpose or corner */
	long n; /* rows */
	long m; /* columns */
	long block; /* before */
	long after; /* block afterwards */
	long runs;
	long window;
	const char *scheduler;
	const char *router;
	const char *path; /* of a network */
	long seconds; /* to measure one; 0: do not */
	int unverified;
	int each;
	int refresh;
	int quiet;
	int rank;
	int ranks;
	struct equant_redist_network *network;
	struct equant_redist_array array;
	/* Extents of the local arrays: before and afterwards, rows and columns of A. */
	int64_t local[2][2];
	int64_t strides[2][2];
	double *a;
	double *b;
	uint64_t expected; /* checksum, on rank 0 */
	int wrong;
};

static void usage(FILE *out)
{
	fputs("usage: redistribute [transpose | corner] [options]\n"
	      "  -n ROWS           (default 1000)\n"
	      "  -m COLUMNS        (default as many as rows)\n"
	      "  -b SIZE           of blocks before (default 64)\n"
	      "  -c SIZE           of blocks afterwards (default as before)\n"
	      "  -r TIMES          how often (default 3)\n"
	      "  --scheduler NAME  who says what is sent when (default greedy)\n"
	      "  --router NAME     who says what goes by way of other ranks (default: all goes straight)\n"
	      "  --window N        messages that a rank sends at once, and receives (default 1);\n"
	      "                    \"network\": as many as it can carry\n"
	      "  --network FILE    what is between the ranks\n"
	      "  --calibrate S     measure that, in S seconds\n"
	      "  --refresh         after each look whether links have changed, and plan again\n"
	      "  --each            print the time of each\n"
	      "  --no-verify       trust the result\n"
	      "  --quiet           print nothing that is not wrong\n",
	      out);
}

static void fail(const struct redistribute *r, const char *what, int error)
{
	fprintf(stderr, "redistribute: rank %d: %s%s%s\n", r->rank, what, error ? ": " : "",
		error ? strerror(error) : "");
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- options ----------------------------------------------------------------------------- */

static long number(const char *option, long low, long high)
{
	return app_number("redistribute", option, optarg, low, high);
}

static int parse_long(struct redistribute *r, int c)
{
	if (c == 'S')
		r->scheduler = app_name("redistribute", "--scheduler", optarg,
					equant_redist_scheduler_name);
	else if (c == 'D')
		r->router = app_name("redistribute", "--router", optarg, equant_redist_router_name);
	else if (c == 'W' && !strcmp(optarg, "network"))
		r->window = EQUANT_TRANSFER_WINDOW_NETWORK;
	else if (c == 'W')
		r->window = number("--window", 1, 1000000);
	else if (c == 'N')
		r->path = optarg;
	else if (c == 'C')
		r->seconds = number("--calibrate", 1, 3600);
	else if (c == 'R')
		r->refresh = 1;
	else if (c == 'e')
		r->each = 1;
	else if (c == 'u')
		r->unverified = 1;
	else if (c == 'q')
		r->quiet = 1;
	else
		return 0;
	return 1;
}

static void refuse(const char *why)
{
	fprintf(stderr, "redistribute: %s\n", why);
	app_exit("redistribute", 2);
}

static void check_options(const struct redistribute *r)
{
	bool network = r->path || r->seconds;

	if (r->path && r->seconds)
		refuse("not both --network and --calibrate");
	if (r->refresh && !network)
		refuse("--refresh needs --network or --calibrate");
	if (r->router && !network)
		refuse("--router needs --network or --calibrate");
	if (r->window < 0 && !network)
		refuse("--window network needs --network or --calibrate");
	if (r->router && r->scheduler)
		refuse("not both --router and --scheduler");
}

static void parse(struct redistribute *r, int argc, char **argv)
{
	static const struct option longs[] = { { "scheduler", required_argument, NULL, 'S' },
					       { "router", required_argument, NULL, 'D' },
					       { "window", required_argument, NULL, 'W' },
					       { "network", required_argument, NULL, 'N' },
					       { "calibrate", required_argument, NULL, 'C' },
					       { "refresh", no_argument, NULL, 'R' },
					       { "each", no_argument, NULL, 'e' },
					       { "no-verify", no_argument, NULL, 'u' },
					       { "quiet", no_argument, NULL, 'q' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "n:m:b:c:r:h", longs, NULL)) != -1) {
		if (c == 'n')
			r->n = number("-n", 0, 1000000);
		else if (c == 'm')
			r->m = number("-m", 0, 1000000);
		else if (c == 'b')
			r->block = number("-b", 1, 1000000);
		else if (c == 'c')
			r->after = number("-c", 1, 1000000);
		else if (c == 'r')
			r->runs = number("-r", 1, 1000000);
		else if (!parse_long(r, c))
			app_help("redistribute", usage, c);
	}
	if (optind < argc &&
	    (!strcmp(argv[optind], "corner") || !strcmp(argv[optind], "transpose")))
		r->name = argv[optind++];
	app_no_more("redistribute", argc, argv);
	check_options(r);
	if (r->m < 0)
		r->m = r->n;
	if (!r->after)
		r->after = r->block;
}

/* ---- distributions ------------------------------------------------------------------------ */

/* Dimension 0 of the array is A's rows, dimension 1 its columns, before and afterwards. */
static void distribute(struct redistribute *r)
{
	int grid[2] = { r->ranks, 1 };
	struct equant_redist_array *array = &r->array;

	*array = (struct equant_redist_array){ .dimensions = 2, .extent = { r->n, r->m } };
	if (!strcmp(r->name, "transpose")) {
		grid[0] = grid[1] = 0;
		MPI_Dims_create(r->ranks, 2, grid);
	}
	array->from[0] = (struct equant_redist_cyclic){ .block = r->block, .processes = grid[0] };
	array->from[1] = (struct equant_redist_cyclic){ .block = r->block, .processes = grid[1] };
	/* The transpose has A's columns as rows: these go over the grid's rows. */
	array->to[0] = (struct equant_redist_cyclic){ .block = r->after, .processes = grid[1] };
	array->to[1] = (struct equant_redist_cyclic){ .block = r->after, .processes = grid[0] };
	array->to_order = EQUANT_REDIST_COLUMN_MAJOR;
}

static void place(struct redistribute *r)
{
	for (int d = 0; d < 2; d++) {
		int p = equant_redist_sender_at(&r->array, r->rank, d);
		int q = equant_redist_receiver_at(&r->array, r->rank, d);

		r->local[0][d] = equant_redist_local(r->array.extent[d], &r->array.from[d], p);
		r->local[1][d] = equant_redist_local(r->array.extent[d], &r->array.to[d], q);
	}
	/* Rows of A are consecutive before, its columns afterwards. */
	r->strides[0][0] = r->local[0][1];
	r->strides[0][1] = 1;
	r->strides[1][0] = 1;
	r->strides[1][1] = r->local[1][0];
	r->a = app_doubles("redistribute", r->local[0][0] * r->local[0][1]);
	r->b = app_doubles("redistribute", r->local[1][0] * r->local[1][1]);
}

/* Element @k of a local array is this one of the array. */
static int64_t global(const struct equant_redist_cyclic *cyclic, int process, int64_t k)
{
	return (k / cyclic->block * cyclic->processes + process) * cyclic->block +
	       k % cyclic->block;
}

static double element(const struct redistribute *r, int64_t i, int64_t j)
{
	return (double)(i * r->m + j) + 0.25;
}

static void fill(struct redistribute *r)
{
	int p = equant_redist_sender_at(&r->array, r->rank, 0);
	int q = equant_redist_sender_at(&r->array, r->rank, 1);

	for (int64_t k = 0; k < r->local[0][0]; k++)
		for (int64_t l = 0; l < r->local[0][1]; l++)
			r->a[k * r->strides[0][0] + l] = element(r, global(&r->array.from[0], p, k),
								 global(&r->array.from[1], q, l));
}

/* ---- verification -------------------------------------------------------------------------- */

/* A value at a place of the result, so that no two that change places cancel out. */
static uint64_t digest(const struct redistribute *r, int64_t i, int64_t j, double value)
{
	uint64_t hash;

	memcpy(&hash, &value, sizeof(hash));
	hash ^= (uint64_t)(j * r->n + i) * 0x9e3779b97f4a7c15;
	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
	return hash ^ hash >> 29;
}

static uint64_t digest_here(const struct redistribute *r)
{
	int p = equant_redist_receiver_at(&r->array, r->rank, 0);
	int q = equant_redist_receiver_at(&r->array, r->rank, 1);
	uint64_t sum = 0;

	for (int64_t l = 0; l < r->local[1][1]; l++)
		for (int64_t k = 0; k < r->local[1][0]; k++)
			sum += digest(r, global(&r->array.to[0], p, k),
				      global(&r->array.to[1], q, l),
				      r->b[l * r->strides[1][1] + k]);
	return sum;
}

static uint64_t digest_alone(const struct redistribute *r)
{
	uint64_t sum = 0;

	for (int64_t j = 0; j < r->m; j++)
		for (int64_t i = 0; i < r->n; i++)
			sum += digest(r, i, j, element(r, i, j));
	return sum;
}

/* Nothing of an earlier run is to be taken for what one that follows has brought. */
static void forget(const struct redistribute *r)
{
	memset(r->b, 0xff, (size_t)(r->local[1][0] * r->local[1][1]) * sizeof(*r->b));
}

static void verify(struct redistribute *r, long run)
{
	uint64_t here = digest_here(r), all = 0;

	MPI_Reduce(&here, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (r->rank || all == r->expected)
		return;
	fprintf(stderr, "redistribute: run %ld: the checksum is %016llx, not %016llx\n", run,
		(unsigned long long)all, (unsigned long long)r->expected);
	r->wrong = 1;
}

/* ---- the network --------------------------------------------------------------------------- */

static void find_network(struct redistribute *r)
{
	char why[200] = "";
	int error = 0;

	if (r->seconds)
		error = equant_calibrate_network(MPI_COMM_WORLD, (double)r->seconds, &r->network);
	if (r->path) {
		r->network = equant_redist_network_read(r->path, why, sizeof(why));
		error = r->network ? 0 : -errno;
	}
	if (error)
		fail(r, why[0] ? why : "--calibrate", why[0] ? 0 : -error);
}

/* Seconds that it takes at least, by @network. */
static double bound(const struct redistribute *r, const struct equant_redist_network *network)
{
	int64_t count;
	struct equant_redist_volume *volumes;
	double seconds;

	volumes = equant_redist_volumes(&r->array, sizeof(double), NULL, NULL, &count);
	if (!volumes)
		fail(r, "volumes", errno);
	seconds = equant_redist_network_bound(network, count, volumes, r->window == 1);
	free(volumes);
	return seconds;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static double run_one(const struct redistribute *r, struct equant_transfer *transfer)
{
	double elapsed, longest = 0;
	int error;

	if (!r->unverified)
		forget(r);
	MPI_Barrier(MPI_COMM_WORLD);
	elapsed = -MPI_Wtime();
	error = equant_transfer_run(transfer, r->strides[0], r->a, r->strides[1], r->b);
	elapsed += MPI_Wtime();
	if (error)
		fail(r, "equant_transfer_run", -error);
	MPI_Allreduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	if (r->each && !r->rank) {
		printf("run %.6f\n", longest);
		fflush(stdout);
	}
	return longest;
}

static void refresh(const struct redistribute *r, struct equant_transfer *transfer)
{
	int changed, error = equant_transfer_refresh(transfer, &changed);

	if (error)
		fail(r, "equant_transfer_refresh", -error);
	if (changed && r->each && !r->rank)
		printf("links that have changed: %d bound=%.6f\n", changed,
		       bound(r, equant_transfer_network(transfer)));
}

/* The fastest, of the slowest rank. */
static double run(struct redistribute *r)
{
	const struct equant_transfer_options options = { .sz = sizeof(options),
							 .network = r->network,
							 .scheduler = r->scheduler,
							 .router = r->router,
							 .window = (int)r->window };
	struct equant_transfer *transfer =
		equant_transfer_new(MPI_COMM_WORLD, &r->array, sizeof(double), &options);
	double best = INFINITY;
	int error;

	if (!transfer)
		fail(r, "equant_transfer_new", errno);
	for (long i = 0; i < r->runs; i++) {
		best = fmin(best, run_one(r, transfer));
		if (!r->unverified)
			verify(r, i + 1);
		if (r->refresh)
			refresh(r, transfer);
	}
	error = equant_transfer_free(transfer);
	if (error)
		fail(r, "equant_transfer_free", -error);
	return best;
}

static void print(const struct redistribute *r, double elapsed)
{
	char least[60] = "";

	if (r->network)
		snprintf(least, sizeof(least), " %s=%.6f s",
			 r->router ? "bound of going straight" : "bound", bound(r, r->network));
	printf("redistribute: %s n=%ld m=%ld ranks=%d elapsed=%.6f s%s %s\n", r->name, r->n, r->m,
	       r->ranks, elapsed, least,
	       r->unverified ? "not verified" :
	       r->wrong	     ? "WRONG" :
			       "verified");
}

int main(int argc, char **argv)
{
	struct redistribute r = {
		.name = "transpose", .n = 1000, .m = -1, .block = 64, .runs = 3, .window = 1
	};
	double elapsed;

	app_begin("redistribute", &argc, &argv);
	parse(&r, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
	find_network(&r);
	distribute(&r);
	place(&r);
	fill(&r);
	if (!r.unverified && !r.rank)
		r.expected = digest_alone(&r);
	elapsed = run(&r);
	if (!r.rank && !r.quiet)
		print(&r, elapsed);
	equant_redist_network_free(r.network);
	free(r.a);
	free(r.b);
	return app_end("redistribute", r.wrong);
}
