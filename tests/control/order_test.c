// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Orders survive being sent, and nothing else passes for one. */
#include <equant/equant.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/order.h"
#include "kselftest_harness.h"
#include "random.h"

#define RANKS 5
#define NUMBER 7

FIXTURE(order)
{
	struct equant_order sent, received;
	uint64_t clock;
	size_t size;
	char *message;
	const char *fault;
};

FIXTURE_SETUP(order)
{
	static const struct equant_instruction instructions[] = { { 0, 3, 10 }, { 4, 2, 1 } };

	ASSERT_EQ(0, equant_order_init(&self->sent, RANKS));
	ASSERT_EQ(0, equant_order_init(&self->received, RANKS));
	self->message = malloc(equant_order_size(RANKS));
	ASSERT_NE(NULL, self->message);
	self->sent.failed = self->sent.closed = self->sent.differs = -1;
	self->sent.speeds_known = 1;
	memcpy(self->sent.instructions, instructions, sizeof(instructions));
	self->sent.decision = (struct equant_decision){
		.verdict = EQUANT_VERDICT_MOVE,
		.instructions = self->sent.instructions,
		.count = 2,
		.reduction = 0.25,
		.period = 0.1,
		.next_hook = 12,
	};
	for (int r = 0; r < RANKS; r++)
		self->sent.estimates[r] =
			(struct equant_estimate){ 100 + r, 200 + r, 0.5, 300 + r };
}

FIXTURE_TEARDOWN(order)
{
	equant_order_release(&self->sent);
	equant_order_release(&self->received);
	free(self->message);
}

static void pack(struct _test_data_order *self)
{
	self->size = equant_order_pack(&self->sent, RANKS, NUMBER, 3, self->message);
}

static int unpack(struct _test_data_order *self, int ranks, uint64_t number, size_t size)
{
	return equant_order_unpack(&self->received, ranks, number, &self->clock, self->message,
				   size, &self->fault);
}

TEST_F(order, what_is_unpacked_is_what_was_packed)
{
	const struct equant_order *got = &self->received;

	pack(self);
	EXPECT_GE(equant_order_size(RANKS), self->size);
	ASSERT_EQ(0, unpack(self, RANKS, NUMBER, self->size));
	EXPECT_EQ(3, self->clock);
	EXPECT_EQ(-1, got->failed);
	EXPECT_EQ(-1, got->closed);
	EXPECT_EQ(1, got->speeds_known);
	EXPECT_EQ(EQUANT_VERDICT_MOVE, got->decision.verdict);
	EXPECT_EQ(12, got->decision.next_hook);
	EXPECT_TRUE(got->decision.reduction == 0.25);
	EXPECT_EQ(2, got->decision.count);
	EXPECT_EQ(got->instructions, got->decision.instructions);
	EXPECT_EQ(0, memcmp(got->instructions, self->sent.instructions,
			    2 * sizeof(*got->instructions)));
	EXPECT_EQ(0, memcmp(got->estimates, self->sent.estimates, RANKS * sizeof(*got->estimates)));
}

TEST_F(order, ranks_are_as_fast_as_of_late_and_average_where_that_is_not_known)
{
	double paces[RANKS];

	equant_order_paces(&self->sent, RANKS, paces);
	for (int r = 0; r < RANKS; r++)
		EXPECT_TRUE(paces[r] == 300 + r);
	self->sent.estimates[0].pace = 0;
	equant_order_paces(&self->sent, RANKS, paces);
	EXPECT_TRUE(paces[0] == (301 + 302 + 303 + 304) / 4.0);
	EXPECT_TRUE(paces[4] == 304);
	self->sent.speeds_known = 0;
	equant_order_paces(&self->sent, RANKS, paces);
	for (int r = 0; r < RANKS; r++)
		EXPECT_TRUE(paces[r] == 0);
}

TEST_F(order, a_rank_that_has_failed_or_closed_arrives_without_a_decision)
{
	memset(&self->sent.decision, 0, sizeof(self->sent.decision));
	self->sent.failed = 2;
	self->sent.closed = 4;
	pack(self);
	ASSERT_EQ(0, unpack(self, RANKS, NUMBER, self->size));
	EXPECT_EQ(2, self->received.failed);
	EXPECT_EQ(4, self->received.closed);
	EXPECT_EQ(0, self->received.decision.count);
}

#define EXPECT_REFUSED(result, text)                     \
	do {                                             \
		EXPECT_EQ(-EBADMSG, result);             \
		EXPECT_NE(NULL, self->fault);            \
		if (self->fault)                         \
			EXPECT_STREQ(text, self->fault); \
	} while (0)

