// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What is recorded is read back, whatever goes wrong on the way. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <equant/trace.h>

#include "kselftest_harness.h"

static const struct equant_trace_header header = {
	.rank = 1,
	.ranks = 2,
	.units = 1000,
	.loop = "rows",
	.probe = "schedstat",
};

#define LATER (1ull << 62) /* than any trace begins */

FIXTURE(trace)
{
	char path[64];
	char why[512];
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
};

FIXTURE_SETUP(trace)
{
	int fd;

	strcpy(self->path, "/tmp/equant-trace-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
}

FIXTURE_TEARDOWN(trace)
{
	unlink(self->path);
	free(self->events);
}

#define LOAD()                                                                               \
	equant_trace_load(self->path, &self->header, &self->events, &self->count, self->why, \
			  sizeof(self->why))

static void record(struct equant_trace_writer *writer, uint64_t from, uint64_t to)
{
	struct equant_event *event;

	for (uint64_t i = from; i < to; i++) {
		event = equant_trace_event(writer);
		event->type = EQUANT_EVENT_STATUS;
		event->t_ns = LATER + i;
		event->u.status.share = 0.5;
	}
}

/* Events in their order, each at most once, and none missing but the dropped. */
static int is_complete(const struct equant_event *events, size_t count, uint64_t recorded)
{
	uint64_t dropped;

	if (!count || events[count - 1].type != EQUANT_EVENT_END)
		return 0;
	dropped = events[count - 1].u.end.dropped;
	for (size_t i = 1; i < count - 1; i++)
		if (events[i].t_ns <= events[i - 1].t_ns)
			return 0;
	return events[count - 1].u.end.events == count - 1 && count - 1 + dropped == recorded;
}

TEST_F(trace, events_come_back_as_they_were_recorded)
{
	struct equant_trace_writer *writer;
	struct equant_event *event;

	writer = equant_trace_create(self->path, &header, self->why, sizeof(self->why));
	ASSERT_NE(NULL, writer);
	event = equant_trace_event(writer);
	event->type = EQUANT_EVENT_MOVE;
	event->t_ns = LATER + 42;
	event->phase = 7;
	event->u.move.from = 1;
	event->u.move.units = 99;
	event = equant_trace_event(writer);
	event->type = EQUANT_EVENT_FALLBACK;
	event->t_ns = LATER + 42;
	strcpy(event->u.fallback.text, "gone");
	ASSERT_EQ(0, equant_trace_close(writer));

	ASSERT_EQ(0, LOAD());
	EXPECT_EQ(3, self->count);
	EXPECT_EQ(EQUANT_TRACE_MAGIC, self->header.magic);
	EXPECT_EQ(1, self->header.rank);
	EXPECT_EQ(2, self->header.ranks);
	EXPECT_EQ(1000, self->header.units);
	EXPECT_NE(0, self->header.t0_ns);
	EXPECT_STREQ("rows", self->header.loop);
	EXPECT_STREQ("schedstat", self->header.probe);
	EXPECT_EQ(LATER + 42, self->events[0].t_ns);
	EXPECT_EQ(7, self->events[0].phase);
	EXPECT_EQ(99, self->events[0].u.move.units);
	EXPECT_STREQ("gone", self->events[1].u.fallback.text);
	EXPECT_EQ(2, self->events[2].u.end.events);
	EXPECT_EQ(0, self->events[2].u.end.dropped);
}

TEST_F(trace, an_empty_trace_is_a_trace)
{
	struct equant_trace_writer *writer;

	writer = equant_trace_create(self->path, &header, NULL, 0);
	ASSERT_NE(NULL, writer);
	EXPECT_EQ(0, equant_trace_close(writer));
	EXPECT_EQ(0, LOAD());
	EXPECT_EQ(1, self->count);
	EXPECT_EQ(0, equant_trace_close(NULL));
}

TEST_F(trace, counts_around_a_buffer_boundary_are_exact)
{
	static const uint64_t counts[] = { 511, 512, 513, 1023, 1024, 1025, 4095, 4096 };
	struct equant_trace_writer *writer;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		writer = equant_trace_create(self->path, &header, NULL, 0);
		ASSERT_NE(NULL, writer);
		record(writer, 1, counts[i] + 1);
		ASSERT_EQ(0, equant_trace_close(writer));
		ASSERT_EQ(0, LOAD());
		EXPECT_EQ(counts[i] + 1, self->count);
		EXPECT_EQ(0, self->events[self->count - 1].u.end.dropped);
		EXPECT_TRUE(is_complete(self->events, self->count, counts[i]));
		free(self->events);
		self->events = NULL;
	}
}

