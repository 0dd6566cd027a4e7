// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Guided self-scheduling, C_i = ceil(R_{i-1} / p); GSS(l) with chunks of at least l.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section III.
 */
#include "selfsched/selfsched_internal.h"

int64_t equant_guided_size(struct equant_line *line)
{
	return equant_divide_up(line->left, line->workers);
}
