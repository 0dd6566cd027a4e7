/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Random numbers that are the same everywhere. */
#ifndef EQUANT_CORE_DRAW_H
#define EQUANT_CORE_DRAW_H

#include <stdint.h>

/* splitmix64: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014. */
static inline uint64_t equant_draw_bits(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Uniform in 0 to @limit - 1. */
static inline int equant_draw_below(uint64_t *seed, int limit)
{
	return (int)(equant_draw_bits(seed) % (uint64_t)limit);
}

/* Uniform from @mean less @spread of it to @mean and @spread of it. */
static inline double equant_draw(uint64_t *seed, double mean, double spread)
{
	double unit = (double)(equant_draw_bits(seed) >> 11) / (double)(1ull << 53);

	return mean * (1 + spread * (2 * unit - 1));
}

#endif /* EQUANT_CORE_DRAW_H */
