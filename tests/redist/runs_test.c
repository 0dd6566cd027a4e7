// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Index sets in one dimension, against a look at every element. */
#include <errno.h>
#include <string.h>

#include <equant/redist.h>

#include "random.h"

#include "kselftest_harness.h"

#define ROUNDS 4000
#define LARGEST 400 /* elements */

/* Where an element is on one side. */
struct place {
	int process;
	int64_t local;
};

FIXTURE(runs)
{
	struct random random;
	int64_t n;
	struct equant_redist_cyclic from;
	struct equant_redist_cyclic to;
	int seen[LARGEST];
};

FIXTURE_SETUP(runs)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(runs)
{
}

static struct place place_of(const struct equant_redist_cyclic *cyclic, int64_t k)
{
	int64_t g = cyclic->offset + k, block = g / cyclic->block;

	return (struct place){
		.process = (int)((cyclic->first + block) % cyclic->processes),
		.local = block / cyclic->processes * cyclic->block + g % cyclic->block,
	};
}

static struct equant_redist_cyclic random_cyclic(struct random *random)
{
	struct equant_redist_cyclic cyclic = {
		.block = 1 + random_below(random, random_below(random, 8) ? 12 : 2 * LARGEST),
		.processes = 1 + (int)random_below(random, 16),
	};

	cyclic.first = (int)random_below(random, cyclic.processes);
	cyclic.offset = random_below(random, 2) ? random_below(random, 100) : 0;
	return cyclic;
}

/* Element @at of a run, in the sender's memory and in the receiver's. */
static void element_of(const struct equant_redist_run *run, int64_t at, int64_t *from, int64_t *to)
{
	int64_t in = at % run->length, piece = at / run->length % run->count;
	int64_t turn = at / run->length / run->count;

	*from = run->from + in + piece * run->from_step + turn * run->from_period;
	*to = run->to + in + piece * run->to_step + turn * run->to_period;
}

/* The element that is at @place, or -1. */
static int64_t at_place(const struct equant_redist_cyclic *cyclic, struct place place)
{
	int64_t turn = (place.process - cyclic->first + cyclic->processes) % cyclic->processes;
	int64_t cycle = place.local / cyclic->block;

	return (cycle * cyclic->processes + turn) * cyclic->block + place.local % cyclic->block -
	       cyclic->offset;
}

static void describe(const struct equant_redist_cyclic *c, char line[120])
{
	snprintf(line, 120, "cyclic(%lld) on %d, first %d, offset %lld", (long long)c->block,
		 c->processes, c->first, (long long)c->offset);
}

/* Mark what @runs has; false if any of it is not where it should be. */
static bool mark(int64_t n, const struct equant_redist_cyclic *from,
		 const struct equant_redist_cyclic *to, const struct equant_redist_runs *runs,
		 int p, int q, int *seen)
{
	int64_t all = 0;

	for (int64_t i = 0; i < runs->count; i++) {
		const struct equant_redist_run *run = &runs->run[i];

		for (int64_t e = 0; e < run->length * run->count * run->repeats; e++, all++) {
			struct place a = { .process = p }, b = { .process = q };
			int64_t k;

			element_of(run, e, &a.local, &b.local);
			k = at_place(from, a);
			if (k < 0 || k >= n || at_place(to, b) != k ||
			    a.local >= equant_redist_local(n, from, p) ||
			    b.local >= equant_redist_local(n, to, q))
				return false;
			seen[k]++;
		}
	}
	return all == runs->elements && all == equant_redist_count(n, from, to, p, q);
}

/* Every pair's runs; the element that is not in them once, n if all are, -1 for worse. */
static int64_t first_wrong(int64_t n, const struct equant_redist_cyclic *from,
			   const struct equant_redist_cyclic *to, int *seen)
{
	int64_t k = 0;

	memset(seen, 0, LARGEST * sizeof(*seen));
	for (int p = 0; p < from->processes; p++) {
		for (int q = 0; q < to->processes; q++) {
			struct equant_redist_runs *runs = equant_redist_runs_new(n, from, to, p, q);
			bool good = runs && mark(n, from, to, runs, p, q, seen);

			equant_redist_runs_free(runs);
			if (!good)
				return -1;
		}
	}
	while (k < n && seen[k] == 1)
		k++;
	return k;
}

TEST_F(runs, every_element_is_in_the_runs_of_its_two_processes_once)
{
	char from[120], to[120];

	for (int round = 0; round < ROUNDS; round++) {
		int64_t wrong;

		self->n = random_below(&self->random, LARGEST + 1);
		self->from = random_cyclic(&self->random);
		self->to = random_cyclic(&self->random);
		describe(&self->from, from);
		describe(&self->to, to);
		wrong = first_wrong(self->n, &self->from, &self->to, self->seen);
		ASSERT_EQ(self->n, wrong)
		{
			TH_LOG("round %d: n %lld, %s to %s", round, (long long)self->n, from, to);
		}
	}
}

TEST_F(runs, local_arrays_are_as_long_as_the_last_element_needs)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct equant_redist_cyclic c = random_cyclic(&self->random);
		int64_t n = random_below(&self->random, LARGEST), length[16] = { 0 };

		for (int64_t k = -c.offset; k < n; k++) {
			struct place place = place_of(&c, k);

			length[place.process] = place.local + 1;
		}
		for (int p = 0; p < c.processes; p++)
			ASSERT_EQ(length[p], equant_redist_local(n, &c, p));
	}
}

