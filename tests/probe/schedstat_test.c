// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The unprivileged source: does it tell the truth, and notice when it cannot. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <equant/probe.h>

#include "core/clock.h"
#include "kselftest_harness.h"
#include "libload.h"

#define ATTEMPTS 10

static double difference(double a, double b)
{
	return a > b ? a - b : b - a;
}

/* Spin for @ns and return the growth of all three counters. */
static struct equant_counters spin_measured(struct equant_probe *probe, uint64_t ns)
{
	struct equant_counters a, b;

	equant_probe_read(probe, &a);
	spin(ns);
	equant_probe_read(probe, &b);
	return (struct equant_counters){
		.t_ns = b.t_ns - a.t_ns,
		.run_ns = b.run_ns - a.run_ns,
		.wait_ns = b.wait_ns - a.wait_ns,
	};
}

/* Of this thread, however long others have the CPU meanwhile. */
static void use_cpu(uint64_t ns)
{
	uint64_t start = equant_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (equant_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < ns)
		;
}

FIXTURE(schedstat)
{
	struct equant_probe *probe;
};

FIXTURE_SETUP(schedstat)
{
	char why[256];

	self->probe = equant_probe_open("schedstat", why, sizeof(why));
	if (!self->probe)
		SKIP(return, "%s", why);
	ASSERT_LE(0, pin_here());
}

FIXTURE_TEARDOWN(schedstat)
{
	equant_probe_close(self->probe);
}

TEST_F(schedstat, run_and_wait_add_up_to_wall_time_beside_a_competitor)
{
	struct equant_counters grown;
	double error, best = 1.0, wait = 0.0;
	pid_t rival = start_competitor();

	for (int i = 0; i < ATTEMPTS && (best > 0.02 || wait < 0.1); i++) {
		grown = spin_measured(self->probe, 200 * MSEC);
		error = difference((double)(grown.run_ns + grown.wait_ns), (double)grown.t_ns);
		if (error / (double)grown.t_ns < best)
			best = error / (double)grown.t_ns;
		wait = (double)grown.wait_ns / (double)grown.t_ns;
	}
	stop_child(rival);
	EXPECT_LT(best, 0.02);
	EXPECT_GT(wait, 0.1);
}

TEST_F(schedstat, run_time_is_current_to_microseconds)
{
	struct equant_counters grown;
	uint64_t missing, best = UINT64_MAX;

	/* Far less than a tick: a stale counter would not have moved, or by 4 ms. */
	for (int i = 0; i < 100; i++) {
		grown = spin_measured(self->probe, 200000);
		missing = grown.t_ns > grown.run_ns ? grown.t_ns - grown.run_ns :
						      grown.run_ns - grown.t_ns;
		if (missing < best)
			best = missing;
	}
	EXPECT_LT(best, 100000);
}

TEST_F(schedstat, sleep_is_neither_run_nor_wait)
{
	struct equant_counters a, b;
	uint64_t grown, best = UINT64_MAX;

	for (int i = 0; i < ATTEMPTS && best > 10 * MSEC; i++) {
		equant_probe_read(self->probe, &a);
		usleep(50000);
		equant_probe_read(self->probe, &b);
		grown = b.run_ns - a.run_ns + b.wait_ns - a.wait_ns;
		best = grown < best ? grown : best;
	}
	EXPECT_LE(best, 10 * MSEC);
}

TEST_F(schedstat, it_claims_no_prediction)
{
	struct equant_status status;

	EXPECT_EQ(EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT | EQUANT_PROBE_QUANTUM,
		  equant_probe_features(self->probe));
	equant_probe_status(self->probe, &status);
	EXPECT_EQ(0, status.runnable);
	EXPECT_EQ(0, status.epoch);
	EXPECT_LE(0, status.cpu);
}

TEST_F(schedstat, the_quantum_is_seen_from_preemptions)
{
	struct equant_status status;
	pid_t rival = start_competitor();

	for (int i = 0; i < 8; i++) {
		spin(100 * MSEC);
		equant_probe_status(self->probe, &status);
	}
	stop_child(rival);
	TH_LOG("quantum %llu ns", (unsigned long long)status.quantum_ns);
	EXPECT_LE(MSEC, status.quantum_ns);
	EXPECT_GE(100 * MSEC, status.quantum_ns);
}

