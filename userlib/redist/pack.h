/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_REDIST_PACK_H
#define EQUANT_REDIST_PACK_H

#include <stdbool.h>

#include <equant/redist.h>

#define EQUANT_REDIST_LARGE ((int64_t)8 << 20) /* bytes, of which a cache keeps too little */

/**
 * struct equant_redist_local - a local array
 * @strides: one per dimension, elements
 * @base: element 0
 * @large: what is moved into it, or out of it, is at least EQUANT_REDIST_LARGE
 */
struct equant_redist_local {
	const int64_t *strides;
	char *base;
	bool large;
};

/*
 * As equant_redist_pack(), _unpack() and _copy(), of the @length bytes from byte @at of the message
 * on only, which @piece holds.
 */
void equant_redist_pack_piece(const struct equant_redist_part *part, size_t element,
			      struct equant_redist_local local, int64_t at, int64_t length,
			      void *piece);
void equant_redist_unpack_piece(const struct equant_redist_part *part, size_t element,
				struct equant_redist_local local, int64_t at, int64_t length,
				const void *piece);
void equant_redist_copy_piece(const struct equant_redist_part *part, size_t element,
			      struct equant_redist_local from, struct equant_redist_local to,
			      int64_t at, int64_t length);

/*
 * Where these bytes are in the memory of the sender, if @sends, or else the receiver: call @emit
 * for each block, in the message's order, with the bytes from the local array's element 0 to it,
 * until it gives false.
 */
void equant_redist_blocks(const struct equant_redist_part *part, size_t element,
			  const int64_t *strides, bool sends, int64_t at, int64_t length,
			  bool (*emit)(void *to, int64_t at, int64_t length), void *to);

#endif /* EQUANT_REDIST_PACK_H */
