// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Words and numbers of a text, and what is said of those that are wrong.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scan.h"
#include "text/number.h"

#define NUMBER 64

int equant_dag_refuse(const struct dag_scan *scan, const struct dag_word *word, const char *fault)
{
	char shown[81];
	size_t length = word->length < sizeof(shown) - 1 ? word->length : sizeof(shown) - 1;

	for (size_t i = 0; i < length; i++)
		shown[i] = iscntrl((unsigned char)word->text[i]) ? '?' : word->text[i];
	shown[length] = '\0';
	return equant_dag_say(scan->why, scan->why_size, -EINVAL, "%s:%d: '%s': %s", scan->path,
			      word->line, shown, fault);
}

int equant_dag_refuse_here(const struct dag_scan *scan, const char *fault)
{
	struct dag_word here = { scan->text + scan->at, 1, scan->line };

	if (dag_at_end(scan))
		here = (struct dag_word){ "end of file", 11, scan->line };
	return equant_dag_refuse(scan, &here, fault);
}

int equant_dag_refuse_name(const struct dag_scan *scan, const char *name, const char *fault)
{
	struct dag_word word = { name, strlen(name), scan->line };

	return equant_dag_refuse(scan, &word, fault);
}

int equant_dag_number(const struct dag_scan *scan, const struct dag_word *word, double *value)
{
	char digits[NUMBER], *end;

	if (word->length >= sizeof(digits))
		return equant_dag_refuse(scan, word, "too long for a number");
	memcpy(digits, word->text, word->length);
	digits[word->length] = '\0';
	*value = equant_number_read(digits, &end);
	/* No "inf", "nan" or "0x10"; too small for a double is zero. */
	if (!word->length || strspn(digits, "0123456789.eE+-") < word->length || *end || *value < 0)
		return equant_dag_refuse(scan, word, "expected a number, not negative");
	return isfinite(*value) ? 0 : equant_dag_refuse(scan, word, "too large for a number");
}

static int out_of_range(const struct dag_scan *scan, const struct dag_word *word, double least,
			double most)
{
	char fault[80];

	if (least < most)
		snprintf(fault, sizeof(fault), "not from %.0f to %.0f", least, most);
	else
		snprintf(fault, sizeof(fault), "expected %.0f", least);
	return equant_dag_refuse(scan, word, fault);
}

static int whole(const struct dag_scan *scan, const struct dag_word *word, double least,
		 double most, double *value)
{
	int err = equant_dag_number(scan, word, value);

	if (err)
		return err;
	if (*value != floor(*value))
		return equant_dag_refuse(scan, word, "expected a whole number");
	return *value < least || *value > most ? out_of_range(scan, word, least, most) : 0;
}

int equant_dag_whole(const struct dag_scan *scan, const struct dag_word *word, int least, int most,
		     int *value)
{
	double number;
	int err = whole(scan, word, least, most, &number);

	*value = err ? least : (int)number;
	return err;
}

int equant_dag_memory(const struct dag_scan *scan, const struct dag_word *word, uint64_t *value)
{
	double number;
	int err = whole(scan, word, 0, (double)EQUANT_DAG_MEMORY, &number);

	*value = err ? 0 : (uint64_t)number;
	return err;
}
