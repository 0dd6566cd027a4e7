// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * dag_run plan FOLDER no|progress|yes FAMILY... [wait]
 *	plans a graph of each family for the ranks there are, after costs were calibrated, and
 *	carries it out; tasks compute, or wait
 * dag_run compete FOLDER FAMILY none|stay|leave hold|replan
 *	the same beside a process that never rests, on rank 0's CPU, from a quarter of the planned
 *	makespan on: to the end, or for a tenth of it; the schedule is held on to or not
 *
 * For each graph rank 0 prints the family, planned and measured makespan, seconds, messages and how
 * often there was a new plan.  What was planned and what was executed is in FAMILY.planned.json
 * and FAMILY.executed.json in the folder.
 */
#include <equant/dag_run.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcompetitor.h"

/* Of computation between two calls of the library: a fraction of a millisecond. */
#define STEPS 20000
#define CALIBRATED 0.2 /* seconds of steps */
#define LARGE 1000000 /* bytes of a message that is measured */
#define NAP 200000 /* ns */

/* A unit of data is what takes a second, on one machine and between hosts of dag_run.sh. */
#define LOCAL_BYTES 5e9
#define HOSTS_BYTES 20e6

static struct competitor competitor; /* of rank 0 */
static int rank;
static double step_seconds; /* that STEPS take here */
static double rate; /* seconds of this rank for a unit of work */
static int waits;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "dag_run: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static double clock_seconds(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static volatile double sink;

static void compute(void)
{
	double x = 1;

	for (int i = 0; i < STEPS; i++)
		x = x * 0.999 + 0.5 / (1 + x);
	sink = x;
}

/* Time passes, and messages with it. */
static int wait_for(const struct equant_dag_handle *handle, double seconds)
{
	double end = clock_seconds(CLOCK_MONOTONIC) + seconds, left;
	struct timespec nap = { 0 };

	while ((left = end - clock_seconds(CLOCK_MONOTONIC)) > 0) {
		equant_dag_progress(handle);
		nap.tv_nsec = (long)fmin(1e9 * left, NAP);
		nanosleep(&nap, NULL);
	}
	return 0;
}

/* As much CPU time as its work has seconds: a number of steps, whoever else wants the CPU. */
static int body(const struct equant_dag_handle *handle, void *user)
{
	const struct equant_dag *dag = user;
	double seconds = dag->task[handle->task].work * rate;
	long steps = lround(seconds / step_seconds);

	if (waits)
		return wait_for(handle, seconds);
	for (long i = 0; i < steps; i++) {
		compute();
		equant_dag_progress(handle);
	}
	return 0;
}

/* On average, while all ranks do the same: they may share more than they seem to. */
static double time_step(void)
{
	double before, spent = 0;
	long steps = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	before = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	for (; spent < CALIBRATED; steps++) {
		compute();
		spent = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
	}
	return spent / (double)steps;
}

/* ---- graphs and machines -------------------------------------------------------------------- */

/*
 * Sizes for which two ranks compute half a second, or two.  A message takes 0.3 ms for 15 ms of
 * work, and half as long as a task between hosts.
 */
static struct equant_dag *make_graph(const char *family, int larger)
{
	static const struct {
		const char *family;
		int size, larger;
	} sizes[] = {
		{ "fork", 60, 200 }, { "join", 60, 200 }, { "fork-join", 60, 200 },
		{ "fft", 16, 32 },   { "gauss", 11, 20 }, { "lu", 6, 9 },
	};
	struct equant_dag_shape shape = {
		.sz = sizeof(shape), .work = 0.015, .spread = 0.3, .comp_comm = 50, .seed = 1
	};
	struct equant_dag *dag;

	/* There is memory for each edge. */
	if (larger)
		shape.comp_comm = 200;
	if (waits)
		shape.comp_comm = 2;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcmp(sizes[i].family, family))
			shape.size = larger ? sizes[i].larger : sizes[i].size;
	dag = equant_dag_generate(family, &shape, NULL, 0);
	if (!dag)
		die("no such family");
	return dag;
}

static double bytes_of(double data)
{
	return data * (waits ? HOSTS_BYTES : LOCAL_BYTES);
}

/* Memory is touched before, so that it is not the first message that pays for it. */
static struct equant_dag_data *make_data(const struct equant_dag *dag)
{
	struct equant_dag_data *data = calloc((size_t)dag->edges + 1, sizeof(*data));

	for (int e = 0; data && e < dag->edges; e++) {
		data[e].count = (int)bytes_of(dag->edge[e].data);
		data[e].type = MPI_BYTE;
		data[e].memory = malloc((size_t)data[e].count + 1);
		if (!data[e].memory)
			die("no memory");
		memset(data[e].memory, rank, (size_t)data[e].count + 1);
	}
	return data;
}

static void free_data(const struct equant_dag *dag, struct equant_dag_data *data)
{
	for (int e = 0; e < dag->edges; e++)
		free(data[e].memory);
	free(data);
}

static enum equant_dag_overlap find_overlap(const char *name)
{
	if (!strcmp(name, "no"))
		return EQUANT_DAG_NO_OVERLAP;
	return strcmp(name, "yes") ? EQUANT_DAG_PROGRESS : EQUANT_DAG_OVERLAP;
}

