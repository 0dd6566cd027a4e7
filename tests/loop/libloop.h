/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared by the tests of the pure parts of userlib/loop and userlib/core. */
#ifndef LIBLOOP_H
#define LIBLOOP_H

#include <equant/equant.h>
#include <stddef.h>
#include <stdint.h>

#include "loop/units.h"
#include "random.h"

/* NULL when the ranges are sorted, not empty, apart from each other and add up to ->total. */
const char *runs_fault(const struct equant_runs *runs);

/* Standard error goes to a file until messages_end(), which returns what was written. */
struct messages {
	int saved;
	int fd;
	char text[4096];
};

int messages_begin(struct messages *messages);
const char *messages_end(struct messages *messages);

#endif /* LIBLOOP_H */
