// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * sor - successive overrelaxation of Laplace's equation (Siegell 1995, section 1.2.5).
 *
 * Each point of a square mesh becomes a weighted mean of its old value, the new values of its
 * left and upper neighbours and the old values of its right and lower ones (figure 1.8).
 * Columns are distributed; the rows are the inner loop that is cut into strips, so that the
 * ranks sweep through the mesh as a pipeline (figure 1.9c).  Every point sees the
 * same operations with the same operands wherever it is and whenever its column moves, so the mesh and
 * each column's sums are those of the sequential program bit for bit.  So are the sums over all columns, which
 * say when the solution is good enough: they are exact and rounded once, in whatever order columns are
 * added.  Rank 0 verifies all of it, with a sequential program that decides by itself when to end.
 */
#include <equant/equant.h>
#include <math.h>

#include "app.h"

#define OMEGA 1.5

struct sor {
	long n;
	long sweeps; /* at most */
	double tolerance; /* enough: error over norm */
	int unverified;
	int quiet;
	int rank;
	struct equant_options options;

	double *mesh; /* columns 0 to n + 1 of rows 0 to n + 1; the outermost are fixed */
	double *errors; /* of a sweep, by column: how much it changed */
	double *norms; /* ... and its size */
	long done; /* sweeps */
	long block;
	double error_sum; /* of the last sweep, over all columns */
	double norm_sum;
	double change; /* error over norm */
};

static void usage(FILE *out)
{
	fputs("usage: sor [-n SIZE] [-s SWEEPS] [-t TOLERANCE] [--no-balance] [--no-verify]\n"
	      "           [--quiet]\n"
	      "  -n, --size SIZE            rows and columns (default 512)\n"
	      "  -s, --sweeps SWEEPS        relaxations, at most (default 20)\n"
	      "  -t, --tolerance TOLERANCE  end when a sweep changes the mesh by less (default 0)\n"
	      "  --no-balance               columns stay where they are\n"
	      "  --no-verify                trust the result, which takes long to compute again\n",
	      out);
}

static double fraction(const char *name, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0)) {
		fprintf(stderr, "sor: %s %s: not a number of at least 0\n", name, text);
		app_exit("sor", 2);
	}
	return value;
}

static void parse(struct sor *sor, int argc, char **argv)
{
	static const struct option longs[] = { { "size", required_argument, NULL, 'n' },
					       { "sweeps", required_argument, NULL, 's' },
					       { "tolerance", required_argument, NULL, 't' },
					       { "no-balance", no_argument, NULL, 'b' },
					       { "no-verify", no_argument, NULL, 'u' },
					       { "quiet", no_argument, NULL, 'q' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "n:s:t:h", longs, NULL)) != -1) {
		if (c == 'n')
			sor->n = app_number("sor", "-n", optarg, 0, 20000);
		else if (c == 's')
			sor->sweeps = app_number("sor", "-s", optarg, 0, 1000000);
		else if (c == 't')
			sor->tolerance = fraction("-t", optarg);
		else if (c == 'b')
			sor->options.balance = 0;
		else if (c == 'u')
			sor->unverified = 1;
		else if (c == 'q')
			sor->quiet = 1;
		else
			app_help("sor", usage, c);
	}
	app_no_more("sor", argc, argv);
}

static double *column(const struct sor *sor, double *mesh, long j)
{
	return mesh + j * (sor->n + 2);
}

/* The border is what the solution depends on; the inside is a guess. */
static void fill_column(const struct sor *sor, double *mesh, long j)
{
	long n = sor->n;

	for (long i = 0; i <= n + 1; i++) {
		int border = !i || !j || i == n + 1 || j == n + 1;

		column(sor, mesh, j)[i] = border ? (double)((i * 13 + j * 7) % 100) : 50;
	}
}

static void relax(const struct sor *sor, double *mesh, double *error, double *norm, long i, long j)
{
	const double *left = column(sor, mesh, j - 1), *right = column(sor, mesh, j + 1);
	double *here = column(sor, mesh, j), old = here[i];
	double mean = (left[i] + here[i - 1] + right[i] + here[i + 1]) / 4;

	here[i] = (1 - OMEGA) * old + OMEGA * mean;
	*error += fabs(here[i] - old);
	*norm += fabs(here[i]);
}

/* Rows from + 1 to @to of the columns first + 1 to first + @units: column 0 is border. */
static void relax_strip(void *ctx, long first, long units, long from, long to)
{
	struct sor *sor = ctx;

	for (long u = first; u < first + units; u++)
		for (long i = from + 1; i <= to; i++)
			relax(sor, sor->mesh, &sor->errors[u], &sor->norms[u], i, u + 1);
}

