// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops, the data of single units, and hooks. */
#include <string.h>

#include "fortran/fortran_internal.h"

EQUANT_API void equant_fortran_loop_new(struct fortran_loop *l, const struct fortran_context *c,
					const CFI_cdesc_t *name, const long *units, int *ierror)
{
	char text[64]; /* longer than a name may be, so that one too long is seen */
	int error = equant_fortran_no_context(c, "equant_loop_new");
	struct equant_loop *loop = NULL;
	uintptr_t handle = 0;

	if (!error) {
		handle = equant_fortran_reserve("equant_loop_new");
		/* Without a name the library refuses, on all ranks together. */
		loop = equant_loop_new(
			context_of(c),
			handle ? equant_fortran_text(name, text, sizeof(text)) : NULL, *units);
		error = loop ? 0 : -errno;
	}
	l->handle = equant_fortran_made(handle, loop, context_of(c));
	equant_fortran_done(error, "equant_loop_new", ierror);
}

EQUANT_API void equant_fortran_loop_free(struct fortran_loop *l, int *ierror)
{
	struct equant_loop *loop = loop_of(l);

	equant_fortran_forget(loop);
	l->handle = 0;
	equant_fortran_done(equant_loop_free(loop), "equant_loop_free", ierror);
}

EQUANT_API void equant_fortran_loop_share(const struct fortran_loop *second,
					  const struct fortran_loop *first, int *ierror)
{
	call_loop(second, ierror, equant_loop_share, loop_of(first));
}

EQUANT_API void equant_fortran_loop_distribute(const struct fortran_loop *l,
					       const int *distribution, int *ierror)
{
	call_loop(l, ierror, equant_loop_distribute, *distribution);
}

EQUANT_API void equant_fortran_loop_deactivate(const struct fortran_loop *l, const long *first,
					       const long *count, int *ierror)
{
	call_loop(l, ierror, equant_loop_deactivate, from_zero(first), *count);
}

EQUANT_API void equant_fortran_loop_activate(const struct fortran_loop *l, const long *first,
					     const long *count, int *ierror)
{
	call_loop(l, ierror, equant_loop_activate, from_zero(first), *count);
}

EQUANT_API long equant_fortran_loop_units(const struct fortran_loop *l)
{
	return equant_fortran_no_loop(l, "equant_loop_units") ? 0 : equant_loop_units(loop_of(l));
}

EQUANT_API long equant_fortran_loop_count(const struct fortran_loop *l)
{
	return equant_fortran_no_loop(l, "equant_loop_count") ? 0 : equant_loop_count(loop_of(l));
}

EQUANT_API int equant_fortran_loop_owner(const struct fortran_loop *l, const long *unit)
{
	int error = equant_fortran_no_loop(l, "equant_loop_owner");

	return error ? error : equant_loop_owner(loop_of(l), from_zero(unit));
}

/* type(equant_range) */
struct fortran_range {
	long first;
	long last;
};

EQUANT_API int equant_fortran_loop_ranges(const struct fortran_loop *l)
{
	int count = 0;

	if (!equant_fortran_no_loop(l, "equant_loop_ranges"))
		equant_loop_ranges(loop_of(l), &count);
	return count;
}

EQUANT_API void equant_fortran_loop_fill_ranges(const struct fortran_loop *l,
						struct fortran_range *out)
{
	const struct equant_range *in;
	int count, i;

	if (!loop_of(l))
		return;
	in = equant_loop_ranges(loop_of(l), &count);
	for (i = 0; i < count; i++)
		out[i] = (struct fortran_range){ in[i].first + 1, in[i].first + in[i].count };
}

EQUANT_API void equant_fortran_loop_broadcast(const struct fortran_loop *l, const long *unit,
					      int *ierror)
{
	call_loop(l, ierror, equant_loop_broadcast, from_zero(unit));
}

EQUANT_API void equant_fortran_loop_copy(const struct fortran_loop *l, const long *unit,
					 const int *to, int *ierror)
{
	call_loop(l, ierror, equant_loop_copy, from_zero(unit), *to);
}

EQUANT_API void equant_fortran_loop_exchange(const struct fortran_loop *l, const long *a,
					     const long *b, int *ierror)
{
	call_loop(l, ierror, equant_loop_exchange, from_zero(a), from_zero(b));
}

EQUANT_API void equant_fortran_loop_rename(const struct fortran_loop *l, const long *a,
					   const long *b, int *ierror)
{
	call_loop(l, ierror, equant_loop_rename, from_zero(a), from_zero(b));
}

EQUANT_API void equant_fortran_loop_ghosts_start(const struct fortran_loop *l, const long *below,
						 const long *above, int *ierror)
{
	call_loop(l, ierror, equant_loop_ghosts_start, *below, *above);
}

EQUANT_API void equant_fortran_loop_ghosts_finish(const struct fortran_loop *l, int *ierror)
{
	call_loop(l, ierror, equant_loop_ghosts_finish);
}

EQUANT_API void equant_fortran_loop_neighbours(const struct fortran_loop *l, const long *below,
					       const long *above, int *ierror)
{
	call_loop(l, ierror, equant_loop_neighbours, *below, *above);
}

EQUANT_API void equant_fortran_begin(const struct fortran_loop *l)
{
	if (!equant_fortran_no_loop(l, "equant_begin"))
		equant_begin(loop_of(l));
}

EQUANT_API void equant_fortran_end(const struct fortran_loop *l)
{
	if (!equant_fortran_no_loop(l, "equant_end"))
		equant_end(loop_of(l));
}

EQUANT_API void equant_fortran_end_units(const struct fortran_loop *l, const long *units)
{
	if (!equant_fortran_no_loop(l, "equant_end_units"))
		equant_end_units(loop_of(l), *units);
}

/* The countdown is here, in the program's one call; what is due is the library's. */
EQUANT_API void equant_fortran_hook(const struct fortran_loop *l, int *ierror)
{
	int error = loop_of(l) ? equant_hook(loop_of(l)) : equant_fortran_no_loop(l, "equant_hook");

	equant_fortran_done(error, "equant_hook", ierror);
}

/* As much of the account as the program knows; blanks for zeros, for a Fortran text has none. */
EQUANT_API void equant_fortran_loop_stats(const struct fortran_loop *l, struct equant_stats *stats,
					  int *ierror)
{
	struct equant_stats all = { .sz = sizeof(all) };
	int error = equant_fortran_no_loop(l, "equant_loop_stats");
	size_t length, sz = stats->sz;

	if (!error)
		error = equant_loop_stats(loop_of(l), &all);
	if (!error) {
		length = strnlen(all.probe, sizeof(all.probe));
		memset(all.probe + length, ' ', sizeof(all.probe) - length);
		memcpy(stats, &all, sz < sizeof(all) ? sz : sizeof(all));
		stats->sz = sz;
	}
	equant_fortran_done(error, "equant_loop_stats", ierror);
}
