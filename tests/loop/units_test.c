// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ownership of a loop's units, followed by an array that names each unit's owner. */
#include <equant/equant.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libloop.h"

#define UNITS 300
#define RANKS 9

FIXTURE(units)
{
	struct random random;
	struct equant_units units;
	struct equant_runs moved;
	int owner[UNITS];
};

FIXTURE_SETUP(units)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(units)
{
	equant_runs_release(&self->moved);
	equant_units_release(&self->units);
}

TEST_F(units, blocks_are_contiguous_and_earlier_ranks_take_the_remainder)
{
	for (long units = 0; units <= 40; units++) {
		for (int ranks = 1; ranks <= RANKS; ranks++) {
			long unit = 0;

			ASSERT_EQ(0, equant_units_init(&self->units, units, ranks, EQUANT_BLOCK));
			for (int r = 0; r < ranks; r++) {
				long count = units / ranks + (r < units % ranks);

				ASSERT_EQ(count, self->units.counts[r]);
				ASSERT_EQ(count, self->units.owned[r].total);
				ASSERT_EQ(count ? 1 : 0, self->units.owned[r].n);
				for (; count; count--, unit++)
					ASSERT_EQ(r, equant_units_owner(&self->units, unit));
			}
			ASSERT_EQ(units, unit);
			equant_units_release(&self->units);
		}
	}
}

TEST_F(units, there_is_no_owner_of_a_unit_that_does_not_exist)
{
	ASSERT_EQ(0, equant_units_init(&self->units, 10, 3, EQUANT_BLOCK));
	EXPECT_EQ(-EINVAL, equant_units_owner(&self->units, -1));
	EXPECT_EQ(-EINVAL, equant_units_owner(&self->units, 10));
	EXPECT_EQ(2, equant_units_owner(&self->units, 9));
}

/* The giver's outermost @count units on the receiver's side change hands. */
static void move_slowly(int *owner, long units, const struct equant_instruction *move)
{
	long left = move->units;

	for (long i = 0; left && i < units; i++) {
		long u = move->to > move->from ? units - 1 - i : i;

		if (owner[u] != move->from)
			continue;
		owner[u] = move->to;
		left--;
	}
}

/* A unit of which the sets or the owners' names say anything else. */
static long first_stranger(const struct equant_units *units, const int *owner)
{
	for (long u = 0; u < units->units; u++)
		if (equant_units_owner(units, u) != owner[u] ||
		    equant_runs_find(&units->owned[owner[u]], u) +
				    equant_runs_find(&units->resting[owner[u]], u) !=
			    1)
			return u;
	return -1;
}

static struct equant_instruction random_move(struct random *random,
					     const struct equant_units *units)
{
	struct equant_instruction move = { .from = (int)random_below(random, units->ranks) };

	move.to = (int)((move.from + 1 + random_below(random, units->ranks - 1)) % units->ranks);
	if (units->counts[move.from])
		move.units = 1 + random_below(random, units->counts[move.from]);
	return move;
}

TEST_F(units, random_moves_agree_with_an_array_of_owners)
{
	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, RANKS, EQUANT_BLOCK));
	for (long u = 0; u < UNITS; u++)
		self->owner[u] = equant_units_owner(&self->units, u);
	for (int step = 0; step < 3000; step++) {
		struct equant_instruction move = random_move(&self->random, &self->units);
		long total = 0;

		if (!move.units)
			continue;
		move_slowly(self->owner, UNITS, &move);
		ASSERT_EQ(0, equant_units_move(&self->units, &move, &self->moved));
		ASSERT_EQ(move.units, self->moved.total);
		ASSERT_EQ(NULL, runs_fault(&self->moved));
		ASSERT_EQ(-1, first_stranger(&self->units, self->owner));
		for (int r = 0; r < RANKS; r++) {
			ASSERT_EQ(NULL, runs_fault(&self->units.owned[r]));
			ASSERT_EQ(self->units.counts[r], self->units.owned[r].total);
			total += self->units.counts[r];
		}
		ASSERT_EQ(UNITS, total);
	}
}

