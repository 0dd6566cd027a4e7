// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The probe on the live kernel, seen from tasks that register themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <equant/probe.h>

#include "kselftest_harness.h"
#include "libshares.h"
#include "libtable.h"

#define NOBODY 65534

__attribute__((constructor)) static void use_one_probe(void)
{
	share_probe();
}

FIXTURE(live)
{
	const struct equant_table *table;
	uint64_t attached_before;
	pid_t competitor;
	char output[2048];
	char why[512];
};

FIXTURE_SETUP(live)
{
	const char *reason = shared_probe();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	unload_on_abort();
	self->table = map_pinned_table();
	ASSERT_NE(NULL, self->table);
	self->attached_before = self->table->attached;
}

/* By this sentence. */
static uint64_t attached(FIXTURE_DATA(live) * self)
{
	return self->table->attached - self->attached_before;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

FIXTURE_TEARDOWN(live)
{
	if (self->competitor > 0)
		stop(self->competitor);
	if (!self->table)
		return;
	if (!access(EQUANT_BPF_DIR, F_OK))
		EXPECT_EQ(true, wait_for_used(self->table, 0));
	unmap_table(self->table);
}

static bool can_open(void)
{
	char why[256];
	struct equant_probe *probe = equant_probe_open("bpf", why, sizeof(why));

	if (!probe)
		fprintf(stderr, "# %s\n", why);
	equant_probe_close(probe);
	return probe != NULL;
}

/* A child that does @work and tells whether it went well; it is still there if asked to @stay. */
static pid_t start_child(bool (*work)(void), bool stay, bool *well)
{
	int report[2];
	pid_t pid;

	if (pipe(report))
		return -1;
	pid = fork();
	if (!pid) {
		bool good;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(report[0]);
		good = work();
		if (write(report[1], &good, sizeof(good)) < 0)
			_exit(1);
		close(report[1]);
		while (stay)
			pause();
		_exit(0);
	}
	close(report[1]);
	if (read(report[0], well, sizeof(*well)) != sizeof(*well))
		*well = false;
	close(report[0]);
	return pid;
}

static bool child_manages(bool (*work)(void))
{
	bool well;
	pid_t pid = start_child(work, false, &well);

	waitpid(pid, NULL, 0);
	return well;
}

static bool open_and_keep(void)
{
	char why[256];

	if (equant_probe_open("bpf", why, sizeof(why)))
		return true;
	fprintf(stderr, "# %s\n", why);
	return false;
}

TEST_F(live, a_task_that_attaches_gets_a_record_and_gives_it_back)
{
	struct equant_probe *probe;

	probe = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe)
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(1, self->table->nr_used);
	EXPECT_NE(NULL, record_of_tid(self->table, gettid()));
	equant_probe_close(probe);
	EXPECT_EQ(0, self->table->nr_used);
	EXPECT_EQ(NULL, record_of_tid(self->table, gettid()));
}

TEST_F(live, two_hundred_cycles_leave_no_record_taken)
{
	for (int i = 0; i < 200; i++)
		ASSERT_TRUE(can_open());
	EXPECT_EQ(0, self->table->nr_used);
	EXPECT_EQ(200, attached(self));
}

TEST_F(live, run_and_wait_add_up_to_the_time_a_task_was_busy)
{
	const struct equant_record *record;
	struct equant_counters a, b;
	struct equant_probe *probe;
	uint64_t end, slept;

	probe = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	record = record_of_tid(self->table, gettid());
	ASSERT_NE(NULL, record);
	equant_probe_read(probe, &a);
	slept = record->sleep_ns;
	for (end = now_ns() + 50000000; now_ns() < end;)
		;
	equant_probe_read(probe, &b);
	/* A reading after a switch that passed unseen sleeps for a moment to make another. */
	slept = record->sleep_ns - slept;
	EXPECT_GT(b.run_ns, a.run_ns);
	EXPECT_LT(llabs((long long)(b.t_ns - a.t_ns - (b.run_ns - a.run_ns) -
				    (b.wait_ns - a.wait_ns) - slept)),
		  100000);
	EXPECT_LT(slept, 10000000);
	equant_probe_close(probe);
}

TEST_F(live, two_probes_of_one_thread_share_its_record)
{
	struct equant_probe *first, *second;

	first = equant_probe_open("bpf", self->why, sizeof(self->why));
	second = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, first);
	ASSERT_NE(NULL, second);
	EXPECT_EQ(1, self->table->nr_used);
	equant_probe_close(first);
	EXPECT_EQ(1, self->table->nr_used);
	EXPECT_EQ(0, equant_probe_check(second, self->why, sizeof(self->why)));
	equant_probe_close(second);
	EXPECT_EQ(0, self->table->nr_used);
}

