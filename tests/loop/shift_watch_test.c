// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* When the costs of messages in a pipeline are measured again, with sweeps whose times are made up. */
#include <equant/advise.h>
#include <math.h>
#include <stdlib.h>

#include "kselftest_harness.h"
#include "loop/shift_watch.h"
#include "random.h"

/**
 * struct swept - a pipelined loop and what its messages really cost
 * @strips: with the costs in use
 * @fixed: what a message costs really
 * @part: of it, is what sending takes
 * @excess: of the next measurement, seconds
 * @measured: how often
 */
struct swept {
	struct equant_strips strips;
	struct equant_shift_watch watch;
	double fixed;
	double part;
	double excess;
	long block;
	int measured;
};

static struct swept loop_of(double fixed)
{
	return (struct swept){
		.strips = { .ranks = 4,
			    .iterations = 1000,
			    .units = 100,
			    .unit_time = 1e-8,
			    .shift_fixed = fixed,
			    .bytes = 8 },
		.fixed = fixed,
		.part = 1,
	};
}

static long block_of(const struct equant_strips *strips)
{
	struct equant_block best;

	if (equant_block_size(strips, &best, NULL, 0))
		abort();
	return best.size;
}

/* The block that a rank would choose that knew. */
static long right_block(const struct swept *s)
{
	struct equant_strips strips = s->strips;

	strips.shift_fixed = s->fixed;
	return block_of(&strips);
}

/* In which a strip was sent in this time; the costs that are measured then are used from the next one on. */
static void sweep_by(struct swept *s, double sent)
{
	int again = s->block ? equant_shift_watch(&s->watch, &s->strips, s->block, sent) : 0;
	double measured;

	s->block = block_of(&s->strips);
	if (!again)
		return;
	s->measured++;
	measured = s->fixed + s->excess;
	if (again > 0 || measured < s->strips.shift_fixed)
		s->strips.shift_fixed = measured;
	s->excess = 0;
}

static void sweeps(struct swept *s, int count)
{
	for (int i = 0; i < count; i++)
		sweep_by(s, s->part * s->fixed);
}

TEST(nothing_is_measured_while_sweeps_fit)
{
	struct random random = random_seeded();
	struct swept s = loop_of(10e-6);

	for (int i = 0; i < 10000; i++)
		sweep_by(&s, s.fixed * (0.55 + 1.4 * random_unit(&random)));
	EXPECT_EQ(0, s.measured);
}

TEST(strips_become_long_when_messages_become_dear_and_short_when_they_are_fast_again)
{
	struct swept s = loop_of(10e-6);
	long fast;

	sweeps(&s, 10);
	fast = s.block;
	EXPECT_EQ(right_block(&s), s.block);
	for (int i = 1; i <= 5; i++) {
		s.fixed = 500e-6;
		sweeps(&s, 5);
		EXPECT_EQ(right_block(&s), s.block);
		EXPECT_LT(5 * fast, s.block);
		EXPECT_EQ(2 * i - 1, s.measured);
		sweeps(&s, 100);
		s.fixed = 10e-6;
		sweeps(&s, 5);
		EXPECT_EQ(fast, s.block);
		EXPECT_EQ(2 * i, s.measured);
		sweeps(&s, 100);
		EXPECT_EQ(2 * i, s.measured);
	}
}

TEST(a_sweep_that_was_disturbed_is_no_reason)
{
	struct swept s = loop_of(10e-6);

	for (int i = 0; i < 1000; i++)
		sweep_by(&s, i % 3 ? 4e-3 : s.fixed);
	EXPECT_EQ(0, s.measured);
	/* Nor are two of one kind and two of the other. */
	for (int i = 0; i < 1000; i++)
		sweep_by(&s, i % 4 < 2 ? 4e-3 : s.fixed / 1000);
	EXPECT_EQ(0, s.measured);
}

