// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The module's device through io_uring, without a library: one submission at a time.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"

#define SKIPPED 255
#define ENTRIES 8

struct ring {
	int fd;
	struct io_uring_params params;
	char *memory;
	struct io_uring_sqe *sqes;
};

FIXTURE(uring)
{
	int fd;
	struct ring ring;
};

static int open_ring(struct ring *ring)
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

/* Submit one; wait for @wait completions. */
static int submit(struct ring *ring, const struct io_uring_sqe *sqe, unsigned int wait)
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

/* The next completion within @ms; false if there is none. */
static bool complete(struct ring *ring, int ms, struct io_uring_cqe *cqe)
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

FIXTURE_SETUP(uring)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	memset(&self->ring, 0, sizeof(self->ring));
	ASSERT_EQ(0, open_ring(&self->ring));
}

FIXTURE_TEARDOWN(uring)
{
	close(self->ring.fd);
	close(self->fd);
}

/* What the command came back with. */
static int command(struct ring *ring, int fd, uint32_t op, const void *snapshot, uint64_t pad)
{
	struct equant_uring arg = { .snapshot = (uintptr_t)snapshot, .pad = pad };
	struct io_uring_sqe sqe = { .opcode = IORING_OP_URING_CMD, .fd = fd, .off = op };
	struct io_uring_cqe cqe;

	memcpy((char *)&sqe + 48, &arg, sizeof(arg));
	if (submit(ring, &sqe, 1) != 1 || !complete(ring, 1000, &cqe))
		return -ETIME;
	return cqe.res;
}

TEST_F(uring, one_submission_takes_a_snapshot_of_many_tasks)
{
	struct equant_record r[20];
	struct equant_snapshot s = { .records = (uintptr_t)r, .nr = 20 };
	pid_t pid[20];

	for (int i = 0; i < 20; i++) {
		pid[i] = start_load(i % 2, 50000);
		ASSERT_EQ(i + 1, attach(self->fd, pid[i], 0));
	}
	EXPECT_EQ(20, command(&self->ring, self->fd, EQUANT_URING_SNAPSHOT, &s, 0));
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ((unsigned int)pid[i], r[i].tid);
		EXPECT_LE(r[i].t_attach, s.now);
		stop_load(pid[i]);
	}
}

TEST_F(uring, bad_commands_are_refused)
{
	struct equant_record r;
	struct equant_snapshot s = { .records = (uintptr_t)&r, .nr = 1 };

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	EXPECT_EQ(-ENOTTY, command(&self->ring, self->fd, 99, &s, 0));
	EXPECT_EQ(-ENOTTY, command(&self->ring, self->fd, EQUANT_IOC_ATTACH, &s, 0));
	EXPECT_EQ(-EINVAL, command(&self->ring, self->fd, EQUANT_URING_SNAPSHOT, &s, 1));
	EXPECT_EQ(-EFAULT, command(&self->ring, self->fd, EQUANT_URING_SNAPSHOT, (void *)8, 0));
	s.records = 8;
	EXPECT_EQ(-EFAULT, command(&self->ring, self->fd, EQUANT_URING_SNAPSHOT, &s, 0));
	s = (struct equant_snapshot){ .records = (uintptr_t)&r, .nr = 0 };
	EXPECT_EQ(-EINVAL, command(&self->ring, self->fd, EQUANT_URING_SNAPSHOT, &s, 0));
}

static int watch(int fd, pid_t task)
{
	return attach(fd, task, EQUANT_ATTACH_EVENTS);
}

TEST_F(uring, a_read_that_waits_is_completed_by_an_event)
{
	struct equant_kmod_event e = { 0 };
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_READ,
		.fd = self->fd,
		.addr = (uintptr_t)&e,
		.len = sizeof(e),
	};
	struct io_uring_cqe cqe;
	pid_t pid = start_load(0, 1000);

	ASSERT_EQ(1, watch(self->fd, pid));
	ASSERT_EQ(1, submit(&self->ring, &sqe, 0));
	stop_load(pid);
	ASSERT_TRUE(complete(&self->ring, 3000, &cqe));
	EXPECT_EQ(sizeof(e), cqe.res);
	EXPECT_LE(1, e.type);
}

TEST_F(uring, one_multishot_poll_tells_of_every_event)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_POLL_ADD,
		.fd = self->fd,
		.poll32_events = POLLIN,
		.len = IORING_POLL_ADD_MULTI,
	};
	struct equant_kmod_event e;
	struct io_uring_cqe cqe;
	pid_t pid;

	ASSERT_EQ(1, submit(&self->ring, &sqe, 0));
	for (int i = 0; i < 3; i++) {
		pid = start_load(1, 1000);
		ASSERT_LT(0, watch(self->fd, pid));
		stop_load(pid);
		ASSERT_TRUE(complete(&self->ring, 3000, &cqe));
		EXPECT_TRUE(cqe.res & POLLIN);
		EXPECT_TRUE(cqe.flags & IORING_CQE_F_MORE);
		do {
			ASSERT_EQ(sizeof(e), read(self->fd, &e, sizeof(e)));
		} while (e.type != EQUANT_EVENT_EXITED);
	}
}

/* A process with waiting reads ends at once, whatever ends it. */
TEST_F(uring, pending_reads_do_not_keep_a_process_from_ending_or_executing)
{
	struct equant_kmod_event e;
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_READ,
		.fd = self->fd,
		.addr = (uintptr_t)&e,
		.len = sizeof(e),
	};
	struct ring ring;
	pid_t pid;

	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			memset(&ring, 0, sizeof(ring));
			if (open_ring(&ring) || submit(&ring, &sqe, 0) != 1)
				_exit(9);
			if (i == 0)
				_exit(0);
			if (i == 1)
				execlp("true", "true", NULL);
			raise(SIGKILL);
		}
		EXPECT_EQ(i == 2 ? -1 : 0, status_of(pid));
	}
}

TEST_HARNESS_MAIN
