// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What options of `equant dag` have in common: numbers within a range, and words of a list.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dag.h"

int dag_refuse(const struct dag_option *option, const char *text, const char *fault)
{
	fprintf(stderr, "equant dag %s: --%s '%s': %s\n", option->command, option->name, text,
		fault);
	return -EINVAL;
}

int dag_number(const struct dag_option *option, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value))
		return dag_refuse(option, text, "expected a number");
	return 0;
}

int dag_whole(const struct dag_option *option, const char *text, int least, int most, int *value)
{
	double number;
	int err = dag_number(option, text, &number);

	if (!err && (number != floor(number) || number < least || number > most))
		err = dag_refuse(option, text, "expected a whole number");
	*value = err ? 0 : (int)number;
	return err;
}

int dag_word(const struct dag_option *option, const char *text, const char *(*word)(int))
{
	for (int i = 0; word(i); i++)
		if (!strcmp(word(i), text))
			return i;
	fprintf(stderr, "equant dag %s: --%s '%s': there are", option->command, option->name, text);
	for (int i = 0; word(i); i++)
		fprintf(stderr, " %s", word(i));
	fputc('\n', stderr);
	return -EINVAL;
}
