// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Does what is asked for ahead of a copy go the way that the copy goes? */
#include "kselftest_harness.h"
#include "random.h"
#include "redist/ahead.h"

#define SHAPES 2000
#define LEVELS 5

FIXTURE(ahead)
{
	struct random random;
	struct equant_redist_shape shape;
	int64_t turn[EQUANT_REDIST_LEVELS];
	int64_t bytes;
	char from[1];
	char to[1];
};

FIXTURE_SETUP(ahead)
{
	self->random = random_seeded();
}

FIXTURE_TEARDOWN(ahead)
{
}

/* Loops of any steps: nothing is copied. */
static void make_shape(FIXTURE_DATA(ahead) * self)
{
	struct random *random = &self->random;
	struct equant_redist_shape *shape = &self->shape;

	shape->block = 1 + random_below(random, random_below(random, 2) ? 20 : 3000);
	shape->levels = (int)random_below(random, LEVELS);
	shape->fetched = true;
	shape->written = random_below(random, 2);
	self->bytes = shape->block;
	for (int i = shape->levels - 1; i >= 0; i--) {
		shape->level[i] = (struct equant_redist_level){
			.count = 1 + random_below(random, 7),
			.from = random_below(random, 10000) - 1000,
			.to = random_below(random, 10000) - 1000,
		};
		self->turn[i] = self->bytes;
		self->bytes *= shape->level[i].count;
	}
}

/* Where byte @at of the copy is, by the loops' definition. */
static uintptr_t place_of(const FIXTURE_DATA(ahead) * self, bool to, int64_t at)
{
	uintptr_t place = (uintptr_t)(to ? self->to : self->from);

	for (int i = 0; i < self->shape.levels; i++) {
		const struct equant_redist_level *level = &self->shape.level[i];

		place += (uintptr_t)(at / self->turn[i] * (to ? level->to : level->from));
		at %= self->turn[i];
	}
	return place + (uintptr_t)at;
}

static void begin(FIXTURE_DATA(ahead) * self, struct equant_redist_ahead *ahead, int64_t skip,
		  int64_t end)
{
	equant_redist_ahead_begin(ahead, &self->shape, self->turn,
				  (struct equant_redist_place){ self->from, 0 },
				  (struct equant_redist_place){ self->to, 0 }, skip, end);
	ahead->lead = random_below(&self->random, 3000);
}

TEST_F(ahead, what_is_asked_for_is_what_is_copied_as_much_later)
{
	for (int i = 0; i < SHAPES; i++) {
		struct equant_redist_ahead ahead;
		int64_t skip, end, at;

		make_shape(self);
		skip = at = random_below(&self->random, self->bytes);
		end = skip + 1 + random_below(&self->random, self->bytes - skip);
		begin(self, &ahead, skip, end);
		while (at < end) {
			int64_t expected = at + ahead.lead < end ? at + ahead.lead : end;

			equant_redist_ahead_go(&ahead, at);
			ASSERT_EQ(expected, ahead.at);
			if (expected == self->bytes)
				break;
			ASSERT_EQ(place_of(self, false, expected),
				  ahead.from + (uintptr_t)ahead.within);
			ASSERT_EQ(place_of(self, true, expected),
				  ahead.to + (uintptr_t)ahead.within);
			at += 1 + random_below(&self->random, 500);
		}
	}
}

TEST_F(ahead, turns_that_ask_themselves_are_those_as_far_from_what_comes_later)
{
	int64_t found = 0;

	for (int i = 0; i < SHAPES; i++) {
		struct equant_redist_ahead ahead;
		int64_t block, by, count, most, at;

		make_shape(self);
		block = self->shape.block;
		begin(self, &ahead, 0, self->bytes);
		ahead.lead -= ahead.lead % block;
		at = random_below(&self->random, self->bytes / block) * block;
		equant_redist_ahead_go(&ahead, at);
		if (ahead.at >= self->bytes)
			continue;
		most = 1 + random_below(&self->random, 9);
		count = equant_redist_ahead_along(&ahead, (char *)place_of(self, false, at),
						  (char *)place_of(self, true, at), at, most, &by);
		ASSERT_LE(count, most);
		for (int64_t k = 0; k < count; k++) {
			int64_t later = at + (k + by) * block;
			const struct equant_redist_level *inner =
				&self->shape.level[self->shape.levels - 1];

			ASSERT_LT(later, self->bytes);
			ASSERT_EQ(place_of(self, false, later),
				  place_of(self, false, at) + (uintptr_t)((k + by) * inner->from));
			ASSERT_EQ(place_of(self, true, later),
				  place_of(self, true, at) + (uintptr_t)((k + by) * inner->to));
		}
		if (count && ahead.at < self->bytes)
			ASSERT_EQ(place_of(self, false, ahead.at), ahead.from);
		found += count;
	}
	EXPECT_GT(found, SHAPES / 20);
}

TEST_HARNESS_MAIN
