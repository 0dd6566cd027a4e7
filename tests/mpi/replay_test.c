// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A run's decisions are repeated from its traces, whatever is measured the second time. */
#include <equant/equant.h>
#include <equant/trace.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../random.h"
#include "kselftest_harness.h"
#include "libjob.h"

enum { TRACE, REPLAY, LOADS, START, DEPTH, VARY, SHAPE, VARIABLES };

/**
 * struct runs - a recorded run and its replay
 * @traced: ranks of the loops whose traces are compared
 */
struct runs {
	struct job job;
	int traced;
	char first[64], second[64];
	char variables[VARIABLES][1024];
	struct random random;
};

static void set(struct runs *self, int which, const char *name, const char *value)
{
	snprintf(self->variables[which], sizeof(self->variables[which]), "%s=%s", name, value);
}

static void set_number(struct runs *self, int which, const char *name, long value)
{
	snprintf(self->variables[which], sizeof(self->variables[which]), "%s=%ld", name, value);
}

static int runs_init(struct runs *self, int ranks, const char *start, int depth, int vary)
{
	int error = folder_make(self->first, sizeof(self->first));

	if (!error)
		error = folder_make(self->second, sizeof(self->second));
	self->random = random_seeded();
	self->job = (struct job){
		.ranks = ranks,
		.program = "replay_worker",
		.argv = { "one_loop" },
		.environment = { "EQUANT_PROBE=clock", "EQUANT_PERIOD=0.005", "EQUANT_PROFIT=0",
				 "EQUANT_FILTER=none", "EQUANT_CHECK=on", "MUST_MOVE=1" },
	};
	for (int i = 0; i < VARIABLES; i++)
		self->job.environment[6 + i] = self->variables[i];
	self->traced = ranks;
	set(self, TRACE, "EQUANT_TRACE", self->first);
	set(self, REPLAY, "EQUANT_REPLAY", "");
	set_number(self, LOADS, "LOADS", random_below(&self->random, 1 << 30));
	set(self, START, "START", start);
	set_number(self, DEPTH, "EQUANT_DEPTH", depth);
	set_number(self, VARY, "VARY", vary);
	set(self, SHAPE, "SHAPE", "");
	return error;
}

static void runs_release(const struct runs *self)
{
	folder_remove(self->first);
	folder_remove(self->second);
}

FIXTURE(replay)
{
	struct runs runs;
};

