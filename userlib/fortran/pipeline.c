// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Sweeps: the body counts units and inner iterations from 1, both ends included. */
#include "core/message.h"
#include "fortran/fortran_internal.h"

struct fortran_body {
	void (*body)(void *context, long first, long last, long from, long to);
	void *context;
};

static void strip(void *ctx, long first, long units, long from, long to)
{
	const struct fortran_body *b = ctx;

	b->body(b->context, first + 1, first + units, from + 1, to);
}

EQUANT_API void equant_fortran_loop_sweep(const struct fortran_loop *l, const long *length,
					  void (*body)(void *context, long first, long last,
						       long from, long to),
					  void *const *context, int *ierror)
{
	struct fortran_body b = { .body = body, .context = context ? *context : NULL };

	call_loop(l, ierror, equant_loop_sweep, *length, strip, &b);
}

/* The inner loop's dimension is the last but one; what is before it belongs to one iteration. */
EQUANT_API void equant_fortran_loop_pipelined(const struct fortran_loop *l,
					      const CFI_cdesc_t *array, const long *skip,
					      int *ierror)
{
	int error = equant_fortran_no_loop(l, "equant_loop_pipelined");
	size_t step = array->elem_len;

	if (!error)
		error = equant_fortran_refused(l, array, "equant_loop_pipelined");
	if (!error && (array->rank < 2 || (skip && *skip < 0))) {
		equant_message("loop %s: equant_loop_pipelined: %s", equant_loop_name(loop_of(l)),
			       array->rank < 2 ? "the array has no dimension for the inner loop" :
						 "a negative skip");
		error = -EINVAL;
	}
	for (int d = 0; !error && d < array->rank - 2; d++)
		step *= (size_t)array->dim[d].extent;
	if (!error)
		error = equant_loop_pipelined(loop_of(l), array->base_addr,
					      skip ? (size_t)*skip * step : 0, step);
	equant_fortran_done(error, "equant_loop_pipelined", ierror);
}
