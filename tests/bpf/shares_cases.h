/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The cases that any machine allows, of every source that shares.h has as a variant. */
#include "shares.h"

TEST_F(shares, alone_a_task_has_the_whole_cpu)
{
	JUDGE("alone");
	if (self->quiet)
		EXPECT_GT(self->finding.measured, 0.9);
}

TEST_F(shares, a_competitor_of_the_same_session_takes_half)
{
	JUDGE("1 in the same session");
	if (self->quiet)
		EXPECT_GT(self->finding.now_ms, -1);
	if (self->finding.ticks <= STOOD)
		return;
	EXPECT_GT(self->finding.slices, 5);
	EXPECT_NEAR(self->finding.quantum_us / self->finding.trace_quantum_us, 1, QUANTUM_BOUND);
}

TEST_F(shares, three_competitors_leave_a_quarter)
{
	JUDGE("3 in the same session");
}

TEST_F(shares, two_competitors_of_another_session_count_as_one_group)
{
	JUDGE("2 in another session");
}

TEST_F(shares, a_nice_competitor_hardly_counts)
{
	JUDGE("1 of nice 19");
}

TEST_F(shares, a_change_of_nice_is_followed)
{
	JUDGE("1 reniced from 0 to 10");
}

/*
 * One in the subject's group, one in another of weight 1/2 inside the same, one in a group of
 * weight 1/2 beside that; others' tasks hardly count beside the two.
 */
TEST_F(shares, groups_inside_a_group_share_what_it_gets)
{
	const char *reason = why_no_groups(0);

	if (reason)
		SKIP(return, "%s", reason);
	JUDGE("nested cgroups");
	if (self->quiet)
		EXPECT_NEAR(self->finding.truth, 2.0 / 3 * 2 / 3 / 2, PREDICTED_BOUND);
}
