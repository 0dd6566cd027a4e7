// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * eco - spatial price equilibrium with ad valorem tariffs (Cierniak, Zaki, Li 1997, sections
 * 10.1 and 10.3.2, after Nagurney, Nicholson, Bishop 1995).
 *
 * Supply market i sells s_i at price pi_i, which rises with s_i; demand market j buys d_j at rho_j,
 * which falls with d_j; to ship Q_ij costs c_ij a piece, rising with Q_ij.  In equilibrium
 *
 *	(pi_i + c_ij) (1 + tariff_ij) = rho_j where Q_ij > 0, and is not less elsewhere.
 *
 * Projection: each shipment follows its profit, but not below zero.  A sweep is two
 * parallel loops, over supply markets (shipments, pi) and over demand markets (rho), with a
 * broadcast behind each.  Every rank verifies its shipments and prices bit for bit against the
 * sequential program, and how far from equilibrium they are is printed.
 */
#include "doall.h"

struct eco {
	struct doall_program program;
	long n; /* markets of either kind */
	long sweeps;
	double step;
	double *rows; /* n rows of n shipments, and the price of supply */
	double *rho; /* n prices of demand */
};

static void usage(FILE *out)
{
	fputs("usage: eco [-n SIZE] [-s SWEEPS] [--plan NAME | --scheme NAME]\n"
	      "  -n SIZE       supply markets, and demand markets (default 200)\n"
	      "  -s SWEEPS     steps towards equilibrium (default 50)\n" DOALL_USAGE,
	      out);
}

static void parse(struct eco *e, int argc, char **argv)
{
	static const struct option longs[] = { DOALL_OPTIONS, { 0 } };
	struct doall_program *p = &e->program;
	int c;

	while ((c = getopt_long(argc, argv, "n:s:h", longs, NULL)) != -1) {
		if (c == 'n')
			e->n = app_number(p->name, "-n", optarg, 0, 16000);
		else if (c == 's')
			e->sweeps = app_number(p->name, "-s", optarg, 0, 1000000000);
		else if (!doall_option(p, c))
			app_help(p->name, usage, c);
	}
	doall_options_end(p, argc, argv);
}

/* ---- the markets ------------------------------------------------------------------ */

static double some(long i, long j, long modulus)
{
	return (double)((i * 7919 + j * 104729 + 13) % modulus) / (double)modulus;
}

static double supply_price(long i, double supply)
{
	return (1 + some(i, 1, 97)) * supply + 5 + 10 * some(i, 2, 89);
}

static double demand_price(long j, double demand)
{
	return 60 + 40 * some(j, 3, 83) - (1 + some(j, 4, 79)) * demand;
}

static double shipping(long i, long j, double shipment)
{
	return (0.5 + some(i, j, 73)) * shipment + 1 + 20 * some(j, i, 71);
}

static double tariff(long i, long j)
{
	return 0.3 * some(i + j, i, 67);
}

/* What one more piece brings; negative: costs. */
static double profit(const struct eco *e, long i, long j)
{
	const double *row = e->rows + i * (e->n + 1);

	return e->rho[j] - (row[e->n] + shipping(i, j, row[j])) * (1 + tariff(i, j));
}

/* Shorter than the inverse of what prices can change with all shipments, so that it converges. */
static void fill(struct eco *e)
{
	e->rows = app_doubles(e->program.name, e->n * (e->n + 1));
	e->rho = app_doubles(e->program.name, e->n);
	e->step = 1 / (2 * 1.3 * (double)e->n + 2 * (double)e->n + 2 * 1.3);
	for (long i = 0; i < e->n; i++) {
		e->rows[i * (e->n + 1) + e->n] = supply_price(i, 0);
		e->rho[i] = demand_price(i, 0);
	}
}

static void empty(struct eco *e)
{
	free(e->rows);
	free(e->rho);
}

/* ---- the loops ----------------------------------------------------------------------- */