/* Hosts that wait are as unlike as the paper's; what computes is calibrated to seconds. */
static double rate_of(int processor)
{
	static const double rates[] = { 1, 1.5, 0.75, 1.25 };

	return waits ? rates[processor % 4] : 1;
}

static struct equant_dag_machine *make_machine(struct equant *eq, const char *overlap)
{
	struct equant_dag_machine *machine;
	int p;

	MPI_Comm_size(MPI_COMM_WORLD, &p);
	machine = equant_dag_machine_new(p);
	if (!machine || equant_dag_calibrate(eq, machine, LARGE))
		die("no machine");
	equant_dag_machine_channels(machine, EQUANT_DAG_SHARED);
	equant_dag_machine_overlap(machine, find_overlap(overlap));
	for (int k = 0; k < p; k++)
		equant_dag_machine_rate(machine, k, rate_of(k));
	for (int i = 0; i < p * p; i++)
		if (i / p != i % p)
			equant_dag_machine_link(machine, i / p, i % p, machine->startup[i],
						bytes_of(machine->data_rate[i]));
	return machine;
}

/* ---- a run ---------------------------------------------------------------------------------- */

static void keep(const char *folder, const char *family, const struct equant_dag_schedule *schedule,
		 const char *what)
{
	char path[4096], why[200];

	snprintf(path, sizeof(path), "%s/%s.%s.json", folder, family, what);
	if (equant_dag_schedule_write(schedule, path, why, sizeof(why)))
		die(why);
}

static void report(char **argv, const char *family, const struct equant_dag_schedule *planned,
		   struct equant_dag_run *run)
{
	struct equant_dag_schedule *executed = equant_dag_executed(run);

	if (!executed)
		die("nothing was executed");
	if (!rank) {
		keep(argv[2], family, planned, "planned");
		keep(argv[2], family, executed, "executed");
		printf("%s %.6g %.6g %d %d\n", family, planned->makespan, executed->makespan,
		       executed->messages, equant_dag_replans(run));
		fflush(stdout);
	}
	equant_dag_schedule_free(executed);
}

/* Without overlap HEFT alone keeps a fork on one processor. */
static struct equant_dag_schedule *make_schedule(const struct equant_dag *dag,
						 const struct equant_dag_machine *machine)
{
	struct equant_dag_schedule *heft = equant_dag_schedule("heft", dag, machine, NULL, NULL, 0);
	struct equant_dag_schedule *better =
		heft ? equant_dag_improve(dag, machine, heft, NULL, 0) : NULL;

	equant_dag_schedule_free(heft);
	return better;
}

/* @when the competitor comes and goes, or NULL; @scheduler that plans anew, or NULL */
static void carry_out(struct equant *eq, char **argv, const struct equant_dag_machine *machine,
		      const char *family, const char *when, const char *scheduler)
{
	struct equant_dag *dag = make_graph(family, !!when);
	struct equant_dag_schedule *schedule = make_schedule(dag, machine);
	struct equant_dag_run_options options = {
		.sz = sizeof(options),
		.dag = dag,
		.machine = machine,
		.schedule = schedule,
		.body = body,
		.user = dag,
		.data = make_data(dag),
		.replan = scheduler,
	};
	struct equant_dag_run *run = schedule ? equant_dag_run_new(eq, &options) : NULL;

	if (!run)
		die("nothing to carry out");
	MPI_Barrier(MPI_COMM_WORLD);
	if (when && !rank && strcmp(when, "none") &&
	    competitor_compete(&competitor, schedule->makespan / 4,
			       schedule->makespan * (strcmp(when, "leave") ? 20 : 0.35)))
		die("no competitor");
	if (equant_dag_carry_out(run))
		die("it was not carried out");
	report(argv, family, schedule, run);
	equant_dag_run_free(run);
	free_data(dag, (struct equant_dag_data *)options.data);
	equant_dag_schedule_free(schedule);
	equant_dag_free(dag);
}

static void carry_out_all(struct equant *eq, int argc, char **argv, int competes)
{
	struct equant_dag_machine *machine = make_machine(eq, competes ? "yes" : argv[3]);

	rate = rate_of(rank);
	step_seconds = waits ? 1 : time_step();
	if (competes)
		carry_out(eq, argv, machine, argv[3], argv[4],
			  strcmp(argv[5], "replan") ? NULL : "heft");
	for (int i = 4; i < argc - waits && !competes; i++)
		carry_out(eq, argv, machine, argv[i], NULL, NULL);
	equant_dag_machine_free(machine);
}

int main(int argc, char **argv)
{
	int competes = argc == 6 && !strcmp(argv[1], "compete");
	const char *number = getenv("OMPI_COMM_WORLD_RANK");
	struct equant *eq;
	int error = 0;

	if (argc < 5 || (!competes && strcmp(argv[1], "plan"))) {
		fprintf(stderr,
			"usage: dag_run plan FOLDER no|progress|yes FAMILY... [wait]\n"
			"       dag_run compete FOLDER FAMILY none|stay|leave hold|replan\n");
		return 2;
	}
	if (competes && number && !strcmp(number, "0"))
		error = competitor_make(&competitor);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (error || equant_open(&eq, MPI_COMM_WORLD, NULL))
		die("no context");
	waits = !competes && !strcmp(argv[argc - 1], "wait");
	carry_out_all(eq, argc, argv, competes);
	competitor_end(&competitor);
	equant_close(eq);
	MPI_Finalize();
	return 0;
}
