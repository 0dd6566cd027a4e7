// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks of several threads: contexts do not disturb each other, and a team's times add up. */
#include <equant/equant.h>
#include <equant/probe.h>
#include <equant/trace.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(threads)
{
	struct job job;
	char folder[64];
	char variables[6][128];
};

FIXTURE_SETUP(threads)
{
	char worker[512];

	build_path(worker, sizeof(worker), "tests/mpi/threads_worker");
	if (access(worker, X_OK))
		SKIP(return, "the compiler has no OpenMP");
	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	self->job = (struct job){ .ranks = 2, .program = "threads_worker" };
	for (int i = 0; i < 6; i++)
		self->job.environment[i] = self->variables[i];
	snprintf(self->variables[0], sizeof(self->variables[0]), "OMP_WAIT_POLICY=passive");
	for (int i = 1; i < 6; i++)
		snprintf(self->variables[i], sizeof(self->variables[i]), "UNUSED%d=", i);
}

FIXTURE_TEARDOWN(threads)
{
	folder_remove(self->folder);
}

/* The traces of loop number @index are those of one thread's loop, complete on every rank. */
static void check_traces(struct __test_metadata *_metadata, struct _test_data_threads *self,
			 int index, int64_t *units)
{
	for (int r = 0; r < self->job.ranks; r++) {
		struct equant_trace_header header;
		struct equant_event *events;
		char path[128], number[16] = "", why[256] = "";
		size_t count;

		if (index)
			snprintf(number, sizeof(number), "-%d", index);
		snprintf(path, sizeof(path), "%s/same%s.%d.trace", self->folder, number, r);
		ASSERT_EQ(0, equant_trace_load(path, &header, &events, &count, why, sizeof(why)))
		{
			TH_LOG("%s", why);
		}
		EXPECT_EQ(r, header.rank);
		if (r)
			EXPECT_EQ(*units, header.units);
		*units = header.units;
		free(events);
	}
}

TEST_F(threads, contexts_of_threads_are_balanced_at_once_and_keep_their_traces_apart)
{
	for (int threads = 2; threads <= 4; threads++) {
		int64_t sum = 0, units = 0;

		self->job.ranks = threads == 2 ? 3 : 2;
		snprintf(self->variables[1], sizeof(self->variables[1]), "THREADS=%d", threads);
		snprintf(self->variables[2], sizeof(self->variables[2]), "EQUANT_TRACE=%s",
			 self->folder);
		snprintf(self->variables[3], sizeof(self->variables[3]), "EQUANT_REPORT=%s",
			 self->folder);
		self->job.argv[0] = "contexts_at_once";
		EXPECT_PASSED(&self->job);
		for (int i = 0; i < threads; i++) {
			check_traces(_metadata, self, i, &units);
			sum += units;
		}
		EXPECT_EQ(100 * threads + 5 * threads * (threads - 1), sum);
		folder_remove(self->folder);
		ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	}
}

/* A thread that runs and waits by these parts of the time, the rest asleep. */
static int write_record(const char *path, double run, double wait)
{
	struct equant_trace_header header = { .ranks = 1, .units = 1 };
	struct equant_trace_writer *writer = equant_trace_create(path, &header, NULL, 0);
	struct timespec now;
	uint64_t t0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	t0 = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (!writer)
		return -errno;
	for (uint64_t ns = 0; ns <= 10000000000u; ns += 2000000000u) {
		struct equant_event *event = equant_trace_event(writer);

		*event = (struct equant_event){
			.t_ns = t0 + ns,
			.type = EQUANT_EVENT_STATUS,
			.u.status = { .run_ns = (uint64_t)((double)ns * run),
				      .wait_ns = (uint64_t)((double)ns * wait),
				      .quantum_ns = 4000000,
				      .share = 1,
				      .settled = 1,
				      .features = EQUANT_PROBE_RUN | EQUANT_PROBE_WAIT },
		};
	}
	return equant_trace_close(writer);
}

/* By rank and thread: run, wait. */
static const double records[2][2][2] = { { { 1, 0 }, { 0.5, 0.5 } }, { { 0, 0 }, { 0.4, 0.6 } } };

TEST_F(threads, the_share_of_a_team_is_that_of_its_threads_weighted_by_what_they_want)
{
	char path[128];

	for (int r = 0; r < 2; r++)
		for (int t = 0; t < 2; t++) {
			snprintf(path, sizeof(path), "%s/r%d.t%d", self->folder, r, t);
			ASSERT_EQ(0, write_record(path, records[r][t][0], records[r][t][1]));
		}
	snprintf(self->variables[1], sizeof(self->variables[1]), "EQUANT_PROBE=replay:%s/r%%r.t%%t",
		 self->folder);
	snprintf(self->variables[2], sizeof(self->variables[2]), "SHARE0=0.75");
	snprintf(self->variables[3], sizeof(self->variables[3]), "SHARE1=0.4");
	self->job.argv[0] = "team_of_records";
	EXPECT_PASSED(&self->job);
}

TEST_F(threads, a_member_whose_probe_cannot_be_opened_is_told_and_the_rest_goes_on)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/t0", self->folder);
	ASSERT_EQ(0, write_record(path, 1, 0));
	snprintf(self->variables[1], sizeof(self->variables[1]), "EQUANT_PROBE=replay:%s/t%%t",
		 self->folder);
	self->job.argv[0] = "no_record_for_a_member";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_team_join: probe replay:");
}

TEST_F(threads, work_is_conserved_while_threads_of_a_rank_join_and_leave)
{
	self->job.argv[0] = "team_conserves";
	EXPECT_PASSED(&self->job);
	snprintf(self->variables[1], sizeof(self->variables[1]), "EQUANT_PROBE=clock");
	EXPECT_PASSED(&self->job);
}

TEST_F(threads, what_other_threads_compute_counts_if_they_have_joined)
{
	self->job.argv[0] = "work_of_members_counts";
	EXPECT_PASSED(&self->job);
}

TEST_F(threads, joining_twice_or_leaving_without_having_joined_is_an_error)
{
	self->job.argv[0] = "misuse";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "has joined already");
	EXPECT_SAID(&self->job, "has not joined");
}

TEST_HARNESS_MAIN
