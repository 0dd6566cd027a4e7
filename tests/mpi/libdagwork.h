/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A graph whose tasks compute what one process alone can check. */
#ifndef LIBDAGWORK_H
#define LIBDAGWORK_H

#include <equant/dag_run.h>
#include <mpi.h>
#include <stdint.h>

#include "random.h"

/**
 * struct work - a graph that is carried out, and what is seen of it
 * @comm: its ranks
 * @runs: of each task, here
 * @value: that each task computes
 * @expected: the same, by one process alone
 * @fails: task that fails, or -1
 * @error: with this
 */
struct work {
	struct equant *eq;
	MPI_Comm comm;
	struct equant_dag *dag;
	struct equant_dag_machine *machine;
	struct equant_dag_schedule *schedule;
	struct equant_dag_data *data;
	long *runs;
	uint64_t *value;
	uint64_t *expected;
	int fails;
	int error;
};

/* A graph, and a machine with any channels and overlap; the same where @random is. */
struct equant_dag *work_graph(const char *family, struct random *random);
struct equant_dag_machine *work_machine(int processors, struct random *random);

/* The same on all ranks of the communicator, where @random is.  Takes graph and machine. */
struct work work_set_up(MPI_Comm comm, struct equant_dag *dag, struct equant_dag_machine *machine,
			const char *scheduler, struct random *random);
void work_tear_down(struct work *work);

/* Every element that comes counts for those that go; a body whose @user is the work. */
int work_body(const struct equant_dag_handle *handle, void *user);
struct equant_dag_run_options work_options(struct work *work);
struct equant_dag_run *work_must_run(struct work *work);

/* Each task ran once and computed what it should; collective. */
void work_demand_done(struct work *work);

#endif
