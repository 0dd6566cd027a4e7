// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schedules that cannot be carried out, or not to their end. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "libdagwork.h"
#include "libworker.h"

/* All tasks in turn fail, wherever they are; then the run goes well again. */
static void one_fails(void)
{
	struct random random = common_random();

	for (int round = 0; round < 2; round++) {
		struct equant_dag *dag = work_graph("lu", &random);
		struct work work = work_set_up(MPI_COMM_WORLD, dag, work_machine(ranks, &random),
					       "heft", &random);
		struct equant_dag_run *run = work_must_run(&work);

		work.error = round ? 1 : -EDOM;
		for (work.fails = 0; work.fails < dag->tasks; work.fails++) {
			demand_equal(round ? -EINVAL : -EDOM, equant_dag_carry_out(run));
			errno = 0;
			demand(!equant_dag_executed(run));
			demand_equal(EINVAL, errno);
		}
		memset(work.runs, 0, (size_t)dag->tasks * sizeof(*work.runs));
		work.fails = -1;
		demand_equal(0, equant_dag_carry_out(run));
		work_demand_done(&work);
		demand_equal(0, equant_dag_run_free(run));
		work_tear_down(&work);
	}
}

static int die(const struct equant_dag_handle *handle, void *user)
{
	if (rank == ranks - 1)
		raise(SIGKILL);
	return work_body(handle, user);
}

static void one_is_killed(void)
{
	struct random random = random_from(1);
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	struct equant_dag_run_options options;
	struct equant_dag_run *run;
	struct work work;

	/* Messages cost next to nothing, so that all ranks have something to do. */
	demand(machine);
	for (int i = 0; i < ranks * ranks; i++)
		if (i / ranks != i % ranks)
			demand_equal(0, equant_dag_machine_link(machine, i / ranks, i % ranks, 0,
								1e-9));
	work = work_set_up(MPI_COMM_WORLD, work_graph("fork-join", &random), machine, "dls",
			   &random);
	options = work_options(&work);
	options.body = die;
	run = equant_dag_run_new(work.eq, &options);
	demand(run);
	equant_dag_carry_out(run);
	equant_dag_run_free(run);
	work_tear_down(&work);
}

static void refused(struct work *work, const struct equant_dag_run_options *options, int error)
{
	errno = 0;
	demand(!equant_dag_run_new(work->eq, options));
	demand_equal(error, errno);
}

static void wrong_schedules(struct work *work)
{
	struct equant_dag_run_options options = work_options(work);
	struct equant_dag_schedule wrong = *work->schedule;
	struct equant_dag_slot slot = wrong.slot[0];
	int n = wrong.slots;

	options.schedule = &wrong;
	wrong.slots = n - 1;
	refused(work, &options, EINVAL);
	wrong.slots = n;
	wrong.slot[0].task = wrong.slot[1].task;
	refused(work, &options, EINVAL);
	wrong.slot[0].task = n;
	refused(work, &options, EINVAL);
	wrong.slot[0] = slot;
	wrong.slot[0].processor = ranks;
	refused(work, &options, EINVAL);
	wrong.slot[0] = slot;
	wrong.slot[0].finish = -1;
	refused(work, &options, EINVAL);
	/* The first task of the fork after one that needs it. */
	wrong.slot[0] = wrong.slot[1];
	wrong.slot[1] = slot;
	refused(work, &options, EINVAL);
	wrong.slot[1] = wrong.slot[0];
	wrong.slot[0] = slot;
	if (wrong.messages) {
		wrong.messages--;
		refused(work, &options, EINVAL);
		wrong.messages++;
		wrong.message[0].to = wrong.message[0].from;
		refused(work, &options, EINVAL);
	}
}

/* Pins, and memory of processors and tasks: rank 0 plans by them for all others. */
static void different_limits(struct work *work)
{
	struct equant_dag_run_options options = work_options(work);
	int odd = rank == ranks - 1;

	for (int with_replan = 0; with_replan < 2; with_replan++) {
		options.replan = with_replan ? "heft" : NULL;
		equant_dag_machine_pin(work->machine, 0, odd ? 1 : 0);
		refused(work, &options, EINVAL);
		equant_dag_machine_pin(work->machine, 0, odd ? -1 : 0);
		refused(work, &options, EINVAL);
		equant_dag_machine_pin(work->machine, 0, -1);
		equant_dag_machine_memory(work->machine, 0, odd ? 100 : EQUANT_DAG_UNLIMITED);
		refused(work, &options, EINVAL);
		equant_dag_machine_memory(work->machine, 0, EQUANT_DAG_UNLIMITED);
		equant_dag_task_memory(work->dag, 0, odd ? 1 : 2);
		refused(work, &options, EINVAL);
		equant_dag_task_memory(work->dag, 0, 0);
	}
}

