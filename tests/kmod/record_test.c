// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the module's records say, against what the tasks did.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"

#define SKIPPED 255
#define SETTLE_MS 8000 /* they come and go more often in a guest, the busier its host is */

FIXTURE(record)
{
	int fd;
	const struct equant_table *table;
};

FIXTURE_SETUP(record)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->table = map_table(self->fd);
	ASSERT_NE(NULL, self->table);
	pin_to(0);
}

FIXTURE_TEARDOWN(record)
{
	unmap_table(self->table);
	close(self->fd);
}

/* From @before to @after; what is a state stays that of @after. */
static struct equant_record since(const struct equant_record *before, struct equant_record after)
{
	after.run_ns -= before->run_ns;
	after.wait_ns -= before->wait_ns;
	after.sleep_ns -= before->sleep_ns;
	after.share_ns -= before->share_ns;
	after.switches -= before->switches;
	after.preemptions -= before->preemptions;
	after.yields -= before->yields;
	after.blocks -= before->blocks;
	after.contended_ns -= before->contended_ns;
	after.t_state -= before->t_state;
	return after;
}

static double part(uint64_t ns, uint64_t of)
{
	return (double)ns / (double)of;
}

static int near(double value, double expected, double tolerance)
{
	if (value >= expected - tolerance && value <= expected + tolerance)
		return 1;
	fprintf(stderr, "# %g is not within %g of %g\n", value, tolerance, expected);
	return 0;
}

/* Kernel threads come and go: the record when @nr tasks have been runnable for some time. */
static struct equant_record settled_record(const struct equant_table *table, unsigned int index,
					   unsigned int nr)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + SETTLE_MS * MSEC;
	struct equant_record r;

	do {
		compute_ms(20);
		r = record_now(table, index);
		if (r.nr_runnable == nr && r.t_state - r.t_epoch > 40 * MSEC)
			break;
	} while (clock_ns(CLOCK_MONOTONIC) < end);
	return r;
}

TEST_F(record, a_task_that_attaches_itself_runs_from_the_start)
{
	struct equant_record r;

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	r = record_now(self->table, 1);
	EXPECT_EQ(EQUANT_STATE_RUN, r.state);
	EXPECT_EQ(0, r.cpu);
	EXPECT_EQ((unsigned int)gettid(), r.tid);
	EXPECT_EQ((unsigned int)getpid(), r.tgid);
	EXPECT_LE(1, r.nr_runnable);
	EXPECT_EQ(0, r.seq & 1);
}

/* Clocks before and after a look at a record: the host may stop this CPU between two looks. */
struct look {
	uint64_t wall[2], cpu[2];
	struct equant_record record;
};

static struct look look_at(const struct equant_table *table, unsigned int index)
{
	struct look look;

	look.wall[0] = clock_ns(CLOCK_MONOTONIC);
	look.cpu[0] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	look.record = record_now(table, index);
	look.cpu[1] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	look.wall[1] = clock_ns(CLOCK_MONOTONIC);
	return look;
}

TEST_F(record, run_and_sleep_are_what_the_clocks_say)
{
	struct look before, after;
	struct equant_record r;
	uint64_t all;

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	before = look_at(self->table, 1);
	compute_ms(300);
	sleep_ms(300);
	after = look_at(self->table, 1);
	r = since(&before.record, after.record);
	EXPECT_LE(0.94 * (double)(after.cpu[0] - before.cpu[1]), (double)r.run_ns);
	EXPECT_GE(1.06 * (double)(after.cpu[1] - before.cpu[0]), (double)r.run_ns);
	all = r.run_ns + r.wait_ns + r.sleep_ns;
	EXPECT_LE(after.wall[0] - before.wall[1], all);
	EXPECT_GE(after.wall[1] - before.wall[0], all);
	EXPECT_LE(299 * MSEC, r.sleep_ns);
	EXPECT_LE(1, r.blocks);
}

