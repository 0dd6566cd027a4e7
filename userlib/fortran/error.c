// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Errors and texts between Fortran and C. */
#include <stdlib.h>
#include <string.h>

#include "core/message.h"
#include "fortran/fortran_internal.h"

/* All ranks must go: those that wait for this one else wait for ever. */
static void __attribute__((noreturn, cold)) end_job(int error, const char *function)
{
	int begun = 0, over = 1;

	equant_message("%s: %s; the program has no ierror= for it and ends", function,
		       strerror(-error));
	MPI_Initialized(&begun);
	if (begun)
		MPI_Finalized(&over);
	if (!over)
		MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

void equant_fortran_done(int error, const char *function, int *ierror)
{
	if (ierror)
		*ierror = error;
	else if (error)
		end_job(error, function);
}

int equant_fortran_no_context(const struct fortran_context *c, const char *function)
{
	if (context_of(c))
		return 0;
	equant_message("%s: no context: equant_open() has not made it, or it is closed", function);
	return -EINVAL;
}

int equant_fortran_no_loop(const struct fortran_loop *l, const char *function)
{
	if (loop_of(l))
		return 0;
	equant_message("%s: no loop: equant_loop_new() has not made it, or it is freed", function);
	return -EINVAL;
}

const char *equant_fortran_text(const CFI_cdesc_t *text, char *buffer, size_t size)
{
	const char *from = text ? text->base_addr : NULL;
	size_t length = from ? text->elem_len : 0;

	while (length && from[length - 1] == ' ')
		length--;
	if (!length)
		return NULL;
	if (length > size - 1)
		length = size - 1;
	memcpy(buffer, from, length);
	buffer[length] = '\0';
	return buffer;
}

void equant_fortran_fill(const CFI_cdesc_t *text, const char *from)
{
	size_t length = strnlen(from, text->elem_len);

	memcpy(text->base_addr, from, length);
	memset((char *)text->base_addr + length, ' ', text->elem_len - length);
}

EQUANT_API void equant_fortran_error_text(const int *error, const CFI_cdesc_t *text)
{
	equant_fortran_fill(text, *error ? strerror(abs(*error)) : "");
}

EQUANT_API void equant_fortran_version(const CFI_cdesc_t *text)
{
	equant_fortran_fill(text, equant_version());
}
