/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_FIRST_FREE_H
#define EQUANT_CORE_FIRST_FREE_H

#include <stdbool.h>

/**
 * equant_first_free() - a number from @from on that is not taken: the first one, if there are no gaps
 * @is_taken: of @of
 *
 * Asks O(log n) times, so that the n-th of many names is found as fast as the first.
 */
long equant_first_free(long from, bool (*is_taken)(const void *of, long n), const void *of);

#endif
