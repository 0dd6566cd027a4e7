// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the module's device grants and what it refuses.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libdevice.h"

#define SOMEBODY 1234
#define SOMEBODY_ELSE 1235
#define SKIPPED 255

FIXTURE(device)
{
	int fd;
};

FIXTURE_SETUP(device)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, records_in_use(self->fd));
}

FIXTURE_TEARDOWN(device)
{
	int fd = open_device();

	close(self->fd);
	EXPECT_EQ(0, records_in_use(fd));
	close(fd);
}

TEST_F(device, info_tells_versions_and_limits)
{
	struct equant_info info;

	memset(&info, 0xff, sizeof(info));
	ASSERT_EQ(0, control(self->fd, EQUANT_IOC_INFO, &info));
	EXPECT_EQ(EQUANT_KMOD_VERSION, info.version);
	EXPECT_EQ(EQUANT_ABI_VERSION, info.abi_version);
	EXPECT_EQ(sizeof(struct equant_record), info.record_size);
	EXPECT_EQ(sizeof(struct equant_kmod_event), info.event_size);
	EXPECT_EQ(EQUANT_FILE_RECORDS, info.file_records);
	EXPECT_LT(0, info.records);
	EXPECT_LT(0, info.per_user);
	EXPECT_EQ(0, info.pad[0] | info.pad[1] | info.pad[2]);
}

TEST_F(device, attaching_twice_is_refused_and_detaching_gives_everything_back)
{
	int index = attach(self->fd, 0, 0);

	ASSERT_EQ(1, index);
	EXPECT_EQ(-EEXIST, attach(self->fd, 0, 0));
	EXPECT_EQ(-EEXIST, attach(self->fd, gettid(), 0));
	EXPECT_EQ(1, records_in_use(self->fd));
	EXPECT_EQ(0, detach(self->fd, 1));
	EXPECT_EQ(-ENOENT, detach(self->fd, 1));
	EXPECT_EQ(0, records_in_use(self->fd));
	EXPECT_EQ(1, attach(self->fd, 0, 0));
}

TEST_F(device, bad_requests_are_refused)
{
	struct equant_attach a[] = {
		{ .flags = 2 },
		{ .index = 1 },
		{ .pad = { 1 } },
		{ .pad = { 0, 1 } },
		{ .threshold = EQUANT_SHARE_ONE / 2 },
		{ .rounds = 10 },
		{ .hysteresis = 1 },
		{ .flags = 1, .threshold = EQUANT_SHARE_ONE + 1 },
		{ .flags = 1, .threshold = 5, .hysteresis = 5 },
		{ .flags = 1, .threshold = EQUANT_SHARE_ONE, .hysteresis = 1 },
		{ .flags = 1, .threshold = 5, .rounds = 9 },
		{ .flags = 1, .threshold = 5, .rounds = EQUANT_ROUNDS_MAX + 1 },
	};
	struct equant_detach d = { .index = 1, .pad = 1 };
	struct equant_list l = { .nr = 1, .pad = 1 };

	for (size_t i = 0; i < sizeof(a) / sizeof(*a); i++)
		EXPECT_EQ(-EINVAL, control(self->fd, EQUANT_IOC_ATTACH, &a[i]));
	EXPECT_EQ(-EINVAL, control(self->fd, EQUANT_IOC_DETACH, &d));
	EXPECT_EQ(-EINVAL, detach(self->fd, 0));
	EXPECT_EQ(-EINVAL, detach(self->fd, EQUANT_FILE_RECORDS + 1));
	EXPECT_EQ(-EINVAL, control(self->fd, EQUANT_IOC_LIST, &l));
	l = (struct equant_list){ .nr = 0 };
	EXPECT_EQ(-EINVAL, control(self->fd, EQUANT_IOC_LIST, &l));
	EXPECT_EQ(-ENOTTY, control(self->fd, _IO(EQUANT_IOC, 1), &a[0]));
	EXPECT_EQ(-ENOTTY, control(self->fd, _IOWR(EQUANT_IOC, 1, char[47]), &a[0]));
	EXPECT_EQ(-ENOTTY, control(self->fd, _IO(EQUANT_IOC, 99), NULL));
	EXPECT_EQ(-EFAULT, control(self->fd, EQUANT_IOC_ATTACH, (void *)8));
	EXPECT_EQ(-EFAULT, control(self->fd, EQUANT_IOC_INFO, NULL));
	EXPECT_EQ(-EFAULT, control(self->fd, EQUANT_IOC_DETACH, NULL));
	EXPECT_EQ(-ESRCH, attach(self->fd, 0x3fffffff, 0));
	EXPECT_EQ(0, records_in_use(self->fd));
}

