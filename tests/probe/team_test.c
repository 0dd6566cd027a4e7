// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One thread reads what another one's probe counts, and gives it another source. */
#include <equant/probe.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libload.h"
#include "probe/probe_internal.h"

/* A thread that computes when told to. */
FIXTURE(team)
{
	pthread_t id;
	pthread_barrier_t step;
	pid_t tid;
	struct equant_probe *probe;
	uint64_t run_ns; /* its CPU clock, as it sees it */
	int end;
};

static uint64_t own_clock(void)
{
	return equant_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void *run(void *arg)
{
	struct _test_data_team *self = arg;

	self->tid = gettid();
	self->probe = equant_probe_open("schedstat", NULL, 0);
	pthread_barrier_wait(&self->step);
	for (;;) {
		uint64_t start;

		pthread_barrier_wait(&self->step);
		if (self->end)
			break;
		for (start = own_clock(); own_clock() - start < 20000000;)
			;
		self->run_ns = own_clock();
		pthread_barrier_wait(&self->step);
	}
	return NULL;
}

FIXTURE_SETUP(team)
{
	ASSERT_EQ(0, pthread_barrier_init(&self->step, NULL, 2));
	self->end = 0;
	ASSERT_EQ(0, pthread_create(&self->id, NULL, run, self));
	pthread_barrier_wait(&self->step);
	if (!self->probe)
		SKIP(return, "schedstat does not work here");
}

FIXTURE_TEARDOWN(team)
{
	if (!self->end) {
		self->end = 1;
		pthread_barrier_wait(&self->step);
		pthread_join(self->id, NULL);
	}
	equant_probe_close(self->probe);
	pthread_barrier_destroy(&self->step);
}

static void compute_there(struct _test_data_team *self)
{
	pthread_barrier_wait(&self->step);
	pthread_barrier_wait(&self->step);
}

TEST_F(team, another_thread_reads_the_run_time_of_the_one_that_opened_the_probe)
{
	struct equant_counters before, after;

	equant_probe_read(self->probe, &before);
	compute_there(self);
	equant_probe_read(self->probe, &after);
	EXPECT_LE(20000000, after.run_ns - before.run_ns);
	EXPECT_LE(self->run_ns, after.run_ns);
	EXPECT_LE(before.wait_ns, after.wait_ns);
}

TEST_F(team, a_source_opened_for_another_thread_counts_that_thread)
{
	struct equant_probe other = { .ops = &equant_probe_schedstat,
				      .features = equant_probe_schedstat.features,
				      .pid = getpid(),
				      .tid = self->tid };
	struct equant_counters before, after, own;
	char why[256] = "";

	ASSERT_EQ(0, equant_probe_schedstat.open(&other, NULL, why, sizeof(why)))
	{
		TH_LOG("%s", why);
	}
	equant_probe_read(&other, &before);
	compute_there(self);
	equant_probe_read(&other, &after);
	equant_probe_read(self->probe, &own);
	EXPECT_LE(20000000, after.run_ns - before.run_ns);
	EXPECT_LE(after.run_ns, own.run_ns);
	equant_probe_schedstat.close(&other, true);
}

/* Joined is not gone: a thread says so on its way out, and runs for some microseconds more. */
static void end(struct _test_data_team *self)
{
	self->end = 1;
	pthread_barrier_wait(&self->step);
	pthread_join(self->id, NULL);
	while (!tgkill(getpid(), self->tid, 0))
		sched_yield();
}

TEST_F(team, a_thread_that_has_ended_counts_no_more)
{
	struct equant_counters before, after;

	compute_there(self);
	equant_probe_read(self->probe, &before);
	end(self);
	equant_probe_read(self->probe, &after);
	EXPECT_LE(before.run_ns, after.run_ns);
	before = after;
	equant_probe_read(self->probe, &after);
	EXPECT_EQ(before.run_ns, after.run_ns);
	EXPECT_EQ(before.wait_ns, after.wait_ns);
}

TEST_F(team, a_source_that_follows_another_probe_s_goes_on_without_a_jump)
{
	struct equant_probe *leader = equant_probe_open("clock", NULL, 0);
	struct equant_counters before, after, later;
	uint64_t start, elapsed;

	ASSERT_NE(NULL, leader);
	compute_there(self);
	/* It may still be on its way to sleep, and may have to wait for a CPU on that. */
	start = equant_now_ns();
	equant_probe_read(self->probe, &before);
	equant_probe_follow(self->probe, leader);
	EXPECT_STREQ("clock", equant_probe_name(self->probe));
	equant_probe_read(self->probe, &after);
	elapsed = equant_now_ns() - start;
	EXPECT_LE(20000000, before.run_ns);
	EXPECT_LE(before.run_ns, after.run_ns);
	EXPECT_LE(after.run_ns - before.run_ns, elapsed);
	EXPECT_LE(before.wait_ns, after.wait_ns);
	EXPECT_LE(after.wait_ns - before.wait_ns, elapsed);
	/* Whoever counts wall time only knows of no more of it. */
	equant_probe_read(self->probe, &later);
	EXPECT_EQ(after.wait_ns, later.wait_ns);
	EXPECT_EQ(later.t_ns - after.t_ns, later.run_ns - after.run_ns);
	equant_probe_close(leader);
}

TEST_HARNESS_MAIN
