/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The BLACS and ScaLAPACK functions that the programs here call; they come without a header. */
#ifndef TESTS_GEMR2D_SCALAPACK_H
#define TESTS_GEMR2D_SCALAPACK_H

void Cblacs_pinfo(int *process, int *processes);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridmap(int *context, const int *map, int leading, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *my_row, int *my_column);
void Cblacs_gridexit(int context);
void Cblacs_exit(int go_on);

int numroc_(const int *n, const int *block, const int *process, const int *first,
	    const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc,
	       const int *csrc, const int *context, const int *lld, int *info);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja,
	     const int *desca, int *ipiv, double *b, const int *ib, const int *jb, const int *descb,
	     int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
	     const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
	     const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
	     double *c, const int *ic, const int *jc, const int *descc);

#define GEMR2D(letter)                                                                          \
	void Cp##letter##gemr2d(int m, int n, const void *a, int ia, int ja, const int *desca,  \
				void *b, int ib, int jb, const int *descb, int context);        \
	void Cp##letter##gemr2do(int m, int n, const void *a, int ia, int ja, const int *desca, \
				 void *b, int ib, int jb, const int *descb);                    \
	void p##letter##gemr2d_(const int *m, const int *n, const void *a, const int *ia,       \
				const int *ja, const int *desca, void *b, const int *ib,        \
				const int *jb, const int *descb, const int *context)

GEMR2D(s);
GEMR2D(d);
GEMR2D(c);
GEMR2D(z);
GEMR2D(i);

#endif /* TESTS_GEMR2D_SCALAPACK_H */
