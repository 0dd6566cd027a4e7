// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * triang - a triangular loop nest (Cierniak, Zaki, Li 1997, sections 10.1 to 10.3).
 *
 * The i-th iteration of the outer loop computes i elements, so that x_i = a i: the loop that
 * the bitonic planner is made for.  The paper says no more of it; here an element is
 * a recurrence of some steps.  Results are gathered as the paper does.  Rank 0 verifies them
 * bit for bit against the sequential loop.
 */
#include "doall.h"

struct triang {
	struct doall_program program;
	long n;
	long steps; /* per element */
	long times;
	double *a; /* n rows of n; row i has i + 1 elements */
};

static void usage(FILE *out)
{
	fputs("usage: triang [-n SIZE] [-s STEPS] [-r TIMES] [--plan NAME | --scheme NAME]\n"
	      "  -n SIZE       iterations (default 500)\n"
	      "  -s STEPS      operations per element (default 100)\n"
	      "  -r TIMES      how often to run the loop (default 1)\n" DOALL_USAGE,
	      out);
}

static void parse(struct triang *t, int argc, char **argv)
{
	static const struct option longs[] = { DOALL_OPTIONS, { 0 } };
	struct doall_program *p = &t->program;
	int c;

	while ((c = getopt_long(argc, argv, "n:s:r:h", longs, NULL)) != -1) {
		if (c == 'n')
			t->n = app_number(p->name, "-n", optarg, 0, 16000);
		else if (c == 's')
			t->steps = app_number(p->name, "-s", optarg, 1, 1000000000);
		else if (c == 'r')
			t->times = app_number(p->name, "-r", optarg, 1, 1000000000);
		else if (!doall_option(p, c))
			app_help(p->name, usage, c);
	}
	doall_options_end(p, argc, argv);
}

static void fill_row(const struct triang *t, double *row, long i)
{
	for (long j = 0; j <= i; j++) {
		double x = (double)((i * 37 + j * 53) % 101) / 101;

		for (long s = 0; s < t->steps; s++)
			x = 3.7 * x * (1 - x);
		row[j] = x;
	}
}

static void body(void *ctx, long i)
{
	const struct triang *t = ctx;

	fill_row(t, t->a + i * t->n, i);
}

static int run(struct triang *t, double *elapsed)
{
	const struct doall_cost cost = { t->n, (double)t->steps, 0, (double)t->n * sizeof(double) };
	struct doall rows = { 0 };
	int error = doall_open(&t->program), closed;

	if (!error)
		error = doall_new(&rows, &t->program, "rows", &cost);
	if (error)
		return error;
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	for (long r = 0; r < t->times && !error; r++) {
		error = doall_run(&rows, body, t);
		if (!error)
			error = doall_share(&rows, t->a, t->n, t->n);
	}
	*elapsed += MPI_Wtime();
	closed = doall_free(&rows);
	error = error ? error : closed;
	closed = doall_close(&t->program);
	return error ? error : closed;
}

static int verify(const struct triang *t)
{
	double *row = app_doubles(t->program.name, t->n);
	long wrong = 0;

	for (long i = 0; i < t->n; i++) {
		fill_row(t, row, i);
		wrong += memcmp(row, t->a + i * t->n, (size_t)(i + 1) * sizeof(*row)) != 0;
	}
	free(row);
	if (wrong)
		fprintf(stderr, "triang: %ld of %ld rows are wrong\n", wrong, t->n);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct triang t = { .program.name = "triang", .n = 500, .steps = 100, .times = 1 };
	double elapsed = 0;
	int error, wrong = 0;

	app_begin(t.program.name, &argc, &argv);
	parse(&t, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &t.program.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &t.program.ranks);
	t.a = app_doubles(t.program.name, t.n * t.n);

	error = run(&t, &elapsed);
	if (error)
		doall_abort(&t.program, error);
	if (!t.program.rank && !t.program.unverified)
		wrong = verify(&t);
	free(t.a);
	return doall_end(&t.program, elapsed, wrong, "n=%ld steps=%ld times=%ld", t.n, t.steps,
			 t.times);
}
