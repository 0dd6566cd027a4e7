// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Schedules that ranks carry out. */
#include <equant/dag_run.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libworker.h"
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

static uint64_t mix(uint64_t x)
{
	struct random random = random_from(x);

	return random_next(&random);
}

/* What a task gets from its edges, and they from it: every element counts. */
static uint64_t element_of(uint64_t value, int edge, int i)
{
	return mix(value ^ (uint64_t)edge << 32 ^ (uint64_t)i);
}

static uint64_t begin_value(int task)
{
	return mix((uint64_t)task + 1);
}

static uint64_t add_element(uint64_t value, int edge, uint64_t element)
{
	return value + mix(element ^ (uint64_t)edge);
}

/* Elements of edge @e lie in every second or third place, as its datatype has it. */
static int stride_of(int edge)
{
	return 1 + edge % 3;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int body(const struct equant_dag_handle *handle, void *user)
{
	struct work *work = user;
	uint64_t value = begin_value(handle->task);

	work->runs[handle->task]++;
	for (int p = 0; p < handle->inputs; p++) {
		const struct equant_dag_port *port = &handle->input[p];
		const uint64_t *at = port->memory;

		demand_equal(handle->task, work->dag->edge[port->edge].to);
		for (int i = 0; i < port->count; i++)
			value = add_element(value, port->edge, at[i * stride_of(port->edge)]);
	}
	if (handle->task % 2)
		equant_dag_progress(handle);
	for (int p = 0; p < handle->outputs; p++) {
		const struct equant_dag_port *port = &handle->output[p];
		uint64_t *at = port->memory;

		demand_equal(handle->task, work->dag->edge[port->edge].from);
		for (int i = 0; i < port->count; i++)
			at[i * stride_of(port->edge)] = element_of(value, port->edge, i);
	}
	work->value[handle->task] = value;
	return handle->task == work->fails ? work->error : 0;
}

/* One process, from the definition. */
static void expect(struct work *work)
{
	const struct equant_dag *dag = work->dag;
	int left = dag->tasks;

	memset(work->runs, 0, (size_t)dag->tasks * sizeof(*work->runs));
	while (left) {
		for (int t = 0; t < dag->tasks; t++) {
			uint64_t value = begin_value(t);
			bool ready = !work->runs[t];

			for (int e = 0; e < dag->edges; e++) {
				uint64_t from = work->expected[dag->edge[e].from];

				if (dag->edge[e].to != t)
					continue;
				ready = ready && work->runs[dag->edge[e].from];
				for (int i = 0; i < work->data[e].count; i++)
					value = add_element(value, e, element_of(from, e, i));
			}
			if (ready) {
				work->expected[t] = value;
				work->runs[t] = 1;
				left--;
			}
		}
	}
	memset(work->runs, 0, (size_t)dag->tasks * sizeof(*work->runs));
}

static void set_up_data(struct work *work, struct random *random)
{
	for (int e = 0; e < work->dag->edges; e++) {
		struct equant_dag_data *data = &work->data[e];
		int many = random_below(random, 10) == 0;

		data->count = (int)random_below(random, many ? 20000 : 20);
		MPI_Type_create_resized(MPI_UINT64_T, 0, 8 * stride_of(e), &data->type);
		MPI_Type_commit(&data->type);
		/* Every third edge has the program's memory, on every second rank. */
		if (e % 3 == 0 && (e + rank) % 2)
			data->memory = calloc((size_t)data->count + 1, (size_t)(8 * stride_of(e)));
	}
}

/* The same on all ranks of the communicator, where @random is. */
static struct work set_up(MPI_Comm comm, struct equant_dag *dag, struct equant_dag_machine *machine,
			  const char *scheduler, struct random *random)
{
	struct work work = { .comm = comm, .dag = dag, .machine = machine, .fails = -1 };
	char why[200] = "";

	demand(dag && machine);
	work.eq = must_open(comm, NULL);
	work.schedule = equant_dag_schedule(scheduler, dag, machine, NULL, why, sizeof(why));
	if (!work.schedule)
		worker_fail_text(__FILE__, __LINE__, "%s: %s", scheduler, why);
	work.data = calloc((size_t)dag->edges + 1, sizeof(*work.data));
	work.runs = calloc((size_t)dag->tasks, sizeof(*work.runs));
	work.value = calloc((size_t)dag->tasks, sizeof(*work.value));
	work.expected = calloc((size_t)dag->tasks, sizeof(*work.expected));
	demand(work.data && work.runs && work.value && work.expected);
	set_up_data(&work, random);
	expect(&work);
	return work;
}

static void tear_down(struct work *work)
{
	for (int e = 0; e < work->dag->edges; e++) {
		MPI_Type_free(&work->data[e].type);
		free(work->data[e].memory);
	}
	free(work->data);
	free(work->runs);
	free(work->value);
	free(work->expected);
	equant_dag_schedule_free(work->schedule);
	equant_dag_machine_free(work->machine);
	equant_dag_free(work->dag);
	must_close(work->eq);
}

static struct equant_dag_run_options options_of(struct work *work)
{
	return (struct equant_dag_run_options){
		.sz = sizeof(struct equant_dag_run_options),
		.dag = work->dag,
		.machine = work->machine,
		.schedule = work->schedule,
		.body = body,
		.user = work,
		.data = work->data,
	};
}

static struct equant_dag_run *must_run(struct work *work)
{
	struct equant_dag_run_options options = options_of(work);
	struct equant_dag_run *run = equant_dag_run_new(work->eq, &options);

	demand(run);
	return run;
}

static void demand_done(struct work *work)
{
	int n = work->dag->tasks;

	for (int t = 0; t < n; t++)
		if (work->runs[t] && work->value[t] != work->expected[t])
			worker_fail_text(__FILE__, __LINE__, "task %d of %d has a wrong value", t,
					 n);
	MPI_Allreduce(MPI_IN_PLACE, work->runs, n, MPI_LONG, MPI_SUM, work->comm);
	for (int t = 0; t < n; t++)
		demand_equal(1, work->runs[t]);
	memset(work->runs, 0, (size_t)n * sizeof(*work->runs));
}

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

static struct equant_dag *make_graph(const char *family, struct random *random)
{
	struct equant_dag_shape shape = {
		.sz = sizeof(shape),
		.size = !strcmp(family, "fft") ? 8 :
			!strcmp(family, "lu")  ? 4 :
						 6,
		.work = 10,
		.spread = 0.5,
		.comp_comm = random_below(random, 2) ? 0.3 : 3,
		.layers = 3,
		.seed = random_next(random),
	};

	shape.size *= 1 + !strcmp(family, "layered") * 5;
	return equant_dag_generate(family, &shape, NULL, 0);
}

static struct equant_dag_machine *make_machine(int processors, struct random *random)
{
	struct equant_dag_machine *machine =
		equant_dag_machine_random(processors, 1, 1, 0.5, random_next(random));

	demand(machine);
	demand_equal(0, equant_dag_machine_channels(
				machine, (enum equant_dag_channels)random_below(random, 3)));
	demand_equal(0, equant_dag_machine_overlap(
				machine, (enum equant_dag_overlap)random_below(random, 3)));
	return machine;
}

/* What was executed is executed again, in the same order. */
static void repeat(struct work *work, struct equant_dag_schedule *executed)
{
	struct equant_dag_schedule *again;
	struct equant_dag_run *run;

	equant_dag_schedule_free(work->schedule);
	work->schedule = executed;
	run = must_run(work);
	demand_equal(0, equant_dag_carry_out(run));
	demand_done(work);
	again = equant_dag_executed(run);
	demand(again);
	demand_in_order(executed, again);
	demand_equal(0, equant_dag_run_free(run));
	equant_dag_schedule_free(again);
}

static void carry_out(struct work *work)
{
	struct equant_dag_run *run = must_run(work);
	struct equant_dag_schedule *executed;

	for (int i = 0; i < 2; i++) {
		demand_equal(0, equant_dag_carry_out(run));
		demand_equal(0, equant_dag_replans(run));
		demand_done(work);
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
			struct equant_dag *dag = make_graph(family, &random);
			int scheduler = (int)random_below(&random, 6);
			struct work work = set_up(MPI_COMM_WORLD, dag, make_machine(ranks, &random),
						  equant_dag_scheduler(scheduler), &random);

			carry_out(&work);
			tear_down(&work);
		}
	}
}

