// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The module's stream of events.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"

#define SKIPPED 255
#define COOKIE 0x1234567890ull

FIXTURE(events)
{
	int fd;
	pid_t task;
};

FIXTURE_SETUP(events)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->task = start_load(0, 0);
	pin_to(1);
}

FIXTURE_TEARDOWN(events)
{
	if (self->task)
		stop_load(self->task);
	close(self->fd);
}

static int watch(int fd, pid_t task, unsigned int threshold)
{
	struct equant_attach a = {
		.tid = (uint32_t)task,
		.flags = EQUANT_ATTACH_EVENTS,
		.cookie = COOKIE,
		.threshold = threshold,
		.hysteresis = threshold ? EQUANT_SHARE_ONE / 20 : 0,
	};

	return control(fd, EQUANT_IOC_ATTACH, &a) ? -errno : (int)a.index;
}

/* The next event of @type within @ms; others are passed over. */
static bool next_event(int fd, unsigned int type, int ms, struct equant_kmod_event *event)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * MSEC;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		if (poll(&p, 1, 50) != 1)
			continue;
		if (read(fd, event, sizeof(*event)) != sizeof(*event))
			return false;
		if (event->type == type)
			return true;
	}
	return false;
}

/* Until a competitor has been reported as it came or went, not one of the kernel's threads. */
static bool reported(int fd, unsigned int type, unsigned int value, struct equant_kmod_event *event)
{
	while (next_event(fd, type, 2000, event))
		if (event->value == value)
			return true;
	return false;
}

/*
 * In a kernel that watches itself its own threads stay for a quantum, too, and may be there before a
 * load; that leaves another share.
 */
static bool watches_itself(void)
{
	const char *kernel = getenv("GUEST_KERNEL");

	return kernel && strstr(kernel, "-debug");
}

/*
 * The load is the only one that comes; @crowded: others came, too.  Where the guest's CPU stands still threads of the
 * kernel stay for a quantum, and what is reported then is the number with them.
 */
static bool arrives_alone(int fd, struct equant_kmod_event *event, bool *crowded)
{
	*crowded = watches_itself();
	while (next_event(fd, EQUANT_EVENT_ARRIVED, 2000, event)) {
		if (event->value == 2)
			return !*crowded || event->share >= EQUANT_SHARE_ONE / 2 - 1;
		*crowded = true;
	}
	return false;
}

TEST_F(events, a_competitor_that_arrives_and_leaves_is_reported_once_it_held_for_a_quantum)
{
	struct equant_kmod_event e;
	bool alone, crowded;
	int tries = 0;
	pid_t pid;

	ASSERT_EQ(1, watch(self->fd, self->task, 0));
	do {
		sleep_ms(50);
		pid = start_load(0, 0);
		alone = arrives_alone(self->fd, &e, &crowded);
		if (!alone)
			stop_load(pid);
		if (!alone && crowded)
			ASSERT_TRUE(reported(self->fd, EQUANT_EVENT_LEFT, 1, &e));
	} while (!alone && crowded && ++tries < 5);
	ASSERT_TRUE(alone);
	EXPECT_EQ(1, e.before);
	EXPECT_EQ(1, e.index);
	EXPECT_EQ((unsigned int)self->task, e.tid);
	EXPECT_EQ(COOKIE, e.cookie);
	EXPECT_LE(EQUANT_SHARE_ONE / 2 - 1, e.share);
	EXPECT_LT(e.t, clock_ns(CLOCK_MONOTONIC));
	stop_load(pid);
	ASSERT_TRUE(reported(self->fd, EQUANT_EVENT_LEFT, 1, &e));
	EXPECT_EQ(2, e.before);
}

/*
 * Works for 0.1 ms in turns, and counts turns that took long from the moment at which it was to wake up: those
 * of a CPU that stood still, in a guest whose host has other things to do, or of another task's turn.
 */
