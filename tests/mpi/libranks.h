/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * One worker's cases in jobs of several sizes: RANKS_RUN() after the headers, and in each test
 * EXPECT_CASE().  Three ranks have all that two have, and one in the middle.
 */
#ifndef LIBRANKS_H
#define LIBRANKS_H

#include "kselftest_harness.h"
#include "libjob.h"

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

#endif /* LIBRANKS_H */