static void sell(void *ctx, long i)
{
	const struct eco *e = ctx;
	double *row = e->rows + i * (e->n + 1), supply = 0;

	for (long j = 0; j < e->n; j++) {
		double shipment = row[j] + e->step * profit(e, i, j);

		row[j] = shipment > 0 ? shipment : 0;
		supply += row[j];
	}
	row[e->n] = supply_price(i, supply);
}

static void buy(void *ctx, long j)
{
	const struct eco *e = ctx;
	double demand = 0;

	for (long i = 0; i < e->n; i++)
		demand += e->rows[i * (e->n + 1) + j];
	e->rho[j] = demand_price(j, demand);
}

static int sweep(struct eco *e, struct doall *supply, struct doall *demand)
{
	int error = doall_run(supply, sell, e);

	if (!error)
		error = doall_share(supply, e->rows, e->n + 1, e->n + 1);
	if (!error)
		error = doall_run(demand, buy, e);
	return error ? error : doall_share(demand, e->rho, 1, 1);
}

static int run(struct eco *e, double *elapsed)
{
	const double n = (double)e->n;
	const struct doall_cost selling = { e->n, 0, 10 * n, (n + 1) * sizeof(double) };
	const struct doall_cost buying = { e->n, 0, n, sizeof(double) };
	struct doall supply = { 0 }, demand = { 0 };
	int error = doall_open(&e->program), closed;

	if (!error)
		error = doall_new(&supply, &e->program, "supply", &selling);
	if (!error)
		error = doall_new(&demand, &e->program, "demand", &buying);
	if (error)
		return error;
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	for (long s = 0; s < e->sweeps && !error; s++)
		error = sweep(e, &supply, &demand);
	*elapsed += MPI_Wtime();
	closed = doall_free(&demand);
	error = error ? error : closed;
	closed = doall_free(&supply);
	error = error ? error : closed;
	closed = doall_close(&e->program);
	return error ? error : closed;
}

/* ---- the result ------------------------------------------------------------------------ */

/* The largest loss of a shipment that is made, or gain of one that is not. */
static double distance(const struct eco *e)
{
	double most = 0;

	for (long i = 0; i < e->n; i++)
		for (long j = 0; j < e->n; j++) {
			double gain = profit(e, i, j);

			if (e->rows[i * (e->n + 1) + j] > 0 || gain > 0)
				most = fmax(most, fabs(gain));
		}
	return most;
}

static int verify(const struct eco *e)
{
	struct eco again = *e;
	size_t row = (size_t)(e->n + 1) * sizeof(double);
	long wrong = 0;

	fill(&again);
	for (long s = 0; s < e->sweeps; s++) {
		for (long i = 0; i < e->n; i++)
			sell(&again, i);
		for (long j = 0; j < e->n; j++)
			buy(&again, j);
	}
	for (long i = 0; i < e->n; i++)
		wrong += memcmp(again.rows + i * (e->n + 1), e->rows + i * (e->n + 1), row) ||
			 memcmp(again.rho + i, e->rho + i, sizeof(double));
	empty(&again);
	if (wrong)
		fprintf(stderr, "eco: rank %d: %ld of %ld markets are wrong\n", e->program.rank,
			wrong, e->n);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	struct eco e = { .program.name = "eco", .n = 200, .sweeps = 50 };
	double elapsed = 0, left;
	int error, wrong = 0;

	app_begin(e.program.name, &argc, &argv);
	parse(&e, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &e.program.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &e.program.ranks);
	fill(&e);

	error = run(&e, &elapsed);
	if (error)
		doall_abort(&e.program, error);
	if (!e.program.unverified)
		wrong = verify(&e);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	left = distance(&e);
	empty(&e);
	return doall_end(&e.program, elapsed, wrong, "n=%ld sweeps=%ld distance=%.3g", e.n,
			 e.sweeps, left);
}
