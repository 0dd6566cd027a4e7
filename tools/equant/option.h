/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_OPTION_H
#define EQUANT_TOOL_OPTION_H

#include <getopt.h>

/**
 * option_next() - the next of the options @known, as getopt_long() has it
 * @argv: @argv[0] is "equant " and the command, and perhaps a word more
 *
 * Return: what getopt_long() does; '?' after a message, which ends with where options are listed.
 */
int option_next(int argc, char **argv, const struct option *known, int *index);

/* An option of `equant @command`, for what is said of its value. */
struct named_option {
	const char *command;
	const char *name;
};

/* All: 0 and more, or -EINVAL after a message. */
int option_refuse(const struct named_option *option, const char *text, const char *fault);
int option_number(const struct named_option *option, const char *text, double *value);
int option_positive(const struct named_option *option, const char *text, double *value);
int option_not_negative(const struct named_option *option, const char *text, double *value);
int option_whole(const struct named_option *option, const char *text, int least, int most,
		 int *value);
/* The number of @text among the words; @word is NULL behind the last one. */
int option_word(const struct named_option *option, const char *text, const char *(*word)(int));

#endif /* EQUANT_TOOL_OPTION_H */