FIXTURE_VARIANT(replay)
{
	int ranks;
	const char *start;
	int depth;
	int vary;
	const char *control;
	const char *passes; /* EQUANT_MODE of one with passes */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(replay, pipelined_on_three) { .ranks = 3, .start = "block", .depth = 1 };
FIXTURE_VARIANT_ADD(replay, synchronous_on_two) { .ranks = 2, .start = "cyclic", .vary = 1 };
FIXTURE_VARIANT_ADD(replay, in_order_on_four) { .ranks = 4, .start = "order", .depth = 1 };
FIXTURE_VARIANT_ADD(replay, deep_in_a_tree) {
	.ranks = 4, .start = "block", .depth = 3, .control = "tree"
};
FIXTURE_VARIANT_ADD(replay, passes_on_three) {
	.ranks = 3, .start = "block", .depth = 1, .passes = "pipelined"
};
FIXTURE_VARIANT_ADD(replay, deep_passes_on_two) {
	.ranks = 2, .start = "block", .depth = 2, .passes = "pipelined"
};
FIXTURE_VARIANT_ADD(replay, asynchronous_on_two) {
	.ranks = 2, .start = "block", .depth = 1, .passes = "asynchronous"
};
FIXTURE_VARIANT_ADD(replay, asynchronous_on_eight) {
	.ranks = 8, .start = "block", .depth = 1, .passes = "asynchronous", .control = "tree"
};
FIXTURE_VARIANT_ADD(replay, central) { .ranks = 3, .start = "block", .control = "central" };
/* clang-format on */

FIXTURE_SETUP(replay)
{
	ASSERT_EQ(0, runs_init(&self->runs, variant->ranks, variant->start, variant->depth,
			       variant->vary));
	if (variant->control)
		set(&self->runs, SHAPE, "EQUANT_CONTROL", variant->control);
	if (variant->passes) {
		self->runs.job.argv[0] = "passes";
		set(&self->runs, SHAPE, "EQUANT_MODE", variant->passes);
	}
}

FIXTURE_TEARDOWN(replay)
{
	runs_release(&self->runs);
}

/* The second run has other loads, and records what it does elsewhere. */
static void prepare_replay(struct runs *self)
{
	set(self, REPLAY, "EQUANT_REPLAY", self->first);
	set(self, TRACE, "EQUANT_TRACE", self->second);
	set_number(self, LOADS, "LOADS", random_below(&self->random, 1 << 30));
}

/* What a trace says about decisions, and about moves but for the time they took. */
static size_t decisions(const char *folder, const char *loop, int rank, struct equant_event **kept,
			char *why, size_t why_size)
{
	struct equant_trace_header header;
	struct equant_event *events;
	size_t count, n = 0;
	char path[160];

	*kept = NULL;
	snprintf(path, sizeof(path), "%s/%s.%d.trace", folder, loop, rank);
	if (equant_trace_load(path, &header, &events, &count, why, why_size) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct equant_event *e = &events[i];

		if (e->type != EQUANT_EVENT_DECISION && e->type != EQUANT_EVENT_MOVE &&
		    e->type != EQUANT_EVENT_INSTRUCTIONS && e->type != EQUANT_EVENT_PLAN &&
		    e->type != EQUANT_EVENT_SWEEP && e->type != EQUANT_EVENT_TILES &&
		    e->type != EQUANT_EVENT_TRANSFER)
			continue;
		e->t_ns = 0;
		/* It counts reports there, which nobody repeats. */
		if (header.mode == EQUANT_MODE_ASYNCHRONOUS)
			e->phase = 0;
		if (e->type == EQUANT_EVENT_MOVE)
			e->u.move.duration_ns = 0;
		events[n++] = *e;
	}
	*kept = events;
	return n;
}

static void owners(const struct job *job, char *line, size_t size)
{
	const char *at = strstr(job->output, "owners of ");

	line[0] = '\0';
	for (; at; at = strstr(at + 1, "owners of ")) {
		size_t used = strlen(line);

		snprintf(line + used, size - used, "%.*s|", (int)strcspn(at, "\n"), at);
	}
}

static void compare(struct __test_metadata *_metadata, struct runs *self, const char *loop)
{
	for (int r = 0; r < self->traced; r++) {
		struct equant_event *first, *second;
		char why[256] = "";
		size_t n = decisions(self->first, loop, r, &first, why, sizeof(why));
		size_t m = decisions(self->second, loop, r, &second, why, sizeof(why));

		EXPECT_LT(0, n)
		{
			TH_LOG("%s", why);
		}
		EXPECT_EQ(n, m);
		for (size_t i = 0; i < n && i < m; i++)
			if (memcmp(&first[i], &second[i], sizeof(first[i]))) {
				TH_LOG("rank %d: event %zu of phase %u differs", r, i,
				       first[i].phase);
				EXPECT_EQ(0, 1);
				break;
			}
		free(first);
		free(second);
	}
}

static void expect_repeated(struct __test_metadata *_metadata, struct runs *runs, const char *loop)
{
	char before[256], after[256];

	EXPECT_PASSED(&runs->job);
	owners(&runs->job, before, sizeof(before));
	prepare_replay(runs);
	EXPECT_PASSED(&runs->job);
	owners(&runs->job, after, sizeof(after));
	EXPECT_NE(0, before[0]);
	EXPECT_STREQ(before, after);
	compare(_metadata, runs, loop);
}

TEST_F(replay, owners_moves_and_decisions_are_those_of_the_recorded_run)
{
	expect_repeated(_metadata, &self->runs, "one");
	EXPECT_EQ(0, job_count(&self->runs.job, "from now on"));
}

/* What is done with a trace does not depend on the loop's shape. */
FIXTURE(traces)
{
	struct runs runs;
};

FIXTURE_SETUP(traces)
{
	ASSERT_EQ(0, runs_init(&self->runs, 3, "block", 1, 0));
}

FIXTURE_TEARDOWN(traces)
{
	runs_release(&self->runs);
}

TEST_F(traces, sweeps_are_cut_into_the_strips_of_the_recorded_run)
{
	self->runs.job.argv[0] = "sweeps";
	expect_repeated(_metadata, &self->runs, "one");
}

/* The first one, too. */
TEST_F(traces, sweeps_of_no_iterations_or_units_are_repeated_with_the_others)
{
	self->runs.job.argv[0] = "sweeps";
	set(&self->runs, START, "EMPTY", "7");
	set(&self->runs, SHAPE, "RESTING", "9");
	expect_repeated(_metadata, &self->runs, "one");
}

TEST_F(traces, loops_that_share_arrays_and_take_turns_are_repeated_together)
{
	self->runs.job.program = "turns_worker";
	self->runs.job.argv[0] = "once";
	expect_repeated(_metadata, &self->runs, "first");
}

TEST_F(traces, passes_that_make_phases_of_a_loop_with_hooks_do_so_again)
{
	self->runs.job.program = "turns_worker";
	self->runs.job.argv[0] = "once_joined";
	expect_repeated(_metadata, &self->runs, "first");
}

TEST_F(traces, loops_of_one_name_are_replayed_in_the_order_they_were_made)
{
	self->runs.job.argv[0] = "two_of_a_name";
	expect_repeated(_metadata, &self->runs, "twin");
	compare(_metadata, &self->runs, "twin-1");
	compare(_metadata, &self->runs, "other");
}

TEST_F(traces, a_loop_of_a_part_of_the_ranks_in_another_order_is_repeated)
{
	self->runs.job.ranks = 4;
	self->runs.job.argv[0] = "a_part_of_the_ranks";
	set(&self->runs, SHAPE, "STEPS", "30");
	expect_repeated(_metadata, &self->runs, "one");
}

/* Which of the halves' loops has which file may change; each finds its own. */
TEST_F(traces, loops_of_several_contexts_at_once_are_repeated)
{
	self->runs.job.ranks = self->runs.traced = 4;
	self->runs.job.argv[0] = "contexts_at_once";
	set(&self->runs, SHAPE, "STEPS", "30");
	expect_repeated(_metadata, &self->runs, "whole");
}

static int has_threads(void)
{
	char worker[512];

	build_path(worker, sizeof(worker), "tests/mpi/threads_worker");
	return !access(worker, X_OK);
}

TEST_F(traces, loops_of_several_threads_at_once_are_repeated)
{
	if (!has_threads())
		SKIP(return, "the compiler has no OpenMP");
	self->runs.job.program = "threads_worker";
	self->runs.job.argv[0] = "contexts_at_once";
	set(&self->runs, SHAPE, "THREADS", "3");
	expect_repeated(_metadata, &self->runs, "thread0");
	compare(_metadata, &self->runs, "thread1");
	compare(_metadata, &self->runs, "thread2");
}

TEST_F(traces, a_loop_whose_ranks_are_teams_of_threads_is_repeated)
{
	if (!has_threads())
		SKIP(return, "the compiler has no OpenMP");
	self->runs.job.ranks = self->runs.traced = 2;
	self->runs.job.program = "threads_worker";
	self->runs.job.argv[0] = "team_conserves";
	expect_repeated(_metadata, &self->runs, "team");
}

TEST_F(traces, where_the_trace_ends_no_work_moves_any_more_and_that_is_said_once)
{
	struct runs *runs = &self->runs;

	EXPECT_PASSED(&runs->job);
	prepare_replay(runs);
	set(runs, SHAPE, "STEPS", "120");
	EXPECT_PASSED(&runs->job);
	EXPECT_EQ(1, job_count(&runs->job, "from now on no work moves"));
}

/* Folders within each other; @path receives the innermost, of which @lengths has each one's name. */
static int make_deep(const char *top, char *path, size_t size, size_t lengths[3])
{
	char name[180];
	int error = 0;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(path, size, "%s", top);
	for (int i = 0; i < 3 && !error; i++) {
		lengths[i] = strlen(path);
		snprintf(path + lengths[i], size - lengths[i], "/%s", name);
		error = mkdir(path, 0700);
	}
	return error;
}

TEST_F(traces, a_directory_with_a_long_name_is_recorded_into_and_replayed_from)
{
	struct runs *runs = &self->runs;
	char deep[700], before[256], after[256];
	size_t lengths[3];

	ASSERT_EQ(0, make_deep(runs->first, deep, sizeof(deep), lengths));
	set(runs, TRACE, "EQUANT_TRACE", deep);
	EXPECT_PASSED(&runs->job);
	owners(&runs->job, before, sizeof(before));
	prepare_replay(runs);
	set(runs, REPLAY, "EQUANT_REPLAY", deep);
	EXPECT_PASSED(&runs->job);
	owners(&runs->job, after, sizeof(after));
	EXPECT_STREQ(before, after);
	for (int i = 2; i >= 0; i--) {
		folder_remove(deep);
		deep[lengths[i]] = '\0';
	}
}

TEST_F(traces, a_trace_cut_off_by_a_crash_is_replayed_up_to_there)
{
	struct runs *runs = &self->runs;
	struct equant_trace_header header;
	struct equant_event *events;
	char path[96], why[256];
	size_t count;

	EXPECT_PASSED(&runs->job);
	snprintf(path, sizeof(path), "%s/one.1.trace", runs->first);
	ASSERT_EQ(0, equant_trace_load(path, &header, &events, &count, why, sizeof(why)));
	free(events);
	ASSERT_EQ(0, truncate(path, (off_t)(sizeof(header) + count / 2 * sizeof(*events))));
	prepare_replay(runs);
	EXPECT_PASSED(&runs->job);
	EXPECT_EQ(1, job_count(&runs->job, "from now on no work moves"));
}

static void expect_refused(struct __test_metadata *_metadata, struct runs *self, const char *text)
{
	self->job.argv[0] = "refused_at_the_start";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, text);
}

