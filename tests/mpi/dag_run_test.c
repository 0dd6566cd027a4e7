// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schedules of task graphs, carried out: every task once, with the data that it needs, or an error everywhere. */
#include "kselftest_harness.h"
#include "libjob.h"
#include "libshares.h"

FIXTURE(dag_run)
{
	struct job job;
};

FIXTURE_SETUP(dag_run)
{
	self->job = (struct job){ .ranks = 3, .program = "dag_run_worker" };
}

FIXTURE_TEARDOWN(dag_run)
{
}

TEST_F(dag_run, every_task_runs_once_with_its_data_and_so_again_in_the_order_executed)
{
	self->job.argv[0] = "families";
	for (self->job.ranks = 1; self->job.ranks <= 4; self->job.ranks++)
		EXPECT_PASSED(&self->job);
}

TEST_F(dag_run, tasks_that_have_not_begun_go_elsewhere_when_shares_change_and_none_is_lost)
{
	self->job.argv[0] = "replanned";
	self->job.environment[0] = "EQUANT_PROBE=schedstat";
	EXPECT_PASSED(&self->job);
}

/* Rank 0 seems to have half of its CPU; what it is measured to have is @share. */
static void expect_passed_with(struct __test_metadata *_metadata, struct job *job, double share)
{
	char folder[64], path[128], probe[128];

	ASSERT_EQ(0, folder_make(folder, sizeof(folder)));
	for (int r = 0; r < 2; r++) {
		snprintf(path, sizeof(path), "%s/shares.%d.trace", folder, r);
		EXPECT_EQ(0, shares_write_predicted(path, r, 2, r ? 1 : share, r ? 1 : 0.5));
	}
	snprintf(probe, sizeof(probe), "EQUANT_PROBE=replay:%s/shares.%%r.trace", folder);
	job->ranks = 2;
	job->environment[0] = probe;
	EXPECT_PASSED(job);
	folder_remove(folder);
}

TEST_F(dag_run, a_prediction_that_is_borne_out_brings_a_new_plan)
{
	self->job.argv[0] = "predicted_and_measured";
	expect_passed_with(_metadata, &self->job, 0.5);
}

TEST_F(dag_run, a_prediction_that_is_not_borne_out_brings_none)
{
	self->job.argv[0] = "predicted_only";
	expect_passed_with(_metadata, &self->job, 1);
}

TEST_F(dag_run, messages_are_measured_between_each_two_ranks_and_all_know)
{
	self->job.argv[0] = "calibrated";
	EXPECT_PASSED(&self->job);
}

TEST_F(dag_run, messages_that_are_measured_keep_their_memory_when_mpi_fails)
{
	self->job.program = "dag_calibrate_worker";
	self->job.argv[0] = "mpi_fails";
	self->job.ranks = 2;
	EXPECT_PASSED(&self->job);
}

TEST_F(dag_run, a_task_that_fails_stops_all_ranks_with_its_error)
{
	self->job.program = "dag_fault_worker";
	self->job.argv[0] = "one_fails";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "task 0 fails: Numerical argument out of domain");
}

TEST_F(dag_run, ranks_that_hear_of_a_failure_in_a_long_task_are_not_given_up)
{
	self->job.program = "dag_fault_worker";
	self->job.argv[0] = "one_fails_while_others_compute";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "has not come to the end within 0.5 s, rank 0 waits");
}

TEST_F(dag_run, the_job_ends_when_a_rank_is_killed)
{
	self->job.program = "dag_fault_worker";
	self->job.argv[0] = "one_is_killed";
	ASSERT_EQ(0, job_run(&self->job));
	EXPECT_EQ(NULL, job_not_failed(&self->job, 20));
}

TEST_F(dag_run, what_cannot_be_carried_out_is_refused_by_all)
{
	self->job.program = "dag_fault_worker";
	self->job.argv[0] = "misuse";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "4 processors, and 3 ranks");
	EXPECT_SAID(&self->job,
		    "sz is too small, it must be sizeof(struct equant_dag_run_options)");
	EXPECT_SAID(&self->job, "cycle of 2 tasks");
	EXPECT_SAID(&self->job, "the graph differs between ranks: that of 2 is not that of 0");
	EXPECT_SAID(&self->job, "equant_dag_executed: nothing was carried out to its end");
	EXPECT_SAID(&self->job, "the machine differs between ranks");
	EXPECT_SAID(&self->job, "the data differs between ranks");
	EXPECT_SAID(&self->job, "how it is replanned differs between ranks");
	EXPECT_SAID(&self->job, "edge 0: fewer than 0 elements");
	EXPECT_SAID(&self->job, "no scheduler \"hefty\"");
	EXPECT_SAID(&self->job, "hold must be 0 or more");
	EXPECT_SAID(&self->job, "the schedule does not have task");
	EXPECT_SAID(&self->job, "twice");
	EXPECT_SAID(&self->job, "the schedule has task 9 of 9");
	EXPECT_SAID(&self->job, "on processor 3 of 3");
	EXPECT_SAID(&self->job, "waits for ever");
	EXPECT_SAID(&self->job, "the schedule does not have the message of edge");
	EXPECT_SAID(&self->job, ", its tasks on");
	EXPECT_SAID(&self->job, "edge 1: a datatype that is not committed");
	EXPECT_SAID(&self->job, "equant_dag_carry_out: called by task");
	EXPECT_SAID(&self->job, "equant_dag_run_free: called by task");
}

TEST_F(dag_run, a_rank_that_does_not_come_is_not_waited_for_in_checked_mode)
{
	self->job.program = "dag_fault_worker";
	self->job.argv[0] = "one_does_not_come";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_dag_run_new: not all ranks have come within 2 s");
	self->job.argv[0] = "one_does_not_calibrate";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "equant_dag_calibrate: not all ranks have come within 2 s");
	self->job.argv[0] = "one_asks_for_what_was_executed";
	EXPECT_PASSED(&self->job);
	EXPECT_SAID(&self->job, "rank 1 has not reached equant_dag_executed() within 2 s");
}

TEST_F(dag_run, parts_of_a_job_carry_out_schedules_of_their_own)
{
	self->job.argv[0] = "parts_of_the_job";
	self->job.ranks = 4;
	EXPECT_PASSED(&self->job);
}

TEST_HARNESS_MAIN