/* Figure 1: cyclic(2) to cyclic(6) on 4 processors, 48 elements. */
TEST_F(runs, of_the_papers_example_are_these)
{
	static const int64_t elements[4][4] = {
		{ 4, 4, 4, 0 }, { 4, 4, 0, 4 }, { 4, 0, 4, 4 }, { 0, 4, 4, 4 }
	};
	static const struct equant_redist_run first = { 0, 0, 2, 1, 0, 0, 2, 6, 6 };
	struct equant_redist_cyclic from = { 2, 4, 0, 0 }, to = { 6, 4, 0, 0 };
	struct equant_redist_runs *runs = equant_redist_runs_new(48, &from, &to, 0, 0);

	ASSERT_NE(NULL, runs);
	EXPECT_EQ(1, runs->count);
	EXPECT_EQ(0, memcmp(&first, runs->run, sizeof(first)));
	equant_redist_runs_free(runs);
	for (int p = 0; p < 4; p++)
		for (int q = 0; q < 4; q++)
			EXPECT_EQ(elements[p][q], equant_redist_count(48, &from, &to, p, q));
}

/* Each of the P Q pairs has its share of a period, which is all of what is counted here. */
TEST_F(runs, counts_hold_more_than_32_bits)
{
	struct equant_redist_cyclic from = { 999, 6, 2, 0 }, to = { 1000, 7, 0, 12345 };
	int64_t n = EQUANT_REDIST_ELEMENTS - to.offset, sum = 0;

	for (int p = 0; p < from.processes; p++) {
		for (int q = 0; q < to.processes; q++) {
			int64_t count = equant_redist_count(n, &from, &to, p, q);

			EXPECT_LT((int64_t)UINT32_MAX, count);
			sum += count;
		}
	}
	EXPECT_EQ(n, sum);
}

TEST_F(runs, of_block_size_one_are_one_per_pair)
{
	struct equant_redist_cyclic from = { 1, 4, 0, 0 }, to = { 4, 4, 0, 0 };
	struct equant_redist_runs *runs = equant_redist_runs_new(1 << 20, &from, &to, 3, 2);

	ASSERT_NE(NULL, runs);
	EXPECT_EQ(1, runs->count);
	EXPECT_EQ(1 << 16, runs->elements);
	equant_redist_runs_free(runs);
}

TEST_F(runs, are_few_however_unlike_the_blocks)
{
	struct equant_redist_cyclic from = { 999983, 4, 0, 0 }, to = { 1000003, 4, 0, 0 };
	int64_t sum = 0;

	for (int p = 0; p < 4; p++) {
		for (int q = 0; q < 4; q++) {
			struct equant_redist_runs *runs =
				equant_redist_runs_new(100000000, &from, &to, p, q);

			ASSERT_NE(NULL, runs);
			EXPECT_GE(30, runs->count);
			sum += runs->elements;
			equant_redist_runs_free(runs);
		}
	}
	EXPECT_EQ(100000000, sum);
}

TEST_F(runs, of_what_is_no_distribution_are_refused)
{
	static const struct {
		int64_t n;
		struct equant_redist_cyclic from, to;
		int error;
		const char *why;
	} wrong[] = {
		{ -1, { 1, 1, 0, 0 }, { 1, 1, 0, 0 }, EINVAL, "-1 elements" },
		{ 1, { 0, 1, 0, 0 }, { 1, 1, 0, 0 }, EINVAL, "sender: blocks of 0 elements" },
		{ 1, { 1, 1, 0, 0 }, { -3, 1, 0, 0 }, EINVAL, "receiver: blocks of -3 elements" },
		{ 1, { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, EINVAL, "sender: 0 processes" },
		{ 1,
		  { 1, 2, 2, 0 },
		  { 1, 1, 0, 0 },
		  EINVAL,
		  "sender: the first block is on process 2 of 2" },
		{ 1, { 1, 1, 0, 0 }, { 1, 2, 0, -1 }, EINVAL, "receiver: begins at element -1" },
		{ EQUANT_REDIST_ELEMENTS,
		  { 1, 1, 0, 0 },
		  { 1, 1, 0, 1 },
		  EOVERFLOW,
		  "receiver: 4398046511104 elements from element 1 on, 4398046511104 at most" },
		{ 1,
		  { 1, EQUANT_REDIST_PROCESSES + 1, 0, 0 },
		  { 1, 1, 0, 0 },
		  EOVERFLOW,
		  "sender: 1048577 processes, 1048576 at most" },
	};
	char why[120];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		EXPECT_EQ(-wrong[i].error, equant_redist_check(wrong[i].n, &wrong[i].from,
							       &wrong[i].to, why, sizeof(why)));
		EXPECT_STREQ(wrong[i].why, why);
		EXPECT_EQ(-wrong[i].error,
			  equant_redist_count(wrong[i].n, &wrong[i].from, &wrong[i].to, 0, 0));
		errno = 0;
		EXPECT_EQ(NULL,
			  equant_redist_runs_new(wrong[i].n, &wrong[i].from, &wrong[i].to, 0, 0));
		EXPECT_EQ(wrong[i].error, errno);
	}
}

TEST_F(runs, of_processes_that_do_not_exist_are_refused)
{
	struct equant_redist_cyclic from = { 1, 2, 0, 0 }, to = { 1, 3, 0, 0 };

	EXPECT_EQ(-EINVAL, equant_redist_count(9, &from, &to, 2, 0));
	EXPECT_EQ(-EINVAL, equant_redist_count(9, &from, &to, 0, 3));
	EXPECT_EQ(-EINVAL, equant_redist_count(9, &from, &to, -1, 0));
	EXPECT_LT(0, equant_redist_count(9, &from, &to, 1, 2));
}

TEST_HARNESS_MAIN
