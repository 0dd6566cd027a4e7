// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * lfk10 - difference predictors, the tenth Livermore kernel, and a stage that needs all of
 * its result (Cierniak, Zaki, Li 1997, section 10.4).
 *
 * All iterations are alike and short, and each leaves a row of PX that is broadcast to all: what
 * the contention-free planner is made for.  The next stage, on every rank, makes
 * new CX of PX.  Every rank verifies its PX bit for bit against the sequential program.
 */
#include "doall.h"

#define COLUMNS 25 /* as in the kernel; 4 to 13 are used */
#define FIRST 4
#define LAST 13

struct lfk10 {
	struct doall_program program;
	long n;
	long steps;
	double *px; /* n rows of COLUMNS */
	double *cx; /* n */
};

static void usage(FILE *out)
{
	fputs("usage: lfk10 [-n SIZE] [-s STEPS] [--plan NAME | --scheme NAME]\n"
	      "  -n SIZE       iterations (default 10000)\n"
	      "  -s STEPS      how often to predict (default 20)\n" DOALL_USAGE,
	      out);
}

static void parse(struct lfk10 *k, int argc, char **argv)
{
	static const struct option longs[] = { DOALL_OPTIONS, { 0 } };
	struct doall_program *p = &k->program;
	int c;

	while ((c = getopt_long(argc, argv, "n:s:h", longs, NULL)) != -1) {
		if (c == 'n')
			k->n = app_number(p->name, "-n", optarg, 0, 10000000);
		else if (c == 's')
			k->steps = app_number(p->name, "-s", optarg, 0, 1000000000);
		else if (!doall_option(p, c))
			app_help(p->name, usage, c);
	}
	doall_options_end(p, argc, argv);
}

static void fill(struct lfk10 *k)
{
	k->px = app_doubles(k->program.name, k->n * COLUMNS);
	k->cx = app_doubles(k->program.name, k->n);
	for (long i = 0; i < k->n; i++) {
		k->cx[i] = (double)(i * 37 % 101) / 101;
		for (int c = 0; c < COLUMNS; c++)
			k->px[i * COLUMNS + c] = (double)((i * 53 + c * 29) % 103) / 103;
	}
}

static void empty(struct lfk10 *k)
{
	free(k->px);
	free(k->cx);
}

/* Each column becomes the difference between the new and the old one before it. */
static void predict(void *ctx, long i)
{
	const struct lfk10 *k = ctx;
	double *px = k->px + i * COLUMNS, new = k->cx[i];

	for (int c = FIRST; c <= LAST; c++) {
		double old = px[c];

		px[c] = new;
		new -= old;
	}
}

/* Of rows from anywhere, so that PX must be everywhere. */
static void correct(struct lfk10 *k)
{
	for (long i = 0; i < k->n; i++) {
		const double *before = k->px + (i ? i - 1 : i) * COLUMNS;
		const double *behind = k->px + (i < k->n - 1 ? i + 1 : i) * COLUMNS;
		const double *mirror = k->px + (k->n - 1 - i) * COLUMNS;

		k->cx[i] = (before[FIRST] + behind[FIRST]) / 2 + mirror[LAST] / 4096;
	}
}

static int run(struct lfk10 *k, double *elapsed)
{
	const int used = LAST + 1 - FIRST;
	const struct doall_cost cost = { k->n, 0, used, used * sizeof(double) };
	struct doall rows = { 0 };
	int error = doall_open(&k->program), closed;

	if (!error)
		error = doall_new(&rows, &k->program, "rows", &cost);
	if (error)
		return error;
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	for (long s = 0; s < k->steps && !error; s++) {
		error = doall_run(&rows, predict, k);
		if (!error)
			error = doall_share(&rows, k->px + FIRST, COLUMNS, used);
		correct(k);
	}
	*elapsed += MPI_Wtime();
	closed = doall_free(&rows);
	error = error ? error : closed;
	closed = doall_close(&k->program);
	return error ? error : closed;
}

static int verify(const struct lfk10 *k)
{
	struct lfk10 again = *k;
	long wrong = 0;

	fill(&again);
	for (long s = 0; s < k->steps; s++) {
		for (long i = 0; i < k->n; i++)
			predict(&again, i);
		correct(&again);
	}
	for (long i = 0; i < k->n; i++)
		wrong += memcmp(again.px + i * COLUMNS, k->px + i * COLUMNS,
				COLUMNS * sizeof(double)) != 0;
	empty(&again);
	if (wrong)
		fprintf(stderr, "lfk10: rank %d: %ld of %ld rows are wrong\n", k->program.rank,
			wrong, k->n);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct lfk10 k = { .program.name = "lfk10", .n = 10000, .steps = 20 };
	double elapsed = 0;
	int error, wrong = 0;

	app_begin(k.program.name, &argc, &argv);
	parse(&k, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &k.program.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &k.program.ranks);
	fill(&k);

	error = run(&k, &elapsed);
	if (error)
		doall_abort(&k.program, error);
	if (!k.program.unverified)
		wrong = verify(&k);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	empty(&k);
	return doall_end(&k.program, elapsed, wrong, "n=%ld steps=%ld", k.n, k.steps);
}
