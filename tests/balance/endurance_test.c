// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A million phases: nothing is lost or doubled, and memory does not grow. */
#include <equant/balance.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libbalance.h"
#include "samples.h"

#define PHASES 500000 /* of each kind of movement */
#define SANITIZED_PHASES 5000
#define RANKS 6
#define UNITS 1000

FIXTURE(endurance)
{
	struct random random;
	struct equant_balancer *balancer;
	long units[RANKS];
	long phases;
	long moves;
};

FIXTURE_VARIANT(endurance)
{
	enum equant_movement movement;
	enum equant_rate_mode mode;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(endurance, doall) {
	.movement = EQUANT_MOVEMENT_UNRESTRICTED, .mode = EQUANT_RATE_PREDICTED
};
FIXTURE_VARIANT_ADD(endurance, doacross) {
	.movement = EQUANT_MOVEMENT_RESTRICTED, .mode = EQUANT_RATE_MEASURED
};
/* clang-format on */

FIXTURE_SETUP(endurance)
{
	struct equant_balance_options o = default_options(variant->mode);

	o.movement = variant->movement;
	o.profit = 0;
	o.filter = EQUANT_FILTER_NONE;
	self->random = random_seeded();
	self->phases = is_sanitized() ? SANITIZED_PHASES : PHASES;
	self->moves = 0;
	self->balancer = equant_balancer_new(RANKS, &o);
	ASSERT_NE(NULL, self->balancer);
	scatter(&self->random, self->units, RANKS, UNITS);
}

FIXTURE_TEARDOWN(endurance)
{
	equant_balancer_free(self->balancer);
}

/* Every transfer by itself, in an order that exists; -1 if there is none. */
static int carry_out_freely(const struct equant_decision *d, long *units)
{
	for (int i = 0; i < d->count; i++) {
		const struct equant_instruction *move = &d->instructions[i];

		if (move->from == move->to || move->units < 1 || units[move->from] < move->units)
			return -1;
		units[move->from] -= move->units;
		units[move->to] += move->units;
	}
	return 0;
}

static int carry_out(const struct equant_decision *d, enum equant_movement movement, long *units)
{
	struct equant_moves lists[RANKS];

	if (movement != EQUANT_MOVEMENT_RESTRICTED)
		return carry_out_freely(d, units);
	if (equant_order_restricted(d->instructions, d->count, units, RANKS, lists))
		return -1;
	return equant_play_restricted(lists, RANKS, EQUANT_HANDSHAKE_RENDEZVOUS, 1e-4, 1e-6, units,
				      NULL);
}

/* What is wrong after it, or NULL. */
static const char *phase(struct _test_data_endurance *self, enum equant_movement movement)
{
	struct equant_sample samples[RANKS];
	struct equant_decision d;
	long after[RANKS], total = 0;

	for (int r = 0; r < RANKS; r++)
		random_sample(&self->random, self->units[r], &samples[r]);
	if (equant_balancer_decide(self->balancer, samples, self->units, &d))
		return "the samples are refused";
	if (d.next_hook < 1)
		return "the next hook is not ahead";
	memcpy(after, self->units, sizeof(after));
	equant_apply(d.instructions, d.count, after);
	if (carry_out(&d, movement, self->units))
		return "instructions cannot be carried out";
	for (int r = 0; r < RANKS; r++) {
		if (self->units[r] < 0 || self->units[r] != after[r])
			return "a rank has other units than it should";
		total += self->units[r];
	}
	self->moves += d.count;
	return total == UNITS ? NULL : "units were lost or doubled";
}

TEST_F(endurance, no_unit_is_lost_or_doubled_and_memory_does_not_grow)
{
	struct mallinfo2 before, after;
	const char *fault = NULL;
	long k;

	/* What was freed once is kept for the next time: that is no growth. */
	for (k = 0; k < self->phases / 10 && !fault; k++)
		fault = phase(self, variant->movement);
	before = mallinfo2();
	for (; k < self->phases && !fault; k++)
		fault = phase(self, variant->movement);
	after = mallinfo2();
	EXPECT_EQ(NULL, fault)
	{
		TH_LOG("phase %ld: %s", k, fault);
	}
	/* Rates this wild move work in most phases. */
	EXPECT_LT(self->phases / 2, self->moves);
	EXPECT_EQ(before.uordblks, after.uordblks);
	EXPECT_EQ(before.hblkhd, after.hblkhd);
}

TEST_HARNESS_MAIN
