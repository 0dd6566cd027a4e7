// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Attachments that come and go while their tasks do, as fast as they can.  That
 * the kernel survives is seen in its log, which the guest's runner reads; that
 * nothing leaks, here.  EQUANT_STRESS_SECONDS: how long each takes, 3 otherwise.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"

#define SKIPPED 255
#define WORKERS 16

FIXTURE(stress)
{
	int fd;
	uint64_t end;
	unsigned int seed;
};

FIXTURE_SETUP(stress)
{
	const char *reason = why_no_device(), *seconds = getenv("EQUANT_STRESS_SECONDS");

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->seed = (unsigned int)getpid();
	self->end = clock_ns(CLOCK_MONOTONIC) +
		    (seconds ? strtoull(seconds, NULL, 10) : 3) * 1000 * MSEC;
}

/* The module's own clean-up may take a grace period. */
static unsigned int remaining(int fd)
{
	for (int i = 0; i < 100 && records_in_use(fd); i++)
		sleep_ms(20);
	return records_in_use(fd);
}

FIXTURE_TEARDOWN(stress)
{
	EXPECT_EQ(0, remaining(self->fd));
	close(self->fd);
}

static bool time_is_up(uint64_t end)
{
	return clock_ns(CLOCK_MONOTONIC) >= end;
}

/* WORKERS children that do @work; true if all of them report success. */
static bool all_do(void (*work)(uint64_t end, unsigned int seed), uint64_t end, unsigned int seed)
{
	pid_t pid[WORKERS];
	bool well = true;

	for (unsigned int i = 0; i < WORKERS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(end, seed + i);
			_exit(0);
		}
	}
	for (unsigned int i = 0; i < WORKERS; i++)
		well &= status_of(pid[i]) == 0;
	return well;
}

static void attach_and_detach(uint64_t end, unsigned int seed)
{
	int fd = open_device(), index;

	(void)seed;
	while (!time_is_up(end)) {
		index = attach(fd, 0, EQUANT_ATTACH_EVENTS);
		if (index < 1)
			_exit(1);
		sched_yield();
		if (detach(fd, (unsigned int)index))
			_exit(2);
	}
}

TEST_F(stress, tasks_attach_and_detach_themselves)
{
	EXPECT_TRUE(all_do(attach_and_detach, self->end, self->seed));
}

static void open_map_and_exit(uint64_t end, unsigned int seed)
{
	const struct equant_table *table;
	pid_t pid;
	int fd;

	while (!time_is_up(end)) {
		pid = fork();
		if (!pid) {
			fd = open_device();
			table = map_table(fd);
			if (attach(fd, 0, EQUANT_ATTACH_EVENTS) < 1 || !table)
				_exit(1);
			if (rand_r(&seed) % 2)
				close(fd);
			if (record_copy(table, 1).state == EQUANT_STATE_FREE)
				_exit(2);
			if (rand_r(&seed) % 4 == 0)
				execlp("true", "true", NULL);
			if (rand_r(&seed) % 4 == 0)
				raise(SIGKILL);
			_exit(0);
		}
		if (status_of(pid) > 0)
			_exit(1);
	}
}

TEST_F(stress, attached_tasks_exit_execute_and_are_killed)
{
	EXPECT_TRUE(all_do(open_map_and_exit, self->end, self->seed));
}

TEST_F(stress, tasks_are_attached_while_they_exit)
{
	unsigned int attached = 0;
	int ret;
	pid_t pid;

	while (!time_is_up(self->end)) {
		pid = fork();
		if (!pid)
			_exit(0);
		ret = attach(self->fd, pid, EQUANT_ATTACH_EVENTS);
		ASSERT_TRUE(ret > 0 || ret == -ESRCH || ret == -EPERM) TH_LOG("attach: %d", ret);
		attached += ret > 0;
		waitpid(pid, NULL, 0);
	}
	EXPECT_LT(0, attached);
}

static void move_about(uint64_t end, unsigned int seed)
{
	cpu_set_t set;
	int fd = open_device();

	if (attach(fd, 0, EQUANT_ATTACH_EVENTS) != 1)
		_exit(1);
	while (!time_is_up(end)) {
		CPU_ZERO(&set);
		CPU_SET(rand_r(&seed) % 2, &set);
		sched_setaffinity(0, sizeof(set), &set);
		if (rand_r(&seed) % 8 == 0)
			sleep_ms(1);
		sched_yield();
	}
}

TEST_F(stress, attached_tasks_move_between_cpus)
{
	EXPECT_TRUE(all_do(move_about, self->end, self->seed));
}

static bool switch_cpu(const char *on)
{
	FILE *file = fopen("/sys/devices/system/cpu/cpu1/online", "w");
	bool well = file && fputs(on, file) >= 0;

	return file && !fclose(file) && well;
}

TEST_F(stress, a_cpu_goes_and_comes_back)
{
	pid_t pid[3];

	if (!switch_cpu("1"))
		SKIP(return, "this CPU cannot be switched off");
	for (int i = 0; i < 3; i++) {
		pid[i] = start_load(1, i ? 500 * (unsigned int)i : 0);
		ASSERT_LT(0, attach(self->fd, pid[i], EQUANT_ATTACH_EVENTS));
	}
	while (!time_is_up(self->end)) {
		EXPECT_TRUE(switch_cpu("0"));
		sleep_ms(50);
		EXPECT_TRUE(switch_cpu("1"));
		sleep_ms(50);
	}
	for (int i = 0; i < 3; i++)
		stop_load(pid[i]);
}

static bool enable(const char *value)
{
	FILE *file = fopen("/sys/module/equant/parameters/enabled", "w");
	bool well = file && fputs(value, file) >= 0;

	return file && !fclose(file) && well;
}

TEST_F(stress, a_retired_module_lets_everybody_go)
{
	const struct equant_table *table = map_table(self->fd);
	struct equant_kmod_event e;
	pid_t pid = start_load(0, 0);

	ASSERT_EQ(1, attach(self->fd, pid, EQUANT_ATTACH_EVENTS));
	ASSERT_TRUE(enable("N"));
	EXPECT_EQ(EQUANT_TABLE_DEAD, table->state);
	EXPECT_EQ(EQUANT_STATE_FREE, record_copy(table, 1).state);
	EXPECT_EQ(-ENODEV, open_device());
	EXPECT_EQ(-ENODEV, attach(self->fd, 0, 0));
	while (read(self->fd, &e, sizeof(e)) > 0)
		;
	EXPECT_EQ(0, read(self->fd, &e, sizeof(e)));
	EXPECT_TRUE(enable("Y"));
	stop_load(pid);
	unmap_table(table);
}

TEST_HARNESS_MAIN