/* Somebody had the CPU in all rounds: strips are all of a sweep, until the next ones show better. */
TEST(costs_that_were_measured_too_high_do_not_last)
{
	struct swept s = loop_of(10e-6);

	s.strips.shift_fixed = 4e-3;
	sweeps(&s, 1);
	EXPECT_EQ(1000, s.block);
	sweeps(&s, 5);
	EXPECT_EQ(1, s.measured);
	EXPECT_EQ(right_block(&s), s.block);
	/* And when they are measured again, too: that is in vain, but not the time after. */
	s.strips.shift_fixed = 4e-3;
	s.excess = 3e-3;
	sweeps(&s, 80);
	EXPECT_EQ(3, s.measured);
	EXPECT_EQ(right_block(&s), s.block);
}

/* Most of what a message takes is its way, which sending does not show. */
TEST(what_is_measured_in_vain_is_measured_ever_less_often)
{
	struct swept s = loop_of(200e-6);
	int before;

	s.part = 0.01;
	sweeps(&s, 3000);
	EXPECT_LE(1, s.measured);
	EXPECT_GE(6, s.measured);
	before = s.measured;
	sweeps(&s, 20000);
	EXPECT_GE(before + 6, s.measured);
}

/* Somebody shares the CPUs: every measurement is disturbed, by as much as a message costs or much more. */
TEST(measurements_that_differ_by_chance_are_no_reason_for_others)
{
	struct random random = random_seeded();
	struct swept s = loop_of(20e-6);

	s.part = 0.02;
	for (int i = 0; i < 10000; i++) {
		s.excess = s.fixed * exp2(8 * random_unit(&random));
		sweeps(&s, 1);
	}
	EXPECT_GE(20, s.measured);
}

/* Even then: sending takes longer than the whole message did. */
TEST(dear_messages_are_seen_however_often_it_was_in_vain_for_fast_ones)
{
	struct swept s = loop_of(200e-6);

	s.part = 0.01;
	sweeps(&s, 20000);
	s.part = 1;
	s.fixed = 2e-3;
	sweeps(&s, 5);
	EXPECT_EQ(right_block(&s), s.block);
	/* What was found out in vain counts for nothing then. */
	s.fixed = 20e-6;
	sweeps(&s, 5);
	EXPECT_EQ(right_block(&s), s.block);
}

TEST(where_other_strips_save_nothing_nothing_is_measured)
{
	struct swept s = loop_of(1e-7);

	/* A sweep of half a second. */
	s.strips.unit_time = 5e-6;
	s.fixed = 5e-7;
	sweeps(&s, 1000);
	EXPECT_EQ(0, s.measured);
}

TEST(what_is_not_known_is_no_reason)
{
	struct swept s = loop_of(10e-6);

	for (int i = 0; i < 100; i++)
		sweep_by(&s, 0);
	s.strips.unit_time = 0;
	for (int i = 0; i < 100; i++)
		sweep_by(&s, 1);
	s.strips.unit_time = 1e-8;
	s.strips.shift_fixed = 0;
	for (int i = 0; i < 100; i++)
		sweep_by(&s, 1);
	EXPECT_EQ(0, s.measured);
}

/* Twice as many bytes take longer to be sent and are no dearer. */
TEST(long_strips_may_take_longer)
{
	struct swept s = loop_of(1e-6);

	s.strips.byte_time = 1e-8;
	s.strips.bytes = 1000;
	for (int i = 0; i < 1000; i++) {
		s.strips.iterations = 100 << i % 8;
		s.block = block_of(&s.strips);
		sweep_by(&s, 1e-6 + 1e-5 * (double)s.block);
	}
	EXPECT_EQ(0, s.measured);
}

TEST(ranks_that_see_the_same_decide_the_same)
{
	struct random random = random_seeded();
	struct swept one = loop_of(10e-6), other = loop_of(10e-6);

	for (int i = 0; i < 5000; i++) {
		one.fixed = other.fixed = i % 100 < 50 ? 10e-6 : 1e-3;
		one.part = other.part = 0.6 + 0.4 * random_unit(&random);
		sweeps(&one, 1);
		sweeps(&other, 1);
		ASSERT_EQ(one.measured, other.measured);
		ASSERT_EQ(one.block, other.block);
	}
	EXPECT_LT(10, one.measured);
}

TEST_HARNESS_MAIN