static double change(double error_sum, double norm_sum)
{
	return norm_sum > 0 ? error_sum / norm_sum : 0;
}

static int sweep(struct sor *sor, struct equant_loop *columns)
{
	int error;

	equant_for_each_unit(columns, u)
		sor->errors[u] = sor->norms[u] = 0;
	error = equant_loop_sweep(columns, sor->n, relax_strip, sor);
	if (!error)
		error = equant_allreduce_units(columns, sor->errors, EQUANT_SUM, &sor->error_sum,
					       NULL);
	if (!error)
		error = equant_allreduce_units(columns, sor->norms, EQUANT_SUM, &sor->norm_sum,
					       NULL);
	sor->change = change(sor->error_sum, sor->norm_sum);
	sor->done++;
	return error;
}

/* A column and its sums, from their last owner to rank 0. */
static void gather(struct sor *sor, const struct equant_loop *columns)
{
	for (long u = 0; u < sor->n; u++) {
		double *const parts[] = { column(sor, sor->mesh, u + 1), &sor->errors[u],
					  &sor->norms[u] };
		int owner = equant_loop_owner(columns, u);

		for (int k = 0; k < 3 && owner; k++) {
			int count = k ? 1 : (int)sor->n + 2;

			if (owner == sor->rank)
				MPI_Send(parts[k], count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
			else if (!sor->rank)
				MPI_Recv(parts[k], count, MPI_DOUBLE, owner, 0, MPI_COMM_WORLD,
					 MPI_STATUS_IGNORE);
		}
	}
}

static int set_up(struct sor *sor, struct equant *eq, struct equant_loop **columns)
{
	size_t slice = (size_t)(sor->n + 2) * sizeof(double);
	double *base = column(sor, sor->mesh, 1);
	int error;

	*columns = equant_loop_new(eq, "columns", sor->n);
	if (!*columns)
		return -errno;
	error = equant_loop_distribute(*columns, EQUANT_BLOCK_ORDER);
	if (!error)
		error = equant_loop_array(*columns, base, slice);
	if (!error)
		error = equant_loop_pipelined(*columns, base, sizeof(double), sizeof(double));
	if (!error)
		error = equant_loop_array(*columns, sor->errors, sizeof(double));
	if (!error)
		error = equant_loop_array(*columns, sor->norms, sizeof(double));
	fill_column(sor, sor->mesh, 0);
	fill_column(sor, sor->mesh, sor->n + 1);
	equant_for_each_unit(*columns, u)
		fill_column(sor, sor->mesh, u + 1);
	return error;
}

static int solve(struct sor *sor, double *elapsed)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_loop *columns = NULL;
	struct equant *eq;
	int error, closed;

	error = equant_open(&eq, MPI_COMM_WORLD, &sor->options);
	if (error)
		return error;
	error = set_up(sor, eq, &columns);
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	error = error ? error : equant_hook(columns);
	for (long s = 0; s < sor->sweeps && !error; s++) {
		error = sweep(sor, columns);
		if (sor->change < sor->tolerance)
			break;
	}
	*elapsed += MPI_Wtime();
	if (!error)
		gather(sor, columns);
	if (!error)
		error = equant_loop_stats(columns, &stats);
	sor->block = stats.block;
	closed = equant_loop_free(columns);
	error = error ? error : closed;
	closed = equant_close(eq);
	return error ? error : closed;
}

/*
 * The sum of doubles from 2^-968 on, rounded once, as equant_allreduce_units() has it, but in another way: what
 * each addition loses is added to a number of its own as long as anything is lost (Shewchuk 1997), and the
 * parts that are left, which do not overlap, are rounded together.
 */
struct exact {
	double parts[40]; /* smallest first */
	int n;
};

static void exact_add(struct exact *sum, double x)
{
	int n = 0;

	for (int i = 0; i < sum->n; i++) {
		volatile double y = sum->parts[i], high = x + y, back = high - x;
		volatile double low = (x - (high - back)) + (y - back);

		if (low != 0)
			sum->parts[n++] = low;
		x = high;
	}
	sum->parts[n++] = x;
	sum->n = n;
}

/* Half a unit in the last place: the parts below say where to. */
static double exact_value(const struct exact *sum)
{
	volatile double high = 0, low = 0, more;
	int i = sum->n;

	while (i > 0 && low == 0) {
		double y = sum->parts[--i];

		more = high + y;
		low = y - (more - high);
		high = more;
	}
	if (i > 0 && low != 0 && (low < 0) == (sum->parts[i - 1] < 0)) {
		more = high + 2 * low;
		if (2 * low == more - high)
			high = more;
	}
	return high;
}

static double sum(const double *values, long n)
{
	struct exact all = { .n = 0 };

	for (long i = 0; i < n; i++)
		exact_add(&all, values[i]);
	return exact_value(&all);
}

