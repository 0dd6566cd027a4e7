/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared by the tests of userlib/selfsched. */
#ifndef LIBSELFSCHED_H
#define LIBSELFSCHED_H

#include <equant/selfsched.h>

#include "random.h"

/* One dimension; css gets chunks of 10. */
struct equant_chunks_options loop_of(const char *scheme, int64_t iterations, int workers);

/* The chunks when workers ask in turn, "250 188 141": a malloc'ed line, NULL on a failure. */
char *chunk_line(const struct equant_chunks_options *options);

/* The same as numbers of chunks; -1 on a failure. */
int64_t chunk_count(const struct equant_chunks_options *options);

#endif /* LIBSELFSCHED_H */
