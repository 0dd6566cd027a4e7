// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What all pictures have in common.
 */
#include "plain.h"
#include "svg.h"

/* XML 1.0 has no way to write control characters. */
static void put_character(FILE *out, const char *text, size_t bytes, uint32_t code)
{
	if (code == '<')
		fputs("&lt;", out);
	else if (code == '>')
		fputs("&gt;", out);
	else if (code == '&')
		fputs("&amp;", out);
	else if (!plain_is_shown(code) || code == 0xfffe || code == 0xffff)
		fputc('?', out);
	else
		fwrite(text, 1, bytes, out);
}

void svg_text(FILE *out, const char *text)
{
	uint32_t code;
	size_t bytes;

	for (; *text; text += bytes) {
		bytes = plain_next(text, &code);
		put_character(out, text, bytes, code);
	}
}
