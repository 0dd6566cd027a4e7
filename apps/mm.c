// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * mm - matrix multiplication, C = A x B, again and again (Siegell 1995, fig. 1.7).
 *
 * Rows of A and C are distributed and move with the work; B is everywhere.
 * The products are independent of each other, so ranks meet only where equant
 * balances them: after each product, or with --hooks inside between rows, where work moves in
 * the middle of a product.  Rank 0 verifies C bit for bit against the sequential
 * product, and that each row was computed once in each product: how often it was moves with it.
 * With --plain the program contains no equant call at all: the yardstick for what measuring and
 * balancing cost.
 */
#include <equant/equant.h>

#include "app.h"

struct mm {
	long n;
	long products;
	int plain;
	int inside;
	int quiet;
	int rank;
	int ranks;
	double *a, *b, *c;
	long *times; /* that a row has been computed */
};

static void usage(FILE *out)
{
	fputs("usage: mm [-n SIZE] [-p PRODUCTS] [--hooks after|inside] [--plain] [--quiet]\n"
	      "  -n SIZE      rows and columns (default 512)\n"
	      "  -p PRODUCTS  how often to multiply (default 100)\n"
	      "  --hooks after|inside  balance after each product (default) or between rows\n"
	      "  --plain      equal blocks of rows, no equant call\n",
	      out);
}

static int is_inside(const char *text)
{
	if (!strcmp(text, "inside"))
		return 1;
	if (!strcmp(text, "after"))
		return 0;
	fprintf(stderr, "mm: --hooks %s: not after or inside\n", text);
	app_exit("mm", 2);
}

static void parse(struct mm *mm, int argc, char **argv)
{
	static const struct option longs[] = { { "plain", no_argument, NULL, 'P' },
					       { "hooks", required_argument, NULL, 'k' },
					       { "quiet", no_argument, NULL, 'q' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	const char *hooks = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "n:p:h", longs, NULL)) != -1) {
		if (c == 'n')
			mm->n = app_number("mm", "-n", optarg, 0, 20000);
		else if (c == 'p')
			mm->products = app_number("mm", "-p", optarg, 1, 1000000000);
		else if (c == 'P')
			mm->plain = 1;
		else if (c == 'k')
			hooks = optarg;
		else if (c == 'q')
			mm->quiet = 1;
		else
			app_help("mm", usage, c);
	}
	app_no_more("mm", argc, argv);
	if (hooks && mm->plain) {
		fprintf(stderr, "mm: --hooks: there are none with --plain\n");
		app_exit("mm", 2);
	}
	mm->inside = hooks && is_inside(hooks);
}

static void fill(struct mm *mm)
{
	long i, cells = mm->n * mm->n;

	for (i = 0; i < cells; i++) {
		mm->a[i] = (double)(i * 37 % 101) / 101 - 0.5;
		mm->b[i] = (double)(i * 53 % 103) / 103 - 0.5;
	}
}

/* One row of the product; the order of the additions is fixed, so the result is too. */
static void multiply_row(const struct mm *mm, const double *a, double *restrict c)
{
	long n = mm->n, j, k;

	memset(c, 0, (size_t)n * sizeof(*c));
	for (k = 0; k < n; k++) {
		const double *restrict b = mm->b + k * n;
		double f = a[k];

		for (j = 0; j < n; j++)
			c[j] += f * b[j];
	}
}

static void row(const struct mm *mm, long r)
{
	multiply_row(mm, mm->a + r * mm->n, mm->c + r * mm->n);
	mm->times[r]++;
}

/* What other ranks have is not here, and comes with the row. */
static void forget_others(const struct mm *mm, const struct equant_loop *rows)
{
	long r;

	for (r = 0; r < mm->n; r++)
		if (equant_loop_owner(rows, r) != mm->rank)
			memset(mm->a + r * mm->n, 0xff, (size_t)mm->n * sizeof(*mm->a));
}

static int verify(struct mm *mm)
{
	double *expected = app_doubles("mm", mm->n);
	long r, wrong = 0, often = 0;

	fill(mm);
	for (r = 0; r < mm->n; r++) {
		multiply_row(mm, mm->a + r * mm->n, expected);
		if (memcmp(expected, mm->c + r * mm->n, (size_t)mm->n * sizeof(double)))
			wrong++;
		if (mm->times[r] != mm->products)
			often++;
	}
	free(expected);
	if (wrong)
		fprintf(stderr, "mm: %ld of %ld rows are wrong\n", wrong, mm->n);
	if (often)
		fprintf(stderr, "mm: %ld of %ld rows were not computed once in each product\n",
			often, mm->n);
	return wrong || often;
}

