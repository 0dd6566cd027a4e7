// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * fft2d - Fourier transform in two dimensions (Cierniak, Zaki, Li 1997, section 10.1).
 *
 * Two parallel loops of equal iterations: the transforms of the rows, and, when all ranks have
 * them, those of the columns, which become rows of the result.  A transform is the
 * in-place one of Cooley and Tukey, radix 2.  Rank 0 verifies all coefficients bit for bit
 * against the sequential program, and some against the sum that defines them.
 */
#include "doall.h"

struct fft2d {
	struct doall_program program;
	long n; /* a power of two */
	long times;
	double *roots; /* n / 2 of unity: real, imaginary */
	double *rows; /* n rows of n complex numbers */
	double *columns; /* the result, column by column */
};

static void usage(FILE *out)
{
	fputs("usage: fft2d [-n SIZE] [-r TIMES] [--plan NAME | --scheme NAME]\n"
	      "  -n SIZE       rows and columns, a power of 2 (default 256)\n"
	      "  -r TIMES      how often to transform (default 1)\n" DOALL_USAGE,
	      out);
}

static void parse(struct fft2d *f, int argc, char **argv)
{
	static const struct option longs[] = { DOALL_OPTIONS, { 0 } };
	struct doall_program *p = &f->program;
	int c;

	while ((c = getopt_long(argc, argv, "n:r:h", longs, NULL)) != -1) {
		if (c == 'n')
			f->n = app_number(p->name, "-n", optarg, 1, 16384);
		else if (c == 'r')
			f->times = app_number(p->name, "-r", optarg, 1, 1000000000);
		else if (!doall_option(p, c))
			app_help(p->name, usage, c);
	}
	doall_options_end(p, argc, argv);
	if (f->n & (f->n - 1)) {
		fprintf(stderr, "fft2d: -n %ld: not a power of 2\n", f->n);
		app_exit(p->name, 2);
	}
}

static double element(long row, long column)
{
	return (double)((row * 7919 + column * 104729 + row * column % 31) % 199 - 99);
}

static void set_up(struct fft2d *f)
{
	f->rows = app_doubles(f->program.name, 2 * f->n * f->n);
	f->columns = app_doubles(f->program.name, 2 * f->n * f->n);
	f->roots = app_doubles(f->program.name, f->n);
	for (long k = 0; k < f->n / 2; k++) {
		f->roots[2 * k] = cos(2 * M_PI * (double)k / (double)f->n);
		f->roots[2 * k + 1] = -sin(2 * M_PI * (double)k / (double)f->n);
	}
}

static void tear_down(struct fft2d *f)
{
	free(f->rows);
	free(f->columns);
	free(f->roots);
}

/* To where the bits of its place are in reverse. */
static void permute(double *x, long n)
{
	for (long i = 1, j = 0; i < n; i++) {
		long bit = n >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		for (int part = 0; part < 2 && i < j; part++) {
			double kept = x[2 * i + part];

			x[2 * i + part] = x[2 * j + part];
			x[2 * j + part] = kept;
		}
	}
}

/* a, b = a + w b, a - w b */
static void butterfly(double *a, double *b, const double *w)
{
	double real = w[0] * b[0] - w[1] * b[1], imaginary = w[0] * b[1] + w[1] * b[0];

	b[0] = a[0] - real;
	b[1] = a[1] - imaginary;
	a[0] += real;
	a[1] += imaginary;
}

static void transform(const struct fft2d *f, double *x)
{
	long n = f->n;

	permute(x, n);
	for (long half = 1; half < n; half *= 2)
		for (long from = 0; from < n; from += 2 * half)
			for (long k = 0; k < half; k++)
				butterfly(x + 2 * (from + k), x + 2 * (from + k + half),
					  f->roots + 2 * (k * (n / (2 * half))));
}

