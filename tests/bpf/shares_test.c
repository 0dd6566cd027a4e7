// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Shares and quantum, of the BPF probe and of the kernel module, against a raw trace of
 * sched_switch: a short form with wide bounds.  shares_worker measures all cases with
 * the strict ones.
 *
 * What was measured must agree with the trace whatever else the machine
 * does.  What was predicted is judged only while the CPU was left to the subject
 * and its competitors; a case that is disturbed each time is not judged.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libshares.h"
#include "libsource.h"
#include "libtable.h"

#define WINDOW_MS 400
#define MEASURED_BOUND 0.02 /* one slice more or less at either end */
#define PREDICTED_BOUND 0.05
#define QUANTUM_BOUND 0.25
#define QUIET 0.03 /* of the CPU for others */
#define TRIES 2

FIXTURE(shares)
{
	char why[256];
	struct finding finding;
	bool quiet;
};

FIXTURE_VARIANT(shares)
{
	const char *source;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(shares, bpf) {
	.source = "bpf",
};
FIXTURE_VARIANT_ADD(shares, kmod) {
	.source = "kmod",
};
/* clang-format on */

FIXTURE_SETUP(shares)
{
	const char *reason = sysconf(_SC_NPROCESSORS_ONLN) < 2 ? "needs two CPUs" : NULL;

	reason = reason ?: prepare_source(variant->source);
	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
}

FIXTURE_TEARDOWN(shares)
{
	dismiss_source(variant->source);
}

static const struct situation *situation_named(const char *name)
{
	for (size_t i = 0; i < nr_situations; i++)
		if (!strcmp(situations[i].name, name))
			return &situations[i];
	return NULL;
}

static int find(FIXTURE_DATA(shares) * self, const char *source, const char *name)
{
	const struct situation *situation = situation_named(name);
	int ret = -1;

	for (int i = 0; situation && i < TRIES && !self->quiet; i++) {
		ret = find_shares(situation, source, WINDOW_MS, &self->finding, self->why,
				  sizeof(self->why));
		if (ret)
			break;
		self->quiet = self->finding.other < QUIET && !self->finding.gaps;
	}
	return ret;
}

#define EXPECT_NEAR(value, goal, bound)                                                           \
	EXPECT_TRUE(fabs((value) - (goal)) <= (bound))                                            \
	{                                                                                         \
		TH_LOG("%s is %.4f, by the trace %.4f", #value, (double)(value), (double)(goal)); \
	}

#define JUDGE_MEASURED(name)                                                                      \
	do {                                                                                      \
		ASSERT_EQ(0, find(self, variant->source, name))                                   \
		{                                                                                 \
			TH_LOG("%s", self->why);                                                  \
		}                                                                                 \
		ASSERT_EQ(0, self->finding.lost);                                                 \
		if (!self->finding.gaps)                                                          \
			EXPECT_NEAR(self->finding.measured, self->finding.truth, MEASURED_BOUND); \
	} while (0)

#define JUDGE(name)                                                                           \
	do {                                                                                  \
		JUDGE_MEASURED(name);                                                         \
		if (self->quiet)                                                              \
			EXPECT_NEAR(self->finding.now, self->finding.truth, PREDICTED_BOUND); \
	} while (0)

TEST_F(shares, alone_a_task_has_the_whole_cpu)
{
	JUDGE("alone");
	if (self->quiet)
		EXPECT_GT(self->finding.measured, 0.9);
}

TEST_F(shares, a_competitor_of_the_same_session_takes_half)
{
	JUDGE("1 in the same session");
	/* A machine that stands still at the wake-up shows it too late: an emulated one does. */
	for (int i = 1; i < TRIES && self->finding.now_ms < 0; i++) {
		self->quiet = false;
		JUDGE("1 in the same session");
	}
	if (!self->quiet)
		SKIP(return, "the machine is too busy to judge the prediction");
	EXPECT_GT(self->finding.now_ms, -1);
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

/* One in the subject's group, one in another of weight 1/2 inside the same, one outside. */
TEST_F(shares, groups_inside_a_group_share_what_it_gets)
{
	const char *reason = why_no_groups(0);

	if (reason)
		SKIP(return, "%s", reason);
	JUDGE("nested cgroups");
	if (self->quiet)
		EXPECT_NEAR(self->finding.truth, 2.0 / 3 * 2 / 3 / 2, PREDICTED_BOUND);
}

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

/* A setting of the whole machine, so that only a guest's is changed. */
static const char *set_autogroup(const char *value)
{
	const char *reason = NULL;
	FILE *file;

	if (!getenv("GUEST_KERNEL"))
		return "changes the machine: done in guests";
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
	if (self->quiet)
		EXPECT_NEAR(self->finding.truth, 1.0 / 3, PREDICTED_BOUND);
}

TEST_HARNESS_MAIN
