// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The estimate of the quantum from run time, wait and preemptions. */
#include "kselftest_harness.h"
#include "probe/slice.h"

#define MS 1000000ull

/* Windows of ten preemptions, each after @run and followed by @wait. */
static uint64_t feed(struct equant_slice *slice, int windows, uint64_t run, uint64_t wait)
{
	uint64_t quantum = equant_slice_update(slice, 0, 0, 0);

	for (uint64_t i = 1; i <= (uint64_t)windows; i++)
		quantum = equant_slice_update(slice, i * 10 * run, i * 10 * wait, i * 10);
	return quantum;
}

FIXTURE(slice)
{
	struct equant_slice slice;
};

FIXTURE_SETUP(slice)
{
	self->slice = (struct equant_slice){ .configured_ns = 8 * MS, .tick_ns = 4 * MS };
}

FIXTURE_TEARDOWN(slice)
{
}

TEST_F(slice, the_configured_one_holds_until_there_is_evidence)
{
	EXPECT_EQ(8 * MS, equant_slice_update(&self->slice, 100 * MS, 100 * MS, 1000));
	EXPECT_EQ(8 * MS, equant_slice_update(&self->slice, 104 * MS, 104 * MS, 1001));
}

TEST_F(slice, one_equal_competitor)
{
	EXPECT_EQ(4 * MS, feed(&self->slice, 3, 4 * MS, 4 * MS));
}

TEST_F(slice, three_equal_competitors)
{
	EXPECT_EQ(4 * MS, feed(&self->slice, 3, 4 * MS, 12 * MS));
}

TEST_F(slice, a_competitor_that_is_there_half_the_time)
{
	EXPECT_EQ(4 * MS, feed(&self->slice, 3, 12 * MS, 4 * MS));
}

TEST_F(slice, kernel_threads_are_no_evidence)
{
	EXPECT_EQ(8 * MS, feed(&self->slice, 20, 100 * MS, 20000));
}

TEST_F(slice, a_rank_that_yields_is_no_evidence)
{
	EXPECT_EQ(8 * MS, feed(&self->slice, 20, 10000, 8 * MS));
}

TEST_F(slice, a_change_is_followed_smoothly)
{
	uint64_t quantum;

	feed(&self->slice, 1, 4 * MS, 4 * MS);
	EXPECT_EQ(4 * MS, self->slice.quantum_ns);
	quantum = equant_slice_update(&self->slice, 40 * MS + 80 * MS, 40 * MS + 80 * MS, 20);
	EXPECT_EQ(5 * MS, quantum);
	for (uint64_t i = 2; i < 40; i++)
		quantum = equant_slice_update(&self->slice, (40 + 80 * i) * MS, (40 + 80 * i) * MS,
					      10 + 10 * i);
	EXPECT_LT(79 * MS / 10, quantum);
	EXPECT_GE(8 * MS, quantum);
}

TEST_F(slice, the_system_is_asked_at_the_start)
{
	struct equant_slice slice;

	equant_slice_init(&slice);
	EXPECT_LT(0, slice.tick_ns);
	EXPECT_GE(20 * MS, slice.tick_ns);
	EXPECT_EQ(0, slice.quantum_ns);
	EXPECT_GE(1000 * MS, slice.configured_ns);
}

TEST_HARNESS_MAIN
