// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A program as users of ScaLAPACK write it, which knows nothing of equant: equations that come by
 * rows are dealt to a grid of processes, solved there, checked with the matrix product, and the
 * solution is gathered on one process.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalapack.h"

static const int zero, one = 1, n = 130, sides = 3, input = 5, block = 16;

static double *make(int *desc, int rows, int columns, int row_block, int column_block, int context)
{
	int p, q, i, j, lld, here, info;

	memset(desc, 0, 9 * sizeof(*desc));
	desc[1] = -1;
	Cblacs_gridinfo(context, &p, &q, &i, &j);
	if (i < 0)
		return NULL;
	lld = numroc_(&rows, &row_block, &i, &zero, &p);
	here = numroc_(&columns, &column_block, &j, &zero, &q);
	lld = lld ? lld : 1;
	descinit_(desc, &rows, &columns, &row_block, &column_block, &zero, &zero, &context, &lld,
		  &info);
	return calloc((size_t)lld * (size_t)(here + 1), sizeof(double));
}

/* Numbers that anybody can work out. */
static double value(int i, int j)
{
	return i == j ? 40 : (double)((i * 7919 + j * 104729) % 1000) / 1000;
}

/* By rows: process r of @p has row r, r + p, ... in blocks. */
static void fill(double *local, const int *desc, int columns, int me, int p)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < columns; j++)
			if (i / input % p == me)
				local[(i / input / p * input + i % input) + j * desc[8]] =
					value(i, columns == n ? j : j + 500);
}

/* || A X - B || against || B ||: both are small numbers of few digits. */
static double residual(const double *a, const int *desca, const double *x, const double *b,
		       double *r, const int *descb, int elements)
{
	const double plus = 1, minus = -1;
	double mine = 0, largest;

	memcpy(r, b, (size_t)elements * sizeof(*r));
	pdgemm_("N", "N", &n, &sides, &n, &plus, a, &one, &one, desca, x, &one, &one, descb, &minus,
		r, &one, &one, descb);
	for (int k = 0; k < elements; k++)
		mine = fabs(r[k]) > mine ? fabs(r[k]) : mine;
	MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return largest;
}

static uint64_t digest(const double *x, int elements)
{
	uint64_t hash = 14695981039346656037u, bits;

	for (int k = 0; k < elements; k++) {
		memcpy(&bits, &x[k], sizeof(bits));
		hash = (hash ^ bits) * 1099511628211u;
	}
	return hash;
}

int main(int argc, char **argv)
{
	int me, p, line, grid, single, info = 1, elements;
	int rows_a[9], rows_b[9], grid_a[9], grid_b[9], whole[9];
	double *ra, *rb, *a, *b, *lu, *x, *r, *all, error;
	int *pivots;

	MPI_Init(&argc, &argv);
	Cblacs_pinfo(&me, &p);
	Cblacs_get(-1, 0, &line);
	grid = single = line;
	Cblacs_gridinit(&line, "R", p, 1);
	Cblacs_gridinit(&grid, "C", p % 2 ? 1 : 2, p % 2 ? p : p / 2);
	Cblacs_gridmap(&single, &zero, 1, 1, 1);
	ra = make(rows_a, n, n, input, n, line);
	rb = make(rows_b, n, sides, input, sides, line);
	a = make(grid_a, n, n, block, block, grid);
	lu = make(grid_a, n, n, block, block, grid);
	b = make(grid_b, n, sides, block, block, grid);
	x = make(grid_b, n, sides, block, block, grid);
	r = make(grid_b, n, sides, block, block, grid);
	all = make(whole, n, sides, n, sides, single);
	fill(ra, rows_a, n, me, p);
	fill(rb, rows_b, sides, me, p);

	pdgemr2d_(&n, &n, ra, &one, &one, rows_a, a, &one, &one, grid_a, &line);
	pdgemr2d_(&n, &sides, rb, &one, &one, rows_b, b, &one, &one, grid_b, &line);
	pdgemr2d_(&n, &n, a, &one, &one, grid_a, lu, &one, &one, grid_a, &grid);
	pdgemr2d_(&n, &sides, b, &one, &one, grid_b, x, &one, &one, grid_b, &grid);
	pivots = calloc((size_t)(n + grid_a[8] + block), sizeof(*pivots));
	pdgesv_(&n, &sides, lu, &one, &one, grid_a, pivots, x, &one, &one, grid_b, &info);
	elements = grid_b[8] * sides; /* at least as many as are here, if not more */
	if (grid_b[8] * sides > 0) {
		int q, i, j, pp;

		Cblacs_gridinfo(grid, &pp, &q, &i, &j);
		elements = grid_b[8] * numroc_(&sides, &block, &j, &zero, &q);
	}
	error = residual(a, grid_a, x, b, r, grid_b, elements);
	pdgemr2d_(&n, &sides, x, &one, &one, grid_b, all, &one, &one, whole, &line);
	if (!me)
		printf("info=%d residual %s solution=%016llx\n", info,
		       error < 1e-10 ? "small" : "LARGE",
		       (unsigned long long)digest(all, n * sides));
	free(pivots);
	free(ra);
	free(rb);
	free(a);
	free(lu);
	free(b);
	free(x);
	free(r);
	free(all);
	Cblacs_gridexit(line);
	Cblacs_gridexit(grid);
	Cblacs_exit(0);
	return 0;
}
