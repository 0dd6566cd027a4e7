// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Slice tables of several ranks in one process, followed by arrays that say who owns which
 * unit, what is in it and who has a copy.
 */
#include <equant/equant.h>
#include <equant/table.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libloop.h"
#include "loop/table.h"

#define UNITS 200
#define RANKS 4
#define SLICE 3000 /* 21 to a chunk */
#define STEPS 2000

struct model {
	bool active[UNITS];
	unsigned char content[UNITS];
	bool copied[RANKS][UNITS];
	unsigned char copy[RANKS][UNITS]; /* what it was when it was copied */
	long most[RANKS]; /* slices that were in use at once */
};

FIXTURE(table)
{
	struct random random;
	struct equant_units units;
	struct equant_runs moved;
	struct equant_table *tables[RANKS];
	struct model model;
};

FIXTURE_VARIANT(table)
{
	enum equant_table_kind kind;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(table, scattered) { .kind = EQUANT_TABLE_SCATTERED };
FIXTURE_VARIANT_ADD(table, indexed) { .kind = EQUANT_TABLE_INDEXED };
FIXTURE_VARIANT_ADD(table, packed) { .kind = EQUANT_TABLE_PACKED };
FIXTURE_VARIANT_ADD(table, reverse) { .kind = EQUANT_TABLE_REVERSE };
FIXTURE_VARIANT_ADD(table, restricted) { .kind = EQUANT_TABLE_RESTRICTED };
/* clang-format on */

static void fill(void *slice, unsigned char content)
{
	memset(slice, content, SLICE);
}

/* Every byte, or a part of the slice belongs to two units. */
static bool holds(const void *slice, unsigned char content)
{
	const unsigned char *bytes = slice;

	for (int i = 0; i < SLICE; i++)
		if (bytes[i] != content)
			return false;
	return true;
}

FIXTURE_SETUP(table)
{
	struct model *m = &self->model;

	self->random = random_seeded();
	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, RANKS, EQUANT_BLOCK));
	for (int r = 0; r < RANKS; r++) {
		self->tables[r] = equant_table_new(SLICE, variant->kind, UNITS,
						   &self->units.owned[r], &self->units.resting[r]);
		ASSERT_NE(NULL, self->tables[r]);
		m->most[r] = self->units.counts[r];
	}
	for (long u = 0; u < UNITS; u++) {
		void *slice = equant_table_slice(self->tables[self->units.owners[u]], u);

		m->active[u] = true;
		ASSERT_NE(NULL, slice);
		ASSERT_TRUE(holds(slice, 0));
	}
}

FIXTURE_TEARDOWN(table)
{
	for (int r = 0; r < RANKS; r++)
		equant_table_free(self->tables[r]);
	equant_runs_release(&self->moved);
	equant_units_release(&self->units);
}

static void write_some(struct _test_data_table *self)
{
	long u = random_below(&self->random, UNITS);
	unsigned char content = (unsigned char)random_next(&self->random);

	fill(equant_table_slice(self->tables[self->units.owners[u]], u), content);
	self->model.content[u] = content;
}

static void count_slices(struct _test_data_table *self)
{
	for (int r = 0; r < RANKS; r++) {
		const struct equant_table *t = self->tables[r];
		long used = t->active.count + t->resting.count + t->copies.count + t->nr_leaving;

		if (used > self->model.most[r])
			self->model.most[r] = used;
	}
}

/* As a move does: what has gone is read after its unit has left, and before it settles. */
static int move_some(struct _test_data_table *self)
{
	struct equant_instruction move = { .from = (int)random_below(&self->random, RANKS) };
	struct equant_table *from = self->tables[move.from], *to;
	long n = 0;
	int error;

	move.to = (int)((move.from + 1 + random_below(&self->random, RANKS - 1)) % RANKS);
	to = self->tables[move.to];
	if (!self->units.counts[move.from])
		return 0;
	move.units = 1 + random_below(&self->random, self->units.counts[move.from]);
	error = equant_units_move(&self->units, &move, &self->moved);
	if (!error)
		error = equant_table_leave(from, &self->moved);
	if (!error)
		error = equant_table_arrive(to, &self->moved);
	for (int i = 0; i < self->moved.n && !error; i++) {
		const struct equant_range *r = &self->moved.ranges[i];

		for (long u = r->first; u < r->first + r->count; u++) {
			const void *gone = from->leaving[from->nr_leaving - self->moved.total + n];

			memcpy(equant_table_slice(to, u), gone, SLICE);
			self->model.copied[move.to][u] = false;
			n++;
		}
	}
	count_slices(self);
	if (random_below(&self->random, 2))
		equant_table_settle(from);
	return error;
}

