// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * io_uring on the kernel module's device.
 *
 * What is waited for, a snapshot or a read that cannot block, completes at submission.
 * The poll is multishot (Linux 5.13): it is armed once, and completes anew at each wake-up
 * of the file.  Between two waits nobody looks at the ring, so a completion of the poll
 * is kept in ->ready until a read finds nothing more.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/say.h"
#include "have.h"
#include "watch/ring.h"

#if EQUANT_HAVE_LIBURING
#include <liburing.h>
#include <poll.h>
#include <sys/uio.h>
#endif

/* liburing 2.3 has the fields of a command, older ones have not. */
#if EQUANT_HAVE_LIBURING && defined(IORING_URING_CMD_FIXED)

#define RING_ENTRIES 4
#define DATA_POLL 1
#define DATA_CALL 2

struct equant_ring {
	struct io_uring ring;
	int fd;
	bool armed; /* the poll is */
	bool ready; /* there may be something to read */
	int poll_error;
};

struct equant_ring *equant_ring_open(int fd, char *why, size_t why_size)
{
	struct equant_ring *ring = calloc(1, sizeof(*ring));
	int ret = -ENOMEM;

	if (ring)
		ret = io_uring_queue_init(RING_ENTRIES, &ring->ring, 0);
	if (!ret) {
		ring->fd = fd;
		return ring;
	}
	equant_say(why, why_size, "io_uring_setup: %s", strerror(-ret));
	free(ring);
	return NULL;
}

void equant_ring_close(struct equant_ring *ring)
{
	if (!ring)
		return;
	io_uring_queue_exit(&ring->ring);
	free(ring);
}

int equant_ring_fd(const struct equant_ring *ring)
{
	return ring->ring.ring_fd;
}

/* Note what the poll has told. */
static void note_poll(struct equant_ring *ring, const struct io_uring_cqe *cqe)
{
	ring->armed = cqe->flags & IORING_CQE_F_MORE;
	if (cqe->res < 0)
		ring->poll_error = cqe->res;
	else
		ring->ready = true;
}

/* Submit the prepared entry and wait for its completion; its result. */
static int call(struct equant_ring *ring)
{
	struct io_uring_cqe *cqe;
	bool mine = false;
	int result = 0, ret;

	ret = io_uring_submit(&ring->ring);
	if (ret < 0)
		return ret;
	while (!mine) {
		ret = io_uring_wait_cqe(&ring->ring, &cqe);
		if (ret == -EINTR)
			continue;
		if (ret < 0)
			return ret;
		mine = cqe->user_data == DATA_CALL;
		if (mine)
			result = cqe->res;
		else
			note_poll(ring, cqe);
		io_uring_cqe_seen(&ring->ring, cqe);
	}
	return result;
}

int equant_ring_snapshot(struct equant_ring *ring, const struct equant_snapshot *snapshot)
{
	const struct equant_uring command = { .snapshot = (uintptr_t)snapshot };
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->ring);

	if (!sqe)
		return -EBUSY;
	io_uring_prep_rw(IORING_OP_URING_CMD, sqe, ring->fd, NULL, 0, 0);
	sqe->cmd_op = EQUANT_URING_SNAPSHOT;
	memcpy(sqe->cmd, &command, sizeof(command));
	sqe->user_data = DATA_CALL;
	return call(ring);
}

int equant_ring_watch(struct equant_ring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->ring);
	int ret;

	if (!sqe)
		return -EBUSY;
	io_uring_prep_poll_multishot(sqe, ring->fd, POLLIN);
	sqe->user_data = DATA_POLL;
	ret = io_uring_submit(&ring->ring);
	ring->armed = ret >= 0;
	return ret < 0 ? ret : 0;
}

static void look(struct equant_ring *ring)
{
	struct io_uring_cqe *cqe;

	while (!io_uring_peek_cqe(&ring->ring, &cqe)) {
		note_poll(ring, cqe);
		io_uring_cqe_seen(&ring->ring, cqe);
	}
}

ssize_t equant_ring_read(struct equant_ring *ring, void *buffer, size_t size)
{
	struct io_uring_sqe *sqe;
	int ret;

	look(ring);
	if (ring->poll_error)
		return ring->poll_error;
	if (!ring->ready)
		return -EAGAIN;
	sqe = io_uring_get_sqe(&ring->ring);
	if (!sqe)
		return -EBUSY;
	io_uring_prep_read(sqe, ring->fd, buffer, (unsigned int)size, 0);
	/* Without this io_uring waits for data, also where the file is O_NONBLOCK. */
	sqe->rw_flags = RWF_NOWAIT;
	sqe->user_data = DATA_CALL;
	/* What comes from here on completes the poll again. */
	ring->ready = false;
	ret = call(ring);
	/* There may be more; and an end stays one. */
	if (ret >= 0)
		ring->ready = true;
	if (!ring->armed && !ring->poll_error)
		equant_ring_watch(ring);
	return ret;
}

#else

struct equant_ring *equant_ring_open(int fd, char *why, size_t why_size)
{
	(void)fd;
	equant_say(why, why_size, "built without liburing 2.3 or later");
	return NULL;
}

void equant_ring_close(struct equant_ring *ring)
{
	(void)ring;
}

int equant_ring_fd(const struct equant_ring *ring)
{
	(void)ring;
	return -1;
}

int equant_ring_snapshot(struct equant_ring *ring, const struct equant_snapshot *snapshot)
{
	(void)ring;
	(void)snapshot;
	return -EOPNOTSUPP;
}

int equant_ring_watch(struct equant_ring *ring)
{
	(void)ring;
	return -EOPNOTSUPP;
}

ssize_t equant_ring_read(struct equant_ring *ring, void *buffer, size_t size)
{
	(void)ring;
	(void)buffer;
	(void)size;
	return -EOPNOTSUPP;
}

#endif
