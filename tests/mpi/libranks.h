/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * One worker's cases in jobs of several sizes: RANKS_RUN() after the headers, and in each test
 * EXPECT_CASE(), which runs it in a job of its own, or EXPECT_AMONG_ALL(): the first of these runs all
 * cases of the worker in one job, as starting one takes longer than most of them.  Three ranks have all that
 * two have, and one in the middle.
 */
#ifndef LIBRANKS_H
#define LIBRANKS_H

#include <sys/mman.h>

#include "kselftest_harness.h"
#include "libjob.h"

#define RANKS_MOST 8
#define RANKS_LIMIT 100 /* seconds for all cases */

FIXTURE(ranks)
{
	struct job job;
};

FIXTURE_VARIANT(ranks)
{
	int ranks;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(ranks, one) { .ranks = 1 };
FIXTURE_VARIANT_ADD(ranks, three) { .ranks = 3 };
FIXTURE_VARIANT_ADD(ranks, eight) { .ranks = 8 };
/* clang-format on */

/* The jobs of all cases, by the number of ranks; each test is a process, and all see the same. */
static struct job *ranks_jobs;

static void __attribute__((constructor)) ranks_share(void)
{
	ranks_jobs = mmap(NULL, (RANKS_MOST + 1) * sizeof(*ranks_jobs), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static inline struct job *ranks_job(const char *worker, int ranks)
{
	struct job *job = &ranks_jobs[ranks];

	if (ranks_jobs == MAP_FAILED)
		return NULL;
	if (job->ranks)
		return job;
	*job = (struct job){
		.ranks = ranks, .program = worker, .argv = { "all" }, .limit = RANKS_LIMIT
	};
	return job_run(job) ? NULL : job;
}

#define RANKS_RUN(worker)                                                                 \
	FIXTURE_SETUP(ranks)                                                              \
	{                                                                                 \
		self->job = (struct job){ .ranks = variant->ranks, .program = (worker) }; \
	}                                                                                 \
	FIXTURE_TEARDOWN(ranks)                                                           \
	{                                                                                 \
	}

#define EXPECT_CASE(name)                   \
	do {                                \
		self->job.argv[0] = (name); \
		EXPECT_PASSED(&self->job);  \
	} while (0)

#define EXPECT_AMONG_ALL(name)                                                               \
	do {                                                                                 \
		struct job *all_ = ranks_job(self->job.program, self->job.ranks);            \
		ASSERT_NE(NULL, all_);                                                       \
		EXPECT_EQ(NULL, job_case_fault(all_, (name)))                                \
		{                                                                            \
			TH_LOG("all cases, after %.1f s:\n%s", all_->seconds, all_->output); \
		}                                                                            \
	} while (0)

#endif /* LIBRANKS_H */