static int turn_some(struct _test_data_table *self)
{
	long u = random_below(&self->random, UNITS), left = UNITS - u;
	struct equant_range range = { u, 1 + random_below(&self->random, left < 9 ? left : 9) };
	bool active = self->model.active[u];
	int error = active ? equant_units_rest(&self->units, range) :
			     equant_units_wake(&self->units, range);

	if (error)
		return error == -EALREADY ? 0 : error;
	for (u = range.first; u < range.first + range.count; u++)
		self->model.active[u] = !active;
	for (int r = 0; r < RANKS && !error; r++)
		error = active ? equant_table_rest(self->tables[r], range) :
				 equant_table_wake(self->tables[r], range);
	return error;
}

static int copy_some(struct _test_data_table *self)
{
	int r = (int)random_below(&self->random, RANKS);
	struct model *m = &self->model;

	if (!random_below(&self->random, 20)) {
		equant_table_forget(self->tables[r]);
		memset(m->copied[r], 0, sizeof(m->copied[r]));
	}
	for (int n = 0; n < 5; n++) {
		long u = random_below(&self->random, UNITS);
		void *place;

		if (self->units.owners[u] == r)
			continue;
		place = equant_table_place(self->tables[r], u);
		if (!place)
			return -ENOMEM;
		fill(place, m->content[u]);
		m->copied[r][u] = true;
		m->copy[r][u] = m->content[u];
	}
	count_slices(self);
	return 0;
}

static int rename_some(struct _test_data_table *self)
{
	long a = random_below(&self->random, UNITS), b = random_below(&self->random, UNITS);
	struct model *m = &self->model;
	unsigned char content = m->content[a];
	int error = 0;

	if (a == b || m->active[a] != m->active[b])
		return 0;
	m->content[a] = m->content[b];
	m->content[b] = content;
	for (int r = 0; r < RANKS && !error; r++) {
		m->copied[r][a] = false;
		m->copied[r][b] = false;
		error = equant_table_rename(self->tables[r], a, b);
	}
	return error ? error : equant_units_rename(&self->units, a, b);
}

static const char *unit_fault(const struct _test_data_table *self, int r, long u)
{
	const struct equant_table *table = self->tables[r];
	const void *slice = equant_table_slice(table, u), *copy = equant_table_copy(table, u);
	const struct model *m = &self->model;

	if ((self->units.owners[u] == r) != (slice != NULL))
		return "a slice that is not where its unit is";
	if (slice && !holds(slice, m->content[u]))
		return "a slice with something else in it";
	if (m->copied[r][u] != (copy != NULL))
		return "a copy that should be there or should not";
	return copy && !holds(copy, m->copy[r][u]) ? "a copy of something else" : NULL;
}

/* Steps must meet each active unit that is here, once. */
static const char *steps_fault(const struct _test_data_table *self, int r, bool ascending)
{
	bool seen[UNITS] = { false };
	long last = -1, count = 0;
	const void *slice;

	equant_for_each_slice(self->tables[r], u, slice) {
		if (u < 0 || u >= UNITS || seen[u] || !self->model.active[u])
			return "a step to a unit that is none, was there or is inactive";
		if (slice != equant_table_slice(self->tables[r], u))
			return "a step to another slice than the unit's";
		if (ascending && u < last)
			return "a step back";
		seen[u] = true;
		last = u;
		count++;
	}
	return count == self->units.counts[r] ? NULL : "a unit left out";
}

