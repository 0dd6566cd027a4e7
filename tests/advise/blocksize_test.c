// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The block size of a pipeline: Siegell 1995, section 3.3. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kselftest_harness.h"
#include "libadvise.h"

/* One relaxation of SOR, 1000 x 1000: table 7.1 has 84.19 s for ten. */
static struct equant_strips sor(int ranks)
{
	return (struct equant_strips){
		.ranks = ranks,
		.iterations = 1000,
		.units = 1000 / ranks,
		.unit_time = 8.419e-6,
		.shift_fixed = 1e-3,
		.byte_time = 1e-7,
		.bytes = 4,
	};
}

static struct equant_block best(const struct equant_strips *pipeline)
{
	struct equant_block block = { 0 };

	if (equant_block_size(pipeline, &block, NULL, 0))
		block.size = -1;
	return block;
}

/* ---- the time ----------------------------------------------------------------- */

/*
 * The pipeline phase by phase, as in fig. 3.5: in each phase the ranks that have
 * a block compute it, then those that have a next one shift; a phase takes as long as
 * its largest block.
 */
static double phase_by_phase(const struct equant_strips *p, long size)
{
	long blocks = (p->iterations + size - 1) / size, last = p->iterations - (blocks - 1) * size;
	double time = 0;

	for (long phase = 0; phase < blocks + p->ranks - 1; phase++) {
		long computed = 0, shifted = 0;

		for (int rank = 0; rank < p->ranks; rank++) {
			long block = phase - rank, b = block == blocks - 1 ? last : size;

			if (block < 0 || block >= blocks)
				continue;
			computed = b > computed ? b : computed;
			if (rank < p->ranks - 1)
				shifted = b > shifted ? b : shifted;
		}
		time += (double)computed * (double)p->units * p->unit_time;
		if (shifted)
			time += p->shift_fixed + (double)shifted * p->bytes * p->byte_time;
	}
	return time;
}

static struct equant_strips any_pipeline(struct random *random, long most)
{
	struct equant_strips p = {
		.ranks = 1 + (int)random_below(random, 12),
		.iterations = 1 + random_below(random, most),
		.units = 1 + random_below(random, 50),
		.unit_time = exp(-12 + 10 * random_unit(random)),
		.shift_fixed = exp(-12 + 14 * random_unit(random)),
		.byte_time = exp(-16 + 10 * random_unit(random)),
		.bytes = (double)random_below(random, 9),
	};

	/* Nothing for free in most cases. */
	if (random_below(random, 8) == 0)
		p.unit_time = 0;
	if (random_below(random, 8) == 0)
		p.shift_fixed = 0;
	return p;
}

TEST(the_time_is_that_of_the_pipeline_phase_by_phase)
{
	struct random random = random_seeded();

	for (int i = 0; i < 400; i++) {
		struct equant_strips p = any_pipeline(&random, 60);

		for (long size = 1; size <= p.iterations; size++) {
			double time = equant_strips_time(&p, size);
			double phases = phase_by_phase(&p, size);

			EXPECT_LE(fabs(time - phases), 1e-9 * phases);
		}
	}
}

TEST(where_the_size_divides_the_iterations_the_time_is_that_of_equation_3_10)
{
	struct equant_strips p = sor(4);
	double seq = 8.419, incr = 4e-7, m = 1000;

	for (double blocks = 1; blocks <= 1000; blocks *= 10)
		EXPECT_TRUE(near(equant_strips_time(&p, (long)(m / blocks)),
				 seq / 4 + seq / blocks - seq / (4 * blocks) + blocks * 1e-3 +
					 4 * 1e-3 - 2 * 1e-3 + incr * m + 4 * incr * m / blocks -
					 2 * incr * m / blocks));
}

TEST(without_communication_the_efficiency_is_that_of_equation_3_6)
{
	struct equant_strips p = sor(4);

	p.shift_fixed = 0;
	p.byte_time = 0;
	for (long size = 1; size <= 1000; size *= 10) {
		double blocks = 1000.0 / (double)size;

		EXPECT_TRUE(
			near(8.419 / (4 * equant_strips_time(&p, size)), blocks / (blocks + 3)));
	}
	EXPECT_TRUE(near(best(&p).efficiency, 1000.0 / 1003));
}

TEST(a_rank_alone_shifts_nothing)
{
	struct equant_strips p = sor(1);
	struct equant_block block = best(&p);

	EXPECT_EQ(1000, block.size);
	EXPECT_EQ(1, block.blocks);
	EXPECT_TRUE(near(block.time, 8.419));
	EXPECT_TRUE(near(block.efficiency, 1));
}

/* ---- the best size -------------------------------------------------------------- */

TEST(no_other_size_is_faster)
{
	struct random random = random_seeded();

	for (int i = 0; i < 2000; i++) {
		struct equant_strips p = any_pipeline(&random, 500);
		struct equant_block block = best(&p);
		double least = INFINITY;

		for (long size = 1; size <= p.iterations; size++)
			least = fmin(least, equant_strips_time(&p, size));
		ASSERT_LE(1, block.size);
		ASSERT_LE(block.size, p.iterations);
		EXPECT_TRUE(block.time == equant_strips_time(&p, block.size));
		EXPECT_LE(block.time, least * (1 + 1e-12))
		{
			TH_LOG("P %d m %ld units %ld unit %g fixed %g byte %g bytes %g: size %ld",
			       p.ranks, p.iterations, p.units, p.unit_time, p.shift_fixed,
			       p.byte_time, p.bytes, block.size);
		}
	}
}

