// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* MPI's calls as programs in C have them (MPI 3.1, chapter 14: profiling interface). */
#include <mpi.h>

#include <equant/export.h>

#include "preload/rank.h"

/* The function that a call is handed on to. */
#define NEXT(name)                                                                \
	static __typeof__(&MPI_##name) name##_find(void *caller)                  \
	{                                                                         \
		static __typeof__(&MPI_##name) next;                              \
		if (!next)                                                        \
			*(void **)&next = equant_rank_next("MPI_" #name, caller); \
		return next;                                                      \
	}

#define MPI_CALL(name, fortran, count, parameters, arguments)                            \
	NEXT(name)                                                                       \
	EQUANT_API int MPI_##name parameters                                             \
	{                                                                                \
		static const struct equant_call call = { "MPI_" #name };                 \
		__typeof__(&MPI_##name) next = name##_find(__builtin_return_address(0)); \
		equant_rank_enter(&call);                                                \
		return equant_rank_leave(next arguments);                                \
	}
#include "preload/calls.h"

NEXT(Init)
NEXT(Init_thread)
NEXT(Finalize)
NEXT(Abort)

EQUANT_API int MPI_Init(int *argc, char ***argv)
{
	int ret = Init_find(__builtin_return_address(0))(argc, argv);

	equant_rank_begin(__builtin_return_address(0));
	return ret;
}

EQUANT_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int ret = Init_thread_find(__builtin_return_address(0))(argc, argv, required, provided);

	equant_rank_begin(__builtin_return_address(0));
	return ret;
}

EQUANT_API int MPI_Finalize(void)
{
	int ret;

	equant_rank_last();
	ret = Finalize_find(__builtin_return_address(0))();
	equant_rank_end();
	return ret;
}

EQUANT_API int MPI_Abort(MPI_Comm comm, int errorcode)
{
	equant_rank_abort();
	return Abort_find(__builtin_return_address(0))(comm, errorcode);
}
