/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Random numbers of the tests, which can be repeated: the seed is printed. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct random {
	uint64_t state;
};

static inline struct random random_from(uint64_t seed)
{
	return (struct random){ .state = seed };
}

/* The seed is EQUANT_SEED or taken from the clock, and printed either way. */
static inline struct random random_seeded(void)
{
	const char *given = getenv("EQUANT_SEED");
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = given ? strtoull(given, NULL, 0) :
		       (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20;
	fprintf(stderr, "# EQUANT_SEED=%llu\n", (unsigned long long)seed);
	return random_from(seed);
}

/* splitmix64: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014. */
static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Is this a run under sanitizers, where everything takes ten times as long? */
static inline int is_sanitized(void)
{
	return getenv("TEST_SANITIZED") != NULL;
}

/* How many random cases: a sanitizer sees enough in fewer. */
static inline int random_cases(int count)
{
	return is_sanitized() ? count / 5 : count;
}

/* Uniform in 0..limit-1. */
static inline long random_below(struct random *random, long limit)
{
	return (long)(random_next(random) % (uint64_t)limit);
}

/* 0 to @count - 1 in any order. */
static inline void random_order(struct random *random, int *list, int count)
{
	for (int i = 0; i < count; i++) {
		int j = (int)random_below(random, i + 1);

		list[i] = list[j];
		list[j] = i;
	}
}

/* Uniform in [0, 1). */
static inline double random_unit(struct random *random)
{
	return (double)(random_next(random) >> 11) / (double)(1ull << 53);
}

#endif /* TESTS_RANDOM_H */