TEST(the_ideal_number_of_blocks_is_that_of_equation_3_12)
{
	struct equant_strips p = sor(4);

	p.byte_time = 0;
	/* sqrt(8.419 x 3/4 / 0.001) */
	EXPECT_LE(fabs(best(&p).ideal - 79.4623), 1e-4);
	p.byte_time = 1e-5;
	/* sqrt((6.31425 + 4e-5 x 1000 x 2) / 0.001) */
	EXPECT_LE(fabs(best(&p).ideal - 79.9641), 1e-4);
}

TEST(the_size_for_sor_is_what_a_search_by_hand_gives)
{
	struct equant_strips p = sor(4);
	struct equant_block block = best(&p);

	/* A = 3 x 2.10475 ms + 2 x 0.4 us: 13 A + 77 ms is the least, before 12 A + 84 ms */
	EXPECT_EQ(13, block.size);
	EXPECT_EQ(77, block.blocks);
	EXPECT_TRUE(near(block.sequential, 8.419));
	EXPECT_TRUE(near(block.time, 2.10475e-3 * 1039 + 79e-3 + 4e-7 * 1026));
	EXPECT_TRUE(near(block.efficiency, 8.419 / 4 / block.time));
}

TEST(free_messages_make_blocks_of_one_and_free_work_makes_one_block)
{
	struct equant_strips p = sor(4);

	p.shift_fixed = 0;
	EXPECT_EQ(1, best(&p).size);
	p = sor(2);
	p.unit_time = 0;
	EXPECT_EQ(1000, best(&p).size);
}

TEST(dearer_messages_never_make_smaller_blocks)
{
	struct equant_strips p = sor(4);
	long before = 0;

	for (p.shift_fixed = 1e-7; p.shift_fixed < 100; p.shift_fixed *= 1.5) {
		long size = best(&p).size;

		EXPECT_LE(before, size);
		before = size;
	}
	EXPECT_EQ(1000, before);
}

TEST(a_loop_of_very_many_iterations_is_no_trouble)
{
	struct equant_strips p = sor(8);
	struct equant_block block;

	p.iterations = LONG_MAX;
	block = best(&p);
	EXPECT_LE(1, block.size);
	EXPECT_LE(block.time, equant_strips_time(&p, block.size + 1) * (1 + 1e-12));
	p.iterations = 1000000000;
	block = best(&p);
	for (long d = -1000; d <= 1000; d++)
		if (block.size + d > 0)
			EXPECT_LE(block.time, equant_strips_time(&p, block.size + d) * (1 + 1e-12));
}

/* ---- fixed grain ---------------------------------------------------------------- */

TEST(a_fixed_grain_of_one_and_a_half_quanta_makes_blocks_by_equation_3_1)
{
	struct equant_strips p = sor(4);

	/* section 3.3.6: 150 ms; an iteration takes 2.10475 ms */
	EXPECT_EQ(71, equant_block_for_grain(&p, 0.15, NULL, 0));
	EXPECT_EQ(1, equant_block_for_grain(&p, 1e-6, NULL, 0));
	EXPECT_EQ(1000, equant_block_for_grain(&p, 1e6, NULL, 0));
	p.unit_time = 0;
	EXPECT_EQ(1000, equant_block_for_grain(&p, 0.15, NULL, 0));
}

TEST(the_best_size_beats_a_fixed_grain_where_there_are_many_ranks)
{
	/* fig. 3.8: about the same with few processors, better with many */
	struct equant_strips few = sor(2), many = sor(8);
	double ratio_few, ratio_many;

	ratio_few = equant_strips_time(&few, equant_block_for_grain(&few, 0.15, NULL, 0)) /
		    best(&few).time;
	ratio_many = equant_strips_time(&many, equant_block_for_grain(&many, 0.15, NULL, 0)) /
		     best(&many).time;
	EXPECT_LE(1, ratio_few);
	EXPECT_LT(ratio_few, 1.05);
	EXPECT_LT(1.4, ratio_many);
}

/* ---- nonsense -------------------------------------------------------------------- */

TEST(nonsense_is_refused_and_named)
{
	const struct {
		struct equant_strips pipeline;
		const char *word;
	} wrong[] = {
		{ { 0, 1, 1, 1, 1, 1, 1 }, "ranks" },
		{ { 1, 0, 1, 1, 1, 1, 1 }, "iterations" },
		{ { 1, 1, 0, 1, 1, 1, 1 }, "units" },
		{ { 1, 1, 1, -1, 1, 1, 1 }, "of a unit" },
		{ { 1, 1, 1, 1, NAN, 1, 1 }, "empty shift" },
		{ { 1, 1, 1, 1, 1, INFINITY, 1 }, "of a byte" },
		{ { 1, 1, 1, 1, 1, 1, 2e18 }, "bytes" },
	};
	struct equant_block block;
	char why[80];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memset(why, 0, sizeof(why));
		EXPECT_EQ(-EINVAL, equant_block_size(&wrong[i].pipeline, &block, why, sizeof(why)));
		EXPECT_NE(NULL, strstr(why, wrong[i].word));
		EXPECT_EQ(-EINVAL, equant_block_for_grain(&wrong[i].pipeline, 1, NULL, 0));
		EXPECT_TRUE(isnan(equant_strips_time(&wrong[i].pipeline, 1)));
	}
}

TEST(a_size_or_grain_outside_the_loop_is_refused)
{
	struct equant_strips p = sor(4);

	EXPECT_TRUE(isnan(equant_strips_time(&p, 0)));
	EXPECT_TRUE(isnan(equant_strips_time(&p, 1001)));
	EXPECT_EQ(-EINVAL, equant_block_for_grain(&p, 0, NULL, 0));
	EXPECT_EQ(-EINVAL, equant_block_for_grain(&p, -1, NULL, 0));
	EXPECT_EQ(-EINVAL, equant_block_for_grain(&p, NAN, NULL, 0));
}

TEST_HARNESS_MAIN