TEST_F(device, an_attachment_whose_answer_cannot_be_written_is_none)
{
	struct equant_attach *arg = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, arg);
	EXPECT_EQ(-EFAULT, control(self->fd, EQUANT_IOC_ATTACH, arg));
	EXPECT_EQ(0, records_in_use(self->fd));
}

TEST_F(device, the_table_cannot_be_written)
{
	void *p;

	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EPERM, errno);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(p, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	munmap(p, 4096);
}

TEST_F(device, nothing_is_mapped_beyond_the_table)
{
	void *p;

	p = mmap(NULL, EQUANT_FILE_BYTES + 4096, PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EINVAL, errno);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, EQUANT_FILE_BYTES);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EINVAL, errno);
}

static void touch_page(const struct equant_table *table, unsigned int page)
{
	_exit(((const volatile char *)table)[page * 4096u] == 1);
}

TEST_F(device, pages_come_with_the_records_in_them)
{
	const struct equant_table *table = map_table(self->fd);
	pid_t pid;
	int status;

	ASSERT_NE(NULL, table);
	EXPECT_EQ(EQUANT_TABLE_MAGIC, table->magic);
	EXPECT_EQ(EQUANT_TABLE_LIVE, table->state);
	EXPECT_EQ(4096 / EQUANT_RECORD_SIZE - 1, table->nr_records);
	/* The child has no mapping of its parent's: it maps anew. */
	pid = fork();
	if (!pid) {
		signal(SIGBUS, SIG_DFL);
		touch_page(map_table(self->fd), 1);
	}
	waitpid(pid, &status, 0);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	unmap_table(table);
}

TEST_F(device, a_mapping_keeps_the_attachments_until_it_goes)
{
	const struct equant_table *table;
	int fd = open_device();

	ASSERT_EQ(1, attach(fd, 0, 0));
	table = map_table(fd);
	ASSERT_NE(NULL, table);
	close(fd);
	EXPECT_EQ(1, records_in_use(self->fd));
	EXPECT_EQ((unsigned int)gettid(), record_now(table, 1).tid);
	unmap_table(table);
	EXPECT_EQ(0, records_in_use(self->fd));
}

static bool becomes_free(const struct equant_table *table, unsigned int index)
{
	for (int i = 0; i < 200; i++) {
		if (record_now(table, index).state == EQUANT_STATE_FREE && !table->nr_used)
			return true;
		sleep_ms(5);
	}
	return false;
}

TEST_F(device, a_task_that_exits_is_detached)
{
	const struct equant_table *table = map_table(self->fd);
	pid_t pid = start_load(0, 1000);

	ASSERT_EQ(1, attach(self->fd, pid, 0));
	EXPECT_EQ((unsigned int)pid, record_now(table, 1).tid);
	stop_load(pid);
	EXPECT_TRUE(becomes_free(table, 1));
	EXPECT_EQ(0, records_in_use(self->fd));
	unmap_table(table);
}

TEST_F(device, a_task_that_executes_another_program_is_detached)
{
	const struct equant_table *table = map_table(self->fd);
	int go[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) == 1)
			execlp("sleep", "sleep", "10", NULL);
		_exit(1);
	}
	ASSERT_EQ(1, attach(self->fd, pid, 0));
	ASSERT_EQ(1, write(go[1], "", 1));
	EXPECT_TRUE(becomes_free(table, 1));
	EXPECT_EQ(0, kill(pid, 0));
	stop_load(pid);
	unmap_table(table);
}

static int try_attach(void *arg)
{
	int fd = open_device(), ret = attach(fd, *(pid_t *)arg, 0);

	return ret > 0 ? 0 : -ret;
}

static pid_t start_of_user(unsigned int uid, bool dumpable)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setgid(uid) || setuid(uid) || prctl(PR_SET_DUMPABLE, dumpable) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	close(ready[1]);
	return pid;
}

TEST_F(device, a_user_attaches_whom_it_could_trace_and_nobody_else)
{
	pid_t mine = start_of_user(SOMEBODY, true), hidden = start_of_user(SOMEBODY, false);
	pid_t other = start_of_user(SOMEBODY_ELSE, true), self_ = getpid(), kthread = 2;

	EXPECT_EQ(0, as_user(SOMEBODY, try_attach, &mine));
	EXPECT_EQ(EPERM, as_user(SOMEBODY, try_attach, &hidden));
	EXPECT_EQ(EPERM, as_user(SOMEBODY, try_attach, &other));
	EXPECT_EQ(EPERM, as_user(SOMEBODY, try_attach, &self_));
	EXPECT_EQ(EPERM, -attach(self->fd, kthread, 0));
	EXPECT_LT(0, attach(self->fd, hidden, 0));
	EXPECT_LT(0, attach(self->fd, other, 0));
	stop_load(mine);
	stop_load(hidden);
	stop_load(other);
}

