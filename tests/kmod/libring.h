/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* io_uring without a library: one submission at a time. */
#ifndef LIBRING_H
#define LIBRING_H

#include <linux/io_uring.h>
#include <stdbool.h>

struct ring {
	int fd;
	struct io_uring_params params;
	char *memory;
	struct io_uring_sqe *sqes;
};

/* @ring is all zero; closing its descriptor ends it.  0 or -errno. */
int open_ring(struct ring *ring);

/* Submit one; wait for @wait completions.  The number submitted or -errno. */
int submit(struct ring *ring, const struct io_uring_sqe *sqe, unsigned int wait);

/* The next completion within @ms; false if there is none. */
bool complete(struct ring *ring, int ms, struct io_uring_cqe *cqe);

#endif /* LIBRING_H */
