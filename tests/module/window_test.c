// SPDX-License-Identifier: GPL-2.0-only
/* The module's arithmetic on a record's counters, on this machine. */
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t u64;
typedef uint32_t u32;

static bool overflowed;

/* As of x86, which stops the machine where this one tells. */
static u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	unsigned __int128 quotient = c ? (unsigned __int128)a * b / c : ~(unsigned __int128)0;

	overflowed |= quotient > UINT64_MAX;
	return (u64)quotient;
}

#include "../../kmod/window.h"

#include "kselftest_harness.h"
#include "random.h"

#define MSEC 1000000ull

FIXTURE(window)
{
	struct equant_window window;
	u32 share;
};

FIXTURE_SETUP(window)
{
	overflowed = false;
	equant_window_open(&self->window, 500 * MSEC, 300 * MSEC);
}

FIXTURE_TEARDOWN(window)
{
	EXPECT_FALSE(overflowed);
}

TEST_F(window, the_share_is_that_of_what_the_counters_grew_by)
{
	EXPECT_FALSE(
		equant_window_share(&self->window, 501 * MSEC, 302 * MSEC, 4 * MSEC, &self->share));
	ASSERT_TRUE(
		equant_window_share(&self->window, 501 * MSEC, 303 * MSEC, 4 * MSEC, &self->share));
	EXPECT_EQ(EQUANT_SHARE_ONE / 4, self->share);
}

TEST_F(window, a_counter_that_is_behind_where_the_window_began_has_not_grown)
{
	/* A task with short quanta that has just waited for one. */
	ASSERT_TRUE(equant_window_share(&self->window, 500 * MSEC - 5, 300 * MSEC + 1000, 900,
					&self->share));
	EXPECT_EQ(0, self->share);
	ASSERT_TRUE(equant_window_share(&self->window, 500 * MSEC + 1000, 300 * MSEC - 5, 900,
					&self->share));
	EXPECT_EQ(EQUANT_SHARE_ONE, self->share);
	EXPECT_FALSE(equant_window_share(&self->window, 500 * MSEC - 5, 300 * MSEC - 5, 1,
					 &self->share));
}

TEST_F(window, nothing_is_no_share)
{
	EXPECT_FALSE(equant_window_share(&self->window, 500 * MSEC, 300 * MSEC, 0, &self->share));
}

TEST_F(window, a_task_that_was_alone_for_years_has_all)
{
	ASSERT_TRUE(
		equant_window_share(&self->window, UINT64_MAX / 2, 300 * MSEC, MSEC, &self->share));
	EXPECT_EQ(EQUANT_SHARE_ONE, self->share);
}

TEST_F(window, any_counters_give_a_share_or_none)
{
	struct random random = random_seeded();

	for (int i = 0; i < 100000; i++) {
		u64 run = random_next(&random) >> random_below(&random, 64);
		u64 wait = random_next(&random) >> random_below(&random, 64);

		equant_window_open(&self->window, run / 2 + random_next(&random) % 4000,
				   wait / 2 + random_next(&random) % 4000);
		if (equant_window_share(&self->window, run / 2, wait / 2,
					random_next(&random) % 3000, &self->share))
			ASSERT_GE(EQUANT_SHARE_ONE, self->share);
	}
}

TEST_HARNESS_MAIN
