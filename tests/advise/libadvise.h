/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared by the tests of userlib/advise: nests as text. */
#ifndef LIBADVISE_H
#define LIBADVISE_H

#include <stdint.h>

#include <equant/advise.h>

#include "random.h"

/* ---- nests ------------------------------------------------------------------ */

/* Reads a nest from text, through a file in memory. */
struct equant_nest *nest_from(const char *text, char *why, size_t why_size);

/*
 * A nest as text: "i 10 { j 5 { s } ^ >right }", with ^ for the hook, < and > before messages, | before
 * a barrier.  The text lives in @line.
 */
#define NEST_LINE 2048
const char *nest_line(const struct equant_nest *nest, char line[NEST_LINE]);
/* "too often 1, rare enough 2, after the loop 2": reasons with their levels. */
const char *reasons_line(const struct equant_placement *placement, char line[NEST_LINE]);

/* ---- small things ------------------------------------------------------------- */

/* Equal but for the rounding of a few operations. */
int near(double a, double b);

#endif /* LIBADVISE_H */