/* ---- replanning -------------------------------------------------------------------------------- */

/* Computes for that much CPU time. */
static int body_that_takes_long(const struct equant_dag_handle *handle, void *user)
{
	const struct work *work = user;
	double end = work->dag->task[handle->task].work * 4e-4 + cpu_seconds();

	while (cpu_seconds() < end)
		if (handle->task % 3)
			equant_dag_progress(handle);
	return body(handle, user);
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
	struct equant_dag *dag = make_graph("layered", random);
	struct equant_dag_machine *machine = make_machine(ranks, random);
	struct equant_dag_run_options options;
	struct equant_dag_schedule *executed;
	struct equant_dag_run *run;
	struct work work;
	int orders;

	pin_some(machine, dag->tasks);
	work = set_up(MPI_COMM_WORLD, dag, machine, "heft", random);
	work.fails = fails ? dag->tasks - 1 : -1;
	work.error = -EDOM;
	options = options_of(&work);
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
		demand_done(&work);
		repeat(&work, executed);
	}
	tear_down(&work);
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

/* ---- costs ---------------------------------------------------------------------------------------- */

static void calibrated(void)
{
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks);
	struct equant_dag_machine *larger = equant_dag_machine_new(ranks + 1);
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);

	demand(machine && larger);
	demand_equal(-EINVAL, equant_dag_calibrate(eq, larger, 0));
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

