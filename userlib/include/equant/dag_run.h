/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Schedules of task graphs carried out: the ranks of a context are the processors.
 *
 *	static int body(const struct equant_dag_handle *handle, void *user)
 *	{
 *		return compute(user, handle->task, handle->input, handle->output);
 *	}
 *
 *	struct equant_dag_run_options options = {
 *		.sz = sizeof(options), .dag = dag, .machine = machine, .schedule = schedule,
 *		.body = body, .user = &matrix,
 *	};
 *	struct equant_dag_run *run = equant_dag_run_new(eq, &options);
 *
 *	error = equant_dag_carry_out(run);
 *	equant_dag_run_free(run);
 *
 * Graphs, machines and schedules are those of <equant/dag.h>.  Errors are as in equant.h; functions
 * are collective but for equant_dag_progress().  A run belongs to the thread of its context.
 */
#ifndef EQUANT_DAG_RUN_H
#define EQUANT_DAG_RUN_H

#include <mpi.h>
#include <stddef.h>

#include <equant/dag.h>
#include <equant/equant.h>

#ifdef __cplusplus
extern "C" {
#endif

struct equant_dag_run;

/**
 * struct equant_dag_data - what an edge carries
 * @count: elements, 0 or more
 * @type: of an element, committed; stays so until the run is freed
 * @memory: where they are on this rank, or NULL: the library gets memory for them
 *
 * Memory of the library is there, all zero, from the beginning of task @from on its rank, or from when
 * the message may come, until task @to has ended or the message is sent: pointers to it are good
 * within the task only.  It has the type's true extent from its lowest byte on, with @count elements
 * one extent from each other.
 *
 * Memory of the program belongs to the edge from the beginning of equant_dag_carry_out() to its end, on
 * each rank that gives some: only task @from may write there and only task @to may read, and no other
 * edge may use it.  Ranks may give memory for different edges.
 */
struct equant_dag_data {
	int count;
	MPI_Datatype type;
	void *memory;
};

/**
 * struct equant_dag_port - an edge as one of its tasks sees it
 * @edge: number
 * @count: elements
 * @type: of an element
 * @memory: the first one; NULL if there are none and the program gave no memory
 */
struct equant_dag_port {
	int edge;
	int count;
	MPI_Datatype type;
	void *memory;
};

/**
 * struct equant_dag_handle - a task that runs
 * @run: what it is part of
 * @task: number
 * @inputs: how many in @input
 * @outputs: how many in @output
 * @input: edges into it, by number: what they carry is there
 * @output: edges out of it, by number: to be written
 */
struct equant_dag_handle {
	struct equant_dag_run *run;
	int task;
	int inputs;
	int outputs;
	const struct equant_dag_port *input;
	const struct equant_dag_port *output;
};

/**
 * typedef equant_dag_body - does a task
 * @handle: the task; only good until it returns
 * @user: from the options
 *
 * Return: 0, or -errno: then all ranks stop, and equant_dag_carry_out() returns it on all of them.
 */
typedef int equant_dag_body(const struct equant_dag_handle *handle, void *user);

/**
 * struct equant_dag_run_options - the same on all ranks but for @body, @user and memory of @data
 * @sz: sizeof(struct equant_dag_run_options); bytes unknown to the library must be 0
 * @dag: the graph; borrowed until the run is freed
 * @machine: what it was planned for, processor k is rank k; borrowed likewise
 * @schedule: a schedule, or what equant_dag_executed() gave; borrowed by equant_dag_run_new() only.
 *	Its times may be anything that brings its tasks and messages into an order
 * @body: does the tasks
 * @user: passed on to it
 * @data: one for each edge, borrowed by equant_dag_run_new() only; NULL: as many bytes as the edge
 *	has data, rounded up
 * @replan: NULL: the schedule is held on to; a name of equant_dag_scheduler(): when the share that a
 *	rank has of its CPU has changed, by a fifth at least, this scheduler plans the tasks that have
 *	not begun anew, with rates that are those of the machine over these shares
 * @hold: part of the planned makespan for which a share must have stayed changed, 0 or more; 0: 0.12
 * @gain: part of the time left that the new plan must save, or the old one goes on, below 1; 0: 0.05
 */
struct equant_dag_run_options {
	size_t sz;
	const struct equant_dag *dag;
	const struct equant_dag_machine *machine;
	const struct equant_dag_schedule *schedule;
	equant_dag_body *body;
	void *user;
	const struct equant_dag_data *data;
	const char *replan;
	double hold;
	double gain;
};

/**
 * equant_dag_run_new() - get ready to carry a schedule out
 * @eq: stays open until the run is freed
 * @options: copied
 *
 * Return: NULL and errno on all ranks: EINVAL for options that cannot be or that differ between
 * ranks, and a schedule that is none of this graph for as many processors as there are ranks (the
 * message names what is wrong first), what equant_dag_check() says, E2BIG for more edges than MPI
 * has tags, ECANCELED when another rank failed, ENOMEM, EIO, ETIMEDOUT in checked mode where a rank does not come.
 */
EQUANT_API struct equant_dag_run *equant_dag_run_new(struct equant *eq,
						     const struct equant_dag_run_options *options);

/**
 * equant_dag_carry_out() - run all tasks where and in the order the schedule has them
 * @run: may be carried out any number of times
 *
 * Each rank runs its tasks in their order, each when the data of all edges into it is there.  Messages
 * between two ranks are sent in their order, and one after the other where the machine's channels carry one at
 * a time.  They travel while tasks run, as far as MPI does that by itself and tasks call
 * equant_dag_progress(); without overlap each rank sends, receives and computes one at a time, in the
 * order in which the schedule has that.
 *
 * Return, the same on all ranks, and on all of them when the last one has ended: 0; what a body
 * returned first (-EINVAL for what is above 0), or -ENOMEM, after which the run can be carried out again; -EIO,
 * after which it can only be freed, and -EPIPE then.  -EBUSY in a task of the run.  In checked mode -ETIMEDOUT
 * where a rank does not come to call it; while tasks run none is given up, as a task may take long.
 */
EQUANT_API int equant_dag_carry_out(struct equant_dag_run *run);

/**
 * equant_dag_progress() - let messages travel; to be called now and then by tasks that take long
 * @handle: the task's
 *
 * Return: 0; -ECANCELED if a task has failed on another rank: what this one returns does not
 * matter any more.
 */
EQUANT_API int equant_dag_progress(const struct equant_dag_handle *handle);

/** equant_dag_replans() - how often a new plan was taken in the last run; not collective */
EQUANT_API int equant_dag_replans(const struct equant_dag_run *run);

/**
 * equant_dag_executed() - when and where everything was the last time
 * @run: that was carried out, without an error
 *
 * As a schedule, by the name of "executed", in seconds since the beginning.  A message starts when its
 * sender begins to send and finishes when the receiver sees that it has come; each rank has its own clock,
 * which they start together.  It is no schedule of the machine that equant_dag_verify() would pass,
 * but may be carried out again: then all happens in that order.
 *
 * Return: the same schedule on all ranks, for equant_dag_schedule_free(); NULL and errno: EINVAL
 * for a run that was not carried out, ECANCELED when another rank has no memory, ENOMEM, EIO; and as
 * equant_allreduce().
 */
EQUANT_API struct equant_dag_schedule *equant_dag_executed(struct equant_dag_run *run);

/**
 * equant_dag_run_free() - forget it
 * @run: may be NULL; before equant_close()
 *
 * Return: 0; -EPIPE after MPI has ended; -EBUSY in a task of the run, which stays.
 */
EQUANT_API int equant_dag_run_free(struct equant_dag_run *run);

/**
 * equant_dag_calibrate() - what messages take between the ranks
 * @eq: context
 * @machine: of as many processors; receives start-ups in seconds, and seconds per byte, the same in
 *	both directions of a link
 * @most: bytes of a large message, below 2^31, the same on all ranks; below 16: 2^20
 *
 * Each two ranks send messages of that size, and of a sixteenth of it, there and back while the others wait; the
 * least of seven times counts.  What tasks take, in seconds, is in equant_dag_executed().
 *
 * Return: 0; -EINVAL for a machine of another number of processors, or a wrong @most; -ECANCELED when another rank
 * failed; -ENOMEM; -EIO; -ETIMEDOUT in checked mode where a rank does not come.
 */
EQUANT_API int equant_dag_calibrate(struct equant *eq, struct equant_dag_machine *machine,
				    size_t most);

#ifdef __cplusplus
}
#endif

#endif /* EQUANT_DAG_RUN_H */