/* What is written in another way, or of tasks that are not there, is the same. */
static void alike_limits(struct work *work)
{
	if (rank == ranks - 1) {
		equant_dag_machine_pin(work->machine, 0, 0);
		equant_dag_machine_pin(work->machine, 0, -1);
		equant_dag_machine_pin(work->machine, 1000, 0);
		equant_dag_machine_pin(work->machine, 1000, -1);
	}
	demand_equal(0, equant_dag_run_free(work_must_run(work)));
}

/* What only the last rank does differently. */
static void different(struct work *work)
{
	struct equant_dag_run_options options = work_options(work);
	int odd = rank == ranks - 1, one = odd ? EINVAL : ECANCELED;

	options.data = NULL;
	if (odd)
		work->dag->edge[0].data *= 2;
	refused(work, &options, EINVAL);
	if (odd)
		work->dag->edge[0].data /= 2;
	equant_dag_machine_overlap(work->machine, odd ? EQUANT_DAG_PROGRESS : EQUANT_DAG_OVERLAP);
	refused(work, &options, EINVAL);
	equant_dag_machine_overlap(work->machine, EQUANT_DAG_OVERLAP);
	options = work_options(work);
	work->data[0].count += odd;
	refused(work, &options, EINVAL);
	work->data[0].count = odd ? -1 : 1;
	refused(work, &options, one);
	work->data[0].count = 0;
	refused(work, odd ? NULL : &options, one);
	options.body = odd ? NULL : work_body;
	refused(work, &options, one);
	options.body = work_body;
	options.replan = odd ? "heft" : "dls";
	refused(work, &options, EINVAL);
	options.replan = odd ? "hefty" : "heft";
	refused(work, &options, one);
	options.replan = "heft";
	options.hold = odd ? -1 : 0;
	refused(work, &options, one);
}

/* What a task must not do: nothing comes of it, and the run goes on. */
static int meddle(const struct equant_dag_handle *handle, void *user)
{
	(void)user;
	demand_equal(-EBUSY, equant_dag_carry_out(handle->run));
	demand_equal(-EBUSY, equant_dag_run_free(handle->run));
	return 0;
}

static void meddling(struct work *work)
{
	struct equant_dag_run_options options = work_options(work);
	struct equant_dag_run *run;

	options.body = meddle;
	run = equant_dag_run_new(work->eq, &options);
	demand(run);
	demand(!equant_dag_executed(run));
	demand_equal(0, equant_dag_carry_out(run));
	demand_equal(-EBUSY, equant_close(work->eq));
	demand_equal(0, equant_dag_run_free(run));
}

static void uncommitted(struct work *work)
{
	struct equant_dag_run_options options = work_options(work);
	MPI_Datatype type = work->data[1].type, three;

	MPI_Type_contiguous(3, MPI_DOUBLE, &three);
	work->data[1].type = three;
	refused(work, &options, EINVAL);
	work->data[1].type = type;
	MPI_Type_free(&three);
}

static void misuse(void)
{
	struct random random = random_from(1);
	struct equant_dag_shape shape = {
		.sz = sizeof(shape), .size = 8, .work = 10, .comp_comm = 10
	};
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks), *larger;
	struct work work = work_set_up(MPI_COMM_WORLD, equant_dag_generate("fork", &shape, NULL, 0),
				       machine, "heft", &random);
	struct equant_dag_run_options options = work_options(&work);

	uncommitted(&work);
	meddling(&work);
	larger = equant_dag_machine_new(ranks + 1);
	options.machine = larger;
	refused(&work, &options, EINVAL);
	options.machine = machine;
	options.sz = 8;
	refused(&work, &options, EINVAL);
	options.sz = sizeof(options);
	demand_equal(0, equant_dag_add_edge(work.dag, work.dag->edge[0].to, 0, 1));
	options.data = NULL;
	refused(&work, &options, ELOOP);
	work.dag->edges--;
	if (ranks > 1) {
		different(&work);
		different_limits(&work);
		alike_limits(&work);
	}
	wrong_schedules(&work);
	equant_dag_machine_free(larger);
	work_tear_down(&work);
}