TEST_F(schedstat, switches_are_preemptions_and_blocks)
{
	struct equant_status before, after;

	equant_probe_status(self->probe, &before);
	for (int i = 0; i < 10; i++)
		usleep(100);
	equant_probe_status(self->probe, &after);
	EXPECT_LE(before.blocks + 10, after.blocks);
	EXPECT_EQ(after.switches, after.blocks + after.preemptions);
}

TEST_F(schedstat, a_living_source_passes_the_check)
{
	char why[128];

	for (int i = 0; i < 50; i++) {
		usleep(200);
		EXPECT_EQ(0, equant_probe_check(self->probe, why, sizeof(why)))
		{
			TH_LOG("%s", why);
		}
	}
	EXPECT_STREQ("schedstat", equant_probe_name(self->probe));
}

/* Some of the switches come in the middle of a check. */
TEST_F(schedstat, a_switch_during_a_check_is_no_reason_to_give_up)
{
	uint64_t end = now_ns() + 500 * MSEC;
	pid_t rival = start_competitor();
	char why[128] = "";
	int lost = 0;

	while (!lost && now_ns() < end)
		lost = equant_probe_check(self->probe, why, sizeof(why));
	stop_child(rival);
	EXPECT_EQ(0, lost)
	{
		TH_LOG("%s", why);
	}
}

TEST_F(schedstat, a_closed_descriptor_falls_back_to_the_clock_without_a_jump)
{
	struct equant_counters before, dead, after;
	char why[256];

	spin(5 * MSEC);
	equant_probe_read(self->probe, &before);
	ASSERT_EQ(0, close(find_descriptor("/schedstat")));
	equant_probe_read(self->probe, &dead);
	EXPECT_EQ(before.wait_ns, dead.wait_ns);

	ASSERT_EQ(1, equant_probe_check(self->probe, why, sizeof(why)));
	EXPECT_EQ(&why[0], strstr(why, "schedstat: lost: "));
	EXPECT_NE(NULL, strstr(why, "clock: used: "));
	EXPECT_STREQ("clock", equant_probe_name(self->probe));
	EXPECT_EQ(0, equant_probe_features(self->probe));

	equant_probe_read(self->probe, &after);
	EXPECT_LE(dead.run_ns, after.run_ns);
	EXPECT_LE(after.run_ns - dead.run_ns, after.t_ns - dead.t_ns);
	EXPECT_LE(after.wait_ns - dead.wait_ns, after.t_ns - dead.t_ns);
	EXPECT_EQ(0, equant_probe_check(self->probe, why, sizeof(why)));
}

TEST_F(schedstat, a_descriptor_that_became_another_file_is_noticed)
{
	int other = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, other);
	ASSERT_LE(0, dup2(other, find_descriptor("/schedstat")));
	close(other);
	EXPECT_EQ(1, equant_probe_check(self->probe, NULL, 0));
	EXPECT_STREQ("clock", equant_probe_name(self->probe));
}

static int child_of_fork(struct equant_probe *probe, const struct equant_counters *parent)
{
	struct equant_counters a, b;
	char why[256];

	if (equant_probe_check(probe, why, sizeof(why)) != 1)
		return 1;
	if (!strstr(why, "forked child") || strcmp(equant_probe_name(probe), "schedstat"))
		return 2;
	equant_probe_read(probe, &a);
	if (a.run_ns < parent->run_ns || a.run_ns - parent->run_ns > a.t_ns - parent->t_ns)
		return 3;
	usleep(20000);
	use_cpu(2 * MSEC);
	equant_probe_read(probe, &b);
	if (b.run_ns - a.run_ns < MSEC / 2 || b.run_ns - a.run_ns > b.t_ns - a.t_ns)
		return 4;
	if (equant_probe_check(probe, NULL, 0))
		return 5;
	equant_probe_close(probe);
	return 0;
}

TEST_F(schedstat, a_forked_child_gets_counters_of_its_own)
{
	struct equant_counters before, after;
	int status;
	pid_t pid;

	spin(5 * MSEC);
	equant_probe_read(self->probe, &before);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(child_of_fork(self->probe, &before));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, equant_probe_check(self->probe, NULL, 0));
	equant_probe_read(self->probe, &after);
	EXPECT_LE(before.run_ns, after.run_ns);
}

