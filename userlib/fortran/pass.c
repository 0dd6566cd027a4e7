// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Passes: units and passes are counted from 1. */
#include <stdbool.h>

#include "fortran/fortran_internal.h"

EQUANT_API void equant_fortran_pass_begin(const struct fortran_loop *l, int *ierror)
{
	call_loop(l, ierror, equant_pass_begin);
}

EQUANT_API void equant_fortran_pass_join(const struct fortran_loop *l, int *ierror)
{
	call_loop(l, ierror, equant_pass_join);
}

/* The cursor is here, in the program's one call; what is more is the library's. */
EQUANT_API bool equant_fortran_next(const struct fortran_loop *l, long *unit)
{
	long from;

	if (!loop_of(l)) {
		equant_fortran_no_loop(l, "equant_next");
		return false;
	}
	if (!equant_next(loop_of(l), &from))
		return false;
	*unit = from + 1;
	return true;
}

EQUANT_API void equant_fortran_pass_end(const struct fortran_loop *l, int *ierror)
{
	call_loop(l, ierror, equant_pass_end);
}

EQUANT_API long equant_fortran_pass(const struct fortran_loop *l)
{
	return equant_fortran_no_loop(l, "equant_pass") ? 0 : equant_pass(loop_of(l)) + 1;
}
