// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What all pictures have in common.
 */
#include "svg.h"

void svg_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			/* XML 1.0 has no way to write control characters. */
			fputc((unsigned char)*text < 0x20 ? '?' : *text, out);
		}
	}
}
