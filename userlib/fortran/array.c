// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Arrays by descriptor.  Fortran stores the first dimension together, so the last one is the
 * unit's: unit u of a(m, n) is a(:, u), m elements.  What has gaps has no such slices, and a compiler
 * that filled a gapless copy would leave the library with the copy's address.
 */
#include <stdio.h>

#include "core/message.h"
#include "fortran/fortran_internal.h"

int equant_fortran_gap(const CFI_cdesc_t *array)
{
	CFI_index_t step = (CFI_index_t)array->elem_len;

	for (int d = 0; d < array->rank; d++) {
		CFI_index_t extent = array->dim[d].extent;

		if (!extent)
			return 0;
		if (extent != 1 && array->dim[d].sm != step)
			return d + 1;
		step *= extent;
	}
	return 0;
}

void equant_fortran_shape(const CFI_cdesc_t *array, char *text, size_t size)
{
	size_t used = 0;

	for (int d = 0; d < array->rank && used < size; d++) {
		long extent = (long)array->dim[d].extent;

		used += (size_t)snprintf(text + used, size - used, extent < 0 ? "%s*" : "%s%ld",
					 d ? " x " : "", extent);
	}
	if (used < size)
		snprintf(text + used, size - used, "%s of %zu bytes",
			 array->rank ? " elements" : "an element", array->elem_len);
}

static long last_extent(const CFI_cdesc_t *array)
{
	return (long)array->dim[array->rank - 1].extent;
}

/* What is wrong with it as an array of this loop, or NULL. */
static const char *fault(const CFI_cdesc_t *array, long units, char *text, size_t size)
{
	int gap;

	if (!array->rank)
		return "a scalar is no array: it has no units";
	if (last_extent(array) < 0)
		return "the array is of assumed size (*): where is its last unit? Declare it (:)";
	gap = equant_fortran_gap(array);
	if (gap) {
		snprintf(
			text, size,
			"the array is not contiguous: in dimension %d elements are %ld bytes apart",
			gap, (long)array->dim[gap - 1].sm);
		return text;
	}
	if (last_extent(array) != units) {
		snprintf(text, size, "the last extent of the array is %ld, the loop has %ld units",
			 last_extent(array), units);
		return text;
	}
	return NULL;
}

int equant_fortran_refused(const struct fortran_loop *l, const CFI_cdesc_t *array,
			   const char *function)
{
	char text[128], shape[128];
	const char *why;

	if (!array->base_addr) {
		equant_message("loop %s: %s: the array is not allocated",
			       equant_loop_name(loop_of(l)), function);
		return -EINVAL;
	}
	why = fault(array, equant_loop_units(loop_of(l)), text, sizeof(text));
	if (!why)
		return 0;
	equant_fortran_shape(array, shape, sizeof(shape));
	equant_message("loop %s: %s: %s (%s)", equant_loop_name(loop_of(l)), function, why, shape);
	return -EINVAL;
}

static size_t slice_of(const CFI_cdesc_t *array)
{
	size_t bytes = array->elem_len;

	for (int d = 0; d < array->rank - 1; d++)
		bytes *= (size_t)array->dim[d].extent;
	return bytes;
}

EQUANT_API void equant_fortran_loop_array(const struct fortran_loop *l, const CFI_cdesc_t *array,
					  int *ierror)
{
	int error = equant_fortran_no_loop(l, "equant_loop_array");

	if (!error)
		error = equant_fortran_refused(l, array, "equant_loop_array");
	if (!error)
		error = equant_loop_array(loop_of(l), array->base_addr, slice_of(array));
	equant_fortran_done(error, "equant_loop_array", ierror);
}

EQUANT_API void equant_fortran_allreduce_units(const struct fortran_loop *l,
					       const CFI_cdesc_t *values, const int *operation,
					       double *result, long *unit, int *ierror)
{
	int error = equant_fortran_no_loop(l, "equant_allreduce_units");
	long lowest = -1;

	if (!error)
		error = equant_fortran_refused(l, values, "equant_allreduce_units");
	if (!error)
		error = equant_allreduce_units(loop_of(l), values->base_addr, *operation, result,
					       &lowest);
	if (unit)
		*unit = lowest + 1;
	equant_fortran_done(error, "equant_allreduce_units", ierror);
}