TEST_F(order, an_order_of_another_phase_job_or_length_is_refused)
{
	pack(self);
	EXPECT_REFUSED(unpack(self, RANKS, NUMBER + 1, self->size), "it belongs to another phase");
	EXPECT_REFUSED(unpack(self, RANKS - 1, NUMBER, self->size),
		       "it is for another number of ranks");
	EXPECT_REFUSED(unpack(self, RANKS, NUMBER, self->size - 1), "its length is wrong");
	EXPECT_REFUSED(unpack(self, RANKS, NUMBER, 0), "it is too short");
	self->message[0] ^= 1;
	EXPECT_REFUSED(unpack(self, RANKS, NUMBER, self->size), "it is no order");
}

TEST_F(order, instructions_that_cannot_be_are_refused)
{
	static const struct equant_instruction wrong[] = {
		{ -1, 0, 1 }, { 0, RANKS, 1 }, { 2, 2, 1 }, { 0, 1, 0 }, { 0, 1, -5 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		self->sent.instructions[1] = wrong[i];
		pack(self);
		EXPECT_EQ(-EBADMSG, unpack(self, RANKS, NUMBER, self->size));
	}
	EXPECT_STREQ("an instruction moves nothing", self->fault);
}

TEST_F(order, a_hook_that_lies_behind_and_ranks_that_do_not_exist_are_refused)
{
	self->sent.decision.next_hook = 0;
	pack(self);
	EXPECT_REFUSED(unpack(self, RANKS, NUMBER, self->size), "its next hook lies behind");
	self->sent.decision.next_hook = 1;
	self->sent.failed = RANKS;
	pack(self);
	EXPECT_REFUSED(unpack(self, RANKS, NUMBER, self->size),
		       "it names a rank that does not exist");
}

/* Whatever bit is wrong: refused, or an order whose ranks, counts and hook can be used. */
TEST_F(order, no_damaged_message_leads_outside_the_ranks)
{
	struct random random = random_seeded();

	for (int i = 0; i < 20000; i++) {
		pack(self);
		for (int k = 0; k < 3; k++)
			self->message[random_below(&random, (long)self->size)] ^=
				(char)(1 << random_below(&random, 8));
		if (unpack(self, RANKS, NUMBER, self->size))
			continue;
		ASSERT_LE(self->received.decision.count, RANKS);
		ASSERT_LE(0, self->received.decision.count);
		ASSERT_LT(self->received.failed, RANKS);
		for (int k = 0; k < self->received.decision.count; k++) {
			ASSERT_LE(0, self->received.instructions[k].from);
			ASSERT_GT(RANKS, self->received.instructions[k].from);
			ASSERT_LE(0, self->received.instructions[k].to);
			ASSERT_GT(RANKS, self->received.instructions[k].to);
		}
	}
}

TEST(instructions_that_can_be_carried_out_stay_as_they_are)
{
	/* rank 1 passes on what it receives first */
	struct equant_instruction moves[] = { { 1, 2, 5 }, { 0, 1, 4 } };
	long units[] = { 10, 2, 0 };

	EXPECT_EQ(2, equant_order_fit(moves, 2, units));
	EXPECT_EQ(6, units[0]);
	EXPECT_EQ(1, units[1]);
	EXPECT_EQ(5, units[2]);
}

TEST(who_has_less_than_it_is_to_send_sends_what_it_has)
{
	struct equant_instruction moves[] = { { 0, 1, 5 }, { 2, 1, 3 }, { 0, 3, 1 } };
	long units[] = { 2, 0, 0, 7 };

	/* the small one can be carried out, the other gets the rest, rank 2 has nothing */
	EXPECT_EQ(2, equant_order_fit(moves, 3, units));
	EXPECT_EQ(0, units[0]);
	EXPECT_EQ(1, units[1]);
	EXPECT_EQ(0, units[2]);
	EXPECT_EQ(8, units[3]);
}

TEST(no_count_becomes_negative_and_no_unit_is_lost)
{
	struct random random = random_seeded();

	for (int i = 0; i < 20000; i++) {
		struct equant_instruction moves[RANKS];
		long units[RANKS], total = 0, sum = 0;
		int count = (int)random_below(&random, RANKS + 1);

		for (int r = 0; r < RANKS; r++) {
			units[r] = (long)random_below(&random, 10);
			total += units[r];
		}
		for (int k = 0; k < count; k++) {
			moves[k].from = (int)random_below(&random, RANKS);
			moves[k].to =
				(moves[k].from + 1 + (int)random_below(&random, RANKS - 1)) % RANKS;
			moves[k].units = 1 + (long)random_below(&random, 10);
		}
		count = equant_order_fit(moves, count, units);
		for (int r = 0; r < RANKS; r++) {
			ASSERT_LE(0, units[r]);
			sum += units[r];
		}
		ASSERT_EQ(total, sum);
		for (int k = 0; k < count; k++)
			ASSERT_LT(0, moves[k].units);
	}
}

TEST_HARNESS_MAIN
