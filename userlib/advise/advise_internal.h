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

#endif /* EQUANT_ADVISE_INTERNAL_H */
