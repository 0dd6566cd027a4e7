// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Traces and reports add up; a trace that is replayed decides again what it decided. */
#include <equant/equant.h>
#include <equant/report.h>
#include <equant/trace.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libjob.h"
#include "libshares.h"

#define RANKS 3
#define UNITS 300 /* of the worker's case "plain" */
#define STEPS 40

FIXTURE(records)
{
	struct job job;
	char folder[64];
	char variables[2][128];
};

FIXTURE_SETUP(records)
{
	ASSERT_EQ(0, folder_make(self->folder, sizeof(self->folder)));
	self->job = (struct job){
		.ranks = RANKS,
		.program = "conserve_worker",
		.argv = { "plain" },
		.environment = { "EQUANT_PROBE=clock", "EQUANT_PERIOD=0.01", "EQUANT_PROFIT=0",
				 self->variables[0], self->variables[1] },
	};
	snprintf(self->variables[0], sizeof(self->variables[0]), "EQUANT_TRACE=%s", self->folder);
	snprintf(self->variables[1], sizeof(self->variables[1]), "EQUANT_REPORT=%s", self->folder);
}

FIXTURE_TEARDOWN(records)
{
	folder_remove(self->folder);
}

static const char *file(struct _test_data_records *self, const char *name)
{
	static char path[160];

	snprintf(path, sizeof(path), "%s/%s", self->folder, name);
	return path;
}

TEST_F(records, the_report_accounts_for_every_unit_of_every_step)
{
	struct equant_report_header header;
	struct equant_stats *stats;
	long computed = 0, units = 0, sent = 0, received = 0, moves = 0;
	char why[256] = "";

	EXPECT_PASSED(&self->job);
	ASSERT_EQ(0, equant_report_load(file(self, "plain.0.equant"), &header, &stats, why,
					sizeof(why)))
	{
		TH_LOG("%s", why);
	}
	EXPECT_EQ(RANKS, header.ranks);
	EXPECT_EQ(UNITS, header.units);
	EXPECT_EQ(1, header.balanced);
	EXPECT_EQ(0, header.error);
	EXPECT_STREQ("plain", header.loop);
	for (int r = 0; r < RANKS; r++) {
		EXPECT_EQ(r, stats[r].rank);
		EXPECT_EQ(STEPS, stats[r].hooks);
		EXPECT_EQ(stats[0].phases, stats[r].phases);
		EXPECT_STREQ("clock", stats[r].probe);
		EXPECT_LT(0, stats[r].wall);
		EXPECT_LE(stats[r].wall + stats[r].waiting + stats[r].balancing + stats[r].moving,
			  stats[r].elapsed * 1.001);
		computed += stats[r].computed;
		units += stats[r].units;
		sent += stats[r].sent;
		received += stats[r].received;
		moves += stats[r].moves;
	}
	EXPECT_EQ(UNITS * STEPS, computed);
	EXPECT_EQ(UNITS, units);
	EXPECT_EQ(sent, received);
	EXPECT_LT(0, moves);
	free(stats);
}

TEST_F(records, a_second_report_does_not_overwrite_the_first)
{
	struct equant_report_header header;
	struct equant_stats *stats;

	self->job.ranks = 1;
	self->job.argv[0] = "still";
	EXPECT_PASSED(&self->job);
	EXPECT_PASSED(&self->job);
	for (int i = 0; i < 2; i++) {
		const char *path = file(self, i ? "still.1.equant" : "still.0.equant");

		EXPECT_EQ(0, equant_report_load(path, &header, &stats, NULL, 0));
		free(stats);
	}
	EXPECT_EQ(-ENOENT,
		  equant_report_load(file(self, "still.2.equant"), &header, &stats, NULL, 0));
}

/* What one rank's trace says. */
struct tally {
	int samples, decisions, moves;
	double units, run;
	long moved;
	int64_t held;
};

static int tally_file(const char *path, struct tally *tally, char *why, size_t why_size)
{
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
	int error = equant_trace_load(path, &header, &events, &count, why, why_size);

	*tally = (struct tally){ 0 };
	if (error)
		return error;
	for (size_t i = 0; i < count; i++) {
		const struct equant_event *e = &events[i];

		if (e->type == EQUANT_EVENT_SAMPLE) {
			tally->samples += !(e->u.sample.flags & EQUANT_SAMPLE_CLOSED);
			tally->units += e->u.sample.units;
			tally->run += e->u.sample.run;
		} else if (e->type == EQUANT_EVENT_DECISION) {
			tally->decisions++;
			tally->held = e->u.decision.units;
		} else if (e->type == EQUANT_EVENT_MOVE) {
			tally->moves++;
			tally->moved += (long)e->u.move.units;
		}
	}
	free(events);
	return header.units == UNITS && header.ranks == RANKS ? 0 : -EBADMSG;
}