TEST_F(units, cyclic_units_go_to_each_rank_in_turn)
{
	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, RANKS, EQUANT_CYCLIC));
	for (long u = 0; u < UNITS; u++)
		ASSERT_EQ(u % RANKS, equant_units_owner(&self->units, u));
	for (int r = 0; r < RANKS; r++)
		ASSERT_EQ(UNITS / RANKS + (r < UNITS % RANKS), self->units.counts[r]);
}

/* Ends that were given would be all that rests next: the giver would lose its work at once. */
TEST_F(units, what_was_dealt_out_in_turn_stays_a_mixture_when_it_moves)
{
	long counts[2];

	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, 2, EQUANT_CYCLIC));
	for (int step = 0; step < 20; step++) {
		struct equant_instruction move = { .from = step % 3 ? 1 : 0,
						   .to = step % 3 ? 0 : 1,
						   .units = 3 + step % 2 };

		ASSERT_EQ(0, equant_units_move(&self->units, &move, &self->moved));
	}
	memcpy(counts, self->units.counts, sizeof(counts));
	ASSERT_EQ(0, equant_units_rest(&self->units, (struct equant_range){ 0, UNITS / 2 }));
	for (int r = 0; r < 2; r++) {
		EXPECT_GE(counts[r] / 2 + counts[r] / 8, self->units.counts[r]);
		EXPECT_LE(counts[r] / 2 - counts[r] / 8, self->units.counts[r]);
	}
}

/* 1 if all units of the range are in this state, which is then turned. */
static int turn_slowly(bool *active, const struct equant_range *range, bool from)
{
	for (long u = range->first; u < range->first + range->count; u++)
		if (active[u] != from)
			return 0;
	for (long u = range->first; u < range->first + range->count; u++)
		active[u] = !from;
	return 1;
}

TEST_F(units, what_rests_keeps_its_owner_counts_for_nothing_and_does_not_move)
{
	bool active[UNITS];
	long turned = 0;

	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, RANKS, EQUANT_CYCLIC));
	for (long u = 0; u < UNITS; u++) {
		self->owner[u] = equant_units_owner(&self->units, u);
		active[u] = true;
	}
	for (int step = 0; step < 5000; step++) {
		struct equant_range range = { random_below(&self->random, UNITS), 0 };
		struct equant_instruction move = random_move(&self->random, &self->units);
		bool rest = random_below(&self->random, 2);
		long total = 0;
		int error;

		range.count = random_below(&self->random, 9);
		if (range.count > UNITS - range.first)
			range.count = UNITS - range.first;
		error = rest ? equant_units_rest(&self->units, range) :
			       equant_units_wake(&self->units, range);
		ASSERT_EQ(turn_slowly(active, &range, rest) ? 0 : -EALREADY, error);
		turned += !error;
		if (move.units && move.units <= self->units.counts[move.from]) {
			ASSERT_EQ(0, equant_units_move(&self->units, &move, &self->moved));
			for (int i = 0; i < self->moved.n; i++)
				for (long n = 0; n < self->moved.ranges[i].count; n++) {
					long u = self->moved.ranges[i].first + n;

					ASSERT_TRUE(active[u]);
					self->owner[u] = move.to;
				}
		}
		ASSERT_EQ(-1, first_stranger(&self->units, self->owner));
		for (long u = 0; u < UNITS; u++) {
			ASSERT_EQ(active[u],
				  equant_runs_find(&self->units.owned[self->owner[u]], u));
			total += active[u];
		}
		ASSERT_EQ(total, equant_units_active(&self->units));
		for (int r = 0; r < RANKS; r++) {
			ASSERT_EQ(NULL, runs_fault(&self->units.owned[r]));
			ASSERT_EQ(NULL, runs_fault(&self->units.resting[r]));
			ASSERT_EQ(self->units.counts[r], self->units.owned[r].total);
		}
	}
	EXPECT_LT(100, turned);
}

