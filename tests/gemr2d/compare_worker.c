// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * compare_worker LIBRARY: random parts of matrices through ScaLAPACK's p?gemr2d and through those
 * of LIBRARY. What comes out is the same to the last byte of all local arrays.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalapack.h"
#include "random.h"

#define GRIDS 12
#define PARTS 14 /* between each two grids */
#define MOST 16 /* processes */
#define UNTOUCHED 0xee

typedef void (*gemr2d_call)(int m, int n, const void *a, int ia, int ja, const int *desca, void *b,
			    int ib, int jb, const int *descb, int context);
typedef void (*gemr2do_call)(int m, int n, const void *a, int ia, int ja, const int *desca, void *b,
			     int ib, int jb, const int *descb);

typedef void (*fortran_call)(const int *m, const int *n, const void *a, const int *ia,
			     const int *ja, const int *desca, void *b, const int *ib, const int *jb,
			     const int *descb, const int *context);
typedef void (*fortran_o_call)(const int *m, const int *n, const void *a, const int *ia,
			       const int *ja, const int *desca, void *b, const int *ib,
			       const int *jb, const int *descb);

static const struct {
	char letter;
	gemr2d_call theirs;
	size_t element;
} types[] = {
	{ 's', Cpsgemr2d, 4 },	{ 'd', Cpdgemr2d, 8 }, { 'c', Cpcgemr2d, 8 },
	{ 'z', Cpzgemr2d, 16 }, { 'i', Cpigemr2d, 4 },
};

#define TYPES (int)(sizeof(types) / sizeof(types[0]))

/* Of a call: those of each type. */
enum form { C, C_O, FORTRAN, FORTRAN_O, FORMS };

static const char *const names[FORMS] = { "Cp%cgemr2d", "Cp%cgemr2do", "p%cgemr2d_",
					  "p%cgemr2do_" };

static int me, processes;
static void *ours[TYPES][FORMS];

/* @m x @n of a matrix are from (@i, @j) on; local arrays of @bytes. */
struct matrix {
	int desc[9];
	int i;
	int j;
	size_t bytes;
	unsigned char *local;
};

