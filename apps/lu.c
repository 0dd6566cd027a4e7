// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * lu - LU factorisation with partial pivoting (Siegell 1995, section 7.1.3).
 *
 * Rows are distributed.  In step k the row with the largest element of column k, the
 * lowest of several, changes places with row k, goes to every rank, and is done
 * with: from then on row k is inactive, and only the rows below are balanced.
 * Every row sees the same operations in the same order wherever it is, so the
 * factors are those of the sequential program bit for bit, which rank 0 verifies.
 */
#include <equant/equant.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lu {
	long n;
	int cyclic;
	int quiet;
	int rank;
	double *a; /* n rows of n */
	double *magnitudes; /* of column k, by row */
};

static void usage(FILE *out)
{
	fputs("usage: lu [-n SIZE] [--cyclic] [--quiet]\n"
	      "  -n SIZE   rows and columns (default 512)\n"
	      "  --cyclic  start with rows dealt out in turn, not in blocks\n",
	      out);
}

static long number(const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 0 || value > 20000) {
		fprintf(stderr, "lu: -n %s: not a number from 0 to 20000\n", text);
		exit(2);
	}
	return value;
}

static void parse(struct lu *lu, int argc, char **argv)
{
	static const struct option longs[] = { { "cyclic", no_argument, NULL, 'c' },
					       { "quiet", no_argument, NULL, 'q' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "n:h", longs, NULL)) != -1) {
		if (c == 'n')
			lu->n = number(optarg);
		else if (c == 'c')
			lu->cyclic = 1;
		else if (c == 'q')
			lu->quiet = 1;
		else {
			usage(c == 'h' ? stdout : stderr);
			exit(c == 'h' ? 0 : 2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "lu: %s: unexpected argument\n", argv[optind]);
		exit(2);
	}
}

static double *room(long n)
{
	double *p = calloc((size_t)(n ? n : 1), sizeof(*p));

	if (!p) {
		perror("lu: matrix");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return p;
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

/* Row operation of step @k; a column without a pivot is left as it is, as LAPACK does. */
static void eliminate(const struct lu *lu, double *restrict row, const double *restrict pivot,
		      long k)
{
	double factor;

	if (pivot[k] == 0)
		return;
	factor = row[k] / pivot[k];
	row[k] = factor;
	for (long j = k + 1; j < lu->n; j++)
		row[j] -= factor * pivot[j];
}

static int choose_pivot(struct lu *lu, struct equant_loop *rows, long k, long *pivot)
{
	double largest;

	equant_for_each_unit(rows, r)
		lu->magnitudes[r] = fabs(row_of(lu, lu->a, r)[k]);
	return equant_allreduce_units(rows, lu->magnitudes, EQUANT_MAX, &largest, pivot);
}

/* Row k becomes final and everybody has it. */
static int settle_row(struct lu *lu, struct equant_loop *rows, long k)
{
	long pivot = k;
	int error = choose_pivot(lu, rows, k, &pivot);

	if (!error)
		error = equant_loop_exchange(rows, k, pivot);
	if (!error)
		error = equant_loop_broadcast(rows, k);
	return error ? error : equant_loop_deactivate(rows, k, 1);
}

static int step(struct lu *lu, struct equant_loop *rows, long k)
{
	int error = settle_row(lu, rows, k);

	if (error)
		return error;
	equant_begin(rows);
	equant_for_each_unit(rows, r)
		eliminate(lu, row_of(lu, lu->a, r), row_of(lu, lu->a, k), k);
	equant_end(rows);
	return equant_hook(rows);
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

static int factorise(struct lu *lu, double *elapsed)
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
	for (long k = 0; k < lu->n && !error; k++)
		error = step(lu, rows, k);
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
	double *a = room(lu->n * lu->n);
	long wrong = 0;

	for (long r = 0; r < lu->n; r++)
		fill_row(lu, row_of(lu, a, r), r);
	for (long k = 0; k < lu->n; k++) {
		swap_rows(lu, a, k, pivot_of(lu, a, k));
		for (long r = k + 1; r < lu->n; r++)
			eliminate(lu, row_of(lu, a, r), row_of(lu, a, k), k);
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
	struct lu lu = { .n = 512 };
	double elapsed = 0, longest = 0;
	int error, wrong = 0, ranks;

	MPI_Init(&argc, &argv);
	parse(&lu, argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &lu.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	lu.a = room(lu.n * lu.n);
	lu.magnitudes = room(lu.n);

	error = factorise(&lu, &elapsed);
	if (error) {
		fprintf(stderr, "lu: rank %d: %s\n", lu.rank, strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!lu.rank)
		wrong = verify(&lu);
	if (!lu.rank && !lu.quiet)
		printf("lu: n=%ld ranks=%d elapsed=%.6f s %s\n", lu.n, ranks, longest,
		       wrong ? "WRONG" : "verified");
	free(lu.a);
	free(lu.magnitudes);
	MPI_Finalize();
	return wrong;
}
