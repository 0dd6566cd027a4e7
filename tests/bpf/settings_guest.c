// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Shares under settings of the whole machine, which only a guest's may be. */

/* When two groups begin to compete CFS takes about 30 ms from the one that was there. */
#define WINDOW_MS 3000
#include "shares.h"

/* clang-format off */
FIXTURE_VARIANT_ADD(shares, bpf) {
	.source = "bpf",
};
FIXTURE_VARIANT_ADD(shares, kmod) {
	.source = "kmod",
};
/* clang-format on */

/* 8 ms in 20 ms; the rest is what the trace does not give it. */
TEST_F(shares, time_that_a_limit_takes_is_waiting_and_forbids_prediction)
{
	const char *reason = why_no_groups(1);

	if (reason)
		SKIP(return, "%s", reason);
	JUDGE_MEASURED("a cgroup with a limit");
	EXPECT_NEAR(self->finding.truth, 0.4, 0.1);
	EXPECT_NE(0, self->finding.flags & EQUANT_F_CPU_MAX);
	EXPECT_NE(0, self->finding.flags & EQUANT_F_NO_PREDICTION);
}

static const char *set_autogroup(const char *value)
{
	const char *reason = NULL;
	FILE *file;

	file = fopen("/proc/sys/kernel/sched_autogroup_enabled", "w");
	if (!file || fputs(value, file) < 0)
		reason = "the kernel has no groups for sessions";
	if (file && fclose(file))
		reason = "groups for sessions cannot be set";
	return reason;
}

TEST_F(shares, a_session_is_a_group_while_the_kernel_makes_it_one)
{
	const char *reason = set_autogroup("1");

	if (reason)
		SKIP(return, "%s", reason);
	JUDGE("2 in another session");
	if (!strcmp(variant->source, "kmod"))
		EXPECT_NE(0, self->finding.flags & EQUANT_F_UNSETTLED);
	if (self->quiet)
		EXPECT_NEAR(self->finding.truth, 0.5, PREDICTED_BOUND);
}

TEST_F(shares, a_session_is_no_group_while_the_kernel_makes_none)
{
	const char *reason = set_autogroup("0");

	if (reason)
		SKIP(return, "%s", reason);
	JUDGE("2 in another session");
	set_autogroup("1");
	EXPECT_EQ(0, self->finding.flags & EQUANT_F_UNSETTLED);
	if (self->quiet)
		EXPECT_NEAR(self->finding.truth, 1.0 / 3, PREDICTED_BOUND);
}

TEST_HARNESS_MAIN
