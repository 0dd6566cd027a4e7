/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_SAY_H
#define EQUANT_CORE_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* snprintf() into a buffer that may be NULL or of size 0. */
static inline __attribute__((format(printf, 3, 4))) void equant_say(char *why, size_t why_size,
								    const char *format, ...)
{
	va_list args;

	if (!why || !why_size)
		return;
	va_start(args, format);
	vsnprintf(why, why_size, format, args);
	va_end(args);
}

#endif /* EQUANT_CORE_SAY_H */
