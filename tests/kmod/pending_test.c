// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The device while somebody still has a part of it: a mapping, or a read that waits
 * in a ring.  See stress_test.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"
#include "libring.h"

#define SKIPPED 255
#define READS 4

FIXTURE(pending)
{
	uint64_t end;
};

FIXTURE_SETUP(pending)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->end = stress_end(3000);
}

FIXTURE_TEARDOWN(pending)
{
	int fd = open_device();

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, records_left(fd));
	close(fd);
}

/* Never completed but by an event: of @fd, so many reads and a multishot poll. */
static struct equant_kmod_event events[READS];

static bool wait_in_ring(struct ring *ring, int fd)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_READ, .fd = fd, .len = sizeof(events[0]) };

	memset(ring, 0, sizeof(*ring));
	if (open_ring(ring))
		return false;
	for (int i = 0; i < READS; i++) {
		sqe.addr = (uintptr_t)&events[i];
		if (submit(ring, &sqe, 0) != 1)
			return false;
	}
	sqe = (struct io_uring_sqe){
		.opcode = IORING_OP_POLL_ADD,
		.fd = fd,
		.poll32_events = POLLIN,
		.len = IORING_POLL_ADD_MULTI,
	};
	return submit(ring, &sqe, 0) == 1;
}

/* A child that has nothing of the device but a mapping, or reads that wait in a ring. */
static pid_t start_holder(bool by_mapping)
{
	int ready[2], fd;
	struct ring ring;
	pid_t pid;
	char byte;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		fd = open_device();
		if (attach(fd, 0, EQUANT_ATTACH_EVENTS) != 1 ||
		    !(by_mapping ? !!map_table(fd) : wait_in_ring(&ring, fd)))
			_exit(1);
		close(fd);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		stop_load(pid);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "equant", O_NONBLOCK) ? -errno : 0;
}

TEST_F(pending, the_module_is_not_unloaded_under_a_mapping_or_a_read_that_waits)
{
	pid_t pid;

	for (unsigned int i = 0; !time_is_up(self->end); i++) {
		pid = start_holder(i % 2);
		ASSERT_LT(0, pid);
		for (int j = 0; j < 10; j++)
			ASSERT_EQ(-EWOULDBLOCK, unload());
		stop_load(pid);
	}
}

static void end_somehow(struct ring *ring, int fd, unsigned int how)
{
	switch (how) {
	case 0:
		execlp("true", "true", NULL);
		_exit(2);
	case 1:
		raise(SIGKILL);
		_exit(3);
	case 2:
		close(fd);
		close(ring->fd);
		_exit(0);
	case 3:
		close(ring->fd);
		close(fd);
		_exit(0);
	default:
		close(fd);
		_exit(0);
	}
}

static void wait_and_end(uint64_t end, unsigned int seed)
{
	struct ring ring;
	unsigned int how;
	pid_t pid;
	int fd;

	while (!time_is_up(end)) {
		how = (unsigned int)rand_r(&seed) % 5;
		pid = fork();
		if (!pid) {
			fd = open_device();
			if (attach(fd, 0, EQUANT_ATTACH_EVENTS) != 1 || !wait_in_ring(&ring, fd))
				_exit(1);
			end_somehow(&ring, fd, how);
		}
		if (status_of(pid) != (how == 1 ? -1 : 0))
			_exit(4);
	}
}

/* A process that hung in its end would keep its parent from seeing the time. */
TEST_F(pending, a_process_with_reads_that_wait_ends_however_it_wants_to)
{
	EXPECT_TRUE(all_do(wait_and_end, self->end, (unsigned int)getpid()));
}

TEST_HARNESS_MAIN
