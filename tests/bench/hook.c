// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the calls in an application's loop cost.
 *
 * Usage: hook calls	a hook that is not due; begin + end, beside the clock
 *	  hook phase	a balancing phase that moves nothing
 *
 * "calls" wants EQUANT_PERIOD large, so that no hook is due while it measures; "phase" wants it
 * tiny, so that each is.  Batches alternate; a figure is the median of its batches.  Rank 0
 * prints "name value" lines, for "phase" the larger of the ranks' figures.
 */
#include <equant/equant.h>
#include <equant/probe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 31
#define CALLS 20000
#define HOOKS 2000000
#define WARM_UP 40
#define PHASES 4000
#define WORK_NS 200000 /* between two phases */

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare);
	return values[count / 2];
}

static void spin(double duration)
{
	double end = seconds(CLOCK_MONOTONIC) + duration;

	while (seconds(CLOCK_MONOTONIC) < end)
		;
}

static void step(struct equant_loop *loop)
{
	equant_begin(loop);
	spin(1e-9 * WORK_NS);
	equant_end(loop);
}

static void check(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "hook: %s: %s\n", what, strerror(-error));
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static double time_empty(void)
{
	double start = seconds(CLOCK_MONOTONIC);

	for (long i = 0; i < HOOKS; i++)
		__asm__ volatile("" ::: "memory");
	return (seconds(CLOCK_MONOTONIC) - start) / HOOKS;
}

static double time_hooks(struct equant_loop *loop)
{
	double start = seconds(CLOCK_MONOTONIC);

	for (long i = 0; i < HOOKS; i++) {
		equant_hook(loop);
		__asm__ volatile("" ::: "memory");
	}
	return (seconds(CLOCK_MONOTONIC) - start) / HOOKS;
}

static double time_sections(struct equant_loop *loop)
{
	double start = seconds(CLOCK_MONOTONIC);

	for (int i = 0; i < CALLS; i++) {
		equant_begin(loop);
		equant_end(loop);
	}
	return (seconds(CLOCK_MONOTONIC) - start) / CALLS;
}

static double time_clock(void)
{
	double start = seconds(CLOCK_MONOTONIC);
	struct timespec ts;

	for (int i = 0; i < CALLS; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
	return (seconds(CLOCK_MONOTONIC) - start) / CALLS;
}

static long phases_so_far(const struct equant_loop *loop)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	check(equant_loop_stats(loop, &stats), "equant_loop_stats");
	return stats.phases;
}

static void measure_calls(struct equant *eq, struct equant_loop *loop)
{
	double empty[BATCHES], hooks[BATCHES], sections[BATCHES], clock[BATCHES], ratio[BATCHES];
	long before;

	for (int i = 0; i < WARM_UP; i++) {
		step(loop);
		check(equant_hook(loop), "equant_hook");
	}
	before = phases_so_far(loop);
	for (int i = 0; i < BATCHES; i++) {
		empty[i] = time_empty();
		hooks[i] = time_hooks(loop);
		clock[i] = time_clock();
		sections[i] = time_sections(loop);
		ratio[i] = sections[i] / clock[i];
	}
	if (phases_so_far(loop) != before) {
		fprintf(stderr, "hook: %ld phases while measuring hooks that are not due\n",
			phases_so_far(loop) - before);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	printf("probe %s\n", equant_probe_name(equant_probe(eq)));
	printf("empty_ns %.3f\n", 1e9 * median(empty, BATCHES));
	printf("hook_ns %.3f\n", 1e9 * median(hooks, BATCHES));
	printf("clock_ns %.2f\n", 1e9 * median(clock, BATCHES));
	printf("begin_end_ns %.2f\n", 1e9 * median(sections, BATCHES));
	printf("begin_end_clocks %.3f\n", median(ratio, BATCHES));
}

static void print_larger(int rank, const char *name, double value)
{
	double larger;

	MPI_Reduce(&value, &larger, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%s %.3f\n", name, larger);
}

/* Each hook is a phase: the time inside it, on the clock and on the CPU. */
static void measure_phases(struct equant_loop *loop, int rank)
{
	struct equant_stats old = { .sz = sizeof(old) }, new = { .sz = sizeof(new) };
	static double wall[PHASES], cpu[PHASES];
	double mean = 0;

	check(equant_loop_stats(loop, &old), "equant_loop_stats");
	for (int i = 0; i < PHASES; i++) {
		double on_clock, on_cpu;

		step(loop);
		on_cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
		on_clock = seconds(CLOCK_MONOTONIC);
		check(equant_hook(loop), "equant_hook");
		wall[i] = seconds(CLOCK_MONOTONIC) - on_clock;
		cpu[i] = seconds(CLOCK_THREAD_CPUTIME_ID) - on_cpu;
		mean += cpu[i] / PHASES;
	}
	check(equant_loop_stats(loop, &new), "equant_loop_stats");
	print_larger(rank, "phases_per_hook", (double)(new.phases - old.phases) / PHASES);
	print_larger(rank, "moves", (double)(new.moves - old.moves));
	print_larger(rank, "phase_wall_us", 1e6 * median(wall, PHASES));
	print_larger(rank, "phase_cpu_us", 1e6 * median(cpu, PHASES));
	print_larger(rank, "phase_cpu_mean_us", 1e6 * mean);
	print_larger(rank, "phase_own_us", 1e6 * (new.balancing - old.balancing) / PHASES);
}

int main(int argc, char **argv)
{
	struct equant_loop *loop;
	struct equant *eq;
	int rank, ranks;

	MPI_Init(&argc, &argv);
	if (argc != 2 || (strcmp(argv[1], "calls") && strcmp(argv[1], "phase"))) {
		fputs("usage: hook calls|phase\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	check(equant_open(&eq, MPI_COMM_WORLD, NULL), "equant_open");
	loop = equant_loop_new(eq, "hook", 1000);
	check(loop ? 0 : -1, "equant_loop_new");
	if (!strcmp(argv[1], "phase")) {
		for (int i = 0; i < WARM_UP; i++) {
			step(loop);
			check(equant_hook(loop), "equant_hook");
		}
		measure_phases(loop, rank);
	} else if (ranks == 1) {
		measure_calls(eq, loop);
	} else {
		fputs("hook: calls are measured on one rank\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	check(equant_loop_free(loop), "equant_loop_free");
	check(equant_close(eq), "equant_close");
	MPI_Finalize();
	return 0;
}
