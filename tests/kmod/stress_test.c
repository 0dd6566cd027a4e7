// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Attachments that come and go while their tasks do, as fast as they can.  That
 * the kernel survives is seen in its log, which the guest's runner reads; that
 * nothing leaks, here.  STRESS_SECONDS: how long each takes, 2 otherwise.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"

#define SKIPPED 255

/* The harness would end them after half a minute. */
#define STRESS(name) TEST_F(stress, name)

FIXTURE(stress)
{
	int fd;
	uint64_t end;
	unsigned int seed;
};

FIXTURE_SETUP(stress)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->seed = (unsigned int)getpid();
	self->end = stress_end(2000);
}

FIXTURE_TEARDOWN(stress)
{
	EXPECT_EQ(0, records_left(self->fd));
	close(self->fd);
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

STRESS(tasks_attach_and_detach_themselves)
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

STRESS(attached_tasks_exit_execute_and_are_killed)
{
	EXPECT_TRUE(all_do(open_map_and_exit, self->end, self->seed));
}

STRESS(tasks_are_attached_while_they_exit)
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

/* Whatever happened to it on the way: no time may be missing or counted twice. */
static bool adds_up(const struct equant_record *r)
{
	uint64_t sum = r->run_ns + r->wait_ns + r->sleep_ns, wall = r->t_state - r->t_attach;

	return sum + 10 * MSEC > wall && sum < wall + 10 * MSEC &&
	       r->switches == r->preemptions + r->yields + r->blocks;
}

/*
 * On either CPU, or wherever the kernel puts it.  Who is started last may have no time left:
 * some moves in any case.
 */
static void move_about(uint64_t end, unsigned int seed)
{
	const struct equant_table *table;
	struct equant_record r;
	cpu_set_t set;
	int fd = open_device(), cpus;

	table = map_table(fd);
	if (!table || attach(fd, 0, EQUANT_ATTACH_EVENTS) != 1)
		_exit(1);
	for (int i = 0; i < 50 || !time_is_up(end); i++) {
		cpus = rand_r(&seed) % 4;
		CPU_ZERO(&set);
		if (cpus != 0)
			CPU_SET(1, &set);
		if (cpus != 1)
			CPU_SET(0, &set);
		sched_setaffinity(0, sizeof(set), &set);
		if (rand_r(&seed) % 8 == 0)
			sleep_ms(1);
		sched_yield();
	}
	r = record_now(table, 1);
	if (!adds_up(&r))
		_exit(2);
	if (!r.migrations)
		_exit(3);
}

STRESS(attached_tasks_move_between_cpus)
{
	EXPECT_TRUE(all_do(move_about, self->end, self->seed));
}

/* Another process that gets the number of one that was attached is not attached. */
static pid_t fork_as(pid_t wanted)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&wanted,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

STRESS(a_number_that_is_used_again_is_another_task)
{
	const struct equant_table *table = map_table(self->fd);
	struct equant_record r;
	pid_t pid = start_load(1, 100), again;
	uint64_t born;
	int index;

	ASSERT_NE(NULL, table);
	while (!time_is_up(self->end)) {
		ASSERT_LT(0, attach(self->fd, pid, EQUANT_ATTACH_EVENTS));
		stop_load(pid);
		born = clock_ns(CLOCK_MONOTONIC);
		again = fork_as(pid);
		if (!again)
			for (;;)
				pause();
		ASSERT_EQ(pid, again);
		index = attach(self->fd, pid, EQUANT_ATTACH_EVENTS);
		ASSERT_LT(0, index);
		r = record_now(table, (unsigned int)index);
		EXPECT_EQ((uint32_t)pid, r.tid);
		EXPECT_LE(born, r.t_attach);
		EXPECT_EQ(0, detach(self->fd, (unsigned int)index));
	}
	stop_load(pid);
	unmap_table(table);
}

static bool switch_cpu(const char *on)
{
	FILE *file = fopen("/sys/devices/system/cpu/cpu1/online", "w");
	bool well = file && fputs(on, file) >= 0;

	return file && !fclose(file) && well;
}

STRESS(a_cpu_goes_and_comes_back)
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

STRESS(a_retired_module_lets_everybody_go)
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
