// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libmodel.h"

void cpus_init(struct cpus *cpus, const int *loads)
{
	*cpus = (struct cpus){ .machine.quantum = QUANTUM };
	cpus->machine.turns = cpus->turns;
	for (int i = 0; loads[i]; i++) {
		cpus->turns[i].tasks = loads[i];
		cpus->machine.n++;
	}
}

uint64_t random_seeded(void)
{
	const char *given = getenv("EQUANT_SEED");
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = given ? strtoull(given, NULL, 0) :
		       (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20;
	fprintf(stderr, "# EQUANT_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* splitmix64: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014. */
int64_t random_below(uint64_t *state, int64_t limit)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (int64_t)((z ^ (z >> 31)) % (uint64_t)limit);
}

void cpus_random(struct cpus *cpus, int most, uint64_t *state)
{
	*cpus = (struct cpus){ .machine.quantum = 1 + random_below(state, 9) };
	cpus->machine.turns = cpus->turns;
	cpus->machine.n = 1 + (int)random_below(state, most);
	for (int i = 0; i < cpus->machine.n; i++) {
		struct equant_turns *turns = &cpus->turns[i];

		turns->tasks = 1 + (int)random_below(state, 6);
		turns->phase = random_below(state, turns->tasks * cpus->machine.quantum);
	}
}
