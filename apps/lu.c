// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * lu - LU factorisation with partial pivoting (Siegell 1995, section 7.1.3).
 *
 * Rows are distributed.  In step k the row with the largest element of column k, the
 * lowest of several, changes places with row k, goes to every rank, and is done
 * with: from then on row k is inactive, and only the rows below are balanced.
 *
 * A panel is a number of columns.  Pivots need its columns only; what is to the right of it is
 * updated once per panel, by all its rows together.  So ranks have more to do between
 * two synchronisations, and less memory to read for it.  An update is made in pieces of some columns:
 * the panel's part of them stays in a cache, and after each there may be a balancing phase.
 *
 * Every row sees the same operations in the same order wherever it is and however wide the panels
 * are, so the factors are those of the sequential program bit for bit, which rank 0 verifies.
 */
#include <equant/equant.h>
#include <math.h>

#include "app.h"

#define CACHE (256 << 10) /* bytes of a panel's rows that are at hand while all rows are updated */

struct lu {
	long n;
	long panel; /* columns */
	long piece; /* columns that are updated together */
	long repeats;
	int cyclic;
	int unverified;
	int quiet;
	int rank;
	double *a; /* n rows of n */
	double *magnitudes; /* of column k, by row */
};

static void usage(FILE *out)
{
	fputs("usage: lu [-n SIZE] [-b COLUMNS] [-r TIMES] [--cyclic] [--no-verify] [--quiet]\n"
	      "  -n SIZE      rows and columns (default 512)\n"
	      "  -b COLUMNS   width of a panel (default 1)\n"
	      "  -r TIMES     how often to factorise (default 1)\n"
	      "  --cyclic     start with rows dealt out in turn, not in blocks\n"
	      "  --no-verify  trust the result, which takes long to compute again\n",
	      out);
}

static void parse(struct lu *lu, int argc, char **argv)
{
	static const struct option longs[] = { { "cyclic", no_argument, NULL, 'c' },
					       { "no-verify", no_argument, NULL, 'u' },
					       { "quiet", no_argument, NULL, 'q' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "n:b:r:h", longs, NULL)) != -1) {
		if (c == 'n')
			lu->n = app_number("lu", "-n", optarg, 0, 20000);
		else if (c == 'b')
			lu->panel = app_number("lu", "-b", optarg, 1, 20000);
		else if (c == 'r')
			lu->repeats = app_number("lu", "-r", optarg, 1, 1000000000);
		else if (c == 'c')
			lu->cyclic = 1;
		else if (c == 'u')
			lu->unverified = 1;
		else if (c == 'q')
			lu->quiet = 1;
		else
			app_help("lu", usage, c);
	}
	app_no_more("lu", argc, argv);
	lu->piece = (CACHE / (long)sizeof(double) + lu->panel - 1) / lu->panel;
}

/* Small integers: many elements are equal, so ties between pivots do occur. */
static double element(long row, long column)
{
	return (double)((row * 7919 + column * 104729 + row * column % 31) % 199 - 99);
}

static void fill_row(const struct lu *lu, double *row, long r)
{
	for (long j = 0; j < lu->n; j++)
		row[j] = element(r, j);
}

static double *row_of(const struct lu *lu, double *a, long r)
{
	return a + r * lu->n;
}

static void subtract(double *restrict row, const double *restrict pivot, double factor, long from,
		     long to)
{
	for (long j = from; j < to; j++)
		row[j] -= factor * pivot[j];
}

/*
 * Row operation of step @k, on the columns before @to; a column without a pivot is left as it
 * is, as LAPACK does.
 */
static void eliminate(double *row, const double *pivot, long k, long to)
{
	if (pivot[k] == 0)
		return;
	row[k] /= pivot[k];
	subtract(row, pivot, row[k], k + 1, to);
}

/* What steps @first to before @end still have to do in the columns from @from to before @to. */
static void catch_up(const struct lu *lu, double *row, long first, long end, long from, long to)
{
	for (long k = first; k < end; k++) {
		const double *pivot = row_of(lu, lu->a, k);

		if (pivot[k] != 0)
			subtract(row, pivot, row[k], from, to);
	}
}

static int choose_pivot(struct lu *lu, struct equant_loop *rows, long k, long *pivot)
{
	double largest;

	/* A part of the sequential program, too: a line of each row. */
	equant_begin(rows);
	equant_for_each_unit(rows, r)
		lu->magnitudes[r] = fabs(row_of(lu, lu->a, r)[k]);
	equant_end_units(rows, 0);
	return equant_allreduce_units(rows, lu->magnitudes, EQUANT_MAX, &largest, pivot);
}

/* Row k becomes final and everybody has it. */
static int settle_row(struct lu *lu, struct equant_loop *rows, long k, long first, long end)
{
	long pivot = k;
	int error = choose_pivot(lu, rows, k, &pivot);

	if (!error)
		error = equant_loop_rename(rows, k, pivot);
	if (!error && equant_loop_owner(rows, k) == lu->rank)
		catch_up(lu, row_of(lu, lu->a, k), first, k, end, lu->n);
	if (!error)
		error = equant_loop_broadcast(rows, k);
	return error ? error : equant_loop_deactivate(rows, k, 1);
}

/* Step @k of the panel of columns before @end, in these; that of the last one is left to the update. */
static int step(struct lu *lu, struct equant_loop *rows, long k, long first, long end)
{
	int error = settle_row(lu, rows, k, first, end);

	if (error || k + 1 == end)
		return error;
	equant_begin(rows);
	equant_for_each_unit(rows, r)
		eliminate(row_of(lu, lu->a, r), row_of(lu, lu->a, k), k, end);
	equant_end_units(rows, 0);
	return 0;
}

