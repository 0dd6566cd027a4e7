// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * dag_run plan FAMILY no|progress|yes [wait]
 *	plans a graph of the family for the ranks there are, after costs were calibrated, and
 *	carries it out; tasks compute, or wait
 * dag_run compete FAMILY none|stay|leave hold|replan
 *	the same beside a process that never rests, on rank 0's CPU, from a quarter of the planned
 *	makespan on: to the end, or for a tenth of it; the schedule is held on to or not
 *
 * Rank 0 prints planned and measured makespan, seconds, and how often there was a new plan.
 */
#include <equant/dag_run.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS \
	20000 /* of computation between two calls of the library: a fraction of a millisecond */
#define LARGE 1000000 /* bytes of a message that is measured */
#define BYTES 5e9 /* in a unit of data */
#define NAP 200000 /* ns */

static int rank;
static double step_seconds; /* that STEPS take here */
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

/* ---- the competitor: a child of rank 0, made before MPI is there ------------------------------- */

static int command[2];

/* Rests until it reads when to be busy, from and to by CLOCK_MONOTONIC. */
static void be_busy(void)
{
	double span[2];

	while (read(command[0], span, sizeof(span)) == sizeof(span)) {
		double left = span[0] - clock_seconds(CLOCK_MONOTONIC);

		if (left > 0)
			usleep((useconds_t)(left * 1e6));
		while (clock_seconds(CLOCK_MONOTONIC) < span[1])
			;
	}
	_exit(0);
}

static pid_t make_competitor(void)
{
	pid_t child;

	if (pipe(command))
		return -1;
	child = fork();
	if (!child) {
		close(command[1]);
		be_busy();
	}
	close(command[0]);
	return child;
}

static void compete(double from, double to)
{
	double now = clock_seconds(CLOCK_MONOTONIC), span[2] = { now + from, now + to };

	if (write(command[1], span, sizeof(span)) != sizeof(span))
		die("no competitor");
}

/* ---- tasks --------------------------------------------------------------------------------------- */

static volatile double sink;

static void compute(void)
{
	double x = 1;

	for (int i = 0; i < STEPS; i++)
		x = x * 0.999 + 0.5 / (1 + x);
	sink = x;
}

/* As much CPU time as its work has seconds: a number of steps, whoever else wants the CPU. */
static int body(const struct equant_dag_handle *handle, void *user)
{
	const struct equant_dag *dag = user;
	double work = dag->task[handle->task].work;
	long steps = lround(work / step_seconds);
	struct timespec nap = { .tv_nsec = NAP };

	if (waits) {
		double end = clock_seconds(CLOCK_MONOTONIC) + work;

		while (clock_seconds(CLOCK_MONOTONIC) < end) {
			equant_dag_progress(handle);
			nanosleep(&nap, NULL);
		}
		return 0;
	}
	for (long i = 0; i < steps; i++) {
		compute();
		equant_dag_progress(handle);
	}
	return 0;
}

static double time_step(void)
{
	double best = INFINITY;

	for (int round = 0; round < 20; round++) {
		double before = clock_seconds(CLOCK_THREAD_CPUTIME_ID);

		for (int i = 0; i < 20; i++)
			compute();
		before = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
		best = fmin(best, before / 20);
	}
	return best;
}

/* ---- graphs and machines ---------------------------------------------------------------------------- */

/* Sizes for which two ranks compute half a second, or two; 0.3 ms of messages for 15 of work at 5 GB/s. */
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
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcmp(sizes[i].family, family))
			shape.size = larger ? sizes[i].larger : sizes[i].size;
	dag = equant_dag_generate(family, &shape, NULL, 0);
	if (!dag)
		die("no such family");
	return dag;
}

/* Memory is touched before, so that it is not the first message that pays for it. */
static struct equant_dag_data *make_data(const struct equant_dag *dag)
{
	struct equant_dag_data *data = calloc((size_t)dag->edges + 1, sizeof(*data));