TEST_F(traces, traces_that_do_not_fit_are_refused_and_the_reason_is_named)
{
	struct runs *runs = &self->runs;

	EXPECT_PASSED(&runs->job);
	prepare_replay(runs);
	set(runs, SHAPE, "UNITS", "201");
	expect_refused(_metadata, runs, "another number of units (200 in the trace, 201 here)");
	set(runs, SHAPE, "SHAPE", "");
	runs->job.ranks = 2;
	expect_refused(_metadata, runs, "another number of ranks (3 in the trace, 2 here)");
	runs->job.ranks = 4;
	expect_refused(_metadata, runs, "one.3.trace: No such file");
	runs->job.ranks = 3;
	set(runs, SHAPE, "EQUANT_BALANCE", "off");
	expect_refused(_metadata, runs, "while balancing is off");
}

TEST_F(traces, traces_of_different_runs_are_not_mixed)
{
	struct runs *runs = &self->runs;
	char from[96], to[96];

	EXPECT_PASSED(&runs->job);
	set(runs, TRACE, "EQUANT_TRACE", runs->second);
	set_number(runs, LOADS, "LOADS", random_below(&runs->random, 1 << 30));
	EXPECT_PASSED(&runs->job);
	snprintf(from, sizeof(from), "%s/one.1.trace", runs->second);
	snprintf(to, sizeof(to), "%s/one.1.trace", runs->first);
	ASSERT_EQ(0, rename(from, to));
	prepare_replay(runs);
	expect_refused(_metadata, runs, "are not of one run");
}

