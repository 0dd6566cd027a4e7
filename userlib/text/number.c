// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Numbers with a point.  A program that has called setlocale() may have another sign there, and other
 * programs could not read its files.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/number.h"

/* The C library has this locale ready and makes nothing.  If it cannot, nothing changes. */
static locale_t plain_locale(void)
{
	return newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

static void leave(locale_t plain, locale_t before)
{
	uselocale(before);
	if (plain)
		freelocale(plain);
}

double equant_number_read(const char *text, char **end)
{
	locale_t plain = plain_locale(), before = uselocale(plain);
	double value = strtod(text, end);

	leave(plain, before);
	return value;
}

void equant_number_write(char *text, size_t size, int digits, double value)
{
	locale_t plain = plain_locale(), before = uselocale(plain);

	snprintf(text, size, "%.*g", digits, value);
	leave(plain, before);
}
