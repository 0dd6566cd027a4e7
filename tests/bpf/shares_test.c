// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The probe's shares and quantum against a raw trace of sched_switch: a short
 * form with wide bounds.  shares_worker measures all cases with the strict ones.
 *
 * What the probe measured must agree with the trace whatever else the machine
 * does.  What it predicted is judged only while the CPU was left to the subject
 * and its competitors; a case that is disturbed each time is not judged.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libshares.h"
#include "libtable.h"

#define WINDOW_MS 400
#define MEASURED_BOUND 0.02 /* one slice more or less at either end */
#define PREDICTED_BOUND 0.05
#define QUANTUM_BOUND 0.25
#define QUIET 0.03 /* of the CPU for others */
#define TRIES 2

FIXTURE(shares)
{
	char output[2048];
	char why[256];
	struct finding finding;
	bool loaded;
	bool quiet;
};

FIXTURE_SETUP(shares)
{
	const char *reason = why_no_live_tests();

	if (!reason && sysconf(_SC_NPROCESSORS_ONLN) < 2)
		reason = "needs two CPUs";
	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	unload_on_abort();
	self->loaded = !probe_tool("load", self->output, sizeof(self->output));
	ASSERT_TRUE(self->loaded);
}

FIXTURE_TEARDOWN(shares)
{
	if (self->loaded)
		probe_tool("unload", self->output, sizeof(self->output));
}

static const struct situation *situation_named(const char *name)
{
	for (size_t i = 0; i < nr_situations; i++)
		if (!strcmp(situations[i].name, name))
			return &situations[i];
	return NULL;
}

static int find(FIXTURE_DATA(shares) * self, const char *name)
{
	const struct situation *situation = situation_named(name);
	int ret = -1;

	for (int i = 0; situation && i < TRIES && !self->quiet; i++) {
		ret = find_shares(situation, WINDOW_MS, &self->finding, self->why,
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

#define JUDGE(name)                                                                               \
	do {                                                                                      \
		ASSERT_EQ(0, find(self, name))                                                    \
		{                                                                                 \
			TH_LOG("%s", self->why);                                                  \
		}                                                                                 \
		ASSERT_EQ(0, self->finding.lost);                                                 \
		if (!self->finding.gaps)                                                          \
			EXPECT_NEAR(self->finding.measured, self->finding.truth, MEASURED_BOUND); \
		if (self->quiet)                                                                  \
			EXPECT_NEAR(self->finding.now, self->finding.truth, PREDICTED_BOUND);     \
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

TEST_HARNESS_MAIN
