// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schedules that ranks carry out. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "libdagwork.h"
#include "libworker.h"

static void demand_in_order(const struct equant_dag_schedule *a,
			    const struct equant_dag_schedule *b)
{
	demand_equal(a->slots, b->slots);
	for (int s = 0; s < a->slots; s++) {
		demand_equal(a->slot[s].task, b->slot[s].task);
		demand_equal(a->slot[s].processor, b->slot[s].processor);
		demand(b->slot[s].start <= b->slot[s].finish);
		demand(b->makespan >= b->slot[s].finish);
	}
	demand_equal(a->messages, b->messages);
	for (int m = 0; m < b->messages; m++)
		demand(b->message[m].start <= b->message[m].finish);
}

/* ---- every task once ------------------------------------------------------------------------ */

/* What was executed is executed again, in the same order. */
static void repeat(struct work *work, struct equant_dag_schedule *executed)
{
	struct equant_dag_schedule *again;
	struct equant_dag_run *run;

	equant_dag_schedule_free(work->schedule);
	work->schedule = executed;
	run = work_must_run(work);
	demand_equal(0, equant_dag_carry_out(run));
	work_demand_done(work);
	again = equant_dag_executed(run);
	demand(again);
	demand_in_order(executed, again);
	demand_equal(0, equant_dag_run_free(run));
	equant_dag_schedule_free(again);
}

static void carry_out(struct work *work)
{
	struct equant_dag_run *run = work_must_run(work);
	struct equant_dag_schedule *executed;

	for (int i = 0; i < 2; i++) {
		demand_equal(0, equant_dag_carry_out(run));
		demand_equal(0, equant_dag_replans(run));
		work_demand_done(work);
	}
	executed = equant_dag_executed(run);
	demand(executed);
	demand_in_order(work->schedule, executed);
	demand_equal(0, equant_dag_run_free(run));
	repeat(work, executed);
}

static void families(void)
{
	struct random random = common_random();
	const char *family;

	for (int f = 0; (family = equant_dag_family(f)); f++) {
		for (int round = 0; round < 4; round++) {
			struct equant_dag *dag = work_graph(family, &random);
			int scheduler = (int)random_below(&random, 6);
			struct work work = work_set_up(MPI_COMM_WORLD, dag,
						       work_machine(ranks, &random),
						       equant_dag_scheduler(scheduler), &random);

			carry_out(&work);
			work_tear_down(&work);
		}
	}
}

/* ---- replanning -------------------------------------------------------------------------------- */

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Computes for that much CPU time. */
static int body_that_takes_long(const struct equant_dag_handle *handle, void *user)
{
	const struct work *work = user;
	double end = work->dag->task[handle->task].work * 4e-4 + cpu_seconds();

	while (cpu_seconds() < end)
		if (handle->task % 3)
			equant_dag_progress(handle);
	return work_body(handle, user);
}

static bool is_pinned(int task)
{
	return task % 5 == 0;
}

static void pin_some(struct equant_dag_machine *machine, int tasks)
{
	for (int t = 0; t < tasks; t++)
		if (is_pinned(t))
			demand_equal(0, equant_dag_machine_pin(machine, t, t % ranks));
}

static void demand_pinned(const struct work *work)
{
	for (int t = 0; t < work->dag->tasks; t++)
		if (is_pinned(t) && work->runs[t])
			demand_equal(t % ranks, rank);
}

/*
 * Any change of a share is a reason, and any new plan is taken, so that there are many.  The last task
 * may fail.  How many new plans there were.
 */
static int replan_one(struct random *random, bool fails)
{
	struct equant_dag *dag = work_graph("layered", random);
	struct equant_dag_machine *machine = work_machine(ranks, random);
	struct equant_dag_run_options options;
	struct equant_dag_schedule *executed;
	struct equant_dag_run *run;
	struct work work;
	int orders;

	pin_some(machine, dag->tasks);
	work = work_set_up(MPI_COMM_WORLD, dag, machine, "heft", random);
	work.fails = fails ? dag->tasks - 1 : -1;
	work.error = -EDOM;
	options = work_options(&work);
	options.body = body_that_takes_long;
	options.replan = "heft";
	options.hold = 1e-9;
	options.gain = -1e9;
	run = equant_dag_run_new(work.eq, &options);
	demand(run);
	demand_equal(fails ? -EDOM : 0, equant_dag_carry_out(run));
	orders = equant_dag_replans(run);
	demand_pinned(&work);
	executed = equant_dag_executed(run);
	demand(!executed == fails);
	demand_equal(0, equant_dag_run_free(run));
	if (!fails) {
		work_demand_done(&work);
		repeat(&work, executed);
	}
	work_tear_down(&work);
	return orders;
}

