// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schemes that learn, and trees: what a worker gets follows from what it did. */
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libselfsched.h"

static const char *const awf[] = { "awf-b", "awf-c", "awf-d", "awf-e" };

#define WORKERS 3

/*
 * Workers that need @seconds per iteration, and @overhead per chunk, until nothing is left: who
 * is done first asks first.
 */
static int run(const char *scheme, const double *seconds, const double *overhead, int64_t *counts,
	       double *span)
{
	struct equant_chunks_options o = loop_of(scheme, 100000, WORKERS);
	struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
	double clock[WORKERS] = { 0 };
	struct equant_chunk chunk;
	int got = chunks ? 1 : -1, j = 0;

	while (got > 0) {
		double time;

		j = 0;
		for (int k = 1; k < WORKERS; k++)
			if (clock[k] < clock[j])
				j = k;
		got = equant_chunks_next(chunks, j, &chunk);
		if (got <= 0)
			break;
		time = (double)chunk.count * seconds[j];
		clock[j] += time + overhead[j];
		counts[j] += chunk.count;
		equant_chunks_report(chunks, j, chunk.count, time, overhead[j]);
	}
	*span = 0;
	for (int k = 0; k < WORKERS; k++)
		*span = clock[k] > *span ? clock[k] : *span;
	equant_chunks_free(chunks);
	return got;
}

/* All end together, though nobody said who is fast. */
TEST(schemes_that_learn_balance_workers_of_different_speed)
{
	const double seconds[] = { 1, 1.25, 2 }, none[] = { 0, 0, 0 };
	const char *names[] = { "awf-b", "awf-c", "awf-d", "awf-e", "af" };

	for (int i = 0; i < 5; i++) {
		int64_t counts[WORKERS] = { 0 };
		double span;

		ASSERT_EQ(0, run(names[i], seconds, none, counts, &span));
		EXPECT_LT(span, 1.001 * 100000 / 2.3);
		EXPECT_EQ(100000, counts[0] + counts[1] + counts[2]);
	}
}

/* Of worker 0, when each has had one; the others need a second per iteration. */
static int64_t second_chunk(const char *scheme, double compute, double overhead)
{
	struct equant_chunks_options o = loop_of(scheme, 9000, WORKERS);
	struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
	struct equant_chunk chunk = { 0 };

	for (int j = 0; chunks && j < WORKERS; j++) {
		double count;

		equant_chunks_next(chunks, j, &chunk);
		count = (double)chunk.count;
		equant_chunks_report(chunks, j, chunk.count, count * (j ? 1 : compute),
				     count * (j ? 0 : overhead));
	}
	if (chunks)
		equant_chunks_next(chunks, 0, &chunk);
	equant_chunks_free(chunks);
	return chunk.count;
}

/*
 * The second round is 2250 of the 4500 left.  Without rounds 5208 are left and half of them count:
 * 2604.  Equal weights are 1; where worker 0 is twice as fast, 3/2.
 */
TEST(the_weight_of_a_worker_is_its_part_of_the_speeds)
{
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(i % 2 ? 868 : 750, second_chunk(awf[i], 1, 0));
		EXPECT_EQ(i % 2 ? 1302 : 1125, second_chunk(awf[i], 0.5, 0));
	}
}

/* Worker 0 asks as long as it computes: half as fast, of weight 3/5. */
TEST(only_awf_d_and_awf_e_count_the_time_for_asking)
{
	EXPECT_EQ(750, second_chunk("awf-b", 1, 1));
	EXPECT_EQ(868, second_chunk("awf-c", 1, 1));
	EXPECT_EQ(450, second_chunk("awf-d", 1, 1));
	EXPECT_EQ(521, second_chunk("awf-e", 1, 1));
}

/* A worker that is half as fast from now on: awf-c notices within the round, awf-b after it. */
TEST(awf_b_keeps_its_weights_for_a_round)
{
	for (int i = 0; i < 2; i++) {
		struct equant_chunks_options o = loop_of(awf[i], 8000, 2);
		struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
		struct equant_chunk chunk;

		ASSERT_TRUE(chunks != NULL);
		ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
		EXPECT_EQ(2000, chunk.count);
		ASSERT_EQ(0, equant_chunks_report(chunks, 0, 2000, 4000, 0));
		ASSERT_EQ(0, equant_chunks_report(chunks, 1, 1000, 1000, 0));
		ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
		EXPECT_EQ(i ? 1000 : 2000, chunk.count);
		equant_chunks_free(chunks);
	}
}

/*
 * 800 iterations and two workers.  The first round is 200 for each, the second 100.  Worker 1 reports its
 * first chunk when worker 0 has begun the second round:
 *
 *	pi_0 = (1 x 200 + 2 x 100) / (1 x 200 + 2 x 100) = 1
 *	pi_1 = (1 x 800 + 2 x 100) / (1 x 200 + 2 x 100) = 2.5
 *
 * and of the third round, 100, worker 0 gets 1 / (1 + 0.4): 71.4.
 */
