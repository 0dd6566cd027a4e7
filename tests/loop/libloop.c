// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "libloop.h"

struct random random_seeded(void)
{
	const char *given = getenv("EQUANT_SEED");
	struct timespec now;
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = given ? strtoull(given, NULL, 0) :
		       (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20;
	fprintf(stderr, "# EQUANT_SEED=%llu\n", (unsigned long long)seed);
	return (struct random){ .state = seed };
}

/* splitmix64: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014. */
uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

long random_below(struct random *random, long limit)
{
	return (long)(random_next(random) % (uint64_t)limit);
}

const char *runs_fault(const struct equant_runs *runs)
{
	long total = 0;

	for (int i = 0; i < runs->n; i++) {
		const struct equant_range *r = &runs->ranges[i];

		if (r->count < 1)
			return "an empty range";
		if (i && r->first <= r[-1].first)
			return "ranges out of order";
		if (i && r->first <= r[-1].first + r[-1].count)
			return "ranges that touch or overlap";
		total += r->count;
	}
	return total == runs->total ? NULL : "a wrong total";
}

int messages_begin(struct messages *messages)
{
	messages->fd = memfd_create("messages", MFD_CLOEXEC);
	messages->saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (messages->fd < 0 || messages->saved < 0)
		return -1;
	return dup2(messages->fd, STDERR_FILENO) < 0 ? -1 : 0;
}

const char *messages_end(struct messages *messages)
{
	ssize_t n = pread(messages->fd, messages->text, sizeof(messages->text) - 1, 0);

	messages->text[n > 0 ? n : 0] = '\0';
	dup2(messages->saved, STDERR_FILENO);
	close(messages->saved);
	close(messages->fd);
	return messages->text;
}