/* Rank 0 alone calls: it is told who is missing, and in checked mode it does not wait for ever. */
static void one_does_not_come(void)
{
	struct random random = random_from(1);
	struct equant_dag_shape shape = {
		.sz = sizeof(shape), .size = 4, .work = 10, .comp_comm = 10
	};
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	struct equant_dag_run_options options;
	struct work work;

	setenv("EQUANT_CHECK", "on", 1);
	setenv("EQUANT_TIMEOUT", "2", 1);
	work = work_set_up(MPI_COMM_WORLD, equant_dag_generate("fork", &shape, NULL, 0), machine,
			   "heft", &random);
	options = work_options(&work);
	if (!rank) {
		demand(!equant_dag_run_new(work.eq, &options));
		demand_equal(ETIMEDOUT, errno);
		/* Nobody knows where the others are now. */
		demand_equal(-ETIMEDOUT, equant_dag_calibrate(work.eq, machine, 0));
	}
	MPI_Barrier(MPI_COMM_WORLD);
	work_tear_down(&work);
}

/* The same of the other call. */
static void one_does_not_calibrate(void)
{
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	struct equant_options o;
	struct equant *eq;

	equant_options_init(&o);
	o.check = 1;
	o.timeout = 2;
	demand_equal(0, equant_open(&eq, MPI_COMM_WORLD, &o));
	if (!rank)
		demand_equal(-ETIMEDOUT, equant_dag_calibrate(eq, machine, 0));
	MPI_Barrier(MPI_COMM_WORLD);
	demand_equal(0, equant_close(eq));
	equant_dag_machine_free(machine);
}

/* What was carried out is asked for by rank 0 alone. */
static void one_asks_for_what_was_executed(void)
{
	struct random random = random_from(1);
	struct equant_dag_run *run;
	struct work work;

	setenv("EQUANT_CHECK", "on", 1);
	setenv("EQUANT_TIMEOUT", "2", 1);
	work = work_set_up(MPI_COMM_WORLD, work_graph("lu", &random), work_machine(ranks, &random),
			   "heft", &random);
	run = work_must_run(&work);
	demand_equal(0, equant_dag_carry_out(run));
	if (!rank) {
		demand(!equant_dag_executed(run));
		demand_equal(ETIMEDOUT, errno);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	demand_equal(0, equant_dag_run_free(run));
	work_tear_down(&work);
}

/* Task 0 fails at once, on rank 0; all others take so long as if they had not heard of it, each longer than the last. */
static int fail_or_go_on(const struct equant_dag_handle *handle, void *user)
{
	double end = MPI_Wtime() + handle->task;

	(void)user;
	if (!handle->task)
		return -EDOM;
	while (MPI_Wtime() < end)
		if (rank % 2)
			equant_dag_progress(handle);
	return 0;
}

/* Ranks whose tasks go on are waited for, and named, however long that takes. */
static void one_fails_while_others_compute(void)
{
	struct equant_dag *dag = equant_dag_new();
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	struct equant_dag_run_options options = {
		.sz = sizeof(options), .dag = dag, .machine = machine, .body = fail_or_go_on
	};
	struct equant_dag_schedule *schedule;
	struct equant_options o;
	struct equant_dag_run *run;
	struct equant *eq;

	equant_options_init(&o);
	o.check = 1;
	o.timeout = 0.5;
	demand_equal(0, equant_open(&eq, MPI_COMM_WORLD, &o));
	demand(dag && machine);
	for (int i = 0; i < ranks; i++) {
		demand_equal(i, equant_dag_add_task(dag, NULL, 1));
		demand_equal(0, equant_dag_machine_pin(machine, i, i));
	}
	schedule = equant_dag_schedule("heft", dag, machine, NULL, NULL, 0);
	options.schedule = schedule;
	run = equant_dag_run_new(eq, &options);
	demand(run);
	demand_equal(-EDOM, equant_dag_carry_out(run));
	demand_equal(0, equant_barrier(eq));
	demand_equal(0, equant_dag_run_free(run));
	demand_equal(0, equant_close(eq));
	equant_dag_schedule_free(schedule);
	equant_dag_machine_free(machine);
	equant_dag_free(dag);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(one_fails),
		CASE(one_is_killed),
		CASE(misuse),
		CASE(one_does_not_come),
		CASE(one_does_not_calibrate),
		CASE(one_asks_for_what_was_executed),
		CASE(one_fails_while_others_compute),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
