/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_ADVISE_INTERNAL_H
#define EQUANT_ADVISE_INTERNAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "core/say.h"
#include <equant/advise.h>

/* The same advice everywhere: IEEE doubles in source order, no more precision. */
#ifdef __FAST_MATH__
#error "userlib/advise must not be compiled with -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "userlib/advise needs arithmetic in the precision of double (on x86: -mfpmath=sse)"
#endif

/* Products of a few of these stay finite, and sums of them are told from overflow. */
#define EQUANT_ADVISE_MOST 1e18

static inline bool equant_is_amount(double value)
{
	return value >= 0 && value <= EQUANT_ADVISE_MOST;
}

/* ---- nest.c ---------------------------------------------------------------- */

int equant_nest_append(struct equant_nest *nest, const struct equant_node *node);
int equant_nest_distributed(const struct equant_nest *nest);

/* Without references: they name loops, which are about to be restructured. */
struct equant_nest *equant_nest_copy(const struct equant_nest *nest);

/* "LINE: 'NAME' FAULT", or without LINE if that is 0; -EINVAL. */
int equant_nest_refuse(int line, const char *name, const char *fault, char *why, size_t why_size);

/* What is wrong with the machine, or NULL. */
const char *equant_nest_machine_fault(const struct equant_nest *nest);

/* Put a node without a place behind @after in @parent, or first for -1; or take it out. */
void equant_nest_link(struct equant_nest *nest, int node, int parent, int after);
void equant_nest_unlink(struct equant_nest *nest, int node);

/* Cost(level) of algorithm 4.1: operations of one rank in one iteration of @loop. */
double equant_nest_cost(const struct equant_nest *nest, int loop);

/* How often a loop runs on one rank; infinitely often if that is not known. */
double equant_nest_trips(const struct equant_nest *nest, int loop);

/* ---- references.c ---------------------------------------------------------------- */

/* The loops around what is in @loop, the outermost first and @loop last.  Return: how many. */
int equant_nest_path(const struct equant_nest *nest, int loop, int path[EQUANT_NEST_DEPTH]);

/* ---- restructure.c --------------------------------------------------------- */

/* StripMine() of algorithm 4.1; the loop's own node becomes the inner loop. */
int equant_strip_mine(struct equant_nest *nest, int loop, long block, unsigned int flags);

/* What is done before a hook is placed; each fills in a reason and returns 1 if it has one. */
int equant_control_grain(struct equant_nest *nest, struct equant_reason *reason, char *why,
			 size_t why_size);
/* Both loops are strip-mined, the outer one around the inner: blocks outside, one tile inside. */
int equant_tile(struct equant_nest *nest, int outer, int inner, long outer_block, long inner_block);
int equant_interchange(struct equant_nest *nest, struct equant_reason *reason);

#endif /* EQUANT_ADVISE_INTERNAL_H */