TEST_F(record, one_competitor_leaves_half_and_the_record_says_so)
{
	pid_t pid = start_load(0, 0);
	struct equant_record before, r, now;

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	compute_ms(100);
	before = record_now(self->table, 1);
	compute_ms(1000);
	r = since(&before, record_now(self->table, 1));
	now = settled_record(self->table, 1, 2);
	stop_load(pid);
	EXPECT_EQ(2, now.nr_runnable);
	EXPECT_TRUE(near(part(r.run_ns, r.run_ns + r.wait_ns), 0.5, 0.1));
	EXPECT_TRUE(near(part(now.share_now, EQUANT_SHARE_ONE), 0.5, 0.001));
	EXPECT_TRUE(near(part(r.share_ns, r.run_ns + r.wait_ns), 0.5, 0.05));
	EXPECT_TRUE(near(part(r.contended_ns, r.t_state), 1, 0.05));
	EXPECT_EQ(0, now.flags & EQUANT_F_NO_PREDICTION);
	EXPECT_LT(0, r.preemptions);
	EXPECT_LT(0, r.slices);
	EXPECT_LT(0, r.quantum_ns);
	EXPECT_EQ(!!(self->table->features & EQUANT_TABLE_CONFIGURED_SLICE), r.slice_ns > 0);
}

TEST_F(record, what_is_contended_is_counted_also_between_sleeps)
{
	pid_t pid = start_load(0, 0);
	struct equant_record before, r;

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	compute_ms(100);
	before = record_now(self->table, 1);
	for (int i = 0; i < 50; i++) {
		compute_ms(2);
		sleep_ms(2);
	}
	r = since(&before, record_now(self->table, 1));
	stop_load(pid);
	EXPECT_LE(25, r.blocks);
	EXPECT_LE(0.8 * (double)(r.run_ns + r.wait_ns), (double)r.contended_ns);
}

TEST_F(record, the_weights_of_nice_values_are_in_the_share)
{
	pid_t pid[2] = { start_load(0, 0), start_load(0, 0) };
	struct equant_record r;

	setpriority(PRIO_PROCESS, (id_t)pid[0], 5);
	setpriority(PRIO_PROCESS, (id_t)pid[1], 19);
	ASSERT_EQ(1, attach(self->fd, 0, 0));
	r = settled_record(self->table, 1, 3);
	stop_load(pid[0]);
	stop_load(pid[1]);
	EXPECT_TRUE(near(part(r.share_now, EQUANT_SHARE_ONE), 1024.0 / (1024 + 335 + 15), 0.002));
	EXPECT_EQ(3, r.nr_runnable);
}

TEST_F(record, a_competitor_in_a_session_of_its_own_may_be_a_group)
{
	struct equant_record before, r;
	pid_t pid = start_load_in_session(0);

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	compute_ms(300);
	before = record_now(self->table, 1);
	compute_ms(1000);
	r = since(&before, record_now(self->table, 1));
	stop_load(pid);
	EXPECT_TRUE(near(part(r.run_ns, r.run_ns + r.wait_ns),
			 part(r.share_ns, r.run_ns + r.wait_ns), 0.05));
	EXPECT_TRUE(near(part(r.run_ns, r.run_ns + r.wait_ns), 0.5, 0.1));
}

TEST_F(record, a_competitor_that_goes_leaves_everything)
{
	pid_t pid = start_load(0, 0);
	struct equant_record r;

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	compute_ms(100);
	stop_load(pid);
	r = settled_record(self->table, 1, 1);
	EXPECT_EQ(EQUANT_SHARE_ONE, r.share_now);
	EXPECT_EQ(1, r.nr_runnable);
	EXPECT_LE(1, r.long_episodes);
	EXPECT_EQ(0, r.t_contended);
}

/* Beside a task that yields as well: each runs for so short that a tick seldom finds the same twice. */
TEST_F(record, yields_are_no_preemptions)
{
	pid_t pid = start_load_that_yields(0);
	struct equant_record before, r;

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	before = record_now(self->table, 1);
	for (uint64_t end = before.t_state + 400 * MSEC; clock_ns(CLOCK_MONOTONIC) < end;)
		sched_yield();
	r = since(&before, record_now(self->table, 1));
	stop_load(pid);
	EXPECT_LE(100, r.yields);
	EXPECT_LT(20 * r.preemptions, r.yields);
	EXPECT_EQ(r.switches, r.preemptions + r.yields + r.blocks);
}

