// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * MPI's calls as programs in Fortran have them, which need not go by way of those of C: name_ with mpif.h and
 * module mpi, name_f08_ with module mpi_f08.  All their arguments are addresses.  The library that
 * has them comes with the program, if it is in Fortran.
 */
#include <mpi.h>

#include <equant/export.h>

#include "preload/rank.h"

#define P1 void *a
#define P2 P1, void *b
#define P3 P2, void *c
#define P4 P3, void *d
#define P5 P4, void *e
#define P6 P5, void *f
#define P7 P6, void *g
#define P8 P7, void *h
#define P9 P8, void *i
#define P10 P9, void *j
#define P11 P10, void *k
#define P12 P11, void *l
#define P13 P12, void *m
#define P14 P13, void *n
#define A1 a
#define A2 A1, b
#define A3 A2, c
#define A4 A3, d
#define A5 A4, e
#define A6 A5, f
#define A7 A6, g
#define A8 A7, h
#define A9 A8, i
#define A10 A9, j
#define A11 A10, k
#define A12 A11, l
#define A13 A12, m
#define A14 A13, n

/* before and after the function of that name in a library behind this one */
#define HAND_ON(name, count, before, after)                                           \
	static void (*name##next)(P##count);                                          \
	EQUANT_API void name(P##count)                                                \
	{                                                                             \
		if (!name##next)                                                      \
			*(void **)&name##next =                                       \
				equant_rank_next(#name, __builtin_return_address(0)); \
		before;                                                               \
		name##next(A##count);                                                 \
		after;                                                                \
	}

#define TELL(name, count, mpi)                                \
	static const struct equant_call name##call = { mpi }; \
	HAND_ON(name, count, equant_rank_enter(&name##call), equant_rank_leave(MPI_SUCCESS))

#define MPI_CALL(name, fortran, count, parameters, arguments) \
	TELL(mpi_##fortran##_, count, "MPI_" #name)           \
	TELL(mpi_##fortran##_f08_, count, "MPI_" #name)
#include "preload/calls.h"

/* Of module mpi, where the address of the memory is a c_ptr. */
TELL(mpi_win_allocate_cptr_, 7, "MPI_Win_allocate")
TELL(mpi_win_allocate_shared_cptr_, 7, "MPI_Win_allocate_shared")

HAND_ON(mpi_init_, 1, (void)0, equant_rank_begin(__builtin_return_address(0)))
HAND_ON(mpi_init_f08_, 1, (void)0, equant_rank_begin(__builtin_return_address(0)))
HAND_ON(mpi_init_thread_, 3, (void)0, equant_rank_begin(__builtin_return_address(0)))
HAND_ON(mpi_init_thread_f08_, 3, (void)0, equant_rank_begin(__builtin_return_address(0)))
HAND_ON(mpi_abort_, 3, equant_rank_abort(), (void)0)
HAND_ON(mpi_abort_f08_, 3, equant_rank_abort(), (void)0)
HAND_ON(mpi_finalize_, 1, equant_rank_last(), equant_rank_end())
HAND_ON(mpi_finalize_f08_, 1, equant_rank_last(), equant_rank_end())