static bool open_as_nobody(void)
{
	return !setgid(NOBODY) && !setuid(NOBODY) && can_open();
}

TEST_F(live, a_user_without_privilege_attaches)
{
	EXPECT_TRUE(child_manages(open_as_nobody));
	EXPECT_EQ(1, attached(self));
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

static bool open_in_child(void)
{
	return child_manages(can_open);
}

static bool open_in_pid_namespace(void)
{
	return !unshare(CLONE_NEWPID) && open_in_child();
}

TEST_F(live, a_task_in_a_pid_namespace_attaches)
{
	EXPECT_TRUE(child_manages(open_in_pid_namespace));
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

static bool open_in_user_namespace(void)
{
	return !setgid(NOBODY) && !setuid(NOBODY) && !unshare(CLONE_NEWUSER | CLONE_NEWPID) &&
	       open_in_child();
}

TEST_F(live, a_task_in_a_user_namespace_attaches)
{
	if (!child_manages(open_as_nobody))
		SKIP(return, "users without privilege cannot attach at all");
	EXPECT_TRUE(child_manages(open_in_user_namespace));
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

static bool set_clock_ahead(void)
{
	int fd, ret;

	if (unshare(CLONE_NEWTIME))
		return false;
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	ret = fd < 0 ? -1 : write(fd, "monotonic 1000 0", 16);
	close(fd);
	return ret == 16;
}

/* It is the children of who makes it that are in it. */
static bool clock_is_another(void)
{
	char why[256] = "";
	int status = -1;
	pid_t pid;

	if (access("/proc/self/timens_offsets", F_OK))
		return true; /* no such namespaces */
	if (!set_clock_ahead())
		return false;
	pid = fork();
	if (!pid)
		_exit(equant_probe_open("bpf", why, sizeof(why)) || errno != ENOTSUP ||
		      !strstr(why, "time namespace"));
	waitpid(pid, &status, 0);
	return status == 0;
}

TEST_F(live, a_task_in_a_time_namespace_is_refused)
{
	EXPECT_TRUE(child_manages(clock_is_another));
	EXPECT_EQ(0, attached(self));
}

TEST_F(live, a_forked_child_is_not_registered_and_leaves_its_parent_alone)
{
	const struct equant_record *record;
	struct equant_probe *probe;
	bool registered;
	pid_t pid;

	probe = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	record = record_of_tid(self->table, gettid());
	pid = fork();
	if (!pid) {
		registered = record_of_tid(self->table, getpid()) != NULL;
		equant_probe_close(probe);
		_exit(registered);
	}
	int status = -1;

	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(record, record_of_tid(self->table, gettid()));
	EXPECT_EQ(1, self->table->nr_used);
	EXPECT_EQ(0, equant_probe_check(probe, self->why, sizeof(self->why)));
	equant_probe_close(probe);
}

static bool open_and_exec(void)
{
	if (!open_and_keep())
		return false;
	if (fork()) /* the reporting process stays; its child executes another program */
		return true;
	if (open_and_keep())
		execl("/bin/sleep", "sleep", "1", NULL);
	_exit(1);
}

TEST_F(live, exec_frees_the_record)
{
	bool well;
	pid_t pid = start_child(open_and_exec, true, &well);

	ASSERT_TRUE(well);
	/* Its child's comes, and goes when that has another program. */
	for (int i = 0; i < 1000 && attached(self) < 2; i++)
		sleep_ms(1);
	EXPECT_EQ(2, attached(self));
	EXPECT_TRUE(wait_for_used(self->table, 1));
	EXPECT_NE(NULL, record_of_tid(self->table, pid));
	stop(pid);
	EXPECT_TRUE(wait_for_used(self->table, 0));
	sleep_ms(1000); /* nothing comes back when the program ends */
	EXPECT_EQ(0, self->table->nr_used);
}

struct thread_view {
	const struct equant_table *table;
	const struct equant_record *record;
	pthread_barrier_t *barrier;
};

static void *attach_thread(void *arg)
{
	struct thread_view *view = arg;
	struct equant_probe *probe;
	char why[256];

	probe = equant_probe_open("bpf", why, sizeof(why));
	view->record = record_of_tid(view->table, gettid());
	pthread_barrier_wait(view->barrier);
	equant_probe_close(probe);
	return NULL;
}

TEST_F(live, each_thread_gets_a_record_of_its_own)
{
	struct thread_view views[4];
	pthread_barrier_t barrier;
	pthread_t threads[4];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++) {
		views[i] = (struct thread_view){ .table = self->table, .barrier = &barrier };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, attach_thread, &views[i]));
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_NE(NULL, views[i].record);
		for (int j = 0; j < i; j++)
			EXPECT_NE(views[j].record, views[i].record);
	}
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

static void *attach_and_end(void *arg)
{
	(void)arg;
	open_and_keep();
	return NULL;
}

TEST_F(live, a_thread_that_ends_frees_its_record)
{
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, attach_and_end, NULL));
	pthread_join(thread, NULL);
	EXPECT_TRUE(wait_for_used(self->table, 0));
	EXPECT_EQ(1, attached(self));
}