TEST_F(record, another_task_is_followed_while_it_runs_waits_and_sleeps)
{
	pid_t busy = start_load(1, 0), napping = start_load(1, 20000), idle = start_load(0, 0);
	struct equant_record r[3];

	kill(idle, SIGSTOP);
	sleep_ms(100);
	ASSERT_EQ(1, attach(self->fd, busy, 0));
	ASSERT_EQ(2, attach(self->fd, napping, 0));
	ASSERT_EQ(3, attach(self->fd, idle, 0));
	sleep_ms(500);
	for (unsigned int i = 0; i < 3; i++)
		r[i] = record_now(self->table, i + 1);
	stop_load(busy);
	stop_load(napping);
	stop_load(idle);
	EXPECT_EQ(1, r[0].cpu);
	EXPECT_LT(150 * MSEC, r[0].run_ns);
	EXPECT_LT(20 * MSEC, r[0].wait_ns);
	EXPECT_GT(5 * MSEC, r[0].sleep_ns);
	EXPECT_LT(50 * MSEC, r[1].sleep_ns);
	EXPECT_LT(20 * MSEC, r[1].run_ns);
	EXPECT_EQ(EQUANT_STATE_SLEEP, r[2].state);
	EXPECT_LT(490 * MSEC, r[2].sleep_ns);
}

struct attributes { /* of sched_setattr(2); the C library has none */
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

TEST_F(record, a_slice_that_was_set_is_the_one_in_the_record)
{
	struct attributes set = { .size = sizeof(set) }, got;

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	/* A scheduler without slices that can be set claims none. */
	if (!(self->table->features & EQUANT_TABLE_CONFIGURED_SLICE)) {
		EXPECT_EQ(0, record_now(self->table, 1).slice_ns);
		return;
	}
	for (unsigned int ms = 3; ms <= 100; ms = ms == 3 ? 20 : ms * 5) {
		set.runtime = ms * MSEC;
		ASSERT_EQ(0, syscall(SYS_sched_setattr, 0, &set, 0));
		ASSERT_EQ(0, syscall(SYS_sched_getattr, 0, &got, sizeof(got), 0));
		if (got.runtime != set.runtime)
			SKIP(return, "this kernel does not let slices be set");
		sleep_ms(10);
		EXPECT_EQ(set.runtime, record_now(self->table, 1).slice_ns);
	}
}

TEST_F(record, a_task_that_is_moved_is_counted_where_it_is)
{
	pid_t pid = start_load(0, 0);
	struct equant_record r;
	cpu_set_t other;

	CPU_ZERO(&other);
	CPU_SET(1, &other);
	ASSERT_EQ(1, attach(self->fd, 0, 0));
	ASSERT_EQ(2, attach(self->fd, pid, 0));
	EXPECT_EQ(2, settled_record(self->table, 1, 2).nr_runnable);
	ASSERT_EQ(0, sched_setaffinity(pid, sizeof(other), &other));
	r = settled_record(self->table, 1, 1);
	EXPECT_EQ(1, r.nr_runnable);
	EXPECT_EQ(EQUANT_SHARE_ONE, r.share_now);
	r = settled_record(self->table, 2, 1);
	EXPECT_EQ(1, r.cpu);
	EXPECT_LE(1, r.migrations);
	stop_load(pid);
}

#define CROWD 80 /* more than are looked at */
#define FEW 30

TEST_F_TIMEOUT(record, a_crowd_is_counted_and_forbids_prediction_until_it_is_one_no_more, 120)
{
	struct equant_record r;
	pid_t pid[CROWD];

	pin_to(1); /* to be sure of some time itself */
	for (int i = 0; i < CROWD; i++)
		pid[i] = start_load(0, 0);
	ASSERT_EQ(1, attach(self->fd, pid[0], 0));
	/* Each has had the CPU several times by then; the rest of a kernel's threads come and go. */
	for (int i = 0; i < 5 && (!i || r.nr_runnable != CROWD); i++)
		r = settled_record(self->table, 1, CROWD);
	EXPECT_EQ(CROWD, r.nr_runnable);
	EXPECT_TRUE(r.flags & EQUANT_F_WIDE);
	for (int i = FEW; i < CROWD; i++)
		stop_load(pid[i]);
	r = settled_record(self->table, 1, FEW);
	EXPECT_EQ(FEW, r.nr_runnable);
	EXPECT_FALSE(r.flags & EQUANT_F_WIDE);
	EXPECT_TRUE(near(part(r.share_now, EQUANT_SHARE_ONE), 1.0 / FEW, 0.001));
	for (int i = 0; i < FEW; i++)
		stop_load(pid[i]);
}

/* Of a low weight it has had more than its due for long, so that it is left in the queue. */
static pid_t start_low(int cpu, unsigned int ms)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpriority(PRIO_PROCESS, 0, 19);
		pin_to(cpu);
		for (uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * MSEC;
		     clock_ns(CLOCK_THREAD_CPUTIME_ID) < end;)
			;
		for (;;)
			pause();
	}
	return pid;
}

