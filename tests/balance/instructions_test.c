// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Unrestricted work movement: Siegell 1995, algorithm 5.1. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <equant/balance.h>

#include "kselftest_harness.h"
#include "libbalance.h"

#define RANKS_MOST 40

static const char *plan(struct text *text, const long *current, const long *target, int n,
			int ports, long omit)
{
	struct equant_instruction out[RANKS_MOST];
	int count = equant_instruct_unrestricted(current, target, n, ports, omit, out);

	if (count < 0) {
		*text = (struct text){ .used = 0 };
		text_add(text, "error %d", count);
		return text->line;
	}
	return text_instructions(text, out, count);
}

#define COUNTS(...) ((const long[]){ __VA_ARGS__ })
#define PLAN(current, target, ports, omit)                                                        \
	plan(&(struct text){ .used = 0 }, current, target, sizeof(current) / sizeof(long), ports, \
	     omit)

TEST(balanced_ranks_get_no_instructions)
{
	EXPECT_STREQ("", PLAN(COUNTS(5, 5, 5), COUNTS(5, 5, 5), 0, 0));
	EXPECT_STREQ("", PLAN(COUNTS(5), COUNTS(5), 0, 0));
	EXPECT_STREQ("", PLAN(COUNTS(0, 0), COUNTS(0, 0), 0, 0));
}

TEST(the_largest_fraction_meets_the_largest_need)
{
	/* rank 1 parts with half of its work, rank 0 with a quarter */
	EXPECT_STREQ("1>3:10 0>3:6 0>2:4", PLAN(COUNTS(40, 20, 0, 0), COUNTS(30, 10, 4, 16), 0, 0));
	EXPECT_STREQ("0>1:10", PLAN(COUNTS(20, 10), COUNTS(10, 20), 0, 0));
}

TEST(what_is_not_done_goes_back_into_its_queue)
{
	/* after 8 to rank 1 the sender still has 7/15 to give, more than rank 3's 2/10 */
	EXPECT_STREQ("0>1:8 0>2:7 3>4:2",
		     PLAN(COUNTS(15, 0, 0, 10, 0), COUNTS(0, 8, 7, 8, 2), 0, 0));
	/* after 9 of 20 rank 0 has 1/20 left: rank 3 with 2/10 comes first */
	EXPECT_STREQ("0>1:9 3>2:2 0>2:1", PLAN(COUNTS(20, 0, 0, 10), COUNTS(10, 9, 3, 8), 0, 0));
}

TEST(ties_go_to_the_lower_rank)
{
	EXPECT_STREQ("0>2:5 1>3:5", PLAN(COUNTS(10, 10, 0, 0), COUNTS(5, 5, 5, 5), 0, 0));
	EXPECT_STREQ("2>0:5 3>1:5", PLAN(COUNTS(0, 0, 10, 10), COUNTS(5, 5, 5, 5), 0, 0));
}

TEST(a_receiver_without_a_free_port_is_dropped)
{
	const long current[] = { 10, 10, 10, 0, 0 };
	const long target[] = { 5, 5, 5, 11, 4 };

	EXPECT_STREQ("0>3:5 1>3:5 2>4:4 2>3:1", PLAN(current, target, 0, 0));
	EXPECT_STREQ("0>3:5 1>3:5 2>4:4", PLAN(current, target, 2, 0));
	EXPECT_STREQ("0>3:5 1>4:4", PLAN(current, target, 1, 0));
}

TEST(small_transfers_are_left_out)
{
	const long current[] = { 10, 10, 10, 0, 0 };
	const long target[] = { 5, 5, 5, 11, 4 };

	EXPECT_STREQ("0>3:5 1>3:5 2>4:4", PLAN(current, target, 0, 2));
	EXPECT_STREQ("0>3:5 1>3:5 2>4:4", PLAN(current, target, 0, 4));
	EXPECT_STREQ("0>3:5 1>3:5", PLAN(current, target, 0, 5));
	EXPECT_STREQ("", PLAN(current, target, 0, 6));
}

TEST(a_transfer_that_is_left_out_takes_no_port)
{
	/* of rank 3's three transfers the first is too small to count */
	const long current[] = { 1, 10, 10, 0 };
	const long target[] = { 0, 5, 5, 11 };

	EXPECT_STREQ("0>3:1 1>3:5", PLAN(current, target, 2, 0));
	EXPECT_STREQ("1>3:5 2>3:5", PLAN(current, target, 2, 2));
}

TEST(bad_arguments_are_refused)
{
	EXPECT_STREQ("error -22", PLAN(COUNTS(5, 5), COUNTS(5, 6), 0, 0));
	EXPECT_STREQ("error -22", PLAN(COUNTS(-1, 5), COUNTS(2, 2), 0, 0));
	EXPECT_STREQ("error -22", PLAN(COUNTS(2, 2), COUNTS(5, -1), 0, 0));
	EXPECT_STREQ("error -22", PLAN(COUNTS(LONG_MAX, 1), COUNTS(1, LONG_MAX), 0, 0));
	EXPECT_STREQ("error -22", PLAN(COUNTS(2, 2), COUNTS(1, 3), -1, 0));
	EXPECT_STREQ("error -22", PLAN(COUNTS(2, 2), COUNTS(1, 3), 0, -1));
	EXPECT_EQ(-EINVAL, equant_instruct_unrestricted(COUNTS(1), COUNTS(1), 0, 0, 0, NULL));
}

/* ---- algorithm 5.1 as it is printed, with lists that are searched ----------- */