/* What is right of the panel; a row that moves between two pieces has had all of those before. */
static int update(struct lu *lu, struct equant_loop *rows, long first, long end)
{
	const double *last = row_of(lu, lu->a, end - 1);
	long from = end, to;
	int error;

	do {
		to = from + lu->piece < lu->n ? from + lu->piece : lu->n;
		equant_begin(rows);
		equant_for_each_unit(rows, r) {
			if (from == end)
				eliminate(row_of(lu, lu->a, r), last, end - 1, end);
			catch_up(lu, row_of(lu, lu->a, r), first, end, from, to);
		}
		equant_end(rows);
		error = equant_hook(rows);
		from = to;
	} while (from < lu->n && !error);
	return error;
}

static int factorise(struct lu *lu, struct equant_loop *rows)
{
	int error = 0;

	for (long first = 0, end; first < lu->n && !error; first = end) {
		end = first + lu->panel < lu->n ? first + lu->panel : lu->n;
		for (long k = first; k < end && !error; k++)
			error = step(lu, rows, k, first, end);
		if (!error)
			error = update(lu, rows, first, end);
	}
	return error;
}

/* The same matrix again. */
static int refill(struct lu *lu, struct equant_loop *rows)
{
	int error = lu->n ? equant_loop_activate(rows, 0, lu->n) : 0;

	if (!error)
		equant_for_each_unit(rows, r)
			fill_row(lu, row_of(lu, lu->a, r), r);
	return error;
}

/* Rank 0 collects the rows from their last owners. */
static void gather(struct lu *lu, const struct equant_loop *rows)
{
	for (long r = 0; r < lu->n; r++) {
		int owner = equant_loop_owner(rows, r);

		if (owner == lu->rank && lu->rank)
			MPI_Send(row_of(lu, lu->a, r), (int)lu->n, MPI_DOUBLE, 0, 0,
				 MPI_COMM_WORLD);
		else if (owner && !lu->rank)
			MPI_Recv(row_of(lu, lu->a, r), (int)lu->n, MPI_DOUBLE, owner, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static int set_up(struct lu *lu, struct equant *eq, struct equant_loop **rows)
{
	int error;

	*rows = equant_loop_new(eq, "rows", lu->n);
	if (!*rows)
		return -errno;
	error = equant_loop_distribute(*rows, lu->cyclic ? EQUANT_CYCLIC : EQUANT_BLOCK);
	if (!error && lu->n)
		error = equant_loop_array(*rows, lu->a, (size_t)lu->n * sizeof(double));
	if (!error)
		equant_for_each_unit(*rows, r)
			fill_row(lu, row_of(lu, lu->a, r), r);
	return error;
}

static int run(struct lu *lu, double *elapsed)
{
	struct equant_loop *rows = NULL;
	struct equant *eq;
	int error, closed;

	error = equant_open(&eq, MPI_COMM_WORLD, NULL);
	if (error)
		return error;
	error = set_up(lu, eq, &rows);
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	error = error ? error : equant_hook(rows);
	for (long i = 0; i < lu->repeats && !error; i++) {
		error = i ? refill(lu, rows) : 0;
		error = error ? error : factorise(lu, rows);
	}
	*elapsed += MPI_Wtime();
	if (!error)
		gather(lu, rows);
	closed = equant_loop_free(rows);
	error = error ? error : closed;
	closed = equant_close(eq);
	return error ? error : closed;
}

static void swap_rows(const struct lu *lu, double *a, long r, long s)
{
	for (long j = 0; j < lu->n && r != s; j++) {
		double kept = row_of(lu, a, r)[j];

		row_of(lu, a, r)[j] = row_of(lu, a, s)[j];
		row_of(lu, a, s)[j] = kept;
	}
}

static long pivot_of(const struct lu *lu, double *a, long k)
{
	long pivot = k;

	for (long r = k + 1; r < lu->n; r++)
		if (fabs(row_of(lu, a, r)[k]) > fabs(row_of(lu, a, pivot)[k]))
			pivot = r;
	return pivot;
}

/* Against the sequential program. */
static int verify(const struct lu *lu)
{
	double *a = app_doubles("lu", lu->n * lu->n);
	long wrong = 0;

	for (long r = 0; r < lu->n; r++)
		fill_row(lu, row_of(lu, a, r), r);
	for (long k = 0; k < lu->n; k++) {
		swap_rows(lu, a, k, pivot_of(lu, a, k));
		for (long r = k + 1; r < lu->n; r++)
			eliminate(row_of(lu, a, r), row_of(lu, a, k), k, lu->n);
	}
	for (long r = 0; r < lu->n; r++)
		wrong += memcmp(row_of(lu, a, r), row_of(lu, lu->a, r),
				(size_t)lu->n * sizeof(double)) != 0;
	free(a);
	if (wrong)
		fprintf(stderr, "lu: %ld of %ld rows are wrong\n", wrong, lu->n);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct lu lu = { .n = 512, .panel = 1, .repeats = 1 };
	double elapsed = 0, longest = 0;
	int error, wrong = 0, ranks;

	app_begin("lu", &argc, &argv);
	parse(&lu, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &lu.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	lu.a = app_doubles("lu", lu.n * lu.n);
	lu.magnitudes = app_doubles("lu", lu.n);

	error = run(&lu, &elapsed);
	if (error) {
		fprintf(stderr, "lu: rank %d: %s\n", lu.rank, strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!lu.rank && !lu.unverified)
		wrong = verify(&lu);
	if (!lu.rank && !lu.quiet)
		printf("lu: n=%ld ranks=%d elapsed=%.6f s %s\n", lu.n, ranks, longest,
		       lu.unverified ? "not verified" :
		       wrong	     ? "WRONG" :
				       "verified");
	free(lu.a);
	free(lu.magnitudes);
	return app_end("lu", wrong);
}