static void *busy_thread(void *grown)
{
	struct equant_probe *probe = equant_probe_open("schedstat", NULL, 0);
	struct equant_counters a, b;

	if (!probe)
		return NULL;
	equant_probe_read(probe, &a);
	use_cpu(50 * MSEC);
	equant_probe_read(probe, &b);
	*(struct equant_counters *)grown = (struct equant_counters){
		.run_ns = b.run_ns - a.run_ns,
		.wait_ns = b.wait_ns - a.wait_ns,
	};
	equant_probe_close(probe);
	return grown;
}

TEST_F(schedstat, threads_are_told_apart)
{
	struct equant_counters a, b, theirs = { 0 };
	uint64_t mine;
	pthread_t thread;
	void *result;

	equant_probe_read(self->probe, &a);
	ASSERT_EQ(0, pthread_create(&thread, NULL, busy_thread, &theirs));
	ASSERT_EQ(0, pthread_join(thread, &result));
	ASSERT_NE(NULL, result);
	equant_probe_read(self->probe, &b);
	mine = b.run_ns - a.run_ns + b.wait_ns - a.wait_ns;
	EXPECT_LE(49 * MSEC, theirs.run_ns);
	EXPECT_LE(mine, (theirs.run_ns + theirs.wait_ns) / 2);
}

/* Cover the calling thread's schedstat with a file of this content. */
static int cover_schedstat(const char *content)
{
	char file[] = "/tmp/equant-schedstat-XXXXXX", target[64];
	int fd = mkstemp(file);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, content, strlen(content)) < 0 ? -errno : 0;
	close(fd);
	snprintf(target, sizeof(target), "/proc/%d/task/%d/schedstat", getpid(), gettid());
	if (!ret && mount(file, target, NULL, MS_BIND, NULL))
		ret = -errno;
	unlink(file);
	return ret;
}

FIXTURE(covered)
{
	char why[512];
};

FIXTURE_SETUP(covered)
{
	int ret = private_mounts();

	if (ret == -EPERM)
		SKIP(return, "needs root: a mount namespace of its own");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(covered)
{
}

TEST_F(covered, without_proc_auto_still_finds_a_probe_and_says_what_is_missing)
{
	struct equant_probe *probe;

	ASSERT_EQ(0, mount("none", "/proc", "tmpfs", 0, NULL));
	errno = 0;
	EXPECT_EQ(NULL, equant_probe_open("schedstat", self->why, sizeof(self->why)));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_NE(NULL, strstr(self->why, "/proc/thread-self/schedstat"));

	probe = equant_probe_open("auto", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	if (strcmp(equant_probe_name(probe), "bpf") && strcmp(equant_probe_name(probe), "kmod")) {
		EXPECT_STREQ("clock", equant_probe_name(probe));
		EXPECT_NE(NULL, strstr(self->why, "schedstat: not available: "));
	}
	equant_probe_close(probe);
}

TEST_F(covered, a_kernel_that_counts_nothing_is_recognised)
{
	int ret = cover_schedstat("0 0 0\n");

	if (ret)
		SKIP(return, "cannot mount over schedstat: %s", strerror(-ret));
	errno = 0;
	EXPECT_EQ(NULL, equant_probe_open("schedstat", self->why, sizeof(self->why)));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_NE(NULL, strstr(self->why, "CONFIG_SCHED_INFO"));
}

TEST_F(covered, a_malformed_file_is_refused)
{
	int ret = cover_schedstat("12 x 3\n");

	if (ret)
		SKIP(return, "cannot mount over schedstat: %s", strerror(-ret));
	errno = 0;
	EXPECT_EQ(NULL, equant_probe_open("schedstat", self->why, sizeof(self->why)));
	EXPECT_EQ(EBADMSG, errno);
}

TEST_F(covered, counters_that_stand_still_fall_back_to_the_clock)
{
	struct equant_probe *probe;
	int ret = cover_schedstat("1 2 3\n");

	if (ret)
		SKIP(return, "cannot mount over schedstat: %s", strerror(-ret));
	probe = equant_probe_open("schedstat", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	usleep(1000);
	EXPECT_EQ(1, equant_probe_check(probe, self->why, sizeof(self->why)));
	EXPECT_NE(NULL, strstr(self->why, "stands still"));
	EXPECT_STREQ("clock", equant_probe_name(probe));
	equant_probe_close(probe);
}

TEST_HARNESS_MAIN
