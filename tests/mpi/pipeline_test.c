// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Sweeps compute what the sequential loops do, however units move in the middle of them. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("pipeline_worker")

TEST_F(ranks, units_that_move_at_random_in_mid_sweep_are_computed_once_and_right)
{
	EXPECT_AMONG_ALL("forced_moves");
}

TEST_F(ranks, ranks_of_uneven_speed_balance_in_mid_sweep)
{
	EXPECT_AMONG_ALL("loaded_ranks");
}

TEST_F(ranks, sweeps_work_while_balancing_is_off)
{
	EXPECT_AMONG_ALL("no_balancing");
}

TEST_F(ranks, the_block_size_is_the_same_everywhere_and_follows_the_cost)
{
	EXPECT_AMONG_ALL("block_sizes");
}

TEST_F(ranks, a_grain_in_quanta_sets_the_block_size)
{
	EXPECT_AMONG_ALL("grains");
}

TEST_F(ranks, strips_are_computed_in_tiles_of_the_length_that_is_set)
{
	EXPECT_AMONG_ALL("tiles");
}

TEST_F(ranks, a_phase_per_strip_does_not_make_ranks_take_turns)
{
	EXPECT_AMONG_ALL("abreast");
}

TEST_F(ranks, a_rank_that_is_ahead_does_not_hold_up_the_next)
{
	EXPECT_AMONG_ALL("ahead");
}

/* Where Open MPI yields while it is idle nothing waits within it. */
TEST(a_rank_that_is_ahead_does_not_hold_up_the_next_when_each_has_a_cpu)
{
	static const char *const busy[] = { "env", "OMPI_MCA_mpi_yield_when_idle=0", NULL };
	struct job job = {
		.ranks = 2, .program = "pipeline_worker", .argv = { "ahead" }, .wrapper = busy
	};

	EXPECT_PASSED(&job);
}

TEST_F(ranks, a_delay_is_felt_with_every_message)
{
	EXPECT_AMONG_ALL("delays");
}

/* With an even number of ranks the last one's neighbour has always been the first to be asked. */
TEST_F(ranks, messages_are_as_dear_as_those_to_the_dearer_neighbour)
{
	EXPECT_AMONG_ALL("both_neighbours");
}

TEST_F(ranks, messages_are_measured_again_when_they_have_become_dear_and_when_fast)
{
	EXPECT_AMONG_ALL("costs_follow");
}

TEST_F(ranks, what_cannot_be_swept_is_refused_and_breaks_nothing)
{
	EXPECT_CASE("misuse");
	EXPECT_SAID(&self->job, "the sweep is of 8 iterations, a strip cannot have more");
}

TEST_F(ranks, ranks_that_disagree_on_a_sweep_are_told)
{
	EXPECT_AMONG_ALL("disagreement");
}

TEST_F(ranks, nobody_waits_for_the_strips_of_a_rank_that_has_failed)
{
	if (variant->ranks > 1)
		EXPECT_AMONG_ALL("failure");
}

TEST_F(ranks, nobody_waits_for_the_samples_of_a_rank_that_has_failed)
{
	if (variant->ranks > 1)
		EXPECT_AMONG_ALL("late_failure");
}

TEST_F(ranks, a_rank_that_does_not_sweep_is_an_error_in_checked_mode)
{
	if (variant->ranks > 1)
		EXPECT_AMONG_ALL("silence");
}

TEST_HARNESS_MAIN
