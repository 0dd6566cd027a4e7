/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_CLOCK_H
#define EQUANT_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t equant_clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CLOCK_MONOTONIC, the clock of the kernel's records. */
static inline uint64_t equant_now_ns(void)
{
	return equant_clock_ns(CLOCK_MONOTONIC);
}

/* A later reading of a counter may be smaller where one was corrected in between. */
static inline uint64_t equant_since(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

#endif /* EQUANT_CORE_CLOCK_H */
