// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* MPI's calls as programs in C have them, by its profiling interface (MPI 3.1, chapter 14). */
#include <mpi.h>

#include <equant/export.h>

#include "preload/rank.h"

#define MPI_CALL(name, fortran, count, parameters, arguments)    \
	EQUANT_API int MPI_##name parameters                     \
	{                                                        \
		equant_rank_enter();                             \
		return equant_rank_leave(PMPI_##name arguments); \
	}
#include "preload/calls.h"

EQUANT_API int MPI_Init(int *argc, char ***argv)
{
	int ret = PMPI_Init(argc, argv);

	equant_rank_begin();
	return ret;
}

EQUANT_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int ret = PMPI_Init_thread(argc, argv, required, provided);

	equant_rank_begin();
	return ret;
}

EQUANT_API int MPI_Finalize(void)
{
	equant_rank_end();
	return PMPI_Finalize();
}
