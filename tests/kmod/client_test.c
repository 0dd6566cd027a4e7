// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The library on the kernel module's device: a thread's probe, and who watches all.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <equant/abi.h>
#include <equant/kmod.h>
#include <equant/watch.h>

#include "kselftest_harness.h"

#define THREADS 100
#define MSEC 1000000ull

FIXTURE(client)
{
	struct equant_watch *watch;
	struct equant_watch_task tasks[EQUANT_FILE_RECORDS];
	pthread_barrier_t attached, done;
	char why[512];
};

FIXTURE_SETUP(client)
{
	cpu_set_t first;

	if (access(EQUANT_DEVICE, F_OK))
		SKIP(_exit(255), "the kernel module is not loaded");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(first), &first));
}

FIXTURE_TEARDOWN(client)
{
	equant_watch_close(self->watch);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 * MSEC + (uint64_t)t.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/* A child that computes on this CPU, attached or not, until it is killed. */
static pid_t start_child(bool attached)
{
	int ready[2];
	pid_t pid;
	char c = 0;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (attached && !equant_probe_open("kmod", NULL, 0))
			_exit(1);
		if (write(ready[1], &c, 1) != 1)
			_exit(1);
		for (;;)
			spin(1000 * MSEC);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int snapshot(struct _test_data_client *self)
{
	return equant_watch_snapshot(self->watch, self->tasks, EQUANT_FILE_RECORDS, self->why,
				     sizeof(self->why));
}

static const struct equant_watch_task *find(const struct _test_data_client *self, int nr, pid_t tid)
{
	for (int i = 0; i < nr; i++)
		if (self->tasks[i].tid == (uint32_t)tid)
			return &self->tasks[i];
	return NULL;
}

TEST_F(client, a_probe_counts_its_thread_beside_a_competitor)
{
	struct equant_probe *probe = equant_probe_open("kmod", self->why, sizeof(self->why));
	struct equant_counters a, b;
	struct equant_status status;
	pid_t other = start_child(false);

	ASSERT_NE(NULL, probe)
	{
		TH_LOG("%s", self->why);
	}
	ASSERT_LT(0, other);
	EXPECT_STREQ("kmod", equant_probe_name(probe));
	equant_probe_read(probe, &a);
	spin(1000 * MSEC);
	equant_probe_read(probe, &b);
	equant_probe_status(probe, &status);
	/* It never slept, so it ran or waited, and the other one had its part. */
	EXPECT_LE(b.run_ns + b.wait_ns - a.run_ns - a.wait_ns, b.t_ns - a.t_ns + MSEC);
	EXPECT_LE(b.t_ns - a.t_ns, b.run_ns + b.wait_ns - a.run_ns - a.wait_ns + 10 * MSEC);
	EXPECT_LE(200 * MSEC, b.run_ns - a.run_ns);
	EXPECT_LE(200 * MSEC, b.wait_ns - a.wait_ns);
	EXPECT_LE(2, status.runnable);
	EXPECT_NE(0, status.quantum_ns);
	EXPECT_EQ(0, equant_probe_check(probe, self->why, sizeof(self->why)))
	{
		TH_LOG("%s", self->why);
	}
	end_child(other);
	equant_probe_close(probe);
}

TEST_F(client, a_forked_child_may_read_its_parents_probe)
{
	struct equant_probe *probe = equant_probe_open("kmod", NULL, 0);
	struct equant_counters now;
	int status;
	pid_t pid;

	ASSERT_NE(NULL, probe);
	pid = fork();
	if (!pid) {
		equant_probe_read(probe, &now);
		if (equant_probe_check(probe, NULL, 0) != 1)
			_exit(1);
		if (strcmp(equant_probe_name(probe), "schedstat"))
			_exit(2);
		equant_probe_close(probe);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	spin(20 * MSEC);
	EXPECT_EQ(0, equant_probe_check(probe, NULL, 0));
	equant_probe_close(probe);
}

TEST_F(client, two_hundred_probes_leave_nothing_attached)
{
	struct equant_probe *probe;

	for (int i = 0; i < 200; i++) {
		probe = equant_probe_open("kmod", self->why, sizeof(self->why));
		ASSERT_NE(NULL, probe)
		{
			TH_LOG("%d: %s", i, self->why);
		}
		equant_probe_close(probe);
	}
	self->watch = equant_watch_open("kmod", NULL, 0);
	ASSERT_NE(NULL, self->watch);
	EXPECT_EQ(NULL, find(self, snapshot(self), getpid()));
}

/* Tasks of this process in a snapshot, or what that fails with. */
static int count_mine(struct _test_data_client *self)
{
	int nr = snapshot(self), mine = 0;

	for (int i = 0; i < nr; i++)
		mine += self->tasks[i].tgid == (uint32_t)getpid();
	return nr < 0 ? nr : mine;
}

static void *attached_thread(void *arg)
{
	struct _test_data_client *self = arg;
	struct equant_probe *probe = equant_probe_open("kmod", NULL, 0);

	pthread_barrier_wait(&self->attached);
	pthread_barrier_wait(&self->done);
	equant_probe_close(probe);
	return NULL;
}

TEST_F(client, one_submission_has_the_records_of_all)
{
	struct equant_watch_info info;
	pthread_t threads[THREADS];
	uint64_t end;

	pthread_barrier_init(&self->attached, NULL, THREADS + 1);
	pthread_barrier_init(&self->done, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, attached_thread, self));
	pthread_barrier_wait(&self->attached);
	self->watch = equant_watch_open("kmod", self->why, sizeof(self->why));
	ASSERT_NE(NULL, self->watch);
	EXPECT_EQ(THREADS, count_mine(self));
	equant_watch_info(self->watch, &info);
	EXPECT_LE(THREADS, info.attached);
	EXPECT_EQ(0, info.refused);
	EXPECT_STREQ("io_uring", info.ways);
	pthread_barrier_wait(&self->done);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* A thread can be joined some time before the kernel tells of its exit. */
	for (end = now_ns() + 1000 * MSEC; count_mine(self) && now_ns() < end;)
		sched_yield();
	EXPECT_EQ(0, count_mine(self));
}

static bool all_are_gone(void)
{
	struct equant_info info = { .used = 1 };
	int fd = open(EQUANT_DEVICE, O_RDWR | O_CLOEXEC);

	for (uint64_t end = now_ns() + 5000 * MSEC; info.used && now_ns() < end;)
		if (ioctl(fd, EQUANT_IOC_INFO, &info))
			break;
	close(fd);
	return !info.used;
}

TEST_F(client, who_gets_the_record_of_one_that_has_gone_is_there_once)
{
	pid_t first = start_child(true), second;

	self->watch = equant_watch_open("kmod", self->why, sizeof(self->why));
	ASSERT_NE(NULL, self->watch);
	ASSERT_EQ(1, snapshot(self));
	EXPECT_NE(NULL, find(self, 1, first));
	for (int i = 0; i < 3; i++) {
		end_child(first);
		ASSERT_TRUE(all_are_gone());
		second = start_child(true);
		ASSERT_EQ(1, snapshot(self));
		EXPECT_NE(NULL, find(self, 1, second));
		first = second;
	}
	end_child(first);
}

/* Wait for an event of that kind; false after five seconds. */
static bool comes(struct equant_watch *watch, uint32_t type, pid_t tid,
		  struct equant_watch_event *event)
{
	struct pollfd fd = { .fd = equant_watch_fd(watch), .events = POLLIN };
	uint64_t end = now_ns() + 5000 * MSEC;

	while (now_ns() < end) {
		while (equant_watch_next(watch, event) == 1)
			if (event->type == type && event->tid == (uint32_t)tid)
				return true;
		poll(&fd, 1, 1000);
	}
	return false;
}

static void see_events(struct __test_metadata *_metadata, struct _test_data_client *self)
{
	struct equant_watch_event event;
	pid_t rank, other;

	rank = start_child(true);
	ASSERT_LT(0, rank);
	ASSERT_EQ(0, equant_watch_events(self->watch, 0.7, 0.1));
	ASSERT_NE(NULL, find(self, snapshot(self), rank));
	other = start_child(false);
	EXPECT_EQ(true, comes(self->watch, EQUANT_WATCH_ARRIVED, rank, &event));
	EXPECT_LE(2, event.runnable);
	EXPECT_LT(event.runnable_before, event.runnable);
	EXPECT_EQ(true, comes(self->watch, EQUANT_WATCH_SHARE_DOWN, rank, &event));
	EXPECT_GE(0.6, event.share);
	end_child(other);
	EXPECT_EQ(true, comes(self->watch, EQUANT_WATCH_SHARE_UP, rank, &event));
	EXPECT_LE(0.8, event.share);
	end_child(rank);
	EXPECT_EQ(true, comes(self->watch, EQUANT_WATCH_EXITED, rank, &event));
	EXPECT_EQ(NULL, find(self, snapshot(self), rank));
}

TEST_F(client, events_tell_what_happens_to_a_task)
{
	struct equant_watch_info info;

	self->watch = equant_watch_open("kmod", NULL, 0);
	ASSERT_NE(NULL, self->watch);
	see_events(_metadata, self);
	equant_watch_info(self->watch, &info);
	EXPECT_STREQ("io_uring", info.ways);
}

/* As a container does that knows nothing of io_uring. */
static int forbid_io_uring(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

TEST_F(client, without_io_uring_all_of_it_works_and_the_reason_is_told)
{
	struct equant_watch_info info;

	ASSERT_EQ(0, forbid_io_uring());
	self->watch = equant_watch_open("kmod", NULL, 0);
	ASSERT_NE(NULL, self->watch);
	see_events(_metadata, self);
	equant_watch_info(self->watch, &info);
	EXPECT_STREQ("snapshots by ioctl, events by read (io_uring_setup: Operation not permitted)",
		     info.ways);
}

/* What root does before it unloads a module that is in use. */
static bool enable(bool on)
{
	int fd = open("/sys/module/equant/parameters/enabled", O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, on ? "Y" : "N", 1) == 1;
	close(fd);
	return done;
}

/* What equant_watch_next() says when it has told all events; waits up to five seconds for an error. */
static int end_of_events(struct equant_watch *watch)
{
	struct pollfd fd = { .fd = equant_watch_fd(watch), .events = POLLIN };
	uint64_t end = now_ns() + 5000 * MSEC;
	struct equant_watch_event event;
	int ret;

	while ((ret = equant_watch_next(watch, &event)) >= 0 && now_ns() < end)
		if (!ret)
			poll(&fd, 1, 1000);
	return ret;
}

TEST_F(client, a_module_that_is_retired_is_left_without_a_jump)
{
	struct equant_probe *probe = equant_probe_open("kmod", NULL, 0);
	struct equant_counters a, b;

	ASSERT_NE(NULL, probe);
	self->watch = equant_watch_open("kmod", NULL, 0);
	ASSERT_NE(NULL, self->watch);
	ASSERT_EQ(0, equant_watch_events(self->watch, 0.5, 0.1));
	ASSERT_LE(1, snapshot(self));
	equant_probe_read(probe, &a);
	ASSERT_EQ(true, enable(false));
	EXPECT_EQ(-ENODEV, end_of_events(self->watch));
	EXPECT_EQ(-ENODEV, end_of_events(self->watch));
	EXPECT_EQ(-ENODEV, snapshot(self));
	EXPECT_STREQ("the kernel module was unloaded", self->why);
	EXPECT_EQ(NULL, equant_watch_open("kmod", self->why, sizeof(self->why)));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_NE(NULL, strstr(self->why, "is being unloaded"));
	EXPECT_EQ(1, equant_probe_check(probe, self->why, sizeof(self->why)));
	EXPECT_STREQ("schedstat", equant_probe_name(probe));
	EXPECT_NE(NULL, strstr(self->why, "kmod: lost: the probe was unloaded"))
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(true, enable(true));
	equant_probe_read(probe, &b);
	EXPECT_LE(a.run_ns, b.run_ns);
	EXPECT_LE(a.wait_ns, b.wait_ns);
	EXPECT_LE(b.run_ns + b.wait_ns - a.run_ns - a.wait_ns, b.t_ns - a.t_ns + MSEC);
	equant_probe_close(probe);
}

/* The first line of a command's output that has @word in it. */
static bool run(const char *command, const char *word, char *line, int size)
{
	FILE *out = popen(command, "r");
	bool found = false;
	char rest[4096];

	if (!out)
		return false;
	while (!found && fgets(line, size, out))
		found = strstr(line, word);
	while (fgets(rest, sizeof(rest), out))
		;
	return !pclose(out) && found;
}

static double number_after(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at ? strtod(at + strlen(name), NULL) : NAN;
}

TEST_F(client, top_agrees_with_the_account_of_a_load)
{
	const char *build = getenv("TEST_BUILD");
	char load[256], top[256], command[1024], line[65536], task[32];
	double cpu, wait, share, wanted;
	pid_t rank = start_child(true);

	if (!build)
		SKIP(end_child(rank), "TEST_BUILD is not set");
	/* The load is there before the readings and after them, and who reads is elsewhere. */
	snprintf(load, sizeof(load), "%s/libexec/equant/load constant cpu=0", build);
	snprintf(top, sizeof(top), "taskset -c %ld %s/bin/equant top --json --interval 1.5",
		 sysconf(_SC_NPROCESSORS_ONLN) - 1, build);
	snprintf(
		command, sizeof(command),
		"%s > /tmp/equant-load & sleep 0.7; %s --count 1 --threshold 0; e=$?; kill $!; wait; exit $e",
		load, top);
	ASSERT_EQ(true, run(command, "\"source\": \"kmod\"", line, sizeof(line)));
	snprintf(task, sizeof(task), "\"tid\": %d,", rank);
	share = number_after(strstr(line, task), "\"share\": ");
	wanted = number_after(strstr(line, task), "\"contended\": ");
	ASSERT_EQ(true,
		  run("cat /tmp/equant-load; rm /tmp/equant-load", "load:", line, sizeof(line)));
	cpu = number_after(line, "cpu_time=");
	wait = number_after(line, "wait_time=");
	EXPECT_GT(0.07, fabs(share - cpu / (cpu + wait)))
	{
		TH_LOG("share %f, of the load %f", share, cpu / (cpu + wait));
	}
	EXPECT_LT(0.95, wanted);
	end_child(rank);
}

TEST_F(client, auto_takes_the_module_where_there_is_no_bpf_program)
{
	struct equant_probe *probe = equant_probe_open("auto", NULL, 0);

	ASSERT_NE(NULL, probe);
	EXPECT_STREQ("kmod", equant_probe_name(probe));
	self->watch = equant_watch_open("auto", NULL, 0);
	ASSERT_NE(NULL, self->watch);
	EXPECT_STREQ("kmod", equant_watch_source(self->watch));
	EXPECT_NE(NULL, find(self, snapshot(self), getpid()));
	equant_probe_close(probe);
}

TEST_HARNESS_MAIN
