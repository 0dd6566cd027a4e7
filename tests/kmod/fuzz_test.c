// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Random calls to the device, from threads that share its files and their memory while
 * they close, unmap, are killed and exit.  That the kernel survives is seen in its
 * log, which the guest's runner reads; that nothing leaks and that the device still
 * works, here.  STRESS_SECONDS: how long it takes, 2 s otherwise.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libcaller.h"
#include "libdevice.h"

#define SKIPPED 255
#define PROCESSES 4 /* at a time */

/* Shared by all. */
static unsigned int *done;

/* Of one process, shared by its threads. */
static struct sandbox box;
static unsigned int calls;
static pthread_barrier_t start; /* from here on only the calls map memory */

static void *fuzz(void *seed)
{
	struct caller caller;

	if (!caller_init(&caller, &box, (uintptr_t)seed, done))
		_exit(2);
	pthread_barrier_wait(&start);
	for (;; __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED))
		call_anything(&caller);
	return NULL;
}

/* After some calls, which take much longer on one kernel than on another. */
static void wait_for_calls(struct random *random)
{
	unsigned int enough = 100 + (unsigned int)random_below(random, 2000);

	while (__atomic_load_n(&calls, __ATOMIC_RELAXED) < enough)
		sleep_ms(1);
}

/* A process that ends while its threads are in the middle of it. */
static void fuzz_and_end(uint64_t seed)
{
	struct random random = random_from(seed);
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!sandbox_fill(&box))
		_exit(3);
	pthread_barrier_init(&start, NULL, CALLERS);
	for (int i = 0; i < CALLERS; i++)
		if (pthread_create(&thread, NULL, fuzz, (void *)random_next(&random)))
			_exit(4);
	wait_for_calls(&random);
	switch (random_below(&random, 3)) {
	case 0:
		kill(getpid(), SIGKILL);
		break;
	case 1:
		execlp("true", "true", NULL);
		break;
	}
	_exit(0);
}

FIXTURE(fuzz)
{
	struct random random;
	uint64_t end;
};

FIXTURE_SETUP(fuzz)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->random = random_seeded();
	self->end = stress_end(2000);
	done = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, done);
}

FIXTURE_TEARDOWN(fuzz)
{
}

static void still_works(struct __test_metadata *_metadata, int fd)
{
	const struct equant_table *table;
	struct equant_record before, slept, after;

	table = map_table(fd);
	ASSERT_NE(NULL, table);
	ASSERT_EQ(1, attach(fd, 0, EQUANT_ATTACH_EVENTS));
	before = record_now(table, 1);
	sleep_ms(10);
	slept = record_now(table, 1);
	compute_ms(10);
	after = record_now(table, 1);
	EXPECT_EQ(EQUANT_STATE_RUN, after.state);
	EXPECT_EQ((uint32_t)getpid(), after.tid);
	EXPECT_LT(before.blocks, after.blocks);
	/* falling asleep is a part of the 10 ms */
	EXPECT_LE(before.sleep_ns + before.run_ns + 10 * MSEC, slept.sleep_ns + slept.run_ns);
	EXPECT_LT(before.sleep_ns, slept.sleep_ns);
	EXPECT_LT(before.run_ns, after.run_ns);
	EXPECT_EQ(0, detach(fd, 1));
	unmap_table(table);
}

static bool each_has_succeeded(void)
{
	unsigned int i;

	for (i = 0; i < CALLER_REQUESTS && done[i]; i++)
		;
	return i == CALLER_REQUESTS;
}

/* Some succeed once in a thousand calls, for which a slow machine takes longer. */
TEST_F(fuzz, random_calls_leave_a_device_that_works)
{
	pid_t pid[PROCESSES];
	int status, fd;

	while (!time_is_up(self->end) || !each_has_succeeded()) {
		for (int i = 0; i < PROCESSES; i++) {
			uint64_t seed = random_next(&self->random);

			pid[i] = fork();
			if (!pid[i])
				fuzz_and_end(seed);
			ASSERT_LT(0, pid[i]);
		}
		for (int i = 0; i < PROCESSES; i++) {
			ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
			ASSERT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL :
							  WEXITSTATUS(status) == 0)
			TH_LOG("wait status %#x", status);
		}
	}
	for (unsigned int i = 0; i < CALLER_REQUESTS; i++)
		fprintf(stderr, "# request %u: succeeded %u times\n", i, done[i]);
	fd = open_device();
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, records_left(fd));
	still_works(_metadata, fd);
	close(fd);
}

TEST_HARNESS_MAIN
