// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A million phases: the library's decisions move the library's sets of units, and an array that names each
 * unit's owner follows every unit that moves.  None is lost, doubled, or mistaken for another one, and memory
 * does not grow.
 */
#include <equant/equant.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libloop.h"
#include "samples.h"

#define PHASES 500000 /* of each kind of movement */
#define SANITIZED_PHASES 5000
#define AUDIT 100 /* phases between two looks at all units */
#define RANKS 6
#define UNITS 1000

FIXTURE(endurance)
{
	struct random random;
	struct equant_balancer *balancer;
	struct equant_units units;
	struct equant_runs moved;
	int owner[UNITS]; /* by unit: where it was seen to go */
	uint64_t hash; /* of all units */
	long phases;
	long moves;
};

FIXTURE_VARIANT(endurance)
{
	enum equant_movement movement;
	enum equant_rate_mode mode;
	enum equant_distribution distribution;
	size_t growth; /* bytes: sets have room for as many ranges as they have ever had, 1000 at most */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(endurance, doall) {
	.movement = EQUANT_MOVEMENT_UNRESTRICTED, .mode = EQUANT_RATE_PREDICTED,
	.distribution = EQUANT_BLOCK, .growth = 64 << 10
};
FIXTURE_VARIANT_ADD(endurance, doacross) {
	.movement = EQUANT_MOVEMENT_RESTRICTED, .mode = EQUANT_RATE_MEASURED,
	.distribution = EQUANT_BLOCK_ORDER
};
/* clang-format on */

FIXTURE_SETUP(endurance)
{
	struct equant_balance_options o;

	equant_balance_options_init(&o);
	o.mode = variant->mode;
	o.movement = variant->movement;
	o.move_fixed = 20e-6;
	o.move_per_unit = 1e-6;
	o.interact = 20e-6;
	o.profit = 0;
	o.filter = EQUANT_FILTER_NONE;
	self->random = random_seeded();
	self->phases = is_sanitized() ? SANITIZED_PHASES : PHASES;
	self->balancer = equant_balancer_new(RANKS, &o);
	ASSERT_NE(NULL, self->balancer);
	ASSERT_EQ(0, equant_units_init(&self->units, UNITS, RANKS, variant->distribution));
	for (int r = 0; r < RANKS; r++)
		self->hash += equant_runs_hash(&self->units.owned[r]);
	for (long u = 0; u < UNITS; u++)
		self->owner[u] = equant_units_owner(&self->units, u);
}

FIXTURE_TEARDOWN(endurance)
{
	equant_runs_release(&self->moved);
	equant_units_release(&self->units);
	equant_balancer_free(self->balancer);
}

/* The units that were moved were the giver's, each is moved once, and in restricted movement they pass a boundary. */
static const char *follow(struct _test_data_endurance *self, const struct equant_instruction *move)
{
	if (self->moved.total != move->units || runs_fault(&self->moved))
		return "other units were moved than should be";
	for (int i = 0; i < self->moved.n; i++) {
		const struct equant_range *range = &self->moved.ranges[i];

		for (long u = range->first; u < range->first + range->count; u++) {
			if (u < 0 || u >= UNITS)
				return "a unit was moved that there is not";
			if (self->owner[u] != move->from)
				return "a unit was moved by a rank that does not own it";
			self->owner[u] = move->to;
		}
	}
	return NULL;
}

/* Each instruction in its turn: when its giver owns enough, as the mover has them (move.c). */
static const char *carry_out(struct _test_data_endurance *self, const struct equant_decision *d)
{
	int left = d->count, begun[RANKS] = { 0 }, before;
	const char *fault = NULL;

	if (left > RANKS - 1)
		return "more instructions than can be";
	do {
		before = left;
		for (int i = 0; i < d->count && !fault; i++) {
			const struct equant_instruction *move = &d->instructions[i];

			if (begun[i] || self->units.counts[move->from] < move->units)
				continue;
			if (equant_units_move(&self->units, move, &self->moved))
				return "an instruction is refused";
			fault = follow(self, move);
			begun[i] = 1;
			left--;
		}
	} while (left && left < before && !fault);
	return !fault && left ? "instructions cannot be carried out" : fault;
}

/* Which ranks hold which units, by the names that have been followed. */
static const char *audit(const struct _test_data_endurance *self)
{
	uint64_t hash = 0;
	long total = 0;

	for (int r = 0; r < RANKS; r++) {
		if (runs_fault(&self->units.owned[r]))
			return runs_fault(&self->units.owned[r]);
		hash += equant_runs_hash(&self->units.owned[r]);
		total += self->units.owned[r].total;
	}
	for (long u = 0; u < UNITS; u++) {
		if (equant_units_owner(&self->units, u) != self->owner[u])
			return "a unit's owner is another one than it was moved to";
		if (!equant_runs_find(&self->units.owned[self->owner[u]], u))
			return "a unit is lost";
	}
	/* Each is where it should be; with as many in all, none is anywhere else. */
	if (total != UNITS)
		return "a unit is doubled";
	return hash == self->hash ? NULL : "checked mode would not find all units";
}

/* By block order: each rank's units are one block, behind those of the rank before. */
static const char *in_order(const struct equant_units *units)
{
	long next = 0;

	for (int r = 0; r < RANKS; r++) {
		if (units->owned[r].n > 1 ||
		    (units->owned[r].n && units->owned[r].ranges[0].first != next))
			return "blocks are not in order";
		next += units->owned[r].total;
	}
	return NULL;
}

/* What is wrong after it, or NULL. */
static const char *phase(struct _test_data_endurance *self, enum equant_movement movement)
{
	struct equant_sample samples[RANKS];
	struct equant_decision d;
	long after[RANKS], total = 0;
	const char *fault;

	for (int r = 0; r < RANKS; r++)
		random_sample(&self->random, self->units.counts[r], &samples[r]);
	if (equant_balancer_decide(self->balancer, samples, self->units.counts, &d))
		return "the samples are refused";
	if (d.next_hook < 1)
		return "the next hook is not ahead";
	memcpy(after, self->units.counts, sizeof(after));
	equant_apply(d.instructions, d.count, after);
	fault = carry_out(self, &d);
	for (int r = 0; r < RANKS && !fault; r++) {
		if (self->units.counts[r] != after[r] ||
		    self->units.owned[r].total != self->units.counts[r])
			fault = "a rank has another number of units than it should";
		total += self->units.owned[r].total;
	}
	if (!fault && total != UNITS)
		fault = "units were lost or doubled";
	if (!fault && movement == EQUANT_MOVEMENT_RESTRICTED)
		fault = in_order(&self->units);
	self->moves += d.count;
	return fault;
}

/* Phases from @from to @to, or until something is wrong: which one is left in @from. */
static const char *phases(struct _test_data_endurance *self, enum equant_movement movement,
			  long *from, long to)
{
	const char *fault = NULL;

	for (; *from < to && !fault; (*from)++) {
		fault = phase(self, movement);
		if (!fault && *from % AUDIT == 0)
			fault = audit(self);
	}
	return fault ? fault : audit(self);
}

TEST_F(endurance, every_unit_is_where_it_was_moved_to_and_memory_does_not_grow)
{
	struct mallinfo2 before, after;
	const char *fault;
	long k = 0;

	/* What was freed once is kept for the next time: that is no growth. */
	fault = phases(self, variant->movement, &k, self->phases / 10);
	before = mallinfo2();
	if (!fault)
		fault = phases(self, variant->movement, &k, self->phases);
	after = mallinfo2();
	EXPECT_EQ(NULL, fault)
	{
		TH_LOG("phase %ld: %s", k, fault);
	}
	EXPECT_EQ(self->phases, k);
	/* Rates this wild move work in most phases. */
	EXPECT_LT(self->phases / 2, self->moves);
	EXPECT_LE(after.uordblks, before.uordblks + variant->growth);
	EXPECT_EQ(before.hblkhd, after.hblkhd);
}

TEST_HARNESS_MAIN