	for (int e = 0; data && e < dag->edges; e++) {
		data[e].count = (int)(dag->edge[e].data * BYTES);
		data[e].type = MPI_BYTE;
		data[e].memory = malloc((size_t)data[e].count + 1);
		if (!data[e].memory)
			die("no memory");
		memset(data[e].memory, rank, (size_t)data[e].count + 1);
	}
	return data;
}

static enum equant_dag_overlap find_overlap(const char *name)
{
	if (!strcmp(name, "no"))
		return EQUANT_DAG_NO_OVERLAP;
	return strcmp(name, "yes") ? EQUANT_DAG_PROGRESS : EQUANT_DAG_OVERLAP;
}

/* Rates are 1, as work is in seconds. */
static void calibrate(struct equant *eq, struct equant_dag_machine *machine)
{
	int p = machine->processors;

	if (equant_dag_calibrate(eq, machine, LARGE))
		die("no calibration");
	for (int i = 0; i < p * p; i++)
		if (i / p != i % p)
			equant_dag_machine_link(machine, i / p, i % p, machine->startup[i],
						machine->data_rate[i] * BYTES);
}

static struct equant_dag_machine *make_machine(struct equant *eq, const char *overlap)
{
	struct equant_dag_machine *machine;
	int ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	machine = equant_dag_machine_new(ranks);
	if (!machine)
		die("no machine");
	equant_dag_machine_channels(machine, EQUANT_DAG_SHARED);
	equant_dag_machine_overlap(machine, find_overlap(overlap));
	calibrate(eq, machine);
	return machine;
}

/* ---- a run ----------------------------------------------------------------------------------------------- */

static void report(double planned, struct equant_dag_run *run)
{
	struct equant_dag_schedule *executed = equant_dag_executed(run);

	if (!executed)
		die("nothing was executed");
	if (!rank)
		printf("%.6g %.6g %d\n", planned, executed->makespan, equant_dag_replans(run));
	equant_dag_schedule_free(executed);
}

static void carry_out(struct equant *eq, char **argv, int competes)
{
	double planned;
	struct equant_dag *dag = make_graph(argv[2], competes);
	struct equant_dag_machine *machine = make_machine(eq, competes ? "progress" : argv[3]);
	struct equant_dag_schedule *schedule =
		equant_dag_schedule("heft", dag, machine, NULL, NULL, 0);
	struct equant_dag_run_options options = {
		.sz = sizeof(options),
		.dag = dag,
		.machine = machine,
		.schedule = schedule,
		.body = body,
		.user = dag,
		.data = make_data(dag),
		.replan = competes && !strcmp(argv[4], "replan") ? "heft" : NULL,
	};
	struct equant_dag_run *run = schedule ? equant_dag_run_new(eq, &options) : NULL;

	if (!run)
		die("nothing to carry out");
	planned = schedule->makespan;
	MPI_Barrier(MPI_COMM_WORLD);
	if (competes && !rank && strcmp(argv[3], "none"))
		compete(planned / 4, strcmp(argv[3], "leave") ? 20 * planned : planned * 0.35);
	if (equant_dag_carry_out(run))
		die("it was not carried out");
	report(planned, run);
	equant_dag_run_free(run);
}

int main(int argc, char **argv)
{
	int competes = argc == 5 && !strcmp(argv[1], "compete");
	const char *number = getenv("OMPI_COMM_WORLD_RANK");
	pid_t child = competes && number && !strcmp(number, "0") ? make_competitor() : 0;
	struct equant *eq;

	if (argc < 4 || (!competes && strcmp(argv[1], "plan"))) {
		fprintf(stderr, "usage: dag_run plan FAMILY no|progress|yes [wait]\n"
				"       dag_run compete FAMILY none|stay|leave hold|replan\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (child < 0 || equant_open(&eq, MPI_COMM_WORLD, NULL))
		die("no context");
	waits = argc > 4 && !strcmp(argv[4], "wait");
	step_seconds = time_step();
	carry_out(eq, argv, competes);
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	equant_close(eq);
	MPI_Finalize();
	return 0;
}