TEST_F(traces, loops_that_two_contexts_recorded_under_one_name_are_refused)
{
	struct runs *runs = &self->runs;

	EXPECT_PASSED(&runs->job);
	EXPECT_PASSED(&runs->job);
	prepare_replay(runs);
	expect_refused(_metadata, runs, "several contexts have recorded a loop one here");
}

TEST_F(traces, a_directory_that_is_replayed_from_is_not_recorded_into)
{
	struct runs *runs = &self->runs;

	EXPECT_PASSED(&runs->job);
	prepare_replay(runs);
	set(runs, TRACE, "EQUANT_TRACE", runs->first);
	expect_refused(_metadata, runs, "EQUANT_TRACE and EQUANT_REPLAY name one directory: ");
	/* And nothing is left there that would be in the way. */
	set(runs, TRACE, "EQUANT_TRACE", runs->second);
	runs->job.argv[0] = "one_loop";
	EXPECT_PASSED(&runs->job);
}

TEST_F(traces, a_program_that_starts_otherwise_is_told_so_before_or_after_the_first_move)
{
	struct runs *runs = &self->runs;

	EXPECT_PASSED(&runs->job);
	prepare_replay(runs);
	runs->job.argv[0] = "refused_in_a_phase";
	set(runs, START, "START", "cyclic");
	EXPECT_PASSED(&runs->job);
	EXPECT_SAID(&runs->job, "the units' owners are others than in");
	set(runs, START, "START", "block");
	set(runs, SHAPE, "INACTIVE", "199");
	EXPECT_PASSED(&runs->job);
	EXPECT_SAID(&runs->job, "another program or input?");
}

