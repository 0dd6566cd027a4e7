// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a balancing phase costs, for the structure and the depth that the environment chooses.
 *
 * Usage: control PHASES
 *
 * Every hook is a phase; between hooks nothing is computed to speak of.  Rank 0 prints: ranks, the
 * longest chain of messages, the messages of a phase on the average rank and on the busiest, and the
 * CPU time of a phase in us on the average rank and on the busiest.
 */
#include <equant/equant.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define UNITS_PER_RANK 16

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void demand(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "control: %s failed\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The CPU time of its hooks. */
static double run(struct equant_loop *loop, long hooks)
{
	double spent = 0, before;

	for (long i = 0; i < hooks; i++) {
		equant_begin(loop);
		for (volatile int k = 0; k < 1000; k++)
			;
		equant_end(loop);
		before = cpu_time();
		demand(!equant_hook(loop), "equant_hook");
		spent += cpu_time() - before;
	}
	return spent;
}

static void print(const struct equant_stats *stats, double cpu, double phases)
{
	double mine[3] = { (double)stats->messages / (double)(stats->phases - 1),
			   1e6 * cpu / phases, (double)stats->chain };
	double sum[3], most[3];

	MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!stats->rank)
		printf("%d %.0f %.2f %.2f %.2f %.2f\n", stats->ranks, most[2],
		       sum[0] / stats->ranks, most[0], sum[1] / stats->ranks, most[1]);
}

int main(int argc, char **argv)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_options options;
	struct equant_loop *loop;
	struct equant *eq;
	double cpu, before;
	int ranks;

	if (argc != 2) {
		fprintf(stderr, "usage: control PHASES\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	equant_options_init(&options);
	options.probe = "schedstat";
	options.period = 1e-6; /* every hook */
	options.depth = 1; /* at the end one interaction is not complete */
	options.threshold = 1; /* no moves: only the interactions */
	options.wait = EQUANT_WAIT_BLOCK; /* waiting costs little CPU time */
	demand(!equant_open(&eq, MPI_COMM_WORLD, &options), "equant_open");
	loop = equant_loop_new(eq, "control", (long)ranks * UNITS_PER_RANK);
	demand(loop != NULL, "equant_loop_new");
	run(loop, 10); /* costs are measured, speeds become known */
	demand(!equant_loop_stats(loop, &stats), "equant_loop_stats");
	before = (double)stats.phases;
	cpu = run(loop, atol(argv[1]));
	demand(!equant_loop_stats(loop, &stats), "equant_loop_stats");
	print(&stats, cpu, (double)stats.phases - before);
	demand(!equant_loop_free(loop), "equant_loop_free");
	demand(!equant_close(eq), "equant_close");
	MPI_Finalize();
	return 0;
}
