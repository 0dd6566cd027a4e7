/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Reading nests, shared by the kinds of lines. */
#ifndef EQUANT_ADVISE_READ_H
#define EQUANT_ADVISE_READ_H

#include "advise/advise_internal.h"
#include "text/text.h"

#define EQUANT_NEST_WORDS (3 + 2 * EQUANT_NEST_DEPTH) /* of a line, at most */

/**
 * struct equant_nest_reader - a file that is being read
 * @text: where it has got to
 * @nest: what it holds so far
 * @parent: the loop that is open, or 0
 * @given: what has been said of the machine, a bit for each word
 * @words: of the line; the first is what the line is about
 * @count: how many
 */
struct equant_nest_reader {
	struct equant_text text;
	struct equant_nest *nest;
	int parent;
	unsigned int given;
	const char *words[EQUANT_NEST_WORDS + 1];
	int count;
};

/* ---- read_words.c: 0 or -EINVAL, which is said ------------------------------------------- */

int equant_nest_read_refuse(const struct equant_nest_reader *reader, const char *word,
			    const char *fault);

/* What follows the line's first word. */
int equant_nest_read_words(struct equant_nest_reader *reader, char *line);

/* Word @at as a number, not negative; or one of any sign. */
int equant_nest_read_number(const struct equant_nest_reader *reader, int at, double *value);
int equant_nest_read_signed(const struct equant_nest_reader *reader, int at, double *value);

/* Word @at as a name. */
int equant_nest_read_name(const struct equant_nest_reader *reader, int at,
			  char to[EQUANT_NEST_NAME]);

/* The line has no word @at. */
int equant_nest_read_end(const struct equant_nest_reader *reader, int at);

/* ---- read_reference.c ---------------------------------------------------------------------- */

int equant_nest_read_reference(struct equant_nest_reader *reader);

#endif /* EQUANT_ADVISE_READ_H */
