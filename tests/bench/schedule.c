// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How long a scheduler of task graphs takes, and how much memory.
 *
 * Usage: schedule TASKS LAYERS PROCESSORS CHANNELS SCHEDULER
 *
 * A random graph in layers, 0 for as many as tasks in each, with three edges to a task, and a machine whose
 * processors and links differ.  CHANNELS is free or shared.  Prints the seconds of equant_dag_schedule() alone, the
 * largest memory of the process in MB, edges and makespan.
 */
#include <equant/dag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "schedule: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static struct equant_dag *graph(int tasks, int layers)
{
	struct equant_dag_shape shape = { .sz = sizeof(shape),
					  .size = tasks,
					  .layers = layers,
					  .work = 10,
					  .spread = 0.5,
					  .comp_comm = 1,
					  .degree = 3,
					  .seed = 1 };
	char why[200] = "no memory";
	struct equant_dag *dag;

	/* None go into the first layer: rather more into the others than fewer in all. */
	if (layers > 1)
		shape.degree = (3 * layers + layers - 2) / (layers - 1);
	dag = equant_dag_generate("layered", &shape, why, sizeof(why));
	check(dag != NULL, why);
	return dag;
}

static struct equant_dag_machine *machine(int processors, const char *channels)
{
	struct equant_dag_machine *machine = equant_dag_machine_random(processors, 10, 10, 0.5, 1);

	check(machine != NULL, "no such machine");
	if (!strcmp(channels, "free"))
		equant_dag_machine_channels(machine, EQUANT_DAG_FREE);
	else
		check(!strcmp(channels, "shared"), "channels are free or shared");
	return machine;
}

int main(int argc, char **argv)
{
	struct equant_dag_schedule *schedule;
	struct equant_dag_machine *joined;
	struct equant_dag *dag;
	char why[200] = "no memory";
	struct rusage usage;
	double start, end;

	check(argc == 6, "expected TASKS LAYERS PROCESSORS CHANNELS SCHEDULER");
	dag = graph(atoi(argv[1]), atoi(argv[2]));
	joined = machine(atoi(argv[3]), argv[4]);
	start = now();
	schedule = equant_dag_schedule(argv[5], dag, joined, NULL, why, sizeof(why));
	end = now();
	check(schedule != NULL, why);
	getrusage(RUSAGE_SELF, &usage);
	printf("seconds=%.6f memory=%.1f edges=%d makespan=%.9g\n", end - start,
	       (double)usage.ru_maxrss / 1024, dag->edges, schedule->makespan);
	equant_dag_schedule_free(schedule);
	equant_dag_machine_free(joined);
	equant_dag_free(dag);
	return 0;
}