static const char *fault(const struct _test_data_table *self, enum equant_table_kind kind)
{
	const bool ascending = kind == EQUANT_TABLE_SCATTERED || kind == EQUANT_TABLE_RESTRICTED;
	const char *fault = NULL;

	for (int r = 0; r < RANKS && !fault; r++) {
		for (long u = 0; u < UNITS && !fault; u++)
			fault = unit_fault(self, r, u);
		if (!fault)
			fault = steps_fault(self, r, ascending);
	}
	return fault;
}

TEST_F(table, random_moves_rests_names_and_copies_agree_with_a_plain_array)
{
	for (int step = 0; step < STEPS; step++) {
		write_some(self);
		ASSERT_EQ(0, move_some(self));
		ASSERT_EQ(0, turn_some(self));
		if (variant->kind != EQUANT_TABLE_RESTRICTED)
			ASSERT_EQ(0, rename_some(self));
		ASSERT_EQ(0, copy_some(self));
		ASSERT_EQ(NULL, fault(self, variant->kind))
		{
			TH_LOG("step %d: %s", step, fault(self, variant->kind));
		}
	}
}

/* An eighth more than were ever in use at once, or one chunk. */
TEST_F(table, memory_is_used_again_before_more_is_asked_for)
{
	const long chunk = 65536 / SLICE;

	for (int step = 0; step < STEPS; step++) {
		ASSERT_EQ(0, move_some(self));
		ASSERT_EQ(0, copy_some(self));
		for (int r = 0; r < RANKS; r++) {
			long most = self->model.most[r];

			ASSERT_GE(most + (most / 8 > chunk ? most / 8 : chunk),
				  self->tables[r]->pool.total);
		}
	}
}

TEST_F(table, a_slice_that_has_gone_is_not_written_before_it_settles)
{
	struct equant_instruction move = { .from = 1, .to = 2, .units = 20 };
	struct equant_table *table = self->tables[1];
	const void *gone[20];

	for (long u = 0; u < UNITS; u++)
		fill(equant_table_slice(self->tables[self->units.owners[u]], u), 7);
	ASSERT_EQ(0, equant_units_move(&self->units, &move, &self->moved));
	for (long n = 0; n < 20; n++)
		gone[n] = equant_table_slice(table, self->moved.ranges[0].first + n);
	ASSERT_EQ(0, equant_table_leave(table, &self->moved));
	for (long n = 0; n < 20; n++)
		EXPECT_EQ(NULL, equant_table_slice(table, self->moved.ranges[0].first + n));
	/* Others come meanwhile. */
	move = (struct equant_instruction){ .from = 0, .to = 1, .units = 40 };
	ASSERT_EQ(0, equant_units_move(&self->units, &move, &self->moved));
	ASSERT_EQ(0, equant_table_arrive(table, &self->moved));
	for (long n = 0; n < 40; n++)
		fill(equant_table_slice(table, self->moved.ranges[0].first + n), 8);
	for (long n = 0; n < 20; n++)
		EXPECT_TRUE(holds(gone[n], 7));
	equant_table_settle(table);
	EXPECT_EQ(0, table->nr_leaving);
}

TEST_F(table, units_that_do_not_exist_have_neither_slice_nor_copy)
{
	static const long none[] = { -1, UNITS, UNITS + 1000000, -1000000 };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		EXPECT_EQ(NULL, equant_table_slice(self->tables[0], none[i]));
		EXPECT_EQ(NULL, equant_table_copy(self->tables[0], none[i]));
	}
	EXPECT_EQ(variant->kind, equant_table_kind(self->tables[0]));
}

TEST_F(table, a_table_of_no_units_has_no_slices)
{
	const struct equant_runs none = { 0 };
	struct equant_table *table = equant_table_new(SLICE, variant->kind, 0, &none, &none);
	long cursor = 0, unit;

	ASSERT_NE(NULL, table);
	EXPECT_EQ(NULL, equant_table_slice(table, 0));
	EXPECT_EQ(NULL, equant_table_next(table, &cursor, &unit));
	equant_table_forget(table);
	EXPECT_EQ(0, table->pool.total);
	equant_table_free(table);
}

TEST_HARNESS_MAIN
