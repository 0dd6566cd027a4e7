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
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"
#include "libring.h"

#define SKIPPED 255

FIXTURE(uring)
{
	int fd;
	struct ring ring;
};

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

/* Twenty loads leave little of a CPU whose kernel watches itself. */
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

TEST_HARNESS_MAIN
