// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * UTF-8 (RFC 3629), and what of it is safe to show: no control characters (ISO 6429, C0 and C1,
 * which 8-bit terminals obey as single bytes), and none that reverse the direction of what follows.
 */
#include <stdio.h>
#include <string.h>

#include "plain.h"

/* Continuation bytes after the first one, -1 = it cannot be first; its own bits go to @code. */
static int more_after(unsigned char first, uint32_t *code)
{
	if (first < 0x80) {
		*code = first;
		return 0;
	}
	if (first >= 0xc2 && first < 0xe0) {
		*code = first & 0x1f;
		return 1;
	}
	if (first >= 0xe0 && first < 0xf0) {
		*code = first & 0x0f;
		return 2;
	}
	*code = first & 0x07;
	return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

/* Neither longer than need be nor half of a pair nor beyond the last one. */
static bool is_character(uint32_t code, int more)
{
	if (more == 2)
		return code >= 0x800 && (code < 0xd800 || code > 0xdfff);
	return more < 3 || (code >= 0x10000 && code <= 0x10ffff);
}

size_t plain_next(const char *text, uint32_t *code)
{
	const unsigned char *bytes = (const unsigned char *)text;
	int more = more_after(bytes[0], code);

	for (int i = 1; i <= more; i++) {
		if ((bytes[i] & 0xc0) != 0x80) /* also at the end of the text */
			more = -1;
		else
			*code = *code << 6 | (bytes[i] & 0x3f);
	}
	if (more >= 0 && is_character(*code, more))
		return (size_t)more + 1;
	*code = PLAIN_BAD;
	return 1;
}

bool plain_is_shown(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == PLAIN_BAD)
		return false;
	/* Ends of lines and paragraphs, directions. */
	return !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

const char *plain_text(char *to, size_t size, const char *text)
{
	char part[PLAIN_SIZE(4)];
	size_t used = 0, length, bytes;
	uint32_t code;

	for (; *text; text += bytes) {
		bytes = plain_next(text, &code);
		length = bytes;
		if (plain_is_shown(code))
			memcpy(part, text, bytes);
		else
			for (size_t i = length = 0; i < bytes; i++, length += 4)
				snprintf(part + length, sizeof(part) - length, "\\x%02x",
					 (unsigned char)text[i]);
		if (used + length >= size)
			break;
		memcpy(to + used, part, length);
		used += length;
	}
	to[used] = '\0';
	return to;
}