struct handed {
	int fd;
	pid_t pid;
};

static int attach_through(void *arg)
{
	const struct handed *handed = arg;

	return -attach(handed->fd, handed->pid, 0);
}

static int attach_again_and_again(void *arg)
{
	int attached = 0, ret;

	do {
		ret = attach(open_device(), *(const pid_t *)arg, 0);
		attached += ret > 0;
	} while (ret > 0 && attached < 20);
	return ret > 0 || ret == -EBUSY ? attached : 255;
}

TEST_F(device, a_task_is_attached_through_so_many_files_of_users)
{
	pid_t mine = start_of_user(SOMEBODY, true);

	EXPECT_EQ(16, as_user(SOMEBODY, attach_again_and_again, &mine));
	EXPECT_EQ(20, as_user(0, attach_again_and_again, &mine));
	stop_load(mine);
}

TEST_F(device, a_right_to_attach_is_asked_for_each_time)
{
	struct handed handed = { self->fd, start_of_user(SOMEBODY_ELSE, true) };

	ASSERT_EQ(1, attach(self->fd, handed.pid, 0));
	ASSERT_EQ(0, detach(self->fd, 1));
	EXPECT_EQ(EPERM, as_user(SOMEBODY, attach_through, &handed));
	EXPECT_EQ(0, records_in_use(self->fd));
	EXPECT_EQ(1, attach(self->fd, handed.pid, 0));
	stop_load(handed.pid);
}

static int list_tasks(void *arg)
{
	uint32_t tids[4] = { 0 };
	struct equant_list list = { .tids = (uintptr_t)tids, .nr = 4 };
	int fd = open_device();

	if (control(fd, EQUANT_IOC_LIST, &list) || list.listed != list.total)
		return 255;
	return list.listed == 1 && tids[0] == *(uint32_t *)arg ? 0 : (int)list.listed + 1;
}

TEST_F(device, the_list_shows_a_user_its_own_tasks_once)
{
	pid_t mine = start_of_user(SOMEBODY, true), other = start_of_user(SOMEBODY_ELSE, true);
	struct equant_list list = { .nr = 1 };
	int again = open_device();
	uint32_t tid;

	ASSERT_LT(0, attach(self->fd, mine, 0));
	ASSERT_LT(0, attach(again, mine, 0));
	ASSERT_LT(0, attach(self->fd, other, 0));
	EXPECT_EQ(0, as_user(SOMEBODY, list_tasks, &mine));
	EXPECT_EQ(0, as_user(SOMEBODY_ELSE, list_tasks, &other));
	list.tids = (uintptr_t)&tid;
	EXPECT_EQ(0, control(self->fd, EQUANT_IOC_LIST, &list));
	EXPECT_EQ(1, list.listed);
	EXPECT_EQ(2, list.total);
	close(again);
	stop_load(mine);
	stop_load(other);
}

static void *sleep_long(void *arg)
{
	sleep(1000);
	return arg;
}

/* Attaches threads of its own until it is refused. */
static int fill(void *arg)
{
	unsigned int limit = *(unsigned int *)arg, n;
	int ret = 0, fd = open_device();
	pthread_t thread;

	for (n = 0; n <= limit && ret >= 0; n++) {
		struct equant_attach a = { .tid = (uint32_t)getpid() + n };

		if (n && pthread_create(&thread, NULL, sleep_long, NULL))
			return 254;
		ret = control(fd, EQUANT_IOC_ATTACH, &a);
	}
	return n == limit + 1 ? -ret : 253;
}

TEST_F(device, one_attachment_over_the_limit_of_a_user_is_refused)
{
	struct equant_info info;

	ASSERT_EQ(0, control(self->fd, EQUANT_IOC_INFO, &info));
	EXPECT_EQ(EDQUOT, as_user(SOMEBODY, fill, &info.per_user));
	EXPECT_EQ(0, records_in_use(self->fd));
}

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* As many children as a user may attach, one of whom goes, and another comes at once. */
static int refill(void *arg)
{
	unsigned int limit = *(unsigned int *)arg, nr;
	int fd = open_device(), ret = 0;
	pid_t pid[1024], next;

	prctl(PR_SET_DUMPABLE, 1); /* which it is no more since it has become this user */
	for (nr = 0; nr < limit && nr < 1024 && ret >= 0; nr++) {
		pid[nr] = start_sleeper();
		ret = attach(fd, pid[nr], 0);
	}
	if (ret >= 0 && attach(fd, 0, 0) != -EDQUOT)
		ret = -EBADE;
	for (int i = 0; i < 5 && ret >= 0; i++) {
		next = start_sleeper();
		stop_load(pid[i]);
		ret = attach(fd, next, 0);
		pid[i] = next;
	}
	while (nr--)
		stop_load(pid[nr]);
	return ret < 0 ? -ret : 0;
}

