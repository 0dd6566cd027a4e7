// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Slice tables. */
#include <equant/table.h>

#include "core/message.h"
#include "fortran/fortran_internal.h"

/* type(equant_table) */
struct fortran_table {
	uintptr_t handle;
};

static struct equant_table *table_of(const struct fortran_table *t)
{
	return equant_fortran_object(t->handle);
}

static int no_table(const struct fortran_table *t, const char *function)
{
	if (table_of(t))
		return 0;
	equant_message("%s: no table: equant_loop_table() has not made it, or its loop is freed",
		       function);
	return -EINVAL;
}

EQUANT_API void equant_fortran_loop_table(struct fortran_table *t, const struct fortran_loop *l,
					  const size_t *bytes, const int *kind, int *ierror)
{
	int error = equant_fortran_no_loop(l, "equant_loop_table");
	struct equant_table *table = NULL;
	uintptr_t handle;

	handle = error ? 0 : equant_fortran_reserve("equant_loop_table");
	if (!error && !handle)
		error = -ENFILE;
	if (!error) {
		table = equant_loop_table(loop_of(l), *bytes, *kind);
		error = table ? 0 : -errno;
	}
	t->handle = equant_fortran_made(handle, table, loop_of(l));
	equant_fortran_done(error, "equant_loop_table", ierror);
}

EQUANT_API int equant_fortran_table_kind(const struct fortran_table *t)
{
	int error = no_table(t, "equant_table_kind");

	return error ? error : (int)equant_table_kind(table_of(t));
}

EQUANT_API void *equant_fortran_table_slice(const struct fortran_table *t, const long *unit)
{
	if (no_table(t, "equant_table_slice"))
		return NULL;
	return equant_table_slice(table_of(t), from_zero(unit));
}

EQUANT_API const void *equant_fortran_table_copy(const struct fortran_table *t, const long *unit)
{
	if (no_table(t, "equant_table_copy"))
		return NULL;
	return equant_table_copy(table_of(t), from_zero(unit));
}

EQUANT_API void equant_fortran_table_forget(const struct fortran_table *t)
{
	if (!no_table(t, "equant_table_forget"))
		equant_table_forget(table_of(t));
}

EQUANT_API void equant_fortran_table_next(const struct fortran_table *t, long *cursor, long *unit,
					  void **slice)
{
	long from = -1;

	*slice = NULL;
	if (!no_table(t, "equant_table_next"))
		*slice = equant_table_next(table_of(t), cursor, &from);
	*unit = from + 1;
}
