// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Whoever decides, and however deep the pipeline: the same promises hold. */
#include <equant/equant.h>
#include <equant/report.h>
#include <equant/trace.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libjob.h"
#include "libshares.h"

FIXTURE(control)
{
	struct job job;
	char depth[32];
};

FIXTURE_VARIANT(control)
{
	const char *name;
	const char *variable;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(control, exchange) {
	.name = "exchange", .variable = "EQUANT_CONTROL=exchange" };
FIXTURE_VARIANT_ADD(control, tree) { .name = "tree", .variable = "EQUANT_CONTROL=tree" };
FIXTURE_VARIANT_ADD(control, central) { .name = "central", .variable = "EQUANT_CONTROL=central" };
/* clang-format on */

FIXTURE_SETUP(control)
{
	self->job = (struct job){
		.ranks = 5,
		.program = "conserve_worker",
		.environment = { variant->variable, self->depth },
	};
	snprintf(self->depth, sizeof(self->depth), "EQUANT_DEPTH=1");
}

FIXTURE_TEARDOWN(control)
{
}

TEST_F(control, every_unit_is_computed_once_a_step_at_any_depth)
{
	self->job.environment[1] = NULL; /* the worker sets it */
	self->job.argv[0] = "depths";
	EXPECT_PASSED(&self->job);
}

TEST_F(control, the_same_holds_without_checks)
{
	snprintf(self->depth, sizeof(self->depth), "EQUANT_DEPTH=4");
	self->job.argv[0] = "unchecked";
	EXPECT_PASSED(&self->job);
}

/* Half a CPU beside a whole one, by replayed shares: a third of the work at any depth. */
TEST_F(control, work_ends_up_in_proportion_to_rates_at_any_depth)
{
	static const int depths[] = { 1, 4 };
	char folder[64], path[160], probe[128];
	const char *at;
	long held;

	ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
	for (int r = 0; r < 2; r++) {
		snprintf(path, sizeof(path), "%s/shares.%d.trace", folder, r);
		ASSERT_EQ(0, shares_write(path, r, 2, 300, r ? 1.0 : 0.5, SHARES_QUANTUM,
					  SHARES_QUANTUM));
	}
	snprintf(probe, sizeof(probe), "EQUANT_PROBE=replay:%s/shares.%%r.trace", folder);
	self->job.ranks = 2;
	self->job.argv[0] = "replayed";
	self->job.environment[2] = probe;
	self->job.environment[3] = "EQUANT_CHECK=on";
	self->job.environment[4] = "EQUANT_PERIOD=0.01";
	for (int i = 0; i < 2; i++) {
		snprintf(self->depth, sizeof(self->depth), "EQUANT_DEPTH=%d", depths[i]);
		EXPECT_PASSED(&self->job);
		at = strstr(self->job.output, "rank 0 holds ");
		ASSERT_NE(NULL, at);
		held = strtol(at + strlen("rank 0 holds "), NULL, 10);
		EXPECT_LT(100 - 15, held);
		EXPECT_GT(100 + 15, held);
	}
	folder_remove(folder);
}

static int is_sample(const struct equant_event *event)
{
	return event->type == EQUANT_EVENT_SAMPLE;
}

/* How many samples a rank of the case "replayed" has sent; -errno. */
static long samples_of(const char *folder, int rank)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/replayed.%d.trace", folder, rank);
	return events_in(path, is_sample);
}

static long phases_of(const char *folder)
{
	struct equant_report_header header;
	struct equant_stats *stats;
	char path[160];
	long phases;

	snprintf(path, sizeof(path), "%s/replayed.0.equant", folder);
	if (equant_report_load(path, &header, &stats, NULL, 0))
		return 0;
	phases = stats[0].phases;
	free(stats);
	return phases;
}

/* Of how many phases no sample was sent; the last one is that of the end. */
static long lost(struct __test_metadata *_metadata, struct job *job, const char *prompt)
{
	char folder[64], path[160], variables[3][128];
	long samples;

	ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
	for (int r = 0; r < 2; r++) {
		snprintf(path, sizeof(path), "%s/shares.%d.trace", folder, r);
		ASSERT_EQ(0, shares_write(path, r, 2, 300, r ? 1.0 : 0.5, 1000000000, 1000));
	}
	snprintf(variables[0], sizeof(variables[0]), "EQUANT_PROBE=replay:%s/shares.%%r.trace",
		 folder);
	snprintf(variables[1], sizeof(variables[1]), "EQUANT_TRACE=%s", folder);
	snprintf(variables[2], sizeof(variables[2]), "EQUANT_REPORT=%s", folder);
	for (int i = 0; i < 3; i++)
		job->environment[2 + i] = variables[i];
	job->environment[5] = prompt;
	EXPECT_PASSED(job);
	samples = samples_of(folder, 0);
	EXPECT_EQ(samples, samples_of(folder, 1));
	samples = phases_of(folder) + 1 - samples;
	/* And it can be repeated all the same. */
	snprintf(variables[1], sizeof(variables[1]), "EQUANT_REPLAY=%s", folder);
	EXPECT_PASSED(job);
	folder_remove(folder);
	return samples;
}

