/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Shared by the tests of userlib/advise: random numbers with a printed seed.
 */
#ifndef LIBADVISE_H
#define LIBADVISE_H

#include <stdint.h>

#include <equant/advise.h>

struct random {
	uint64_t state;
};

/* The seed is EQUANT_SEED or taken from the clock, and printed either way. */
struct random random_seeded(void);
uint64_t random_next(struct random *random);
/* Uniform in 0..limit-1 and in [0, 1). */
long random_below(struct random *random, long limit);
double random_unit(struct random *random);

/* Equal but for the rounding of a few operations. */
int near(double a, double b);

#endif /* LIBADVISE_H */
