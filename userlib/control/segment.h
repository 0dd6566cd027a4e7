/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CONTROL_SEGMENT_H
#define EQUANT_CONTROL_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct equant_invitation - how another process of the node finds a segment
 * @cookie: also the first word of the segment
 * @fd: in process @pid, -1 = there is no segment
 * @size: bytes
 */
struct equant_invitation {
	uint64_t cookie;
	int64_t pid;
	int64_t fd;
	uint64_t size;
};

/**
 * equant_segment_make() - memory without a name that other processes can map
 * @size: bytes, at least those of a word
 * @invitation: receives what they need; the caller closes its @fd when nobody needs it any more
 *
 * Return: the memory, zero but for the cookie, for munmap(); NULL where there can be none.
 */
void *equant_segment_make(size_t size, struct equant_invitation *invitation);

/** equant_segment_join() - map another process's segment; NULL and errno if that is not possible */
void *equant_segment_join(const struct equant_invitation *invitation);

#endif /* EQUANT_CONTROL_SEGMENT_H */
