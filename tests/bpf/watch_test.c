// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Watching all tasks of the BPF probe's table.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <equant/watch.h>

#include "kselftest_harness.h"
#include "libtable.h"

#define THREADS 20
#define ROOM 2048

FIXTURE(watch)
{
	struct equant_watch *watch;
	struct equant_watch_task tasks[ROOM];
	pthread_t threads[THREADS];
	pthread_barrier_t attached, done;
	pid_t tids[THREADS];
	int nr_tids;
	char output[2048];
	char why[512];
};

FIXTURE_SETUP(watch)
{
	const char *reason = load_probe();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	unload_on_abort();
	self->watch = equant_watch_open("bpf", self->why, sizeof(self->why));
	ASSERT_NE(NULL, self->watch);
	pthread_barrier_init(&self->attached, NULL, THREADS + 1);
	pthread_barrier_init(&self->done, NULL, THREADS + 1);
}

FIXTURE_TEARDOWN(watch)
{
	equant_watch_close(self->watch);
	if (!access(EQUANT_BPF_DIR, F_OK)) {
		EXPECT_EQ(0, probe_tool("unload", self->output, sizeof(self->output)));
	}
}

/* Others on this machine may be attached, too. */
static int mine(struct equant_watch_task *tasks, int nr)
{
	int left = 0;

	for (int i = 0; i < nr; i++)
		if (tasks[i].tgid == (uint32_t)getpid())
			tasks[left++] = tasks[i];
	return left;
}

static void *attached_thread(void *arg)
{
	struct _test_data_watch *self = arg;
	struct equant_probe *probe = equant_probe_open("bpf", NULL, 0);

	if (probe)
		self->tids[__atomic_fetch_add(&self->nr_tids, 1, __ATOMIC_RELAXED)] = gettid();
	pthread_barrier_wait(&self->attached);
	pthread_barrier_wait(&self->done);
	equant_probe_close(probe);
	return NULL;
}

static void start_threads(FIXTURE_DATA(watch) * self)
{
	for (int i = 0; i < THREADS; i++)
		pthread_create(&self->threads[i], NULL, attached_thread, self);
	pthread_barrier_wait(&self->attached);
}

static void end_threads(FIXTURE_DATA(watch) * self)
{
	pthread_barrier_wait(&self->done);
	for (int i = 0; i < THREADS; i++)
		pthread_join(self->threads[i], NULL);
}

static bool has_tid(const struct equant_watch_task *tasks, int nr, pid_t tid)
{
	for (int i = 0; i < nr; i++)
		if (tasks[i].tid == (uint32_t)tid)
			return true;
	return false;
}

TEST_F(watch, every_attached_thread_is_seen_and_no_other)
{
	struct equant_watch_info info;
	struct stat ns;
	int nr;

	start_threads(self);
	nr = equant_watch_snapshot(self->watch, self->tasks, ROOM, self->why, sizeof(self->why));
	equant_watch_info(self->watch, &info);
	EXPECT_LE(THREADS, info.attached);
	EXPECT_LE(info.attached, info.records);
	nr = mine(self->tasks, nr);
	EXPECT_EQ(THREADS, nr);
	ASSERT_EQ(0, stat("/proc/self/ns/pid", &ns));
	for (int i = 0; i < THREADS && i < nr; i++) {
		EXPECT_EQ(true, has_tid(self->tasks, nr, self->tids[i]));
		EXPECT_EQ((uint32_t)ns.st_ino, self->tasks[i].ns_inode);
		EXPECT_LT(self->tasks[i].t_attach_ns, self->tasks[i].status.now.t_ns);
	}
	end_threads(self);
	nr = equant_watch_snapshot(self->watch, self->tasks, ROOM, self->why, sizeof(self->why));
	EXPECT_EQ(0, mine(self->tasks, nr));
}

TEST_F(watch, the_times_of_a_task_add_up)
{
	const struct equant_status *status = &self->tasks[0].status;
	struct equant_probe *probe = equant_probe_open("bpf", NULL, 0);
	uint64_t begin = now_ns(), sum;
	int nr;

	ASSERT_NE(NULL, probe);
	while (now_ns() - begin < 50000000)
		;
	sleep_ms(50);
	nr = equant_watch_snapshot(self->watch, self->tasks, ROOM, self->why, sizeof(self->why));
	ASSERT_EQ(1, mine(self->tasks, nr));
	sum = status->now.run_ns + status->now.wait_ns + self->tasks[0].sleep_ns;
	EXPECT_LE(50000000, status->now.run_ns + status->now.wait_ns);
	EXPECT_LE(50000000, self->tasks[0].sleep_ns);
	/* The identity is there a little before the first switch. */
	EXPECT_LE(sum, status->now.t_ns - self->tasks[0].t_attach_ns);
	EXPECT_LE(status->now.t_ns - self->tasks[0].t_attach_ns, sum + 20000000);
	equant_probe_close(probe);
}

TEST_F(watch, a_small_array_gets_the_first_and_the_number_of_all)
{
	int all, few;

	start_threads(self);
	all = equant_watch_snapshot(self->watch, self->tasks, ROOM, NULL, 0);
	memset(&self->tasks[3], 0xa5, sizeof(self->tasks[3]));
	few = equant_watch_snapshot(self->watch, self->tasks, 3, NULL, 0);
	EXPECT_LE(THREADS, all);
	EXPECT_LE(THREADS, few);
	EXPECT_EQ(0xa5a5a5a5, self->tasks[3].tid);
	EXPECT_LE(THREADS, equant_watch_snapshot(self->watch, NULL, 0, NULL, 0));
	end_threads(self);
}

TEST_F(watch, an_unloaded_probe_is_told)
{
	ASSERT_EQ(0, probe_tool("unload", self->output, sizeof(self->output)));
	EXPECT_EQ(-ENODEV, equant_watch_snapshot(self->watch, self->tasks, ROOM, self->why,
						 sizeof(self->why)));
	EXPECT_NE(NULL, strstr(self->why, "unloaded"));
	errno = 0;
	EXPECT_EQ(NULL, equant_watch_open("bpf", self->why, sizeof(self->why)));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_NE(NULL, strstr(self->why, "equant probe load"));
}

TEST_F(watch, there_are_no_events)
{
	struct equant_watch_event event;

	EXPECT_EQ(-1, equant_watch_fd(self->watch));
	EXPECT_EQ(-EOPNOTSUPP, equant_watch_events(self->watch, 0.5, 0.1));
	EXPECT_EQ(-EOPNOTSUPP, equant_watch_next(self->watch, &event));
	EXPECT_EQ(-EINVAL, equant_watch_events(self->watch, 1.5, 0.1));
	EXPECT_EQ(-EINVAL, equant_watch_events(self->watch, NAN, 0.1));
	EXPECT_EQ(-EINVAL, equant_watch_events(self->watch, 0.5, 0.6));
	EXPECT_EQ(-EINVAL, equant_watch_events(self->watch, 0.9, 0.2));
}

TEST(an_unknown_source_is_refused_and_named)
{
	char why[256];

	errno = 0;
	EXPECT_EQ(NULL, equant_watch_open("schedstat", why, sizeof(why)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(why, "unknown source \"schedstat\""));
	EXPECT_EQ(NULL, equant_watch_open(NULL, NULL, 0));
	EXPECT_EQ(EINVAL, errno);
	equant_watch_close(NULL);
}

TEST_HARNESS_MAIN