static void expect_traces_agree(struct __test_metadata *_metadata, struct _test_data_records *self)
{
	struct equant_report_header header;
	struct equant_stats *stats;
	char why[256] = "", name[32];
	struct tally tally;
	int64_t held = 0;

	EXPECT_PASSED(&self->job);
	ASSERT_EQ(0, equant_report_load(file(self, "plain.0.equant"), &header, &stats, NULL, 0));
	for (int r = 0; r < RANKS; r++) {
		snprintf(name, sizeof(name), "plain.%d.trace", r);
		ASSERT_EQ(0, tally_file(file(self, name), &tally, why, sizeof(why)))
		{
			TH_LOG("%s", why);
		}
		EXPECT_EQ(stats[r].phases, tally.samples);
		EXPECT_EQ(stats[r].phases - 1, tally.decisions);
		EXPECT_EQ(stats[r].moves, tally.moves);
		EXPECT_EQ(stats[r].sent + stats[r].received, tally.moved);
		EXPECT_EQ(stats[r].computed, lround(tally.units));
		EXPECT_GT(1e-6, fabs(stats[r].run - tally.run));
		EXPECT_EQ(stats[r].units, tally.held);
		held += tally.held;
	}
	EXPECT_EQ(UNITS, held);
	free(stats);
}

TEST_F(records, the_traces_agree_with_the_report)
{
	expect_traces_agree(_metadata, self);
}

TEST_F(records, they_agree_where_rank_0_decides_for_all)
{
	self->job.environment[5] = "EQUANT_CONTROL=tree";
	expect_traces_agree(_metadata, self);
}

/* ---- who owned how much ------------------------------------------------------------ */

/**
 * struct owned - what a rank's trace says it owned
 * @first: at the start
 * @last: when it had moved units for the last time
 * @gained: by moves
 */
struct owned {
	int64_t first, last, gained;
};

static int read_owned(const char *path, int rank, struct owned *owned)
{
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count;
	int error = equant_trace_load(path, &header, &events, &count, NULL, 0);

	*owned = (struct owned){ .first = -1 };
	for (size_t i = 0; i < count && !error; i++) {
		const struct equant_event *e = &events[i];

		if (e->type == EQUANT_EVENT_MOVE)
			owned->gained += e->u.move.to == rank ? e->u.move.units : -e->u.move.units;
		if (e->type != EQUANT_EVENT_UNITS)
			continue;
		owned->first = owned->first < 0 ? e->u.units.owned : owned->first;
		owned->last = e->u.units.owned;
	}
	if (!error)
		free(events);
	return error;
}

/* What a rank began with and what it has moved since make what it ends with. */
static void expect_owned(struct __test_metadata *_metadata, struct _test_data_records *self,
			 const char *loop, struct owned *owned)
{
	struct equant_report_header header;
	struct equant_stats *stats;
	char name[32];

	EXPECT_PASSED(&self->job);
	snprintf(name, sizeof(name), "%s.0.equant", loop);
	ASSERT_EQ(0, equant_report_load(file(self, name), &header, &stats, NULL, 0));
	for (int r = 0; r < RANKS; r++) {
		snprintf(name, sizeof(name), "%s.%d.trace", loop, r);
		EXPECT_EQ(0, read_owned(file(self, name), r, &owned[r]));
		EXPECT_EQ(stats[r].units, owned[r].last);
		EXPECT_EQ(owned[r].last, owned[r].first + owned[r].gained);
	}
	free(stats);
}

TEST_F(records, an_asynchronous_loops_traces_tell_what_each_rank_owned)
{
	struct owned owned[RANKS];

	self->job.program = "replay_worker";
	self->job.argv[0] = "passes";
	self->job.environment[5] = "EQUANT_MODE=asynchronous";
	self->job.environment[6] = "MUST_MOVE=1";
	expect_owned(_metadata, self, "one", owned);
	EXPECT_EQ(67, owned[0].first);
	EXPECT_EQ(66, owned[2].first);
}