TEST_F(units, units_that_change_names_keep_their_owners_and_states)
{
	long renamed = 0;

	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, RANKS, EQUANT_CYCLIC));
	ASSERT_EQ(0, equant_units_rest(&self->units, (struct equant_range){ 0, UNITS / 3 }));
	for (long u = 0; u < UNITS; u++)
		self->owner[u] = equant_units_owner(&self->units, u);
	for (int step = 0; step < 2000; step++) {
		long a = random_below(&self->random, UNITS), b = random_below(&self->random, UNITS);
		int owner = self->owner[a];

		if ((a < UNITS / 3) != (b < UNITS / 3))
			continue;
		ASSERT_EQ(0, equant_units_rename(&self->units, a, b));
		renamed += owner != self->owner[b];
		self->owner[a] = self->owner[b];
		self->owner[b] = owner;
		ASSERT_EQ(-1, first_stranger(&self->units, self->owner));
		for (long u = 0; u < UNITS; u++)
			ASSERT_EQ(u >= UNITS / 3, equant_units_is_active(&self->units, u));
		for (int r = 0; r < RANKS; r++) {
			ASSERT_EQ(NULL, runs_fault(&self->units.owned[r]));
			ASSERT_EQ(NULL, runs_fault(&self->units.resting[r]));
			ASSERT_EQ(self->units.counts[r], self->units.owned[r].total);
		}
	}
	EXPECT_LT(500, renamed);
}

TEST_F(units, units_that_do_not_exist_neither_rest_nor_wake)
{
	ASSERT_EQ(0, equant_units_init(&self->units, 10, 3, EQUANT_BLOCK));
	EXPECT_EQ(-EINVAL, equant_units_rest(&self->units, (struct equant_range){ -1, 2 }));
	EXPECT_EQ(-EINVAL, equant_units_rest(&self->units, (struct equant_range){ 9, 2 }));
	EXPECT_EQ(-EINVAL, equant_units_rest(&self->units, (struct equant_range){ 0, -1 }));
	EXPECT_EQ(-EALREADY, equant_units_wake(&self->units, (struct equant_range){ 0, 1 }));
	EXPECT_EQ(0, equant_units_rest(&self->units, (struct equant_range){ 0, 10 }));
	EXPECT_EQ(0, equant_units_active(&self->units));
	EXPECT_EQ(-EALREADY, equant_units_rest(&self->units, (struct equant_range){ 3, 1 }));
	EXPECT_EQ(0, equant_units_wake(&self->units, (struct equant_range){ 4, 0 }));
}

TEST_F(units, neighbours_that_pass_work_to_and_fro_keep_one_range_each)
{
	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, 2, EQUANT_BLOCK));
	for (int step = 0; step < 1000; step++) {
		struct equant_instruction move = random_move(&self->random, &self->units);

		if (!move.units)
			continue;
		ASSERT_EQ(0, equant_units_move(&self->units, &move, &self->moved));
		ASSERT_GE(1, self->units.owned[0].n);
		ASSERT_GE(1, self->units.owned[1].n);
	}
}

TEST_F(units, an_instruction_that_cannot_be_is_refused_and_changes_nothing)
{
	static const struct equant_instruction bad[] = {
		{ .from = -1, .to = 0, .units = 1 }, { .from = 0, .to = -1, .units = 1 },
		{ .from = 3, .to = 0, .units = 1 },  { .from = 0, .to = 3, .units = 1 },
		{ .from = 1, .to = 1, .units = 1 },  { .from = 0, .to = 1, .units = 0 },
		{ .from = 0, .to = 1, .units = -1 }, { .from = 0, .to = 1, .units = 5 },
	};

	ASSERT_EQ(0, equant_units_init(&self->units, 10, 3, EQUANT_BLOCK));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-EPROTO, equant_units_move(&self->units, &bad[i], &self->moved))
		{
			TH_LOG("instruction %zu", i);
		}
		EXPECT_EQ(4, self->units.counts[0]);
		EXPECT_EQ(3, self->units.counts[1]);
		EXPECT_EQ(3, self->units.counts[2]);
	}
}

TEST_HARNESS_MAIN
