// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Writing what is to be read again. */
#include <errno.h>

#include "text/number.h"
#include "text/text.h"

void equant_text_put_number(FILE *out, double value)
{
	static const int digits[] = { 6, 15, 16, 17 };
	int before = errno, i = 0;
	char text[40];

	/* -0 becomes 0, which readers take where nothing may be negative. */
	value += 0.0;
	do
		equant_number_write(text, sizeof(text), digits[i], value);
	while (equant_number_read(text, NULL) != value && ++i < 4);
	errno = before; /* a number too small for all digits is no failure of writing */
	fprintf(out, " %s", text);
}

int equant_text_close(FILE *out)
{
	int error = 0;

	/* If what failed came before, and nothing is left to be flushed, errno is still its reason. */
	if (fflush(out) || ferror(out))
		error = errno ? -errno : -EIO;
	if (out != stdout && fclose(out) && !error)
		error = -errno;
	return error;
}