static void fail(const char *what, int grid, int part)
{
	fprintf(stderr, "FAILED on process %d, grid %d, part %d: %s\n", me, grid, part, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

static const char *name_of(int type, int form)
{
	static char name[20];

	snprintf(name, sizeof(name), names[form], types[type].letter);
	return name;
}

static void *symbol(void *library, const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;
	Dl_info info;

	if (!found || !dladdr(found, &info) || !strstr(info.dli_fname, "equant"))
		fail(library ? name : dlerror(), 0, 0);
	return found;
}

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	for (int i = 0; i < TYPES; i++)
		for (int form = 0; form < FORMS; form++)
			ours[i][form] = symbol(library, name_of(i, form));
}

/* A grid on some of the processes, in any order; -1 on the others. */
static int random_grid(struct random *random)
{
	int rows = 1 + (int)random_below(random, processes);
	int columns = 1 + (int)random_below(random, processes / rows);
	int map[MOST], context;

	for (int i = 0; i < processes; i++) {
		int j = (int)random_below(random, i + 1);

		map[i] = map[j];
		map[j] = i;
	}
	Cblacs_get(-1, 0, &context);
	Cblacs_gridmap(&context, map, rows, rows, columns);
	return context;
}

static int random_block(struct random *random)
{
	return 1 + (int)random_below(random, random_below(random, 2) ? 4 : 70);
}

static void random_matrix(struct random *random, struct matrix *x, int context, int m, int n,
			  size_t element)
{
	int shape[4], *d = x->desc, grid[4];

	/* The same numbers everywhere, also where they are of no use. */
	for (int k = 0; k < 4; k++)
		shape[k] = (int)random_below(random, 1 << 20);
	x->i = 1 + (int)random_below(random, 30);
	x->j = 1 + (int)random_below(random, 30);
	d[0] = 1;
	d[1] = context;
	d[2] = x->i - 1 + m + shape[0] % 20;
	d[3] = x->j - 1 + n + shape[1] % 20;
	d[4] = random_block(random);
	d[5] = random_block(random);
	Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
	x->local = NULL;
	x->bytes = 0;
	if (grid[2] < 0) {
		/* Nothing but the context is looked at. */
		for (int k = 2; k < 9; k++)
			d[k] = -77;
		x->i = x->j = -77;
		return;
	}
	d[6] = shape[2] % grid[0];
	d[7] = shape[3] % grid[1];
	d[8] = numroc_(&d[2], &d[4], &grid[2], &d[6], &grid[0]) + (me + shape[0]) % 3;
	d[8] = d[8] ? d[8] : 1;
	x->bytes = (size_t)d[8] * element *
		   (size_t)(numroc_(&d[3], &d[5], &grid[3], &d[7], &grid[1]) + 1);
	x->local = malloc(x->bytes);
	if (!x->local)
		fail("no memory", 0, 0);
}

/* Forms without a context make one of all processes. */
static void call_ours(int type, int form, int m, int n, const struct matrix *a,
		      const struct matrix *b, int all)
{
	void *call = ours[type][form];

	switch (form) {
	case C:
		((gemr2d_call)call)(m, n, a->local, a->i, a->j, a->desc, b->local, b->i, b->j,
				    b->desc, all);
		break;
	case C_O:
		((gemr2do_call)call)(m, n, a->local, a->i, a->j, a->desc, b->local, b->i, b->j,
				     b->desc);
		break;
	case FORTRAN:
		((fortran_call)call)(&m, &n, a->local, &a->i, &a->j, a->desc, b->local, &b->i,
				     &b->j, b->desc, &all);
		break;
	case FORTRAN_O:
		((fortran_o_call)call)(&m, &n, a->local, &a->i, &a->j, a->desc, b->local, &b->i,
				       &b->j, b->desc);
		break;
	}
}

static void compare_part(struct random *random, int a_context, int b_context, int all, int grid,
			 int part)
{
	int type = (grid + part) % TYPES, m = (int)random_below(random, 90);
	int n = (int)random_below(random, 60);
	struct matrix a, b;
	unsigned char *expected;

	random_matrix(random, &a, a_context, m, n, types[type].element);
	random_matrix(random, &b, b_context, m, n, types[type].element);
	for (size_t k = 0; k < a.bytes; k++)
		a.local[k] = (unsigned char)(k * 7 + k / 251 + (size_t)me * 31);
	expected = malloc(b.bytes + 1);
	if (!expected)
		fail("no memory", grid, part);
	memset(expected, UNTOUCHED, b.bytes);
	types[type].theirs(m, n, a.local, a.i, a.j, a.desc, expected, b.i, b.j, b.desc, all);
	for (int form = 0; form < FORMS; form++) {
		/* That takes long, and these are all types. */
		if ((form == C_O || form == FORTRAN_O) && (grid || part >= TYPES))
			continue;
		if (b.local)
			memset(b.local, UNTOUCHED, b.bytes);
		call_ours(type, form, m, n, &a, &b, all);
		if (b.bytes && memcmp(b.local, expected, b.bytes))
			fail(name_of(type, form), grid, part);
	}
	free(expected);
	free(a.local);
	free(b.local);
}

int main(int argc, char **argv)
{
	struct random random = { 0 };
	int all;

	MPI_Init(&argc, &argv);
	Cblacs_pinfo(&me, &processes);
	if (argc != 2 || processes > MOST)
		fail("usage: compare_worker LIBRARY, on 1 to 16 processes", 0, 0);
	load(argv[1]);
	if (!me)
		random = random_seeded();
	MPI_Bcast(&random.state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	for (int grid = 0; grid < GRIDS; grid++) {
		int a = random_grid(&random), b = random_grid(&random);
		int rows = processes % 2 || grid % 2 ? 1 : 2;

		Cblacs_get(-1, 0, &all);
		Cblacs_gridinit(&all, grid % 3 ? "R" : "C", rows, processes / rows);
		for (int part = 0; part < PARTS; part++)
			compare_part(&random, a, b, all, grid, part);
		if (a >= 0)
			Cblacs_gridexit(a);
		if (b >= 0)
			Cblacs_gridexit(b);
		Cblacs_gridexit(all);
	}
	Cblacs_exit(1);
	MPI_Finalize();
	printf("passed on process %d\n", me);
	return 0;
}