static void run_for_ms(unsigned int ms)
{
	for (uint64_t end = now_ns() + ms * 1000000ull; now_ns() < end;)
		;
}

static void *open_and_end(void *arg)
{
	char why[256];

	*(struct equant_probe **)arg = equant_probe_open("bpf", why, sizeof(why));
	return NULL;
}

static void *open_and_compute(void *arg)
{
	open_and_end(arg);
	run_for_ms(50);
	return NULL;
}

/* The first thread has ended without giving its record back, and the second one has it now. */
TEST_F(live, what_a_thread_that_has_ended_computed_is_not_what_the_next_one_does)
{
	struct equant_probe *probes[2] = { NULL, NULL };
	struct equant_counters ended, now;
	struct equant_status status;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, open_and_end, &probes[0]));
	pthread_join(thread, NULL);
	ASSERT_NE(NULL, probes[0]);
	ASSERT_TRUE(wait_for_used(self->table, 0));
	equant_probe_read(probes[0], &ended);
	ASSERT_EQ(0, pthread_create(&thread, NULL, open_and_compute, &probes[1]));
	pthread_join(thread, NULL);
	ASSERT_NE(NULL, probes[1]);
	EXPECT_EQ(2, attached(self));
	equant_probe_read(probes[0], &now);
	EXPECT_EQ(ended.run_ns, now.run_ns);
	EXPECT_EQ(ended.wait_ns, now.wait_ns);
	equant_probe_status(probes[0], &status);
	EXPECT_EQ(ended.run_ns, status.now.run_ns);
	EXPECT_EQ(1, status.share);
	equant_probe_close(probes[0]);
	equant_probe_close(probes[1]);
}