TEST_F(device, a_task_that_is_gone_does_not_count_for_its_users_limit)
{
	struct equant_info info;

	ASSERT_EQ(0, control(self->fd, EQUANT_IOC_INFO, &info));
	EXPECT_EQ(0, as_user(SOMEBODY, refill, &info.per_user));
	EXPECT_EQ(0, records_left(self->fd));
}

static int open_many(void *arg)
{
	unsigned int limit = *(unsigned int *)arg, n;
	int fd;

	for (n = 0; n < 2 * limit; n++)
		if (open_device() < 0)
			return 255;
	fd = open_device();
	return fd < 0 ? -fd : 0;
}

TEST_F(device, a_user_cannot_take_memory_by_opening_it_often)
{
	struct equant_info info;

	ASSERT_EQ(0, control(self->fd, EQUANT_IOC_INFO, &info));
	EXPECT_EQ(EDQUOT, as_user(SOMEBODY, open_many, &info.per_user));
}

TEST_F(device, a_snapshot_copies_what_the_table_shows)
{
	const struct equant_table *table = map_table(self->fd);
	struct equant_record r[3];
	uint32_t indices[3] = { 2, 7, 1 };
	struct equant_snapshot s = { .records = (uintptr_t)r, .nr = 3 };
	pid_t pid = start_load(1, 0);

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	ASSERT_EQ(2, attach(self->fd, pid, 0));
	ASSERT_EQ(2, control(self->fd, EQUANT_IOC_SNAPSHOT, &s));
	EXPECT_EQ((unsigned int)gettid(), r[0].tid);
	EXPECT_EQ((unsigned int)pid, r[1].tid);
	EXPECT_LE(r[0].t_state, s.now);
	EXPECT_LE(s.now, clock_ns(CLOCK_MONOTONIC));
	EXPECT_EQ(EQUANT_STATE_RUN, r[0].state);
	EXPECT_EQ(0, r[0].seq & 1);
	EXPECT_EQ(record_now(table, 1).t_attach, r[0].t_attach);
	s.indices = (uintptr_t)indices;
	ASSERT_EQ(3, control(self->fd, EQUANT_IOC_SNAPSHOT, &s));
	EXPECT_EQ((unsigned int)pid, r[0].tid);
	EXPECT_EQ(EQUANT_STATE_FREE, r[1].state);
	EXPECT_EQ((unsigned int)gettid(), r[2].tid);
	s.nr = 1;
	s.indices = 0;
	EXPECT_EQ(1, control(self->fd, EQUANT_IOC_SNAPSHOT, &s));
	stop_load(pid);
	unmap_table(table);
}

TEST_F(device, bad_snapshots_are_refused)
{
	uint32_t zero = 0, beyond = EQUANT_FILE_RECORDS + 1, one = 1;
	struct equant_record r;
	struct equant_snapshot s[] = {
		{ .records = (uintptr_t)&r },
		{ .records = (uintptr_t)&r, .nr = EQUANT_FILE_RECORDS + 1 },
		{ .records = (uintptr_t)&r, .nr = 1, .pad = 1 },
		{ .records = (uintptr_t)&r, .nr = 1, .indices = (uintptr_t)&zero },
		{ .records = (uintptr_t)&r, .nr = 1, .indices = (uintptr_t)&beyond },
	};
	struct equant_snapshot f[] = {
		{ .records = 8, .nr = 1 },
		{ .records = 8, .nr = 1, .indices = (uintptr_t)&one },
		{ .records = (uintptr_t)&r, .nr = 1, .indices = 8 },
		{ .records = UINT64_MAX - 4096, .nr = 1 },
	};

	ASSERT_EQ(1, attach(self->fd, 0, 0));
	for (size_t i = 0; i < sizeof(s) / sizeof(*s); i++)
		EXPECT_EQ(-EINVAL, control(self->fd, EQUANT_IOC_SNAPSHOT, &s[i]));
	for (size_t i = 0; i < sizeof(f) / sizeof(*f); i++)
		EXPECT_EQ(-EFAULT, control(self->fd, EQUANT_IOC_SNAPSHOT, &f[i]));
	EXPECT_EQ(-EFAULT, control(self->fd, EQUANT_IOC_SNAPSHOT, (void *)8));
}

TEST_HARNESS_MAIN