static void transform_row(void *ctx, long r)
{
	const struct fft2d *f = ctx;
	double *row = f->rows + 2 * r * f->n;

	for (long c = 0; c < f->n; c++) {
		row[2 * c] = element(r, c);
		row[2 * c + 1] = 0;
	}
	transform(f, row);
}

static void transform_column(void *ctx, long c)
{
	const struct fft2d *f = ctx;
	double *column = f->columns + 2 * c * f->n;

	for (long r = 0; r < f->n; r++)
		memcpy(column + 2 * r, f->rows + 2 * (r * f->n + c), 2 * sizeof(double));
	transform(f, column);
}

static int transform_all(struct fft2d *f, struct doall *lines)
{
	int error = doall_run(lines, transform_row, f);

	if (!error)
		error = doall_share(lines, f->rows, 2 * f->n, 2 * f->n);
	if (!error)
		error = doall_run(lines, transform_column, f);
	return error ? error : doall_share(lines, f->columns, 2 * f->n, 2 * f->n);
}

static int run(struct fft2d *f, double *elapsed)
{
	const double n = (double)f->n;
	const struct doall_cost cost = { f->n, 0, 5 * n * (log2(n) + 1), 2 * n * sizeof(double) };
	struct doall lines = { 0 };
	int error = doall_open(&f->program), closed;

	if (!error)
		error = doall_new(&lines, &f->program, "lines", &cost);
	if (error)
		return error;
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	for (long r = 0; r < f->times && !error; r++)
		error = transform_all(f, &lines);
	*elapsed += MPI_Wtime();
	closed = doall_free(&lines);
	error = error ? error : closed;
	closed = doall_close(&f->program);
	return error ? error : closed;
}

/* Coefficient (@u, @v) by definition; how far the transform's is from it. */
static double distance(const struct fft2d *f, long u, long v)
{
	const double *result = f->columns + 2 * (v * f->n + u);
	double real = 0, imaginary = 0;

	for (long r = 0; r < f->n; r++)
		for (long c = 0; c < f->n; c++) {
			long turns = (r * u + c * v) % f->n;
			double angle = -2 * M_PI * (double)turns / (double)f->n;

			real += element(r, c) * cos(angle);
			imaginary += element(r, c) * sin(angle);
		}
	return hypot(real - result[0], imaginary - result[1]);
}

static int verify(const struct fft2d *f)
{
	struct fft2d again = *f;
	size_t line = 2 * (size_t)f->n * sizeof(double);
	long n = f->n, wrong = 0, places[][2] = { { 0, 0 }, { 1 % n, 2 % n }, { n / 3, n - 1 } };

	set_up(&again);
	for (long r = 0; r < n; r++)
		transform_row(&again, r);
	for (long c = 0; c < n; c++) {
		transform_column(&again, c);
		wrong += memcmp(again.columns + 2 * c * n, f->columns + 2 * c * n, line) != 0;
	}
	tear_down(&again);
	if (wrong)
		fprintf(stderr, "fft2d: %ld of %ld columns are wrong\n", wrong, n);
	for (int k = 0; k < 3; k++)
		if (!(distance(f, places[k][0], places[k][1]) <= 1e-9 * (double)(n * n))) {
			fprintf(stderr, "fft2d: coefficient %ld, %ld is not its sum\n",
				places[k][0], places[k][1]);
			wrong++;
		}
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct fft2d f = { .program.name = "fft2d", .n = 256, .times = 1 };
	double elapsed = 0;
	int error, wrong = 0;

	app_begin(f.program.name, &argc, &argv);
	parse(&f, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &f.program.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &f.program.ranks);
	set_up(&f);

	error = run(&f, &elapsed);
	if (error)
		doall_abort(&f.program, error);
	if (!f.program.rank && !f.program.unverified)
		wrong = verify(&f);
	tear_down(&f);
	return doall_end(&f.program, elapsed, wrong, "n=%ld times=%ld", f.n, f.times);
}
