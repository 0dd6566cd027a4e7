// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Hooks between iterations: a unit is computed once in each pass, wherever it moves meanwhile. */
#include <equant/equant.h>

#include "libranks.h"

RANKS_RUN("passes_worker")

TEST_F(ranks, every_unit_is_computed_once_a_pass_while_work_moves_within_it)
{
	EXPECT_AMONG_ALL("moving");
}

TEST_F(ranks, units_of_any_number_and_cost_are_computed_once_in_passes_of_any_length)
{
	EXPECT_AMONG_ALL("shapes");
}

TEST_F(ranks, a_joined_pass_ends_when_every_rank_has_computed_its_units)
{
	EXPECT_AMONG_ALL("joined");
}

TEST_F(ranks, a_rank_that_is_stopped_again_and_again_loses_nothing)
{
	EXPECT_AMONG_ALL("stopped");
}

TEST_F(ranks, passes_that_one_rank_or_all_use_wrongly_end_the_loop_on_all)
{
	EXPECT_CASE("misuse");
	EXPECT_SAID(&self->job, "equant_next() outside of a pass");
	EXPECT_SAID(&self->job, "equant_pass_end() without equant_pass_begin()");
	EXPECT_SAID(&self->job, "equant_hook() in a loop with passes");
	EXPECT_SAID(&self->job, "not by both");
	EXPECT_SAID(&self->job, "(DOALL)");
	if (variant->ranks > 1)
		EXPECT_SAID(&self->job, "passed over more or less often");
}

TEST_F(ranks, a_pass_over_many_more_units_than_before_begins_with_a_phase)
{
	EXPECT_AMONG_ALL("grown");
}

TEST_F(ranks, the_times_of_several_segments_of_a_step_add_up_to_one)
{
	EXPECT_AMONG_ALL("segments");
}

TEST_HARNESS_MAIN
