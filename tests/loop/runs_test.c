// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Sets of units against a bitmap that does the same the slow way. */
#include <equant/equant.h>
#include <stdbool.h>

#include "kselftest_harness.h"
#include "libloop.h"

#define UNITS 257
#define STEPS 20000

FIXTURE(runs)
{
	struct random random;
	struct equant_runs set;
	struct equant_runs out;
	bool map[UNITS];
};

FIXTURE_SETUP(runs)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(runs)
{
	equant_runs_release(&self->set);
	equant_runs_release(&self->out);
}

/* The first unit of which set and bitmap say different things, -1 for none. */
static long first_difference(const struct equant_runs *set, const bool *map)
{
	for (long u = 0; u < UNITS; u++)
		if (!equant_runs_find(set, u) != !map[u])
			return u;
	return -1;
}

static long count_of(const bool *map)
{
	long count = 0;

	for (int u = 0; u < UNITS; u++)
		count += map[u];
	return count;
}

/* A range of units that are all missing, count 0 when the picked place is taken. */
static struct equant_range random_gap(struct random *random, const bool *map)
{
	struct equant_range range = { random_below(random, UNITS), 0 };
	long most = 1 + random_below(random, 40);

	while (range.count < most && range.first + range.count < UNITS &&
	       !map[range.first + range.count])
		range.count++;
	return range;
}

static void mark(bool *map, const struct equant_range *range, bool value)
{
	for (long u = range->first; u < range->first + range->count; u++)
		map[u] = value;
}

/* Moves @count units from one end of @map to @taken. */
static void take_slowly(bool *map, bool *taken, long count, bool high)
{
	for (long i = 0; count && i < UNITS; i++) {
		long u = high ? UNITS - 1 - i : i;

		if (!map[u])
			continue;
		map[u] = false;
		taken[u] = true;
		count--;
	}
}

TEST_F(runs, random_adding_and_taking_agrees_with_a_bitmap)
{
	for (int step = 0; step < STEPS; step++) {
		bool taken[UNITS] = { false };
		long count = count_of(self->map);
		bool high = random_below(&self->random, 2);
		struct equant_range range;

		if (random_below(&self->random, 2)) {
			range = random_gap(&self->random, self->map);
			if (!range.count)
				continue;
			mark(self->map, &range, true);
			ASSERT_EQ(0, equant_runs_add(&self->set, range));
		} else {
			count = random_below(&self->random, count + 1);
			take_slowly(self->map, taken, count, high);
			ASSERT_EQ(0, equant_runs_take(&self->set, count, high, &self->out));
			ASSERT_EQ(NULL, runs_fault(&self->out));
			ASSERT_EQ(count, self->out.total);
			ASSERT_EQ(-1, first_difference(&self->out, taken));
		}
		ASSERT_EQ(NULL, runs_fault(&self->set))
		{
			TH_LOG("step %d: %s", step, runs_fault(&self->set));
		}
		ASSERT_EQ(count_of(self->map), self->set.total);
		ASSERT_EQ(-1, first_difference(&self->set, self->map));
	}
}

TEST_F(runs, adding_between_two_ranges_joins_them)
{
	ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ 0, 3 }));
	ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ 5, 3 }));
	ASSERT_EQ(2, self->set.n);
	ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ 3, 2 }));
	ASSERT_EQ(1, self->set.n);
	EXPECT_EQ(0, self->set.ranges[0].first);
	EXPECT_EQ(8, self->set.ranges[0].count);
}

TEST_F(runs, cutting_ranges_agrees_with_a_bitmap)
{
	for (int step = 0; step < STEPS; step++) {
		struct equant_range range = random_gap(&self->random, self->map);
		bool removed[UNITS] = { false };

		if (range.count) {
			ASSERT_EQ(0, equant_runs_add(&self->set, range));
			mark(self->map, &range, true);
		}
		range.first = random_below(&self->random, UNITS);
		range.count = random_below(&self->random, UNITS - range.first + 1);
		if (random_below(&self->random, 2))
			range.count %= 20;
		for (long u = range.first; u < range.first + range.count; u++) {
			removed[u] = self->map[u];
			self->map[u] = false;
		}
		ASSERT_EQ(0, equant_runs_cut(&self->set, range, &self->out));
		ASSERT_EQ(NULL, runs_fault(&self->set));
		ASSERT_EQ(NULL, runs_fault(&self->out));
		ASSERT_EQ(-1, first_difference(&self->set, self->map));
		ASSERT_EQ(-1, first_difference(&self->out, removed));
		equant_runs_release(&self->out);
	}
}