TEST_F(trace, a_million_events_survive_or_are_counted_as_dropped)
{
	struct equant_trace_writer *writer;
	const uint64_t count = 1000000;

	writer = equant_trace_create(self->path, &header, NULL, 0);
	ASSERT_NE(NULL, writer);
	record(writer, 1, count + 1);
	ASSERT_EQ(0, equant_trace_close(writer));
	ASSERT_EQ(0, LOAD());
	EXPECT_LE(2, self->count);
	EXPECT_TRUE(is_complete(self->events, self->count, count));
	TH_LOG("%zu written, %llu dropped", self->count - 1,
	       (unsigned long long)self->events[self->count - 1].u.end.dropped);
}

TEST_F(trace, a_reused_buffer_shows_nothing_old)
{
	struct equant_trace_writer *writer;

	writer = equant_trace_create(self->path, &header, NULL, 0);
	ASSERT_NE(NULL, writer);
	for (int i = 0; i < 10000; i++) {
		struct equant_event *event = equant_trace_event(writer);

		EXPECT_EQ(0, event->type);
		EXPECT_EQ(0, event->u.pad[111]);
		memset(event, 1, sizeof(*event));
		event->type = EQUANT_EVENT_DECISION;
		event->u.decision.units = 0;
		if (i % 512 == 0)
			usleep(1000);
	}
	EXPECT_EQ(0, equant_trace_close(writer));
}

/* io_uring_setup() answers EPERM from now on, as in many containers. */
static int forbid_io_uring(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

TEST_F(trace, without_io_uring_pwrite_writes_every_event)
{
	struct equant_trace_writer *writer;

	if (forbid_io_uring())
		SKIP(return, "needs seccomp filters");
	writer = equant_trace_create(self->path, &header, self->why, sizeof(self->why));
	ASSERT_NE(NULL, writer);
	EXPECT_NE(NULL, strstr(self->why, "pwrite"));
	EXPECT_NE(NULL, strstr(self->why, "io_uring"));
	record(writer, 1, 20001);
	ASSERT_EQ(0, equant_trace_close(writer));
	ASSERT_EQ(0, LOAD());
	EXPECT_EQ(20001, self->count);
	EXPECT_TRUE(is_complete(self->events, self->count, 20000));
}

TEST_F(trace, a_memlock_limit_leaves_pwrite)
{
	struct rlimit none = { 0, 0 };
	struct equant_trace_writer *writer;

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
	if (!geteuid() && (chown(self->path, 65534, 65534) || setresuid(65534, 65534, 65534)))
		SKIP(return, "cannot become an ordinary user");
	writer = equant_trace_create(self->path, &header, self->why, sizeof(self->why));
	ASSERT_NE(NULL, writer);
	EXPECT_NE(NULL, strstr(self->why, "written by pwrite"));
	record(writer, 1, 2001);
	ASSERT_EQ(0, equant_trace_close(writer));
	ASSERT_EQ(0, LOAD());
	EXPECT_TRUE(is_complete(self->events, self->count, 2000));
}

static int tiny_filesystem(const char *path)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	return mount("none", path, "tmpfs", 0, "size=256k") ? -errno : 0;
}

static void full_disk(struct __test_metadata *_metadata, struct _test_data_trace *self)
{
	struct equant_trace_writer *writer;
	char path[96];
	int ret;

	snprintf(path, sizeof(path), "%s/t", self->path);
	writer = equant_trace_create(path, &header, self->why, sizeof(self->why));
	ASSERT_NE(NULL, writer);
	record(writer, 1, 10001);
	EXPECT_EQ(-ENOSPC, equant_trace_close(writer));
	ret = equant_trace_load(path, &self->header, &self->events, &self->count, self->why,
				sizeof(self->why));
	EXPECT_LE(0, ret)
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_LT(1000, self->count);
	if (!ret) {
		EXPECT_TRUE(is_complete(self->events, self->count, 10000));
	}
	umount2(self->path, MNT_DETACH);
}

