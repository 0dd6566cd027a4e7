/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Text from elsewhere: names of programs and loops, paths.  It may hold any bytes, also those
 * that a terminal takes for commands.
 */
#ifndef EQUANT_TOOL_PLAIN_H
#define EQUANT_TOOL_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_BAD UINT32_MAX /* a byte that is no part of a character */
#define PLAIN_SIZE(bytes) (4 * (bytes) + 1) /* room for the text of so many bytes */

/**
 * plain_next() - the character at the start of @text, in UTF-8
 * @text: not empty
 * @code: receives its code point, or PLAIN_BAD
 *
 * Return: its length in bytes.
 */
size_t plain_next(const char *text, uint32_t *code);

/** plain_is_shown() - is it one that is shown, and not one that does something? */
bool plain_is_shown(uint32_t code);

/**
 * plain_text() - what can be shown of @text
 * @to: receives it; ends after a whole character
 * @size: of @to, not 0
 * @text: every byte of what is not shown becomes \xHH
 *
 * Return: @to.
 */
const char *plain_text(char *to, size_t size, const char *text);

#endif /* EQUANT_TOOL_PLAIN_H */