static void replanned(void)
{
	struct random random = common_random();
	long orders = 0;

	share_a_cpu();
	for (int round = 0; round < 6; round++)
		orders += replan_one(&random, round % 3 == 0);
	demand_same(orders);
	demand(orders > 0);
}

/* How often a fork on ranks that are alike is planned anew when the share of rank 0 has changed. */
static int replan_fork(void)
{
	struct random random = random_from(1);
	struct equant_dag_shape shape = {
		.sz = sizeof(shape), .size = 90, .work = 10, .comp_comm = 1e6, .seed = 1
	};
	struct work work = work_set_up(MPI_COMM_WORLD, equant_dag_generate("fork", &shape, NULL, 0),
				       equant_dag_machine_new(ranks), "heft", &random);
	struct equant_dag_run_options options = work_options(&work);
	struct equant_dag_run *run;
	int orders;

	options.body = body_that_takes_long;
	options.replan = "heft";
	options.hold = 0.5;
	options.gain = -1e9;
	run = equant_dag_run_new(work.eq, &options);
	demand(run);
	demand_equal(0, equant_dag_carry_out(run));
	work_demand_done(&work);
	orders = equant_dag_replans(run);
	demand_equal(0, equant_dag_run_free(run));
	work_tear_down(&work);
	return orders;
}

static void predicted_and_measured(void)
{
	demand(replan_fork() > 0);
}

static void predicted_only(void)
{
	demand_equal(0, replan_fork());
}

/* ---- costs ---------------------------------------------------------------------------------------- */

static void calibrated(void)
{
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	struct equant_dag_machine *larger = equant_dag_machine_new(ranks + 1);
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);

	demand(machine && larger);
	errno = 0;
	demand(!equant_dag_run_new(NULL, NULL));
	demand_equal(EINVAL, errno);
	demand_equal(-EINVAL, equant_dag_calibrate(eq, larger, 0));
	demand_equal(-EINVAL, equant_dag_calibrate(eq, machine, (size_t)1 << 31));
	if (ranks > 1)
		demand_equal(-EINVAL, equant_dag_calibrate(eq, machine, rank ? 100000 : 100001));
	demand_equal(0, equant_dag_calibrate(eq, machine, 100000));
	for (int i = 0; i < ranks * ranks; i++) {
		int back = i % ranks * ranks + i / ranks;

		if (i == back)
			continue;
		demand(machine->startup[i] >= 0 && machine->startup[i] < 1);
		demand(machine->data_rate[i] > 0 && machine->data_rate[i] < 1e-3);
		demand(machine->startup[i] == machine->startup[back]);
		demand(machine->data_rate[i] == machine->data_rate[back]);
		demand_same(lround(machine->data_rate[i] * 1e15));
	}
	equant_dag_machine_free(machine);
	equant_dag_machine_free(larger);
	must_close(eq);
}

/* Halves of the job at once, each with a graph of its own; one that fails is nothing to the other. */
static void parts_of_the_job(void)
{
	struct random random = random_from((uint64_t)(rank % 2));
	struct equant_dag_run *run;
	struct work work;
	MPI_Comm half;
	int size;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_size(half, &size);
	work = work_set_up(half, work_graph(rank % 2 ? "gauss" : "fft", &random),
			   work_machine(size, &random), "dts", &random);
	run = work_must_run(&work);
	if (rank % 2) {
		work.fails = 7;
		work.error = -EXDEV;
		for (int i = 0; i < 10; i++)
			demand_equal(-EXDEV, equant_dag_carry_out(run));
	} else {
		for (int i = 0; i < 10; i++) {
			demand_equal(0, equant_dag_carry_out(run));
			work_demand_done(&work);
		}
	}
	demand_equal(0, equant_dag_run_free(run));
	work_tear_down(&work);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(families),	      CASE(replanned),	CASE(predicted_and_measured),
		CASE(predicted_only), CASE(calibrated), CASE(parts_of_the_job),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
