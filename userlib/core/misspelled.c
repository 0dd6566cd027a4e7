// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Variables of the environment that nearly have an option's name.
 *
 * Others may begin like that too, EQUANT_HOME say of a site's modules, so that one that is like none
 * of them is nobody's mistake.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "core/message.h"
#include "core/options.h"

#define NAME_MAX_BYTES 40
#define PREFIX_BYTES 7 /* EQUANT_ */
#define SHORT_BYTES 5 /* a name as short is another one with two other letters */

struct search {
	const char *name;
	size_t length;
	bool known;
	unsigned int least;
	const char *nearest;
};

static unsigned int least_of(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/* Letters to insert, to leave out and to replace, at least (Levenshtein 1966); case does not count. */
static unsigned int difference(const char *a, size_t length_a, const char *b, size_t length_b)
{
	unsigned int row[NAME_MAX_BYTES + 1], corner, above;
	size_t i, j;

	for (j = 0; j <= length_b; j++)
		row[j] = (unsigned int)j;
	for (i = 0; i < length_a; i++) {
		corner = row[0]++;
		for (j = 0; j < length_b; j++) {
			above = row[j + 1];
			corner += toupper((unsigned char)a[i]) != toupper((unsigned char)b[j]);
			row[j + 1] = least_of(corner, above + 1, row[j] + 1);
			corner = above;
		}
	}
	return row[length_b];
}

static void look_at(void *ctx, const char *variable, const char *value, const char *range,
		    const char *meaning)
{
	struct search *search = ctx;
	size_t length = strlen(variable);
	unsigned int allowed = length - PREFIX_BYTES > SHORT_BYTES ? 2 : 1, found;

	(void)value;
	(void)range;
	(void)meaning;
	if (length > NAME_MAX_BYTES)
		return;
	if (length == search->length && !memcmp(search->name, variable, length))
		search->known = true;
	found = difference(search->name, search->length, variable, length);
	if (found > allowed || found >= search->least)
		return;
	search->least = found;
	search->nearest = variable;
}

static void look_up(const char *name, size_t length)
{
	struct search search = { .name = name, .length = length, .least = NAME_MAX_BYTES };

	equant_options_describe(look_at, &search);
	if (search.nearest && !search.known)
		equant_message("%.*s is no option; is %s meant?", (int)length, name,
			       search.nearest);
}

void equant_options_misspelled(void)
{
	size_t length;

	for (char **entry = environ; entry && *entry; entry++) {
		length = strcspn(*entry, "=");
		if (toupper((unsigned char)**entry) == 'E' && length <= NAME_MAX_BYTES)
			look_up(*entry, length);
	}
}