/* The sequential program: row by row, each from left to right (figure 1.9a), until it is good enough. */
static void solve_alone(struct sor *alone)
{
	long n = alone->n;

	for (long j = 0; j <= n + 1; j++)
		fill_column(alone, alone->mesh, j);
	while (alone->done < alone->sweeps) {
		memset(alone->errors, 0, (size_t)n * sizeof(*alone->errors));
		memset(alone->norms, 0, (size_t)n * sizeof(*alone->norms));
		for (long i = 1; i <= n; i++)
			for (long j = 1; j <= n; j++)
				relax(alone, alone->mesh, &alone->errors[j - 1],
				      &alone->norms[j - 1], i, j);
		alone->error_sum = sum(alone->errors, n);
		alone->norm_sum = sum(alone->norms, n);
		alone->change = change(alone->error_sum, alone->norm_sum);
		alone->done++;
		if (alone->change < alone->tolerance)
			break;
	}
}

static int differ(const double *a, const double *b, long n)
{
	return memcmp(a, b, (size_t)n * sizeof(*a)) != 0;
}

/* How many columns, or their sums, are not the sequential program's. */
static long compare(const struct sor *sor, const struct sor *alone)
{
	long n = sor->n, wrong = 0;

	for (long j = 1; j <= n; j++)
		wrong += differ(column(sor, alone->mesh, j), column(sor, sor->mesh, j), n + 2) ||
			 differ(&alone->errors[j - 1], &sor->errors[j - 1], 1) ||
			 differ(&alone->norms[j - 1], &sor->norms[j - 1], 1);
	if (wrong)
		fprintf(stderr, "sor: %ld of %ld columns are wrong\n", wrong, n);
	if (alone->done != sor->done) {
		fprintf(stderr, "sor: it ended after %ld sweeps, not %ld\n", sor->done,
			alone->done);
		wrong++;
	}
	if (differ(&alone->error_sum, &sor->error_sum, 1) ||
	    differ(&alone->norm_sum, &sor->norm_sum, 1)) {
		fprintf(stderr,
			"sor: error %.17g and norm %.17g of the last sweep, not %.17g and %.17g\n",
			sor->error_sum, sor->norm_sum, alone->error_sum, alone->norm_sum);
		wrong++;
	}
	return wrong;
}

static void allocate(struct sor *sor)
{
	sor->mesh = app_doubles("sor", (sor->n + 2) * (sor->n + 2));
	sor->errors = app_doubles("sor", sor->n);
	sor->norms = app_doubles("sor", sor->n);
}

static void release(struct sor *sor)
{
	free(sor->mesh);
	free(sor->errors);
	free(sor->norms);
}

static int verify(const struct sor *sor)
{
	struct sor alone = { .n = sor->n, .sweeps = sor->sweeps, .tolerance = sor->tolerance };
	long wrong;

	allocate(&alone);
	solve_alone(&alone);
	wrong = compare(sor, &alone);
	release(&alone);
	return wrong != 0;
}

static uint64_t mix(uint64_t word, uint64_t value)
{
	return ((word << 1) | (word >> 63)) ^ value;
}

/* Every bit of the mesh counts, and where it is; sor_f prints the same. */
static uint64_t check_word(const struct sor *sor)
{
	uint64_t all = 0;

	for (long j = 0; j <= sor->n + 1; j++) {
		uint64_t word = 0, bits;

		for (long i = 0; i <= sor->n + 1; i++) {
			memcpy(&bits, &column(sor, sor->mesh, j)[i], sizeof(bits));
			word = mix(word, bits);
		}
		all = mix(all, word);
	}
	return all;
}

int main(int argc, char **argv)
{
	struct sor sor = { .n = 512, .sweeps = 20 };
	double elapsed = 0, longest = 0;
	int error, wrong = 0, ranks;
	char word[20];

	app_begin("sor", &argc, &argv);
	equant_options_init(&sor.options);
	parse(&sor, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &sor.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	allocate(&sor);

	error = solve(&sor, &elapsed);
	if (error) {
		fprintf(stderr, "sor: rank %d: %s\n", sor.rank, strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!sor.rank && !sor.unverified)
		wrong = verify(&sor);
	snprintf(word, sizeof(word), "%016llX", (unsigned long long)check_word(&sor));
	if (!sor.rank && !sor.quiet)
		printf("sor: n=%ld ranks=%d sweeps=%ld block=%ld change=%.3g check=%s elapsed=%.6f s %s\n",
		       sor.n, ranks, sor.done, sor.block, sor.change, word, longest,
		       sor.unverified ? "not verified" :
		       wrong	      ? "WRONG" :
					"verified");
	release(&sor);
	return app_end("sor", wrong);
}