struct naive {
	long current[RANKS_MOST];
	long give[RANKS_MOST];
	long take[RANKS_MOST];
	int ports[RANKS_MOST];
	int n;
};

/* a/b > c/d, exactly */
static int fraction_larger(long a, long b, long c, long d)
{
	return a * d > c * b;
}

static int next_sender(const struct naive *naive)
{
	int best = -1;

	for (int i = 0; i < naive->n; i++)
		if (naive->give[i] > 0 &&
		    (best < 0 || fraction_larger(naive->give[i], naive->current[i],
						 naive->give[best], naive->current[best])))
			best = i;
	return best;
}

static int next_receiver(const struct naive *naive)
{
	int best = -1;

	for (int i = 0; i < naive->n; i++)
		if (naive->take[i] > 0 && (best < 0 || naive->take[i] > naive->take[best]))
			best = i;
	return best;
}

static int naive_instruct(const long *current, const long *target, int n, int ports, long omit,
			  struct equant_instruction *out)
{
	struct naive naive = { .n = n };
	int count = 0, r, s;

	for (int i = 0; i < n; i++) {
		naive.current[i] = current[i];
		naive.give[i] = current[i] > target[i] ? current[i] - target[i] : 0;
		naive.take[i] = target[i] > current[i] ? target[i] - current[i] : 0;
	}
	while ((r = next_receiver(&naive)) >= 0) {
		long units;

		if (ports && naive.ports[r] == ports) {
			naive.take[r] = 0;
			continue;
		}
		s = next_sender(&naive);
		units = naive.give[s] < naive.take[r] ? naive.give[s] : naive.take[r];
		naive.give[s] -= units;
		naive.take[r] -= units;
		if (units < omit)
			continue;
		naive.ports[r]++;
		out[count++] = (struct equant_instruction){ s, r, units };
	}
	return count;
}

struct problem {
	long current[RANKS_MOST];
	long target[RANKS_MOST];
	int n;
};

static struct problem random_problem(struct random *random)
{
	struct problem p = { .n = 1 + (int)random_below(random, RANKS_MOST) };
	long total = random_below(random, random_below(random, 2) ? 50 : 1000000);

	scatter(random, p.current, p.n, total);
	scatter(random, p.target, p.n, total);
	return p;
}

TEST(heaps_give_the_same_order_as_the_printed_algorithm)
{
	struct random random = random_seeded();
	struct equant_instruction fast[RANKS_MOST], slow[RANKS_MOST];

	for (int round = 0; round < 50000; round++) {
		struct problem p = random_problem(&random);
		int ports = (int)random_below(&random, 4);
		long omit = random_below(&random, 5);
		int count =
			equant_instruct_unrestricted(p.current, p.target, p.n, ports, omit, fast);

		ASSERT_EQ(count, naive_instruct(p.current, p.target, p.n, ports, omit, slow));
		for (int i = 0; i < count; i++) {
			ASSERT_EQ(slow[i].from, fast[i].from);
			ASSERT_EQ(slow[i].to, fast[i].to);
			ASSERT_EQ(slow[i].units, fast[i].units);
		}
	}
}

TEST(with_unlimited_ports_the_target_is_reached_in_fewer_steps_than_ranks)
{
	struct random random = random_seeded();
	struct equant_instruction out[RANKS_MOST];

	for (int round = 0; round < 50000; round++) {
		struct problem p = random_problem(&random);
		int count = equant_instruct_unrestricted(p.current, p.target, p.n, 0, 0, out);

		ASSERT_LE(0, count);
		ASSERT_LT(count, p.n);
		equant_apply(out, count, p.current);
		ASSERT_EQ(0, memcmp(p.current, p.target, p.n * sizeof(long)));
	}
}

TEST(limits_are_kept_and_nobody_gives_more_than_it_should)
{
	struct random random = random_seeded();
	struct equant_instruction out[RANKS_MOST];

	for (int round = 0; round < 50000; round++) {
		struct problem p = random_problem(&random);
		int ports = 1 + (int)random_below(&random, 3);
		long omit = random_below(&random, 10);
		int received[RANKS_MOST] = { 0 };
		int count =
			equant_instruct_unrestricted(p.current, p.target, p.n, ports, omit, out);

		ASSERT_LE(0, count);
		for (int i = 0; i < count; i++) {
			ASSERT_LE(omit, out[i].units);
			ASSERT_LT(0, out[i].units);
			ASSERT_LE(++received[out[i].to], ports);
			ASSERT_LE(out[i].units, p.current[out[i].from]);
			equant_apply(&out[i], 1, p.current);
			ASSERT_LE(p.target[out[i].from], p.current[out[i].from]);
			ASSERT_LE(p.current[out[i].to], p.target[out[i].to]);
		}
	}
}

TEST(four_thousand_ranks_are_served)
{
	enum { N = 4096 };
	struct random random = random_seeded();
	struct equant_instruction *out = calloc(N, sizeof(*out));
	long *current = calloc(N, sizeof(*current));
	long *target = calloc(N, sizeof(*target));
	int count;

	ASSERT_TRUE(out && current && target);
	for (int i = 0; i < N; i++) {
		long part = random_below(&random, 1000);

		current[i] += part;
		target[N - 1 - i] += part;
	}
	count = equant_instruct_unrestricted(current, target, N, 0, 0, out);
	ASSERT_LT(0, count);
	ASSERT_LT(count, N);
	equant_apply(out, count, current);
	EXPECT_EQ(0, memcmp(current, target, N * sizeof(long)));
	free(out);
	free(current);
	free(target);
}

TEST_HARNESS_MAIN