/* The planner takes the last rank for the fastest. */
TEST_F(records, the_traces_begin_with_what_a_plan_gave_each_rank)
{
	struct owned owned[RANKS];

	self->job.program = "planned_worker";
	self->job.argv[0] = "balancing_goes_on_from_there";
	expect_owned(_metadata, self, "planned", owned);
	EXPECT_EQ(240, owned[0].first + owned[1].first + owned[2].first);
	EXPECT_LT(owned[0].first, 60);
	EXPECT_GT(owned[2].first, 100);
}

/* ---- limits ---------------------------------------------------------------------- */

/**
 * struct limits - of what the traces of the first loop of a case say
 * @moves: incoming transfers
 * @most: the most of them that a rank received in a phase
 * @least: units of the smallest
 */
struct limits {
	int moves, most;
	int64_t least;
};

static int look_at_moves(const char *path, int rank, struct limits *l)
{
	struct equant_trace_header header;
	struct equant_event *events;
	uint32_t phase = 0;
	size_t count;
	int now = 0, error = equant_trace_load(path, &header, &events, &count, NULL, 0);

	for (size_t i = 0; i < count && !error; i++) {
		const struct equant_event *e = &events[i];

		if (e->type != EQUANT_EVENT_MOVE || e->u.move.to != rank)
			continue;
		now = e->phase == phase ? now + 1 : 1;
		phase = e->phase;
		l->moves++;
		l->most = now > l->most ? now : l->most;
		l->least = e->u.move.units < l->least ? e->u.move.units : l->least;
	}
	if (!error)
		free(events);
	return error;
}

static struct limits limits_of(struct __test_metadata *_metadata, struct _test_data_records *self,
			       const char *name)
{
	struct limits limits = { .least = INT64_MAX };
	char trace[48];

	self->job.argv[0] = name;
	self->job.ranks = 8;
	EXPECT_PASSED(&self->job);
	for (int r = 0; r < 8; r++) {
		snprintf(trace, sizeof(trace), "%s.%d.trace", name, r);
		EXPECT_EQ(0, look_at_moves(file(self, trace), r, &limits));
	}
	EXPECT_LT(0, limits.moves);
	return limits;
}

TEST_F(records, a_rank_receives_no_more_transfers_in_a_phase_than_it_has_ports)
{
	struct limits limited, free;

	limited = limits_of(_metadata, self, "one_port");
	EXPECT_EQ(1, limited.most);
	free = limits_of(_metadata, self, "pipelined");
	EXPECT_LT(1, free.most);
}

TEST_F(records, no_transfer_is_smaller_than_what_is_to_be_omitted)
{
	struct limits limited = limits_of(_metadata, self, "omitting");

	EXPECT_LE(3, limited.least);
	EXPECT_GT(3, limits_of(_metadata, self, "pipelined").least);
}

/* ---- replay -------------------------------------------------------------------- */

TEST_F(records, replaying_the_same_shares_twice_ends_in_the_same_distribution)
{
	long counts[2] = { 0, 0 };
	char probe[128];
	const char *at;

	ASSERT_EQ(0, shares_write(file(self, "shares.0.trace"), 0, 2, UNITS, 0.5, SHARES_QUANTUM,
				  SHARES_QUANTUM));
	ASSERT_EQ(0, shares_write(file(self, "shares.1.trace"), 1, 2, UNITS, 1.0, SHARES_QUANTUM,
				  SHARES_QUANTUM));
	snprintf(probe, sizeof(probe), "EQUANT_PROBE=replay:%s/shares.%%r.trace", self->folder);
	self->job = (struct job){
		.ranks = 2,
		.program = "conserve_worker",
		.argv = { "replayed" },
		.environment = { probe, "EQUANT_CHECK=on", "EQUANT_PERIOD=0.01" },
	};
	for (int run = 0; run < 2; run++) {
		EXPECT_PASSED(&self->job);
		at = strstr(self->job.output, "rank 0 holds ");
		ASSERT_NE(NULL, at);
		counts[run] = strtol(at + strlen("rank 0 holds "), NULL, 10);
		/* A third of the work for half a CPU beside a whole one. */
		EXPECT_LT(UNITS / 3 - UNITS / 20, counts[run]);
		EXPECT_GT(UNITS / 3 + UNITS / 20, counts[run]);
	}
	EXPECT_GE(UNITS / 20, labs(counts[0] - counts[1]));
}

TEST_HARNESS_MAIN
