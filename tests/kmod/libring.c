// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libring.h"

#define ENTRIES 8

int open_ring(struct ring *ring)
{
	size_t size;

	ring->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &ring->params);
	if (ring->fd < 0)
		return -errno;
	size = ring->params.cq_off.cqes + ring->params.cq_entries * sizeof(struct io_uring_cqe);
	ring->memory = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			    IORING_OFF_SQ_RING);
	ring->sqes = mmap(NULL, ENTRIES * sizeof(*ring->sqes), PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, IORING_OFF_SQES);
	return ring->memory == MAP_FAILED || ring->sqes == MAP_FAILED ? -errno : 0;
}

static uint32_t *at(const struct ring *ring, uint32_t offset)
{
	return (uint32_t *)(ring->memory + offset);
}

int submit(struct ring *ring, const struct io_uring_sqe *sqe, unsigned int wait)
{
	uint32_t tail = *at(ring, ring->params.sq_off.tail);
	uint32_t mask = *at(ring, ring->params.sq_off.ring_mask);
	int ret;

	ring->sqes[tail & mask] = *sqe;
	at(ring, ring->params.sq_off.array)[tail & mask] = tail & mask;
	__atomic_store_n(at(ring, ring->params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	ret = (int)syscall(SYS_io_uring_enter, ring->fd, 1, wait, wait ? IORING_ENTER_GETEVENTS : 0,
			   NULL, 0);
	return ret < 0 ? -errno : ret;
}

bool complete(struct ring *ring, int ms, struct io_uring_cqe *cqe)
{
	struct pollfd p = { .fd = ring->fd, .events = POLLIN };
	uint32_t head = *at(ring, ring->params.cq_off.head);
	uint32_t mask = *at(ring, ring->params.cq_off.ring_mask);

	if (head == __atomic_load_n(at(ring, ring->params.cq_off.tail), __ATOMIC_ACQUIRE))
		poll(&p, 1, ms);
	if (head == __atomic_load_n(at(ring, ring->params.cq_off.tail), __ATOMIC_ACQUIRE))
		return false;
	*cqe = ((struct io_uring_cqe *)(ring->memory + ring->params.cq_off.cqes))[head & mask];
	__atomic_store_n(at(ring, ring->params.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return true;
}
