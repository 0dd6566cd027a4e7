/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_STREAM_H
#define EQUANT_REDIST_STREAM_H

#include <stdint.h>
#include <string.h>

#define EQUANT_REDIST_LINE 64 /* bytes of a cache line */

/*
 * Writing past the caches: of a line that is written as a whole nothing has to be read before, and
 * nothing else leaves the caches for it.  Where that is not known how to do it is memcpy().
 */
#ifdef __SSE2__

#include <emmintrin.h>

/* Less than a line: a loop copies as many bytes each time, so the branches are foreseen. */
static inline void equant_redist_copy_rest(char *to, const char *from, size_t size)
{
	size_t at = size & 32;

	if (size & 32)
		memcpy(to, from, 32);
	if (size & 16)
		memcpy(to + at, from + at, 16);
	at += size & 16;
	if (size & 8)
		memcpy(to + at, from + at, 8);
	at += size & 8;
	for (; at < size; at++)
		to[at] = from[at];
}

/* As memcpy(); what others read of it is there after equant_redist_stream_end(). */
static inline void equant_redist_stream(char *to, const char *from, size_t size)
{
	size_t head = -(uintptr_t)to % EQUANT_REDIST_LINE;

	/* Lines of which something else stays are better changed in a cache. */
	if (head + EQUANT_REDIST_LINE > size) {
		memcpy(to, from, size);
		return;
	}
	equant_redist_copy_rest(to, from, head);
	for (; head + EQUANT_REDIST_LINE <= size; head += EQUANT_REDIST_LINE) {
		const __m128i *read = (const __m128i *)(from + head);
		__m128i *line = (__m128i *)(to + head);
		__m128i a = _mm_loadu_si128(read), b = _mm_loadu_si128(read + 1);
		__m128i c = _mm_loadu_si128(read + 2), d = _mm_loadu_si128(read + 3);

		_mm_stream_si128(line, a);
		_mm_stream_si128(line + 1, b);
		_mm_stream_si128(line + 2, c);
		_mm_stream_si128(line + 3, d);
	}
	equant_redist_copy_rest(to + head, from + head, size - head);
}

/* Before anything that is written after. */
static inline void equant_redist_stream_end(void)
{
	_mm_sfence();
}

#else

static inline void equant_redist_stream(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
}

static inline void equant_redist_stream_end(void)
{
}

#endif

#endif /* EQUANT_REDIST_STREAM_H */