/* ---- asynchronous passes --------------------------------------------------------- */

FIXTURE(passes)
{
	struct runs runs;
};

FIXTURE_SETUP(passes)
{
	ASSERT_EQ(0, runs_init(&self->runs, 3, "block", 1, 0));
	self->runs.job.argv[0] = "passes";
	set(&self->runs, START, "EQUANT_MODE", "asynchronous");
}

FIXTURE_TEARDOWN(passes)
{
	runs_release(&self->runs);
}

/**
 * struct last - a rank's last transfer
 * @path: of the rank's trace
 * @at: where in it the transfer is, -1 = nowhere
 * @parts: its events, one after the other
 * @before: the pass of the one before
 */
struct last {
	char path[96];
	off_t at;
	int parts;
	int64_t before;
	int64_t pass;
	int incoming;
};

static struct last last_transfer(const struct runs *self, int rank)
{
	struct last last = { .at = -1 };
	struct equant_trace_header header;
	struct equant_event *events;
	char why[256];
	size_t count;

	snprintf(last.path, sizeof(last.path), "%s/one.%d.trace", self->first, rank);
	if (equant_trace_load(last.path, &header, &events, &count, why, sizeof(why)))
		return last;
	for (size_t i = 0; i < count; i++) {
		if (events[i].type != EQUANT_EVENT_TRANSFER)
			continue;
		last.parts = events[i].u.transfer.first ? last.parts + 1 : 1;
		if (events[i].u.transfer.first)
			continue;
		last.at = (off_t)(sizeof(header) + i * sizeof(*events));
		last.before = last.pass;
		last.pass = events[i].u.transfer.pass;
		last.incoming = events[i].u.transfer.incoming;
	}
	free(events);
	return last;
}

/* As if it had been killed while it wrote its last transfer. */
static int cut_before_transfer(const struct runs *self, int rank)
{
	struct last last = last_transfer(self, rank);

	return last.at < 0 ? -1 : truncate(last.path, last.at);
}

static int put_word(const struct last *last, size_t field, int64_t word)
{
	FILE *file = fopen(last->path, "r+b");
	int put;

	if (!file)
		return -1;
	put = !fseek(file, last->at + (off_t)field, SEEK_SET) &&
	      fwrite(&word, sizeof(word), 1, file) == 1;
	return fclose(file) || !put;
}

static int put_pass(const struct last *last, int64_t pass)
{
	return put_word(last, offsetof(struct equant_event, u.transfer.pass), pass);
}