TEST(a_chunk_that_is_reported_late_counts_as_of_its_own_round)
{
	const char *const names[] = { "awf-b", "awf-d" };

	for (int d = 0; d < 2; d++) {
		struct equant_chunks_options o = loop_of(names[d], 800, 2);
		struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
		/* Half of the time is for asking; awf-b knows nothing of that. */
		double part = d ? 0.5 : 1;
		struct equant_chunk chunk;

		ASSERT_TRUE(chunks != NULL);
		ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
		EXPECT_EQ(200, chunk.count);
		ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
		EXPECT_EQ(200, chunk.count);
		ASSERT_EQ(0, equant_chunks_report(chunks, 0, 200, 200 * part, 100));
		ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
		EXPECT_EQ(100, chunk.count);
		ASSERT_EQ(0, equant_chunks_report(chunks, 1, 200, 800 * part, 400));
		ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
		EXPECT_EQ(100, chunk.count);
		ASSERT_EQ(0, equant_chunks_report(chunks, 1, 100, 100 * part, 50));
		ASSERT_EQ(0, equant_chunks_report(chunks, 0, 100, 100 * part, 50));
		ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
		EXPECT_EQ(72, chunk.count);
		ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
		EXPECT_EQ(28, chunk.count);
		equant_chunks_free(chunks);
	}
}

/* Nobody has begun a round: what is told before counts as of the first. */
TEST(what_is_reported_before_the_first_chunk_counts)
{
	for (int i = 0; i < 4; i++) {
		struct equant_chunks_options o = loop_of(awf[i], 800, 2);
		struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
		struct equant_chunk chunk;

		ASSERT_TRUE(chunks != NULL);
		ASSERT_EQ(0, equant_chunks_report(chunks, 0, 100, 100, 0));
		ASSERT_EQ(0, equant_chunks_report(chunks, 1, 100, 300, 0));
		ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
		EXPECT_EQ(300, chunk.count);
		equant_chunks_free(chunks);
	}
}

/* Costs that scatter make af take less at once. */
TEST(adaptive_factoring_takes_less_where_costs_scatter)
{
	int64_t sizes[2];

	for (int scatter = 0; scatter < 2; scatter++) {
		struct equant_chunks_options o = loop_of("af", 10000, 2);
		struct equant_chunks *chunks = equant_chunks_new(&o, NULL, 0);
		struct equant_chunk chunk;

		ASSERT_TRUE(chunks != NULL);
		for (int k = 0; k < 8; k++)
			equant_chunks_report(chunks, k % 2, 10, scatter ? (k < 4 ? 5 : 15) : 10, 0);
		ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
		sizes[scatter] = chunk.count;
		equant_chunks_free(chunks);
	}
	EXPECT_EQ(5000, sizes[0]);
	EXPECT_LT(sizes[1], 5000);
	EXPECT_GT(sizes[1], 2500);
}

/* Powers 1, 2, 1: the ring is 0, 1, 2; each begins with its part. */
TEST(trees_give_half_to_the_neighbour_on_the_right)
{
	struct equant_chunks_options o = loop_of("trees", 16, 3);
	const int powers[] = { 1, 2, 1 };
	struct equant_chunks *chunks;
	struct equant_chunk chunk;

	o.powers = powers;
	chunks = equant_chunks_new(&o, NULL, 0);
	ASSERT_TRUE(chunks != NULL);
	for (int i = 4; i < 12; i++) {
		ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
		EXPECT_EQ(i, chunk.first);
		EXPECT_EQ(1, chunk.count);
	}
	/* 0 has 0..3 and gives 2 and 3. */
	ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
	EXPECT_EQ(2, chunk.first);
	ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
	EXPECT_EQ(3, chunk.first);
	/* Has 0 and 1, gives 1. */
	ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
	EXPECT_EQ(1, chunk.first);
	ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
	EXPECT_EQ(0, chunk.first);
	/* 0 has nothing: it gets 14 and 15 of 2, and 1 the half of that. */
	ASSERT_EQ(1, equant_chunks_next(chunks, 1, &chunk));
	EXPECT_EQ(15, chunk.first);
	ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
	EXPECT_EQ(14, chunk.first);
	equant_chunks_free(chunks);
}

/* A competitor halves a worker's power: dtss gives it half as many steps. */
TEST(a_power_that_changes_counts_at_once)
{
	struct equant_chunks_options o = loop_of("dtss", 10000, 2);
	const int powers[] = { 4, 4 };
	struct equant_chunks *chunks;
	struct equant_chunk chunk;

	o.powers = powers;
	o.first = o.minimum = 10;
	chunks = equant_chunks_new(&o, NULL, 0);
	ASSERT_TRUE(chunks != NULL);
	ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
	EXPECT_EQ(40, chunk.count);
	ASSERT_EQ(0, equant_chunks_power(chunks, 0, 2));
	ASSERT_EQ(1, equant_chunks_next(chunks, 0, &chunk));
	EXPECT_EQ(20, chunk.count);
	equant_chunks_free(chunks);
}

TEST_HARNESS_MAIN