/*
 * With turns of 1 us, phases of some milliseconds are long enough to wait in them, with
 * turns of a second they are not.  The sample of the phase in which waiting begins is lost.
 */
TEST_F(control, waiting_for_decisions_begins_and_ends_on_all_ranks_at_once)
{
	self->job.ranks = 2;
	self->job.argv[0] = "replayed";
	self->job.environment[6] = "EQUANT_CHECK=on";
	self->job.environment[7] = "EQUANT_PERIOD=0.001";
	EXPECT_LT(0, lost(_metadata, &self->job, "EQUANT_PROMPT=on"));
	EXPECT_EQ(0, lost(_metadata, &self->job, "EQUANT_PROMPT=off"));
}

/* Orders may be on their way for units that have become inactive meanwhile. */
TEST_F(control, loops_of_varying_bounds_and_blocks_in_order_lose_no_unit)
{
	static const char *const cases[] = { "moving_window", "in_order" };

	self->job.program = "varying_worker";
	snprintf(self->depth, sizeof(self->depth), "EQUANT_DEPTH=3");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		self->job.argv[0] = cases[i];
		EXPECT_PASSED(&self->job);
	}
}

TEST_F(control, a_hook_that_is_not_due_calls_neither_mpi_nor_malloc)
{
	self->job.program = "hooks_worker";
	self->job.ranks = 3;
	self->job.argv[0] = "idle_hooks_call_nothing";
	EXPECT_PASSED(&self->job);
}

TEST_F(control, a_rank_that_fails_ends_the_loop_on_all_however_deep_the_pipeline)
{
	static const char *const cases[] = { "one_begins_twice", "one_cannot_unpack" };
	static const char *const odd[] = { "ODD_RANK=0", "ODD_RANK=1" };

	self->job.program = "faults_worker";
	self->job.ranks = 4;
	self->job.environment[2] = "DEPTH=4";
	self->job.environment[3] = "UNCHECKED=1";
	snprintf(self->depth, sizeof(self->depth), "EQUANT_DEPTH=4");
	for (int i = 0; i < 2; i++) {
		self->job.argv[0] = cases[i];
		self->job.environment[4] = odd[i];
		EXPECT_PASSED(&self->job);
		EXPECT_SAID(&self->job, i ? "rank 1 has failed" : "rank 0 has failed");
	}
}

TEST_F(control, a_rank_that_leaves_is_named_in_checked_mode)
{
	self->job.program = "faults_worker";
	self->job.ranks = 3;
	snprintf(self->depth, sizeof(self->depth), "EQUANT_DEPTH=3");
	self->job.argv[0] = "one_frees_early";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has closed it");
	self->job.argv[0] = "one_hooks_once_more";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "more or less often on rank 1");
}

/* exchange: ceil(log2 P); tree: twice that; central: 2 (P - 1). */
TEST_F(control, the_longest_chain_of_messages_is_as_documented_for_up_to_16_ranks)
{
	self->job.program = "control_worker";
	self->job.ranks = 16;
	self->job.limit = 60;
	self->job.argv[0] = variant->name;
	self->job.environment[0] = NULL; /* the worker sets both */
	EXPECT_PASSED(&self->job);
}

TEST_F(control, a_wait_for_a_slower_rank_makes_phases_no_rarer)
{
	self->job.program = "control_worker";
	self->job.ranks = 2;
	self->job.argv[0] = "lateness";
	self->job.environment[1] = NULL; /* any depth would do */
	EXPECT_PASSED(&self->job);
}

TEST(blocks_keep_their_order_where_the_user_wants_restricted_movement)
{
	struct job job = { .ranks = 4, .program = "control_worker", .argv = { "movement" } };

	EXPECT_PASSED(&job);
	EXPECT_SAID(&job, "units in turn are no blocks, but EQUANT_MOVEMENT=restricted");
	EXPECT_SAID(&job, "units keep their order: EQUANT_MOVEMENT=restricted");
	EXPECT_SAID(&job, "passes have no order, but EQUANT_MOVEMENT=restricted");
}

TEST_HARNESS_MAIN
