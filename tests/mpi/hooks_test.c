// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Hooks that have nothing to do, do nothing. */
#include <equant/equant.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(hooks)
{
	struct job job;
};

FIXTURE_VARIANT(hooks)
{
	int ranks;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(hooks, one) { .ranks = 1 };
FIXTURE_VARIANT_ADD(hooks, two) { .ranks = 2 };
FIXTURE_VARIANT_ADD(hooks, three) { .ranks = 3 };
/* clang-format on */

FIXTURE_SETUP(hooks)
{
	self->job = (struct job){ .ranks = variant->ranks, .program = "hooks_worker" };
}

FIXTURE_TEARDOWN(hooks)
{
}

TEST_F(hooks, balancing_switched_off_sends_and_moves_nothing)
{
	self->job.argv[0] = "balance_off_sends_nothing";
	EXPECT_PASSED(&self->job);
}

TEST_F(hooks, the_interception_sees_what_balancing_does)
{
	self->job.argv[0] = "balance_on_sends";
	EXPECT_PASSED(&self->job);
}

TEST_F(hooks, a_hook_that_is_not_due_calls_neither_mpi_nor_malloc)
{
	self->job.argv[0] = "idle_hooks_call_nothing";
	EXPECT_PASSED(&self->job);
}

TEST_F(hooks, a_hook_that_is_not_due_makes_no_system_call)
{
	self->job.argv[0] = "idle_hooks_make_no_system_call";
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
