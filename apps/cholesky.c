// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * cholesky - lower triangular L with A = L L^T (Cierniak, Zaki, Li 1997, section 10.1).
 *
 * In step k column k is finished and then subtracted from all behind it, which is a parallel
 * loop; column j costs n - j, so iterations are affine.  Columns belong to ranks: who has column k
 * finishes it and broadcasts it, and only the columns behind it are balanced.
 *
 * With --scheme columns belong to nobody.  A panel of columns is finished by every rank, then ranks take
 * chunks of the columns behind it and share what they have made of them.
 *
 * Every column sees the same operations in the same order, so L is that of the sequential program bit
 * for bit, which rank 0 verifies, and L L^T is A but for rounding.
 */
#include "doall.h"

struct cholesky {
	struct doall_program program;
	long n;
	long panel; /* columns */
	double *a; /* column by column; the part above the diagonal is not used */
	long first, end; /* of the panel */
};

static void usage(FILE *out)
{
	fputs("usage: cholesky [-n SIZE] [-b COLUMNS] [--plan NAME | --scheme NAME]\n"
	      "  -n SIZE       rows and columns (default 400)\n"
	      "  -b COLUMNS    width of a panel, with --scheme (default 32)\n" DOALL_USAGE,
	      out);
}

static void parse(struct cholesky *c, int argc, char **argv)
{
	static const struct option longs[] = { DOALL_OPTIONS, { 0 } };
	struct doall_program *p = &c->program;
	int o;

	while ((o = getopt_long(argc, argv, "n:b:h", longs, NULL)) != -1) {
		if (o == 'n')
			c->n = app_number(p->name, "-n", optarg, 0, 16000);
		else if (o == 'b')
			c->panel = app_number(p->name, "-b", optarg, 1, 16000);
		else if (!doall_option(p, o))
			app_help(p->name, usage, o);
	}
	doall_options_end(p, argc, argv);
	if (c->panel && !p->scheme) {
		fprintf(stderr, "cholesky: -b is for --scheme\n");
		app_exit(p->name, 2);
	}
	if (!c->panel)
		c->panel = 32;
}

/* Symmetric, and the diagonal larger than the rest of its row. */
static double element(const struct cholesky *c, long i, long j)
{
	long low = i < j ? i : j, high = i < j ? j : i;

	return (double)((low * 7919 + high * 104729) % 199 - 99) +
	       (i == j ? 100 * (double)c->n : 0);
}

static double *column(const struct cholesky *c, double *a, long j)
{
	return a + j * c->n;
}

static void fill(const struct cholesky *c, double *a)
{
	for (long j = 0; j < c->n; j++)
		for (long i = j; i < c->n; i++)
			column(c, a, j)[i] = element(c, i, j);
}

static void finish(const struct cholesky *c, double *a, long k)
{
	double *l = column(c, a, k), root = sqrt(l[k]);

	for (long i = k; i < c->n; i++)
		l[i] /= root;
}

/* Column @k, which is finished, from column @j behind it. */
static void subtract(const struct cholesky *c, double *a, long k, long j)
{
	const double *restrict l = column(c, a, k);
	double *restrict x = column(c, a, j), factor = l[j];

	for (long i = j; i < c->n; i++)
		x[i] -= factor * l[i];
}

/* ---- columns have owners ------------------------------------------------------------- */

static int step(struct cholesky *c, struct equant_loop *columns, long k)
{
	int error;

	if (equant_loop_owner(columns, k) == c->program.rank)
		finish(c, c->a, k);
	error = equant_loop_broadcast(columns, k);
	if (!error)
		error = equant_loop_deactivate(columns, k, 1);
	if (error)
		return error;
	equant_begin(columns);
	equant_for_each_unit(columns, j)
		subtract(c, c->a, k, j);
	equant_end(columns);
	return equant_hook(columns);
}

static int factorise_owned(struct cholesky *c, double *elapsed)
{
	const struct doall_cost cost = { c->n, -1, (double)c->n + 1, 0 };
	struct equant_loop *columns;
	int error = doall_loop(&c->program, "columns", &cost, &columns), closed;

	if (!error && c->n)
		error = equant_loop_array(columns, c->a, (size_t)c->n * sizeof(double));
	if (error)
		return error;
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	error = equant_hook(columns);
	for (long k = 0; k < c->n && !error; k++)
		error = step(c, columns, k);
	*elapsed += MPI_Wtime();
	closed = equant_loop_free(columns);
	return error ? error : closed;
}

