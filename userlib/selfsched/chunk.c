// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Chunks of one size: SS, C_i = 1; CSS(k), C_i = k; FS, C_i = I / p, the first I mod p of
 * them larger by one.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, section III.
 */
#include "selfsched/selfsched_internal.h"

/* Products beyond what there is do not matter. */
static int64_t limited(__int128 iterations, const struct equant_line *line)
{
	return iterations < line->total ? (int64_t)iterations : line->total;
}

int64_t equant_single_before(const struct equant_line *line, int64_t step)
{
	return limited((__int128)step * line->minimum, line);
}

int64_t equant_chunk_before(const struct equant_line *line, int64_t step)
{
	return limited((__int128)step * line->chunk, line);
}

int64_t equant_fixed_before(const struct equant_line *line, int64_t step)
{
	int64_t size = line->total / line->workers, larger = line->total % line->workers;

	if (size < line->minimum)
		return equant_single_before(line, step);
	return limited((__int128)step * size + (step < larger ? step : larger), line);
}
