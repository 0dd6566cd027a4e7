// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Some ranks share memory with each other, and only messages with the rest: daemons of mpirun with host
 * names of their own stand for nodes.
 */
#include <unistd.h>

#include "kselftest_harness.h"
#include "libjob.h"

FIXTURE(nodes)
{
	struct nodes nodes;
	struct job job;
};

FIXTURE_SETUP(nodes)
{
	if (geteuid())
		SKIP(return, "only root may change the host name");
}

FIXTURE_TEARDOWN(nodes)
{
	folder_remove(self->nodes.folder);
}

/* Once in a test, behind the job's own variables. */
#define ON(hosts)                                                \
	do {                                                     \
		ASSERT_EQ(0, nodes_make(&self->nodes, (hosts))); \
		nodes_use(&self->nodes, &self->job);             \
	} while (0)

TEST_F(nodes, all_is_right_whether_ranks_of_a_node_are_neighbours_or_alternate)
{
	static const char *const ways[] = { "EQUANT_WAIT=block", "EQUANT_WAIT=auto" };
	static const char *const mappings[] = { "OMPI_MCA_rmaps_base_mapping_policy=slot",
						"OMPI_MCA_rmaps_base_mapping_policy=node" };

	self->job = (struct job){ .ranks = 4,
				  .limit = 40,
				  .program = "wait_worker",
				  .argv = { "right" },
				  .environment = { ways[0], mappings[0], "NODES=2" } };
	ON("nodea slots=2\nnodeb slots=2\n");
	for (int i = 0; i < 4; i++) {
		self->job.environment[0] = ways[i / 2];
		self->job.environment[1] = mappings[i % 2];
		EXPECT_PASSED(&self->job);
	}
}

/* On the first node there is nothing to combine, and nothing fails. */
TEST_F(nodes, a_reduction_that_cannot_be_made_on_one_fails_on_all)
{
	self->job = (struct job){ .ranks = 4,
				  .program = "wait_worker",
				  .argv = { "impossible" },
				  .environment = { "NODES=2" } };
	ON("nodea slots=1\nnodeb slots=3\n");
	EXPECT_PASSED(&self->job);
}

/* The first piece that goes through memory is as long on all. */
TEST_F(nodes, a_reduction_of_fewer_elements_on_one_fails_on_all_and_the_next_is_right)
{
	self->job = (struct job){ .ranks = 3,
				  .program = "wait_worker",
				  .argv = { "counts_differ" },
				  .environment = { "NODES=2" } };
	ON("nodea slots=2\nnodeb slots=1\n");
	EXPECT_PASSED(&self->job);
}

TEST_F(nodes, reductions_fail_on_all_whichever_allocation_fails)
{
	self->job = (struct job){ .ranks = 3,
				  .limit = 60,
				  .program = "starved_worker",
				  .argv = { "reductions" },
				  .environment = { "NODES=2" } };
	ON("nodea slots=2\nnodeb slots=1\n");
	EXPECT_PASSED(&self->job);
}

TEST_F(nodes, slices_are_exchanged_and_copied_within_and_between_them)
{
	self->job = (struct job){ .ranks = 4,
				  .program = "distributed_worker",
				  .argv = { "long_slices" } };
	ON("nodea slots=2\nnodeb slots=2\n");
	EXPECT_PASSED(&self->job);
	self->job.argv[0] = "long_ghosts";
	EXPECT_PASSED(&self->job);
	self->job.argv[0] = "exchange";
	EXPECT_PASSED(&self->job);
}

/* Strips go through memory to some ranks, and as messages to others. */
TEST_F(nodes, units_that_move_at_random_are_swept_once_and_right)
{
	self->job = (struct job){ .program = "pipeline_worker", .argv = { "forced_moves" } };
	ON("nodea slots=2\nnodeb slots=6\n");
	for (int ranks = 3; ranks <= 8; ranks += 5) {
		self->job.ranks = ranks;
		EXPECT_PASSED(&self->job);
	}
}

/* Some in memory that ranks share, the rest in messages; three nodes, and one rank that is alone. */
TEST_F(nodes, transfers_drawn_at_random_bring_every_element_to_its_place)
{
	self->job = (struct job){ .ranks = 6,
				  .program = "drawn_worker",
				  .argv = { "transfers" },
				  .environment = { "NODES=3" } };
	ON("nodea slots=3\nnodeb slots=2\nnodec slots=1\n");
	EXPECT_PASSED(&self->job);
}

TEST_F(nodes, parts_of_matrices_drawn_at_random_come_to_their_places)
{
	self->job = (struct job){ .ranks = 6,
				  .program = "gemr2d_worker",
				  .argv = { "random_matrices" } };
	ON("nodea slots=3\nnodeb slots=2\nnodec slots=1\n");
	EXPECT_PASSED(&self->job);
	self->job.argv[0] = "random_options_of_plans";
	EXPECT_PASSED(&self->job);
}

TEST_F(nodes, nobody_waits_where_all_meet_for_a_rank_that_has_failed)
{
	self->job = (struct job){ .ranks = 3,
				  .limit = 60,
				  .program = "parting_worker",
				  .argv = { "refused_before_meetings" },
				  .environment = { "EQUANT_WAIT=block" } };
	ON("nodea slots=2\nnodeb slots=1\n");
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
