/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * io_uring on the kernel module's device: a snapshot is one submission, events are
 * told by a poll that stays armed and had by reads.
 */
#ifndef EQUANT_WATCH_RING_H
#define EQUANT_WATCH_RING_H

#include <stddef.h>
#include <sys/types.h>

#include <equant/kmod.h>

struct equant_ring;

/**
 * equant_ring_open() - a ring for one open file of the device
 * @fd: the file; O_NONBLOCK
 *
 * Return: the ring, or NULL and a sentence in @why.
 */
struct equant_ring *equant_ring_open(int fd, char *why, size_t why_size);
void equant_ring_close(struct equant_ring *ring);

/** equant_ring_fd() - readable when completions wait */
int equant_ring_fd(const struct equant_ring *ring);

/**
 * equant_ring_snapshot() - one submission, its completion waited for
 *
 * Return: the number of records or -errno; -EOPNOTSUPP, -EINVAL or -ENOTTY also where kernel or
 * module cannot do this.
 */
int equant_ring_snapshot(struct equant_ring *ring, const struct equant_snapshot *snapshot);

/** equant_ring_watch() - arm the poll; 0 or -errno */
int equant_ring_watch(struct equant_ring *ring);

/** equant_ring_read() - as read() of the file, -EAGAIN where the poll has told of nothing */
ssize_t equant_ring_read(struct equant_ring *ring, void *buffer, size_t size);

#endif /* EQUANT_WATCH_RING_H */