/* A transfer with a number that no run comes to, and that its other rank does not know. */
static int put_number(const struct runs *self, int rank, uint64_t number)
{
	struct last last = last_transfer(self, rank);
	size_t at = offsetof(struct equant_event, u.transfer.number);
	int error = last.at < 0 ? -1 : 0;

	for (int i = 0; i < last.parts && !error; i++, at += sizeof(struct equant_event))
		error = put_word(&last, at, (int64_t)number);
	return error;
}

/* The last transfer in the first pass, behind one in a later pass. */
static int put_transfer_early(const struct runs *self, int rank)
{
	struct last last = last_transfer(self, rank);

	return last.at < 0 || last.before <= 1 ? -1 : put_pass(&last, 1);
}

/* A transfer that another rank waits for in a pass that never comes. */
static int put_transfer_late(const struct runs *self, int rank)
{
	struct last last = last_transfer(self, rank);

	return last.at < 0 || last.incoming ? -1 : put_pass(&last, 1000);
}

TEST_F(passes, where_a_rank_was_killed_between_transfers_none_is_made_any_more)
{
	struct runs *runs = &self->runs;
	int cut = -1;

	EXPECT_PASSED(&runs->job);
	for (int r = 0; r < 3 && cut; r++)
		cut = cut_before_transfer(runs, r);
	ASSERT_EQ(0, cut);
	prepare_replay(runs);
	EXPECT_PASSED(&runs->job);
	EXPECT_EQ(1, job_count(&runs->job, "from now on no work moves"));
}

TEST_F(passes, a_trace_whose_transfers_are_out_of_order_is_refused)
{
	struct runs *runs = &self->runs;
	int put = -1;

	EXPECT_PASSED(&runs->job);
	for (int r = 0; r < 3 && put; r++)
		put = put_transfer_early(runs, r);
	ASSERT_EQ(0, put);
	prepare_replay(runs);
	expect_refused(_metadata, runs, "is out of order");
}

TEST_F(passes, numbers_of_transfers_that_cannot_be_are_refused_or_known_to_one_rank_only)
{
	struct runs *runs = &self->runs;
	int put = -1, damaged = -1;

	EXPECT_PASSED(&runs->job);
	while (put && damaged < 2)
		put = put_number(runs, ++damaged, INT64_MAX);
	ASSERT_EQ(0, put);
	prepare_replay(runs);
	EXPECT_PASSED(&runs->job);
	EXPECT_EQ(1, job_count(&runs->job, "from now on no work moves"));
	ASSERT_EQ(0, put_number(runs, damaged, UINT64_MAX));
	expect_refused(_metadata, runs, "a transfer's number");
}

TEST_F(passes, nobody_waits_for_ever_for_a_transfer_that_comes_too_late)
{
	struct runs *runs = &self->runs;
	int put = -1;

	EXPECT_PASSED(&runs->job);
	for (int r = 0; r < 3 && put; r++)
		put = put_transfer_late(runs, r);
	ASSERT_EQ(0, put);
	prepare_replay(runs);
	runs->job.argv[0] = "refused_in_a_pass";
	EXPECT_PASSED(&runs->job);
	EXPECT_SAID(&runs->job, "in pass 1000");
}

TEST_F(passes, a_program_that_makes_other_passes_is_told_so)
{
	struct runs *runs = &self->runs;

	EXPECT_PASSED(&runs->job);
	prepare_replay(runs);
	runs->job.argv[0] = "refused_in_a_pass";
	set(runs, SHAPE, "INACTIVE", "150");
	EXPECT_PASSED(&runs->job);
	EXPECT_SAID(&runs->job, "another program or input?");
}

TEST_F(passes, what_was_recorded_in_another_mode_is_refused)
{
	struct runs *runs = &self->runs;

	EXPECT_PASSED(&runs->job);
	prepare_replay(runs);
	set(runs, START, "EQUANT_MODE", "pipelined");
	expect_refused(_metadata, runs, "another EQUANT_MODE");
}

TEST_HARNESS_MAIN