/* ---- errors ------------------------------------------------------------------------------------ */

/* All tasks in turn fail, wherever they are; then the run goes well again. */
static void one_fails(void)
{
	struct random random = common_random();

	for (int round = 0; round < 2; round++) {
		struct equant_dag *dag = make_graph("lu", &random);
		struct work work =
			set_up(MPI_COMM_WORLD, dag, make_machine(ranks, &random), "heft", &random);
		struct equant_dag_run *run = must_run(&work);

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
		demand_done(&work);
		demand_equal(0, equant_dag_run_free(run));
		tear_down(&work);
	}
}

static int die(const struct equant_dag_handle *handle, void *user)
{
	if (rank == ranks - 1)
		raise(SIGKILL);
	return body(handle, user);
}

static void one_is_killed(void)
{
	struct random random = random_from(1);
	struct work work = set_up(MPI_COMM_WORLD, make_graph("fork-join", &random),
				  make_machine(ranks, &random), "dls", &random);
	struct equant_dag_run_options options = options_of(&work);
	struct equant_dag_run *run;

	/* Messages cost next to nothing, so that all ranks have something to do. */
	options.body = die;
	run = equant_dag_run_new(work.eq, &options);
	demand(run);
	equant_dag_carry_out(run);
	equant_dag_run_free(run);
	tear_down(&work);
}

static void refused(struct work *work, const struct equant_dag_run_options *options, int error)
{
	errno = 0;
	demand(!equant_dag_run_new(work->eq, options));
	demand_equal(error, errno);
}

static void wrong_schedules(struct work *work)
{
	struct equant_dag_run_options options = options_of(work);
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

/* What only the last rank does differently. */
static void different(struct work *work)
{
	struct equant_dag_run_options options = options_of(work);
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
	options = options_of(work);
	work->data[0].count += odd;
	refused(work, &options, EINVAL);
	work->data[0].count = odd ? -1 : 1;
	refused(work, &options, one);
	work->data[0].count = 0;
	refused(work, odd ? NULL : &options, one);
	options.body = odd ? NULL : body;
	refused(work, &options, one);
	options.body = body;
	options.replan = odd ? "heft" : "dls";
	refused(work, &options, EINVAL);
	options.replan = odd ? "hefty" : "heft";
	refused(work, &options, one);
	options.replan = "heft";
	options.hold = odd ? -1 : 0;
	refused(work, &options, one);
}

static void misuse(void)
{
	struct random random = random_from(1);
	struct equant_dag_shape shape = {
		.sz = sizeof(shape), .size = 8, .work = 10, .comp_comm = 10
	};
	struct equant_dag_machine *machine = equant_dag_machine_new(ranks), *larger;
	struct work work = set_up(MPI_COMM_WORLD, equant_dag_generate("fork", &shape, NULL, 0),
				  machine, "heft", &random);
	struct equant_dag_run_options options = options_of(&work);

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
	if (ranks > 1)
		different(&work);
	wrong_schedules(&work);
	equant_dag_machine_free(larger);
	tear_down(&work);
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
	work = set_up(half, make_graph(rank % 2 ? "gauss" : "fft", &random),
		      make_machine(size, &random), "dts", &random);
	run = must_run(&work);
	if (rank % 2) {
		work.fails = 7;
		work.error = -EXDEV;
		for (int i = 0; i < 10; i++)
			demand_equal(-EXDEV, equant_dag_carry_out(run));
	} else {
		for (int i = 0; i < 10; i++) {
			demand_equal(0, equant_dag_carry_out(run));
			demand_done(&work);
		}
	}
	demand_equal(0, equant_dag_run_free(run));
	tear_down(&work);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(families),	     CASE(replanned), CASE(calibrated),	      CASE(one_fails),
		CASE(one_is_killed), CASE(misuse),    CASE(parts_of_the_job),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