TEST_F(trace, a_full_disk_is_an_error_and_what_was_written_stays_readable)
{
	unlink(self->path);
	ASSERT_EQ(0, mkdir(self->path, 0700));
	if (tiny_filesystem(self->path)) {
		rmdir(self->path);
		SKIP(return, "needs root: a small file system");
	}
	full_disk(_metadata, self);
	rmdir(self->path);
}

TEST_F(trace, a_full_disk_is_the_same_without_io_uring)
{
	unlink(self->path);
	ASSERT_EQ(0, mkdir(self->path, 0700));
	if (tiny_filesystem(self->path) || forbid_io_uring()) {
		rmdir(self->path);
		SKIP(return, "needs root: a small file system");
	}
	full_disk(_metadata, self);
	rmdir(self->path);
}

TEST_F(trace, a_forked_child_writes_nothing)
{
	struct equant_trace_writer *writer;
	int status;
	pid_t pid;

	writer = equant_trace_create(self->path, &header, NULL, 0);
	ASSERT_NE(NULL, writer);
	record(writer, 1, 301);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		record(writer, 1000, 9000);
		_exit(equant_trace_close(writer) ? 1 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	record(writer, 301, 2001);
	ASSERT_EQ(0, equant_trace_close(writer));
	ASSERT_EQ(0, LOAD());
	EXPECT_EQ(2001, self->count);
	EXPECT_TRUE(is_complete(self->events, self->count, 2000));
}

/* The writes are in the background. */
static void wait_for_size(const char *path, off_t size)
{
	struct stat st;

	for (int i = 0; i < 5000; i++) {
		if (!stat(path, &st) && st.st_size >= size)
			return;
		usleep(1000);
	}
}

TEST_F(trace, a_killed_rank_leaves_a_readable_file)
{
	struct equant_trace_writer *writer;
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		writer = equant_trace_create(self->path, &header, NULL, 0);
		if (!writer)
			_exit(1);
		record(writer, 1, 1200);
		wait_for_size(self->path, 128 + 1024 * 128);
		kill(getpid(), SIGKILL);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(1, LOAD())
	{
		TH_LOG("%s", self->why);
	}
	EXPECT_EQ(1024, self->count);
}

TEST_F(trace, a_killed_rank_loses_the_last_second_at_most)
{
	struct equant_trace_writer *writer;
	struct equant_event *event;
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		writer = equant_trace_create(self->path, &header, NULL, 0);
		for (uint64_t i = 1; writer && i <= 10; i++) {
			event = equant_trace_event(writer);
			event->type = EQUANT_EVENT_STATUS;
			event->t_ns = LATER + i * 600000000;
		}
		wait_for_size(self->path, 128 + 9 * 128);
		kill(getpid(), SIGKILL);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(1, LOAD());
	EXPECT_EQ(9, self->count);
}

TEST_F(trace, two_hundred_writers_leak_no_descriptor)
{
	struct equant_trace_writer *writer;
	int before = -1, after;

	for (int i = 0; i < 200; i++) {
		writer = equant_trace_create(self->path, &header, NULL, 0);
		ASSERT_NE(NULL, writer);
		record(writer, 1, 2);
		ASSERT_EQ(0, equant_trace_close(writer));
		after = dup(0);
		close(after);
		if (!i)
			before = after;
	}
	EXPECT_EQ(before, after);
}

TEST_F(trace, places_that_cannot_hold_a_trace_are_refused)
{
	struct equant_trace_header bad = header;

	EXPECT_EQ(NULL, equant_trace_create("/nonexistent/x", &header, self->why, 512));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_NE(NULL, strstr(self->why, "/nonexistent/x"));
	EXPECT_EQ(NULL, equant_trace_create("/dev/null", &header, self->why, 512));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(self->why, "not a regular file"));
	bad.rank = 2;
	EXPECT_EQ(NULL, equant_trace_create(self->path, &bad, self->why, 512));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(self->why, "rank"));
}

TEST_HARNESS_MAIN