/* ---- columns are handed out ------------------------------------------------------------ */

static void catch_up(void *ctx, long i)
{
	const struct cholesky *c = ctx;

	for (long k = c->first; k < c->end; k++)
		subtract(c, c->a, k, c->end + i);
}

static void finish_panel(const struct cholesky *c)
{
	for (long k = c->first; k < c->end; k++) {
		finish(c, c->a, k);
		for (long j = k + 1; j < c->end; j++)
			subtract(c, c->a, k, j);
	}
}

static int catch_up_behind(struct cholesky *c)
{
	const struct doall_cost cost = { c->n - c->end, 0, 1, 0 };
	struct doall columns;
	int error = doall_new(&columns, &c->program, "columns", &cost), closed;

	if (!error)
		error = doall_run(&columns, catch_up, c);
	if (!error)
		error = doall_share(&columns, column(c, c->a, c->end) + c->end, c->n,
				    c->n - c->end);
	closed = doall_free(&columns);
	return error ? error : closed;
}

static int factorise_shared(struct cholesky *c, double *elapsed)
{
	int error = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	for (c->first = 0; c->first < c->n && !error; c->first = c->end) {
		c->end = c->first + c->panel < c->n ? c->first + c->panel : c->n;
		finish_panel(c);
		if (c->end < c->n)
			error = catch_up_behind(c);
	}
	*elapsed += MPI_Wtime();
	return error;
}

/* ---- the program --------------------------------------------------------------------------- */

static int run(struct cholesky *c, double *elapsed)
{
	int error = doall_open(&c->program), closed;

	if (error)
		return error;
	error = c->program.scheme ? factorise_shared(c, elapsed) : factorise_owned(c, elapsed);
	closed = doall_close(&c->program);
	return error ? error : closed;
}

/* |A - L L^T| at its largest, over the largest element of A; a column of A - L L^T after the other. */
static double residual(const struct cholesky *c)
{
	double *sums = app_doubles(c->program.name, c->n), most = 0;

	for (long j = 0; j < c->n; j++) {
		for (long i = j; i < c->n; i++)
			sums[i] = element(c, i, j);
		for (long k = 0; k <= j; k++) {
			const double *l = column(c, c->a, k);

			for (long i = j; i < c->n; i++)
				sums[i] -= l[i] * l[j];
		}
		for (long i = j; i < c->n; i++)
			most = fmax(most, fabs(sums[i]));
	}
	free(sums);
	return most / (100 * (double)c->n);
}

static int verify(const struct cholesky *c)
{
	double *a = app_doubles(c->program.name, c->n * c->n);
	long wrong = 0;

	fill(c, a);
	for (long k = 0; k < c->n; k++) {
		finish(c, a, k);
		for (long j = k + 1; j < c->n; j++)
			subtract(c, a, k, j);
	}
	for (long j = 0; j < c->n; j++)
		wrong += memcmp(column(c, a, j) + j, column(c, c->a, j) + j,
				(size_t)(c->n - j) * sizeof(*a)) != 0;
	free(a);
	if (wrong)
		fprintf(stderr, "cholesky: %ld of %ld columns are wrong\n", wrong, c->n);
	if (c->n && !(residual(c) < 1e-12)) {
		fprintf(stderr, "cholesky: L L^T is not A\n");
		wrong++;
	}
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct cholesky c = { .program.name = "cholesky", .n = 400 };
	double elapsed = 0;
	int error, wrong = 0;

	app_begin(c.program.name, &argc, &argv);
	parse(&c, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &c.program.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &c.program.ranks);
	c.a = app_doubles(c.program.name, c.n * c.n);
	fill(&c, c.a);

	error = run(&c, &elapsed);
	if (error)
		doall_abort(&c.program, error);
	if (!c.program.rank && !c.program.unverified)
		wrong = verify(&c);
	free(c.a);
	return doall_end(&c.program, elapsed, wrong, "n=%ld", c.n);
}
