/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Checksums of words: whether ranks, or a run and its replay, have the same. */
#ifndef EQUANT_CORE_MIX_H
#define EQUANT_CORE_MIX_H

#include <stdint.h>
#include <string.h>

/* splitmix64's finaliser (Steele, Lea, Flood 2014): a good mix of one word. */
static inline uint64_t equant_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/* The checksum @hash with one word more. */
static inline uint64_t equant_mix_word(uint64_t hash, uint64_t word)
{
	return equant_mix(hash ^ word);
}

static inline uint64_t equant_mix_double(uint64_t hash, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return equant_mix_word(hash, bits);
}

/* The checksum @hash with a text more; NULL is as good as "". */
static inline uint64_t equant_mix_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = equant_mix_word(hash, (unsigned char)*text);
	return equant_mix_word(hash, 0);
}

#endif /* EQUANT_CORE_MIX_H */
