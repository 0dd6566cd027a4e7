// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/message.h"

void equant_message(const char *format, ...)
{
	static const char prefix[] = "equant: ";
	char line[PATH_MAX + 512];
	size_t used = sizeof(prefix) - 1;
	va_list args;
	int n;

	memcpy(line, prefix, used);
	va_start(args, format);
	n = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	used += (size_t)n < sizeof(line) - used - 1 ? (size_t)n : sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return; /* nowhere left to complain */
}