TEST_F(live, a_killed_task_frees_its_record)
{
	bool well;
	pid_t pid = start_child(open_and_keep, true, &well);

	ASSERT_TRUE(well);
	EXPECT_EQ(1, self->table->nr_used);
	stop(pid);
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

/* As that of a task whose last switch passes unseen would be. */
TEST_F(live, a_record_whose_release_was_missed_goes_with_its_task)
{
	bool well;
	pid_t pid = start_child(open_and_keep, true, &well);

	ASSERT_TRUE(well);
	ASSERT_EQ(0, unlink(EQUANT_BPF_DIR "/link_equant_exit"));
	sleep_ms(100); /* the kernel detaches it in its own time */
	stop(pid);
	EXPECT_TRUE(wait_for_used(self->table, 0));
	EXPECT_EQ(0, probe_tool("unload", self->output, sizeof(self->output)));
}

static bool open_then_setuid(void)
{
	char why[256];
	struct equant_probe *probe;

	if (setgid(NOBODY))
		return false;
	probe = equant_probe_open("bpf", why, sizeof(why));
	if (!probe || setuid(NOBODY))
		return false;
	return !equant_probe_check(probe, why, sizeof(why));
}

TEST_F(live, a_task_keeps_its_record_when_it_changes_its_user)
{
	bool well;
	pid_t pid = start_child(open_then_setuid, true, &well);

	EXPECT_TRUE(well);
	EXPECT_EQ(1, self->table->nr_used);
	stop(pid);
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

static uint64_t stolen_cookie;

static bool register_with_stolen_cookie(void)
{
	prctl(EQUANT_PRCTL, EQUANT_PRCTL_ATTACH, stolen_cookie, 0, 0);
	return true;
}

TEST_F(live, a_forged_cookie_does_not_make_a_client_take_another_record)
{
	const struct equant_record *record;
	struct equant_probe *probe, *again;
	bool well;
	pid_t pid;

	probe = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	record = record_of_tid(self->table, gettid());
	ASSERT_NE(NULL, record);
	stolen_cookie = record->cookie;
	pid = start_child(register_with_stolen_cookie, true, &well);
	ASSERT_NE(NULL, record_of_tid(self->table, pid));
	again = equant_probe_open("bpf", self->why, sizeof(self->why));
	EXPECT_EQ(2, self->table->nr_used);
	EXPECT_EQ((uint32_t)gettid(), record->tid);
	EXPECT_EQ(record, record_of_tid(self->table, gettid()));
	equant_probe_close(again);
	equant_probe_close(probe);
	stop(pid);
	EXPECT_TRUE(wait_for_used(self->table, 0));
}

static long sys_bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static bool cannot_write_table(void)
{
	union bpf_attr get = { .pathname = (uintptr_t)EQUANT_BPF_TABLE };
	union bpf_attr update = { 0 };
	struct equant_record value = { 0 };
	__u32 key = 1;
	long fd;

	if (setgid(NOBODY) || setuid(NOBODY))
		return false;
	fd = sys_bpf(BPF_OBJ_GET, &get);
	if (fd < 0)
		return false;
	update.map_fd = (__u32)fd;
	update.key = (uintptr_t)&key;
	update.value = (uintptr_t)&value;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0) == MAP_FAILED &&
	       mprotect(mmap(NULL, 4096, PROT_READ, MAP_SHARED, (int)fd, 0), 4096,
			PROT_READ | PROT_WRITE) != 0 &&
	       sys_bpf(BPF_MAP_UPDATE_ELEM, &update) < 0;
}

TEST_F(live, nobody_writes_the_table)
{
	EXPECT_TRUE(child_manages(cannot_write_table));
}

static bool sees_no_private_maps(void)
{
	union bpf_attr get = { .pathname = (uintptr_t)EQUANT_BPF_DIR "/slots" };

	return !setgid(NOBODY) && !setuid(NOBODY) && sys_bpf(BPF_OBJ_GET, &get) < 0;
}

TEST_F(live, kernel_addresses_are_not_to_be_seen_by_users)
{
	EXPECT_TRUE(child_manages(sees_no_private_maps));
}

TEST_F(live, a_probe_whose_programs_are_gone_is_noticed)
{
	struct equant_probe *probe;
	struct equant_counters before, after;

	probe = equant_probe_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	EXPECT_EQ(0, equant_probe_check(probe, self->why, sizeof(self->why)));
	equant_probe_read(probe, &before);
	ASSERT_EQ(0, unlink(EQUANT_BPF_DIR "/link_equant_switch"));
	sleep_ms(100); /* the kernel detaches it in its own time: it may count a little longer */
	equant_probe_check(probe, self->why, sizeof(self->why));
	for (int i = 0; i < 10 && !strcmp(equant_probe_name(probe), "bpf"); i++) {
		sleep_ms(10);
		if (equant_probe_check(probe, self->why, sizeof(self->why)))
			break;
	}
	EXPECT_NE(NULL, strstr(self->why, "stands still"));
	EXPECT_EQ(0, equant_probe_check(probe, self->why, sizeof(self->why)));
	EXPECT_STRNE("bpf", equant_probe_name(probe));
	equant_probe_read(probe, &after);
	EXPECT_GE(after.run_ns, before.run_ns);
	EXPECT_GE(after.wait_ns, before.wait_ns);
	equant_probe_close(probe);
	EXPECT_EQ(0, probe_tool("unload", self->output, sizeof(self->output)));
}

/* 1 when its record is there; computes until told 2, sleeps and says 3. */
static void compute_then_sleep(volatile int *stage)
{
	char why[256];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to(sched_getcpu());
	*stage = equant_probe_open("bpf", why, sizeof(why)) ? 1 : -1;
	while (*stage != 2)
		;
	/* Its last switch may have been away from it: one more on its CPU, and it is seen to have it. */
	if (!fork())
		_exit(0);
	sleep_ms(300);
	*stage = 3;
	for (;;)
		pause();
}

TEST_F(live, a_sleep_that_began_unseen_is_not_taken_for_a_wait)
{
	volatile int *stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct equant_record *record;
	pid_t pid = fork();

	if (!pid)
		compute_then_sleep(stage);
	while (!*stage)
		sleep_ms(1);
	ASSERT_EQ(1, *stage);
	record = record_of_tid(self->table, pid);
	ASSERT_NE(NULL, record);
	ASSERT_EQ(0, unlink(EQUANT_BPF_DIR "/link_equant_switch"));
	sleep_ms(100); /* the kernel detaches it in its own time */
	*stage = 2;
	while (*stage == 2)
		sleep_ms(1);
	EXPECT_LE(290000000, record->sleep_ns);
	EXPECT_GT(250000000, record->wait_ns);
	stop(pid);
	munmap((void *)stage, sizeof(*stage));
	EXPECT_EQ(0, probe_tool("unload", self->output, sizeof(self->output)));
}

static void spin(void)
{
	for (;;)
		;
}

/* This thread with its probe, and somebody who competes with it until the end, on one CPU. */
static struct equant_probe *open_beside(FIXTURE_DATA(live) * self, void (*compete)(void))
{
	struct equant_probe *probe;

	pin_to(0);
	probe = equant_probe_open("bpf", self->why, sizeof(self->why));
	if (!probe)
		return NULL;
	self->competitor = fork();
	if (self->competitor)
		return probe;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	compete();
	_exit(0);
}

/* Some of the switches come in the middle of a check. */
TEST_F(live, a_switch_during_a_check_is_no_reason_to_give_up)
{
	uint64_t end = now_ns() + 500000000;
	struct equant_probe *probe;
	int lost = 0;

	probe = open_beside(self, spin);
	ASSERT_NE(NULL, probe);
	while (!lost && now_ns() < end)
		lost = equant_probe_check(probe, self->why, sizeof(self->why));
	EXPECT_EQ(0, lost)
	{
		TH_LOG("%s", self->why);
	}
	equant_probe_close(probe);
}

/* What part of its ticks CPU 0 has had since @count and @from: fewer if it stood still, as an emulated one may. */
static double part_of_ticks(unsigned long long count, uint64_t from)
{
	struct timespec tick;
	double had;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	had = (double)(count_ticks() - count) * (double)tick.tv_nsec / (double)(now_ns() - from);
	return count && had < 1 ? had : 1;
}

/* Time in which the CPU stood still is in the slice that it came in. */
TEST_F(live, the_quantum_appears_beside_a_competitor)
{
	unsigned long long ticks = count_ticks();
	uint64_t from = now_ns();
	struct equant_status status;
	struct equant_probe *probe;

	probe = open_beside(self, spin);
	ASSERT_NE(NULL, probe);
	run_for_ms(300);
	equant_probe_status(probe, &status);
	EXPECT_GT(status.preemptions, 5);
	EXPECT_GT(status.quantum_ns, 500000);
	EXPECT_LT((double)status.quantum_ns * part_of_ticks(ticks, from), 20000000);
	EXPECT_LT(status.share, 0.75);
	EXPECT_GT(status.share, 0.05);
	EXPECT_GE(status.runnable, 2);
	equant_probe_close(probe);
}

/* The same competitor is there after each sleep. */
TEST_F(live, what_is_contended_is_counted_also_between_sleeps)
{
	struct equant_status before, after;
	struct equant_probe *probe;

	probe = open_beside(self, spin);
	ASSERT_NE(NULL, probe);
	run_for_ms(100);
	equant_probe_status(probe, &before);
	for (int i = 0; i < 100; i++) {
		run_for_ms(1);
		sleep_ms(1);
	}
	equant_probe_status(probe, &after);
	EXPECT_LT(50, after.blocks - before.blocks);
	EXPECT_LT(0.8 * (double)(after.now.run_ns + after.now.wait_ns - before.now.run_ns -
				 before.now.wait_ns),
		  (double)(after.contended_ns - before.contended_ns));
	equant_probe_close(probe);
}

/* An emulated CPU takes so long for a yield that the other task's slice often ends meanwhile. */
static bool is_emulated(void)
{
	return getenv("GUEST_KERNEL");
}

static void yield_on(void)
{
	for (;;)
		sched_yield();
}

TEST_F(live, a_yield_is_not_taken_for_a_preemption)
{
	struct equant_status before, after;
	struct equant_probe *probe;

	probe = open_beside(self, yield_on);
	ASSERT_NE(NULL, probe);
	equant_probe_status(probe, &before);
	for (int i = 0; i < (is_emulated() ? 20000 : 2000); i++)
		sched_yield();
	equant_probe_status(probe, &after);
	EXPECT_GT(after.yields - before.yields, is_emulated() ? 100 : 500);
	EXPECT_LT(after.preemptions - before.preemptions, (after.yields - before.yields) / 4);
	equant_probe_close(probe);
}

TEST_HARNESS_MAIN
