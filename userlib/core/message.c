// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/message.h"

/* Whoever reads lines of several ranks would not know whose a second one is.  The text's new length. */
static size_t join_lines(char *text, size_t length, size_t most)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] != '\n')
			continue;
		text[i] = ';';
		if (length == most)
			continue;
		memmove(&text[i + 2], &text[i + 1], length - i - 1);
		text[i + 1] = ' ';
		length++;
	}
	return length;
}

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
	used = join_lines(line, used, sizeof(line) - 2);
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return; /* nowhere left to complain */
}