static pid_t start_short_turns(volatile unsigned int *long_turns)
{
	pid_t parent = getpid(), pid = fork();
	uint64_t wake, end;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	setpriority(PRIO_PROCESS, 0, -20);
	pin_to(0);
	for (wake = clock_ns(CLOCK_MONOTONIC);;) {
		struct timespec t;

		end = clock_ns(CLOCK_MONOTONIC) + MSEC / 10;
		while (clock_ns(CLOCK_MONOTONIC) < end)
			;
		*long_turns += clock_ns(CLOCK_MONOTONIC) - wake > MSEC / 2;
		wake = clock_ns(CLOCK_MONOTONIC) + MSEC / 10;
		t = (struct timespec){ .tv_sec = (time_t)(wake / 1000000000),
				       .tv_nsec = (long)(wake % 1000000000) };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
}

TEST_F(events, a_competitor_that_hardly_stays_is_not_reported)
{
	volatile unsigned int *long_turns = mmap(NULL, sizeof(*long_turns), PROT_READ | PROT_WRITE,
						 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct equant_kmod_event e;
	unsigned int arrived = 0;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, long_turns);
	ASSERT_EQ(1, watch(self->fd, self->task, 0));
	pid = start_short_turns(long_turns);
	for (uint64_t end = clock_ns(CLOCK_MONOTONIC) + 500 * MSEC;
	     clock_ns(CLOCK_MONOTONIC) < end;)
		arrived += next_event(self->fd, EQUANT_EVENT_ARRIVED, 100, &e);
	/* Threads of the kernel may stay for a quantum, too. */
	EXPECT_GT(20 + *long_turns, arrived);
	stop_load(pid);
}

TEST_F(events, a_share_is_reported_when_it_crosses_the_threshold)
{
	struct equant_kmod_event e;
	pid_t pid;

	ASSERT_EQ(1, watch(self->fd, self->task, EQUANT_SHARE_ONE / 4 * 3));
	pid = start_load(0, 0);
	ASSERT_TRUE(next_event(self->fd, EQUANT_EVENT_SHARE_DOWN, 3000, &e));
	EXPECT_EQ(EQUANT_SHARE_ONE, e.before);
	EXPECT_LT(EQUANT_SHARE_ONE / 3, e.value);
	EXPECT_GT(EQUANT_SHARE_ONE / 10 * 7 + 1, e.value);
	stop_load(pid);
	ASSERT_TRUE(next_event(self->fd, EQUANT_EVENT_SHARE_UP, 3000, &e));
	EXPECT_LT(EQUANT_SHARE_ONE / 10 * 8 - 1, e.value);
}

/* The number of its competitors is not known as long as it is no fair task. */
TEST_F(events, a_task_that_becomes_a_real_time_one_has_lost_no_competitors)
{
	const struct sched_param fifo = { .sched_priority = 1 }, fair = { 0 };
	struct equant_kmod_event e;
	pid_t pid;

	ASSERT_EQ(1, watch(self->fd, self->task, 0));
	pid = start_load(0, 0);
	sleep_ms(50);
	ASSERT_EQ(0, sched_setscheduler(self->task, SCHED_FIFO, &fifo));
	while (next_event(self->fd, EQUANT_EVENT_LEFT, 200, &e))
		EXPECT_NE(0, e.value);
	EXPECT_EQ(0, sched_setscheduler(self->task, SCHED_OTHER, &fair));
	stop_load(pid);
}

TEST_F(events, the_exit_of_a_task_is_reported)
{
	struct equant_kmod_event e;

	ASSERT_EQ(1, watch(self->fd, self->task, 0));
	stop_load(self->task);
	ASSERT_TRUE(next_event(self->fd, EQUANT_EVENT_EXITED, 2000, &e));
	EXPECT_EQ((unsigned int)self->task, e.tid);
	EXPECT_EQ(COOKIE, e.cookie);
	self->task = 0;
}

/* Hundreds of processes take longer than the harness waits where the kernel watches itself. */
TEST_F(events, what_does_not_fit_is_counted_where_it_is_missing)
{
	struct equant_info info;
	struct equant_kmod_event e;
	unsigned int kept = 0, exited = 0, lost = 0, started;
	pid_t pid;

	ASSERT_EQ(0, control(self->fd, EQUANT_IOC_INFO, &info));
	started = info.queue_events + 40;
	fcntl(self->fd, F_SETFL, O_NONBLOCK);
	for (unsigned int i = 0; i < started; i++) {
		pid = fork();
		if (!pid)
			for (;;)
				pause();
		ASSERT_LT(0, watch(self->fd, pid, 0));
		stop_load(pid);
	}
	while (read(self->fd, &e, sizeof(e)) == sizeof(e)) {
		EXPECT_EQ(0, lost);
		kept += e.type != EQUANT_EVENT_LOST;
		exited += e.type == EQUANT_EVENT_EXITED;
		lost += e.type == EQUANT_EVENT_LOST ? e.value : 0;
	}
	EXPECT_EQ(EAGAIN, errno);
	/* An exit of each, and on a slow machine other events among them. */
	EXPECT_EQ(info.queue_events, kept);
	EXPECT_LE(started - info.queue_events, lost);
	EXPECT_GE(started, exited);
	EXPECT_LE(started, exited + lost);
}

TEST_F(events, reading_without_events_waits_or_says_so)
{
	struct equant_kmod_event e;
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	EXPECT_EQ(-1, read(self->fd, &e, sizeof(e) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, poll(&p, 1, 0));
	fcntl(self->fd, F_SETFL, O_NONBLOCK);
	EXPECT_EQ(-1, read(self->fd, &e, sizeof(e)));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(events, bad_memory_loses_no_event)
{
	const struct iovec bad = { .iov_base = (void *)8,
				   .iov_len = sizeof(struct equant_kmod_event) };
	struct equant_kmod_event e;
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	ASSERT_EQ(1, watch(self->fd, self->task, 0));
	stop_load(self->task);
	self->task = 0;
	ASSERT_EQ(1, poll(&p, 1, 2000));
	EXPECT_EQ(-1, readv(self->fd, &bad, 1));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_TRUE(next_event(self->fd, EQUANT_EVENT_EXITED, 1000, &e));
}

TEST_F(events, a_reader_that_waits_can_be_killed)
{
	struct equant_kmod_event e;
	pid_t pid = fork();

	if (!pid)
		_exit(read(self->fd, &e, sizeof(e)) < 0);
	sleep_ms(100);
	EXPECT_EQ(0, kill(pid, 0));
	stop_load(pid);
}

TEST_HARNESS_MAIN
