// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How much of two CPUs a fine-grained program uses beside a busy process, for one way of
 * waiting.
 *
 * Usage: waiting mpi|equant|loop busy|free SECONDS MICROSECONDS...	(two ranks, each on a CPU of its own)
 *
 * Each phase is MICROSECONDS of CPU time, split among the ranks as their CPUs are: the "busy" rank,
 * which starts a process that never rests, takes one part, a "free" one two.  A
 * barrier ends the phase: MPI's or equant's, which waits as EQUANT_WAIT says.  With "loop"
 * it is MPI's, and the work is split as the library does it, which has a third of SECONDS to find out.
 *
 * Per grain rank 0 prints: grain in us, phases, elapsed, work done and CPU time that the busy process
 * got, all in seconds, and the efficiency work / (ranks x elapsed - competitor) of
 * Siegell 1995, eq. 1.4.
 */
#include <equant/equant.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNITS 240

static struct equant *eq; /* NULL: MPI's barrier */
static struct equant_loop *rows; /* NULL: the work is split by what the ranks are told */
static clockid_t competitor;
static pid_t child;

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "waiting: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Before MPI is there, and on the same CPUs. */
static void compete(void)
{
	pid_t parent = getpid();

	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		for (volatile unsigned long n = 0;; n++)
			;
	}
	if (clock_getcpuclockid(child, &competitor))
		die("clock_getcpuclockid");
}

/* By the thread's CPU time, so that work is work whoever else runs. */
static void work(double cpu)
{
	double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu;

	while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 200; i++)
			;
}

static void barrier(void)
{
	if (eq && !rows ? equant_barrier(eq) : MPI_Barrier(MPI_COMM_WORLD)) {
		fprintf(stderr, "waiting: the barrier failed\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

/* @part: of it, this rank's */
static void phase(double grain, double part)
{
	if (rows) {
		equant_begin(rows);
		work(grain * (double)equant_loop_count(rows) / UNITS);
		equant_end(rows);
		if (equant_hook(rows) < 0)
			MPI_Abort(MPI_COMM_WORLD, 1);
	} else {
		work(grain * part);
	}
	barrier();
}

static void measure(double grain, double part, double length)
{
	long phases = (long)(length / grain) + 1;
	double elapsed, other, mine, total;
	int rank, ranks;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (long i = 0; rows && i < phases / 3; i++)
		phase(grain, part);
	barrier();
	mine = child ? seconds(competitor) : 0;
	elapsed = seconds(CLOCK_MONOTONIC);
	for (long i = 0; i < phases; i++)
		phase(grain, part);
	elapsed = seconds(CLOCK_MONOTONIC) - elapsed;
	mine = child ? seconds(competitor) - mine : 0;
	MPI_Reduce(&mine, &other, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	total = grain * (double)phases;
	if (!rank)
		printf("%.0f %ld %.4f %.4f %.4f %.4f\n", grain * 1e6, phases, elapsed, total, other,
		       total / (ranks * elapsed - other));
}

int main(int argc, char **argv)
{
	double part, whole;

	if (argc < 5) {
		fprintf(stderr,
			"usage: waiting mpi|equant|loop busy|free SECONDS MICROSECONDS...\n");
		return 2;
	}
	part = strcmp(argv[2], "busy") ? 2 : 1;
	if (part == 1)
		compete();
	MPI_Init(&argc, &argv);
	MPI_Allreduce(&part, &whole, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (strcmp(argv[1], "mpi") && equant_open(&eq, MPI_COMM_WORLD, NULL))
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[1], "loop")) {
			rows = equant_loop_new(eq, "rows", UNITS);
			if (!rows)
				MPI_Abort(MPI_COMM_WORLD, 1);
		}
		measure(1e-6 * atof(argv[i]), part / whole, atof(argv[3]));
		equant_loop_free(rows);
		rows = NULL;
	}
	equant_close(eq);
	MPI_Finalize();
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return 0;
}
