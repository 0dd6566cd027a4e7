/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A thread that calls the device at random, in every way there is. */
#ifndef LIBCALLER_H
#define LIBCALLER_H

#include "libring.h"
#include "libsandbox.h"

#define CALLERS 3 /* of a sandbox */
#define CALLER_REQUESTS 6 /* of ioctl(), and of io_uring */

/**
 * struct caller - its own, but for the sandbox
 * @done: how often each of CALLER_REQUESTS has succeeded; shared by all
 */
struct caller {
	struct sandbox *box;
	struct random random;
	struct ring ring;
	int pipe_ends[2];
	unsigned int *done;
};

bool caller_init(struct caller *c, struct sandbox *box, uint64_t seed, unsigned int *done);

/* One call, or a few that belong together. */
void call_anything(struct caller *c);

#endif /* LIBCALLER_H */
