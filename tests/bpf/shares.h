/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Shares and quantum, of the BPF probe or of the kernel module, against a raw trace of
 * sched_switch: a short form with wide bounds.  shares_worker measures all cases with
 * the strict ones.
 *
 * What was measured must agree with the trace whatever else the machine does, and the quantum
 * unless it stands still.  What was predicted is judged only while the CPU was left to the
 * subject and its competitors, for which a case waits.
 *
 * Included by the programs that add the sources as variants.
 */
#ifndef SHARES_H
#define SHARES_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libshares.h"
#include "libsource.h"
#include "libtable.h"

#ifndef WINDOW_MS
#define WINDOW_MS 400
#endif
#define MEASURED_BOUND 0.02 /* one slice more or less at either end */
#define PREDICTED_BOUND 0.05
#define QUANTUM_BOUND 0.25
#define QUIET 0.03 /* of the CPU for others */
#define TICKS (1 - PREDICTED_BOUND) /* at least: who stood still meanwhile had what the CPU lost */
#define STOOD 0.9 /* of its ticks: a CPU that had less stood still */
#define PATIENCE_S 12

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

FIXTURE_SETUP(shares)
{
	const char *reason = sysconf(_SC_NPROCESSORS_ONLN) < 2 ? "needs two CPUs" : NULL;

	reason = reason ?: prepare_source(variant->source);
	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
}

FIXTURE_TEARDOWN(shares)
{
}

__attribute__((constructor)) static void use_one_probe(void)
{
	share_probe();
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
	uint64_t end = now_ns() + PATIENCE_S * 1000000000ull;
	int ret;

	if (!situation)
		return -ENOENT;
	do {
		ret = find_shares(situation, source, WINDOW_MS, &self->finding, self->why,
				  sizeof(self->why));
		self->quiet = !ret && self->finding.other < QUIET && !self->finding.gaps &&
			      self->finding.ticks > TICKS;
	} while (!ret && !self->quiet && now_ns() < end);
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

#endif /* SHARES_H */
