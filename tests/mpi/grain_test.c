// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The split below the grain, from predicted shares to the report and the traces of a job. */
#include <equant/equant.h>
#include <equant/report.h>
#include <equant/trace.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libjob.h"
#include "libshares.h"

#define UNITS 300 /* of the worker's case "replayed", some milliseconds of work on a rank */
#define SECOND 1000000000

FIXTURE(grain)
{
	struct job job;
	char folder[64];
	char variables[3][128];
};

/* Half of a CPU beside a whole one, in turns of a second. */
FIXTURE_SETUP(grain)
{
	char path[160];

	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	for (int r = 0; r < 2; r++) {
		snprintf(path, sizeof(path), "%s/shares.%d.trace", self->folder, r);
		ASSERT_EQ(0, shares_write(path, r, 2, UNITS, r ? 1.0 : 0.5, SECOND, SECOND));
	}
	snprintf(self->variables[0], sizeof(self->variables[0]),
		 "EQUANT_PROBE=replay:%s/shares.%%r.trace", self->folder);
	snprintf(self->variables[1], sizeof(self->variables[1]), "EQUANT_TRACE=%s", self->folder);
	snprintf(self->variables[2], sizeof(self->variables[2]), "EQUANT_REPORT=%s", self->folder);
	self->job = (struct job){
		.ranks = 2,
		.program = "conserve_worker",
		.argv = { "replayed" },
		.environment = { "EQUANT_CHECK=on", "EQUANT_PERIOD=0.01", self->variables[0],
				 self->variables[1], self->variables[2] },
	};
}

FIXTURE_TEARDOWN(grain)
{
	folder_remove(self->folder);
}

static int is_lean(const struct equant_event *event)
{
	return event->type == EQUANT_EVENT_DECISION &&
	       event->u.decision.verdict == EQUANT_VERDICT_GRAIN;
}

/* How often a rank's trace has the verdict; -errno. */
static long verdicts(const struct _test_data_grain *self, int rank)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/replayed.%d.trace", self->folder, rank);
	return events_in(path, is_lean);
}

/*
 * Both ranks' account; to be freed.  How the units are split depends on speeds, which a
 * loaded machine changes: see tests/balance/grain_test.c.
 */
static struct equant_stats *stats_of(const struct _test_data_grain *self)
{
	struct equant_report_header header;
	struct equant_stats *stats;
	char path[160];

	snprintf(path, sizeof(path), "%s/replayed.0.equant", self->folder);
	return equant_report_load(path, &header, &stats, NULL, 0) ? NULL : stats;
}

static void expect_lean(struct __test_metadata *_metadata, struct _test_data_grain *self)
{
	struct equant_stats *stats;

	EXPECT_PASSED(&self->job);
	stats = stats_of(self);
	ASSERT_NE(NULL, stats);
	/* all phases but those before speeds are known, which follow the shares alone */
	EXPECT_GT(stats[0].uneven, stats[0].phases / 2);
	EXPECT_EQ(stats[0].uneven, stats[1].uneven);
	free(stats);
	EXPECT_LT(0, verdicts(self, 0));
	EXPECT_EQ(verdicts(self, 0), verdicts(self, 1));
}

TEST_F(grain, where_ranks_poll_work_is_not_split_by_shares_and_the_records_say_why)
{
	self->job.environment[5] = "EQUANT_POLLS=on";
	expect_lean(_metadata, self);
}

TEST_F(grain, waits_that_spin_poll)
{
	self->job.environment[5] = "EQUANT_WAIT=spin";
	expect_lean(_metadata, self);
}

TEST_F(grain, all_ranks_are_told_where_one_decides_for_all)
{
	self->job.environment[5] = "EQUANT_POLLS=on";
	self->job.environment[6] = "EQUANT_CONTROL=tree";
	expect_lean(_metadata, self);
}

TEST_F(grain, ranks_that_sleep_while_they_wait_split_by_their_shares)
{
	struct equant_stats *stats;

	self->job.environment[5] = "EQUANT_WAIT=block";
	EXPECT_PASSED(&self->job);
	stats = stats_of(self);
	ASSERT_NE(NULL, stats);
	EXPECT_EQ(0, stats[0].uneven);
	free(stats);
	EXPECT_EQ(0, verdicts(self, 0));
}

TEST_HARNESS_MAIN
