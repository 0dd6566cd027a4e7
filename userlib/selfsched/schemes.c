// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The schemes, found by name.  A new one is a line here and a function that says how
 * large the next chunk is.
 *
 * Reference: Chronopoulos, Ni, Penmatsa, sections III and IV; for those that the paper only
 * names see factoring.c, adaptive.c and adaptive_factoring.c.
 */
#include <string.h>

#include "selfsched/selfsched_internal.h"

/* In several dimensions each line of a scheme that learns is cut by factoring. */
#define ADAPTIVE(scheme, what, more, next, weights)                                      \
	{                                                                                \
		.name = scheme, .summary = what, .flags = EQUANT_SCHEME_LEARNS | (more), \
		.size = equant_factoring_size, .learned = next, .weigh = weights,        \
	}

static const struct equant_scheme schemes[] = {
	{
		.name = "ss",
		.summary = "self-scheduling: one iteration at a time",
		.before = equant_single_before,
	},
	{
		.name = "fs",
		.summary = "fixed size: one chunk per worker",
		.before = equant_fixed_before,
	},
	{
		.name = "css",
		.summary = "chunk self-scheduling: always k iterations",
		.flags = EQUANT_SCHEME_CHUNK,
		.before = equant_chunk_before,
	},
	{
		.name = "gss",
		.summary = "guided: a p-th of what is left",
		.size = equant_guided_size,
	},
	{
		.name = "fss",
		.summary = "factoring: rounds that hand out half of what is left",
		.size = equant_factoring_size,
	},
	{
		.name = "tss",
		.summary = "trapezoid: from F down to L, each D less than the one before",
		.start = equant_trapezoid_start,
		.before = equant_trapezoid_before,
	},
	{
		.name = "dtss",
		.summary = "distributed trapezoid: V_j steps of tss at once",
		.flags = EQUANT_SCHEME_WEIGHTED,
		.start = equant_trapezoid_start,
		.before = equant_trapezoid_before,
	},
	{
		.name = "trees",
		.summary = "tree: parts by power; who is idle gets half of its neighbour's rest",
		.flags = EQUANT_SCHEME_TREES,
		.before = equant_chunk_before,
	},
	{
		.name = "wf",
		.summary = "weighted factoring: V_j steps of fss at once",
		.flags = EQUANT_SCHEME_WEIGHTED,
		.size = equant_factoring_size,
	},
	ADAPTIVE("awf-b", "adaptive weighted factoring: weights measured, new in each round",
		 EQUANT_SCHEME_ROUNDS, equant_adaptive_size, equant_adaptive_weigh),
	ADAPTIVE("awf-c", "the same, new for each chunk", 0, equant_adaptive_size,
		 equant_adaptive_weigh),
	ADAPTIVE("awf-d", "awf-b, the time for asking included",
		 EQUANT_SCHEME_ROUNDS | EQUANT_SCHEME_OVERHEAD, equant_adaptive_size,
		 equant_adaptive_weigh),
	ADAPTIVE("awf-e", "awf-c, the time for asking included", EQUANT_SCHEME_OVERHEAD,
		 equant_adaptive_size, equant_adaptive_weigh),
	ADAPTIVE("af", "adaptive factoring: by measured mean and variance of an iteration", 0,
		 equant_adaptive_factoring_size, equant_adaptive_factoring_weigh),
};

#define SCHEMES ((int)(sizeof(schemes) / sizeof(schemes[0])))

const struct equant_scheme *equant_find_scheme(const char *name)
{
	for (int i = 0; i < SCHEMES; i++)
		if (!strcmp(name, schemes[i].name))
			return &schemes[i];
	return NULL;
}

const char *equant_scheme_name(int n)
{
	return n >= 0 && n < SCHEMES ? schemes[n].name : NULL;
}

const char *equant_scheme_summary(const char *name)
{
	const struct equant_scheme *scheme = name ? equant_find_scheme(name) : NULL;

	return scheme ? scheme->summary : NULL;
}