static void fill_at_random(struct random *random, struct equant_runs *set, bool *map)
{
	for (int i = 0; i < 40; i++) {
		struct equant_range range = random_gap(random, map);

		mark(map, &range, true);
		if (range.count && equant_runs_add(set, range))
			set->total = -1;
	}
}

/* By how much the units taken differ from their fraction in the worst part of the former set. */
static double worst_part(const bool *map, const struct equant_runs *taken, double fraction)
{
	double ahead = 0, low = 0, high = 0;

	for (long u = 0; u < UNITS; u++) {
		ahead += (double)!!equant_runs_find(taken, u) - (map[u] ? fraction : 0);
		low = ahead < low ? ahead : low;
		high = ahead > high ? ahead : high;
	}
	return high - low;
}

TEST_F(runs, thinning_takes_the_same_fraction_of_every_part)
{
	for (int round = 0; round < 500; round++) {
		bool map[UNITS] = { false };
		long whole, count;

		fill_at_random(&self->random, &self->set, map);
		whole = self->set.total;
		ASSERT_EQ(count_of(map), whole);
		count = random_below(&self->random, whole + 1);
		ASSERT_EQ(0, equant_runs_thin(&self->set, count, &self->out));
		ASSERT_EQ(NULL, runs_fault(&self->set));
		ASSERT_EQ(NULL, runs_fault(&self->out));
		ASSERT_EQ(count, self->out.total);
		ASSERT_EQ(whole - count, self->set.total);
		if (whole)
			ASSERT_GT(1.001,
				  worst_part(map, &self->out, (double)count / (double)whole));
		ASSERT_EQ(0, equant_runs_join(&self->set, &self->out));
		ASSERT_EQ(NULL, runs_fault(&self->set));
		ASSERT_EQ(-1, first_difference(&self->set, map));
		equant_runs_release(&self->set);
	}
}

TEST_F(runs, taking_everything_leaves_an_empty_set_that_can_be_used_again)
{
	for (int high = 0; high < 2; high++) {
		ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ 1, 2 }));
		ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ 9, 4 }));
		ASSERT_EQ(0, equant_runs_take(&self->set, 6, high, &self->out));
		EXPECT_EQ(0, self->set.n);
		EXPECT_EQ(0, self->set.total);
		EXPECT_EQ(2, self->out.n);
	}
}

TEST_F(runs, finding_works_at_every_edge)
{
	EXPECT_EQ(0, equant_runs_find(&self->set, 0));
	ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ 10, 1 }));
	ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ 20, 5 }));
	EXPECT_EQ(0, equant_runs_find(&self->set, 9));
	EXPECT_EQ(1, equant_runs_find(&self->set, 10));
	EXPECT_EQ(0, equant_runs_find(&self->set, 11));
	EXPECT_EQ(0, equant_runs_find(&self->set, 19));
	EXPECT_EQ(1, equant_runs_find(&self->set, 20));
	EXPECT_EQ(1, equant_runs_find(&self->set, 24));
	EXPECT_EQ(0, equant_runs_find(&self->set, 25));
	EXPECT_EQ(0, equant_runs_find(&self->set, -1));
}

TEST_F(runs, the_hash_of_a_union_is_the_sum_of_the_hashes)
{
	for (int round = 0; round < 1000; round++) {
		long first = random_below(&self->random, 1000);
		long count = 2 + random_below(&self->random, 100);
		uint64_t whole;

		ASSERT_EQ(0, equant_runs_add(&self->set, (struct equant_range){ first, count }));
		whole = equant_runs_hash(&self->set);
		ASSERT_EQ(0,
			  equant_runs_take(&self->set, 1 + random_below(&self->random, count - 1),
					   random_below(&self->random, 2), &self->out));
		ASSERT_EQ(whole, equant_runs_hash(&self->set) + equant_runs_hash(&self->out));
		ASSERT_NE(whole, equant_runs_hash(&self->set));
		ASSERT_EQ(0, equant_runs_take(&self->set, self->set.total, 0, &self->out));
	}
}

TEST_F(runs, two_sets_of_the_same_size_have_different_hashes)
{
	uint64_t seen[200];

	for (int first = 0; first < 200; first++) {
		struct equant_range range = { first, 1 + first % 7 };
		struct equant_runs one = { .ranges = &range, .n = 1, .total = range.count };

		seen[first] = equant_runs_hash(&one);
		for (int i = 0; i < first; i++)
			ASSERT_NE(seen[i], seen[first]);
	}
}

TEST_HARNESS_MAIN