static bool is_asleep(pid_t pid)
{
	char path[32], line[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file) {
		if (!fgets(line, sizeof(line), file))
			*line = '\0';
		fclose(file);
	}
	return strstr(line, ") S ");
}

TEST_F(record, a_task_that_sleeps_is_found_asleep_though_the_scheduler_keeps_it_queued)
{
	pid_t busy = start_load(0, 0), low[4];
	struct equant_record r;

	pin_to(1);
	for (unsigned int i = 0; i < 4; i++) {
		low[i] = start_low(0, 2 + i);
		while (!is_asleep(low[i]))
			sleep_ms(1);
		ASSERT_EQ((int)i + 1, attach(self->fd, low[i], 0));
	}
	sleep_ms(100);
	for (unsigned int i = 0; i < 4; i++) {
		r = record_now(self->table, i + 1);
		EXPECT_EQ(EQUANT_STATE_SLEEP, r.state);
		EXPECT_GT(50 * MSEC, r.wait_ns);
		stop_load(low[i]);
	}
	stop_load(busy);
}

TEST_F(record, a_real_time_competitor_forbids_prediction)
{
	const struct sched_param param = { .sched_priority = 1 };
	struct equant_record r;
	pid_t pid = start_load(0, 10000);
	bool seen = false;

	ASSERT_EQ(0, sched_setscheduler(pid, SCHED_FIFO, &param));
	ASSERT_EQ(1, attach(self->fd, 0, 0));
	ASSERT_EQ(2, attach(self->fd, pid, 0));
	for (int i = 0; i < 50 && !seen; i++) {
		compute_ms(5);
		r = record_now(self->table, 2);
		seen = r.flags & EQUANT_F_CLASS;
	}
	EXPECT_TRUE(seen);
	stop_load(pid);
}

#define GROUP "/sys/fs/cgroup/equant-limit"

static bool put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool well = file && fputs(text, file) >= 0;

	return file && !fclose(file) && well;
}

TEST_F(record, a_limit_of_the_group_forbids_prediction_and_throttled_time_is_waiting)
{
	struct equant_record before, r;
	char pid_text[16];
	pid_t pid;

	if (mkdir(GROUP, 0755) && errno != EEXIST)
		SKIP(return, "no cgroup v2");
	if (!put(GROUP "/cpu.max", "max 20000")) {
		rmdir(GROUP);
		SKIP(return, "no cpu controller in cgroup v2");
	}
	pid = start_load(1, 0);
	snprintf(pid_text, sizeof(pid_text), "%d", pid);
	EXPECT_TRUE(put(GROUP "/cgroup.procs", pid_text));
	EXPECT_EQ(1, attach(self->fd, pid, 0));
	sleep_ms(300);
	EXPECT_EQ(0, record_now(self->table, 1).flags & EQUANT_F_CPU_MAX);
	EXPECT_TRUE(put(GROUP "/cpu.max", "8000 20000"));
	sleep_ms(300);
	before = record_now(self->table, 1);
	sleep_ms(1000);
	r = since(&before, record_now(self->table, 1));
	EXPECT_TRUE(r.flags & EQUANT_F_CPU_MAX);
	EXPECT_TRUE(near(part(r.run_ns, r.run_ns + r.wait_ns), 0.4, 0.15));
	EXPECT_GT(50 * MSEC, r.sleep_ns);
	stop_load(pid);
	for (int i = 0; i < 50 && rmdir(GROUP); i++)
		sleep_ms(20);
}

TEST_F(record, the_sequence_counter_keeps_readers_from_half_written_records)
{
	pid_t pid = start_load(1, 100), beside = start_load(1, 0);
	struct equant_record r, last = { 0 };
	unsigned int changes = 0;

	ASSERT_EQ(1, attach(self->fd, pid, 0));
	for (uint64_t end = stress_end(500); !time_is_up(end) || changes <= 10;) {
		r = record_copy(self->table, 1);
		/* Numbers only add up in a record that was copied as a whole. */
		ASSERT_EQ(r.switches, r.preemptions + r.yields + r.blocks);
		ASSERT_GE(r.run_ns, last.run_ns);
		ASSERT_GE(r.run_ns + r.wait_ns + r.sleep_ns,
			  last.run_ns + last.wait_ns + last.sleep_ns);
		changes += r.switches != last.switches;
		last = r;
	}
	stop_load(pid);
	stop_load(beside);
}

TEST_HARNESS_MAIN
