/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_NAMES_H
#define EQUANT_CORE_NAMES_H

#include <stddef.h>
#include <string.h>

#define EQUANT_NAMES 256 /* bytes that all names of one kind fit into */

/**
 * equant_names() - what there is to choose from, for the message about what there is not
 * @text: EQUANT_NAMES bytes, written
 * @name: the name of number i, NULL behind the last one
 *
 * Return: @text: " first second".
 */
static inline const char *equant_names(char *text, const char *(*name)(int i))
{
	text[0] = '\0';
	for (int i = 0; name(i); i++) {
		strncat(text, " ", EQUANT_NAMES - strlen(text) - 1);
		strncat(text, name(i), EQUANT_NAMES - strlen(text) - 1);
	}
	return text;
}

#endif /* EQUANT_CORE_NAMES_H */
