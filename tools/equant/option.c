// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What options of commands have in common: what is said of one that is not known, numbers
 * within a range, and words of a list.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

int option_next(int argc, char **argv, const struct option *known, int *index)
{
	const char *command = argv[0] + strlen("equant ");
	int option = getopt_long(argc, argv, "", known, index);

	if (option == '?')
		fprintf(stderr, "%s: see `equant help %.*s`\n", argv[0], (int)strcspn(command, " "),
			command);
	return option;
}

int option_refuse(const struct named_option *option, const char *text, const char *fault)
{
	fprintf(stderr, "equant %s: --%s '%s': %s\n", option->command, option->name, text, fault);
	return -EINVAL;
}

int option_number(const struct named_option *option, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value))
		return option_refuse(option, text, "expected a number");
	return 0;
}

int option_positive(const struct named_option *option, const char *text, double *value)
{
	int err = option_number(option, text, value);

	return err || *value > 0 ? err : option_refuse(option, text, "expected a number above 0");
}

int option_not_negative(const struct named_option *option, const char *text, double *value)
{
	int err = option_number(option, text, value);

	return err || *value >= 0 ? err :
				    option_refuse(option, text, "expected a number of at least 0");
}

int option_whole(const struct named_option *option, const char *text, int least, int most,
		 int *value)
{
	double number;
	int err = option_number(option, text, &number);
	char fault[80];

	if (!err && (number != floor(number) || number < least || number > most)) {
		snprintf(fault, sizeof(fault), "expected a whole number from %d to %d", least,
			 most);
		err = option_refuse(option, text, fault);
	}
	*value = err ? 0 : (int)number;
	return err;
}

int option_word(const struct named_option *option, const char *text, const char *(*word)(int))
{
	for (int i = 0; word(i); i++)
		if (!strcmp(word(i), text))
			return i;
	fprintf(stderr, "equant %s: --%s '%s': there are", option->command, option->name, text);
	for (int i = 0; word(i); i++)
		fprintf(stderr, " %s", word(i));
	fputc('\n', stderr);
	return -EINVAL;
}
