/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef LIBSHARES_H
#define LIBSHARES_H

/* A trace to replay, of a rank that gets @share of its CPU for ten seconds.  0 or -errno. */
int shares_write(const char *path, int rank, int ranks, long units, double share);

#endif /* LIBSHARES_H */
