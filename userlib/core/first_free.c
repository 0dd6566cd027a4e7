// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Names that end in a number: the next one. */
#include "core/first_free.h"

long equant_first_free(long from, bool (*is_taken)(const void *of, long n), const void *of)
{
	long step = 1;

	if (!is_taken(of, from))
		return from;
	while (is_taken(of, from + step)) {
		from += step;
		step *= 2;
	}
	/* From is taken, from + step is not. */
	while (step > 1) {
		long half = step / 2;

		if (is_taken(of, from + half)) {
			from += half;
			step -= half;
		} else {
			step = half;
		}
	}
	return from + 1;
}
