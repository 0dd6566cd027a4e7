// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The symbols of ScaLAPACK's library: for each type a Fortran subroutine, its C function, and the
 * forms without a context of 1996 and before.
 */
#include "gemr2d/blacs.h"

#define API __attribute__((visibility("default")))

#define FORTRAN_SIDE(x, i, j, desc) void *x, const int *i, const int *j, const int *desc
#define C_SIDE(x, i, j, desc) void *x, int i, int j, const int *desc
#define SIDE(x, i, j, desc) (&(struct equant_blacs_side){ x, i, j, desc })

#define SYMBOLS(letter, type)                                                                     \
	API void Cp##letter##gemr2d(int m, int n, C_SIDE(a, ia, ja, desca),                       \
				    C_SIDE(b, ib, jb, descb), int context)                        \
	{                                                                                         \
		equant_blacs_gemr2d("p" #letter "gemr2d", type, m, n, SIDE(a, ia, ja, desca),     \
				    SIDE(b, ib, jb, descb), context);                             \
	}                                                                                         \
	API void Cp##letter##gemr2do(int m, int n, C_SIDE(a, ia, ja, desca),                      \
				     C_SIDE(b, ib, jb, descb))                                    \
	{                                                                                         \
		equant_blacs_gemr2do("p" #letter "gemr2do", type, m, n, SIDE(a, ia, ja, desca),   \
				     SIDE(b, ib, jb, descb));                                     \
	}                                                                                         \
	API void p##letter##gemr2d_(const int *m, const int *n, FORTRAN_SIDE(a, ia, ja, desca),   \
				    FORTRAN_SIDE(b, ib, jb, descb), const int *context)           \
	{                                                                                         \
		equant_blacs_gemr2d("p" #letter "gemr2d", type, *m, *n, SIDE(a, *ia, *ja, desca), \
				    SIDE(b, *ib, *jb, descb), *context);                          \
	}                                                                                         \
	API void p##letter##gemr2do_(const int *m, const int *n, FORTRAN_SIDE(a, ia, ja, desca),  \
				     FORTRAN_SIDE(b, ib, jb, descb))                              \
	{                                                                                         \
		equant_blacs_gemr2do("p" #letter "gemr2do", type, *m, *n,                         \
				     SIDE(a, *ia, *ja, desca), SIDE(b, *ib, *jb, descb));         \
	}

SYMBOLS(s, MPI_FLOAT)
SYMBOLS(d, MPI_DOUBLE)
SYMBOLS(c, MPI_C_FLOAT_COMPLEX)
SYMBOLS(z, MPI_C_DOUBLE_COMPLEX)
SYMBOLS(i, MPI_INT)