/* Collects rows on rank 0, which asks @owner where each is. */
static void gather(struct mm *mm, int (*owner)(const void *ctx, long row), const void *ctx)
{
	long r;

	for (r = 0; r < mm->n; r++) {
		int from = owner(ctx, r);

		if (from == mm->rank && mm->rank) {
			MPI_Send(mm->c + r * mm->n, (int)mm->n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
			MPI_Send(mm->times + r, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
		} else if (from && !mm->rank) {
			MPI_Recv(mm->c + r * mm->n, (int)mm->n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			MPI_Recv(mm->times + r, 1, MPI_LONG, from, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		}
	}
}

static int owner_of_block(const void *ctx, long r)
{
	const struct mm *mm = ctx;
	long each = mm->n / mm->ranks, more = mm->n % mm->ranks;

	return (int)(r < more * (each + 1) ? r / (each + 1) :
					     more + (r - more * (each + 1)) / each);
}

static int owner_of_unit(const void *ctx, long r)
{
	return equant_loop_owner(ctx, r);
}

static int run_plain(struct mm *mm, double *elapsed)
{
	long first = mm->n, count = 0, p, r;

	for (r = mm->n - 1; r >= 0; r--) {
		if (owner_of_block(mm, r) == mm->rank) {
			first = r;
			count++;
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	for (p = 0; p < mm->products; p++)
		for (r = first; r < first + count; r++)
			row(mm, r);
	*elapsed += MPI_Wtime();
	gather(mm, owner_of_block, mm);
	return 0;
}

static int multiply_hooks_after(struct mm *mm, struct equant_loop *rows)
{
	int error = equant_hook(rows);

	for (long p = 0; p < mm->products && !error; p++) {
		equant_begin(rows);
		equant_for_each_unit(rows, r)
			row(mm, r);
		equant_end(rows);
		error = equant_hook(rows);
	}
	return error;
}

static int multiply_hooks_inside(struct mm *mm, struct equant_loop *rows)
{
	int error = 0;

	for (long p = 0; p < mm->products && !error; p++) {
		equant_pass_begin(rows);
		/* Everybody must know where the rows are at last. */
		if (p == mm->products - 1)
			equant_pass_join(rows);
		equant_for_each_next(rows, r)
			row(mm, r);
		error = equant_pass_end(rows);
	}
	return error;
}

static int run_balanced(struct mm *mm, double *elapsed)
{
	struct equant_loop *rows;
	struct equant *eq;
	int error, closed;

	error = equant_open(&eq, MPI_COMM_WORLD, NULL);
	if (error)
		return error;
	rows = equant_loop_new(eq, "rows", mm->n);
	if (!rows) {
		error = -errno;
		goto close;
	}
	if (mm->n) {
		forget_others(mm, rows);
		error = equant_loop_array(rows, mm->a, (size_t)mm->n * sizeof(double));
		error = error ? error :
				equant_loop_array(rows, mm->c, (size_t)mm->n * sizeof(double));
		error = error ? error : equant_loop_array(rows, mm->times, sizeof(*mm->times));
	}
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	if (!error)
		error = mm->inside ? multiply_hooks_inside(mm, rows) :
				     multiply_hooks_after(mm, rows);
	*elapsed += MPI_Wtime();
	if (!error)
		gather(mm, owner_of_unit, rows);
	closed = equant_loop_free(rows);
	error = error ? error : closed;
close:
	closed = equant_close(eq);
	return error ? error : closed;
}

int main(int argc, char **argv)
{
	struct mm mm = { .n = 512, .products = 100 };
	double elapsed = 0, longest = 0;
	int error, wrong = 0;

	app_begin("mm", &argc, &argv);
	parse(&mm, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &mm.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &mm.ranks);
	mm.a = app_doubles("mm", mm.n * mm.n);
	mm.b = app_doubles("mm", mm.n * mm.n);
	mm.c = app_doubles("mm", mm.n * mm.n);
	mm.times = app_zeros("mm", mm.n, sizeof(*mm.times));
	fill(&mm);

	error = mm.plain ? run_plain(&mm, &elapsed) : run_balanced(&mm, &elapsed);
	if (error) {
		fprintf(stderr, "mm: rank %d: %s\n", mm.rank, strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!mm.rank)
		wrong = verify(&mm);
	if (!mm.rank && !mm.quiet)
		printf("mm: n=%ld products=%ld ranks=%d elapsed=%.6f s %s\n", mm.n, mm.products,
		       mm.ranks, longest, wrong ? "WRONG" : "verified");
	free(mm.a);
	free(mm.b);
	free(mm.c);
	free(mm.times);
	return app_end("mm", wrong);
}
