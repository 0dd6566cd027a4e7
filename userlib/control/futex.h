/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_FUTEX_H
#define EQUANT_CONTROL_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"

/*
 * The words are in memory shared between processes, so the operations are not private ones.
 * All accesses are sequentially consistent: who is about to sleep writes that it is and then
 * reads the word; who wakes writes the word and then reads who sleeps.  One
 * of them sees the other.
 */

/*
 * Until the word is no longer @value (also at once), a wake-up, a signal, or the time is up.
 * True after a wake-up.
 */
static inline int equant_futex_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u),
			      .tv_nsec = (long)(ns % 1000000000u) };

	return !syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0);
}

/* Wakes all; @rung_ns tells them when, so that they learn what waking takes. */
static inline void equant_futex_ring(uint32_t *word, uint64_t *rung_ns)
{
	__atomic_store_n(rung_ns, equant_now_ns(), __ATOMIC_RELAXED);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static inline uint32_t equant_word_read(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Returns the new value. */
static inline uint32_t equant_word_add(uint32_t *word, uint32_t n)
{
	return __atomic_add_fetch(word, n, __ATOMIC_SEQ_CST);
}

/* From @from to @to; 0: it was not @from, and stays as it is. */
static inline int equant_word_exchange(uint32_t *word, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#endif /* EQUANT_CONTROL_FUTEX_H */
