/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_SELFSCHED_OPTIONS_H
#define EQUANT_SELFSCHED_OPTIONS_H

#include <stddef.h>

#include <equant/selfsched.h>

/* 0, or -EINVAL with the reason in @why. */
int equant_chunks_options_copy(struct equant_chunks_options *to,
			       const struct equant_chunks_options *from, char *why,
			       size_t why_size);

#endif /* EQUANT_SELFSCHED_OPTIONS_H */
