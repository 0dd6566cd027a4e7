/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_SELFSCHED_STATE_H
#define EQUANT_SELFSCHED_STATE_H

#include <stddef.h>

#include "selfsched/selfsched_internal.h"

/** equant_chunks_state_size() - bytes that equant_chunks_save() writes; never changes */
size_t equant_chunks_state_size(const struct equant_chunks *chunks);
void equant_chunks_save(const struct equant_chunks *chunks, void *to);

/** equant_chunks_load() - of a loop made from the same options */
void equant_chunks_load(struct equant_chunks *chunks, const void *from);

#endif /* EQUANT_SELFSCHED_STATE_H */
