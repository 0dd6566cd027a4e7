// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks that are more than the CPUs they may use know it, and have one share. */
#include <equant/balance.h>
#include <equant/trace.h>
#include <sched.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "libjob.h"

#define RANKS 3

FIXTURE(crowds)
{
	struct job job;
	char folder[64];
	char variable[128];
	struct equant_event *events[RANKS];
	size_t counts[RANKS];
};

FIXTURE_SETUP(crowds)
{
	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	snprintf(self->variable, sizeof(self->variable), "EQUANT_TRACE=%s", self->folder);
	self->job = (struct job){
		.ranks = RANKS,
		.program = "crowds_worker",
		.argv = { "together" },
		.environment = { self->variable },
	};
}

FIXTURE_TEARDOWN(crowds)
{
	for (int r = 0; r < RANKS; r++)
		free(self->events[r]);
	folder_remove(self->folder);
}

static void run(struct __test_metadata *_metadata, struct _test_data_crowds *self)
{
	struct equant_trace_header header;
	char path[160], why[256] = "";

	EXPECT_PASSED(&self->job);
	for (int r = 0; r < RANKS; r++) {
		snprintf(path, sizeof(path), "%s/crowd.%d.trace", self->folder, r);
		ASSERT_EQ(0, equant_trace_load(path, &header, &self->events[r], &self->counts[r],
					       why, sizeof(why)))
		{
			TH_LOG("%s", why);
		}
	}
}

/* The next decision of a rank's trace from @at on, or NULL. */
static const struct equant_event *next_decision(const struct _test_data_crowds *self, int rank,
						size_t *at)
{
	while (*at < self->counts[rank]) {
		const struct equant_event *e = &self->events[rank][(*at)++];

		if (e->type == EQUANT_EVENT_DECISION)
			return e;
	}
	return NULL;
}

/* Counts decisions, and those with another share for rank 0 than for rank @other. */
static int count_decisions(const struct _test_data_crowds *self, int other, int *differ)
{
	const struct equant_event *first, *second;
	size_t at[2] = { 0 };
	int n = 0;

	for (*differ = 0;; n++) {
		first = next_decision(self, 0, &at[0]);
		second = next_decision(self, other, &at[1]);
		if (!first || !second)
			return n;
		*differ += first->u.decision.share != second->u.decision.share;
	}
}

static void expect_one_share(struct __test_metadata *_metadata, struct _test_data_crowds *self,
			     int members)
{
	int differ, n;

	for (int r = 1; r < members; r++) {
		n = count_decisions(self, r, &differ);
		EXPECT_LT(1, n);
		EXPECT_EQ(0, differ);
	}
}

TEST_F(crowds, all_ranks_on_a_cpu_have_the_same_share)
{
	run(_metadata, self);
	expect_one_share(_metadata, self, RANKS);
}

TEST_F(crowds, it_is_the_same_if_rank_0_decides)
{
	self->job.environment[1] = "EQUANT_CONTROL=central";
	run(_metadata, self);
	expect_one_share(_metadata, self, RANKS);
}

TEST_F(crowds, it_is_the_same_if_samples_go_up_a_tree)
{
	self->job.environment[1] = "EQUANT_CONTROL=tree";
	run(_metadata, self);
	expect_one_share(_metadata, self, RANKS);
}

TEST_F(crowds, a_rank_with_more_cpus_is_none_of_them)
{
	int differ;

	self->job.argv[0] = "beside_one";
	run(_metadata, self);
	expect_one_share(_metadata, self, RANKS - 1);
	EXPECT_LT(1, count_decisions(self, RANKS - 1, &differ));
	EXPECT_LT(0, differ);
}

TEST_F(crowds, switched_off_each_has_its_own)
{
	int differ, n;

	self->job.environment[1] = "EQUANT_CROWDS=off";
	run(_metadata, self);
	n = count_decisions(self, 1, &differ);
	EXPECT_LT(1, n);
	EXPECT_LT(0, differ);
}

/* Samples of a rank that say that it has moved to other CPUs, and those after the first of them that do not. */
static int count_moved(const struct _test_data_crowds *self, int rank, int *back)
{
	int moved = 0;

	*back = 0;
	for (size_t i = 0; i < self->counts[rank]; i++) {
		const struct equant_event *e = &self->events[rank][i];

		if (e->type != EQUANT_EVENT_SAMPLE || e->u.sample.flags & EQUANT_SAMPLE_CLOSED)
			continue;
		if (e->u.sample.flags & EQUANT_SAMPLE_MOVED)
			moved++;
		else
			*back += moved > 0;
	}
	return moved;
}

TEST_F(crowds, a_rank_that_gets_other_cpus_says_so)
{
	int back, moved;
	cpu_set_t all;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	if (CPU_COUNT(&all) < 2)
		SKIP(return, "one CPU only");
	self->job.argv[0] = "parting";
	run(_metadata, self);
	for (int r = 0; r < RANKS; r++) {
		moved = count_moved(self, r, &back);
		EXPECT_EQ(r == RANKS - 1, moved > 0);
		EXPECT_EQ(0, back);
	}
}

TEST_HARNESS_MAIN
