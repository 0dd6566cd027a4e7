// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * How near to ideal ranks on two CPUs compute the Mandelbrot set by each scheme.
 *
 * Usage: mandelbrot busy|free SCHEME...	(a scheme's name, NAME-2d for rectangles instead of columns, and
 * /L behind it for chunks of L at least)
 *
 * The "busy" rank starts a process on its CPU that never rests.  Sequential time is that of
 * a free rank alone, the process stopped and the others asleep, before and after all schemes.
 *
 * Per scheme rank 0 prints: it as given, elapsed, CPU time that the busy process got meanwhile,
 * sequential time, and elapsed over ideal, which is sequential / (2 - busy process / elapsed).
 */
#include <equant/self.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../apps/mandelbrot.h"

#define SIZE 1000
#define LIMIT 1000
#define CPUS 2

/* Of one loop; of all ranks the largest. */
struct times {
	double elapsed;
	double competitor;
};

static struct equant *eq;
static clockid_t competitor;
static pid_t child;
static uint32_t *levels;
static int rank;

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *what, const char *why)
{
	int begun;

	fprintf(stderr, "mandelbrot: %s: %s\n", what, why);
	if (!MPI_Initialized(&begun) && begun)
		MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

/* Before MPI is there, and on the same CPUs. */
static void compete(void)
{
	pid_t parent = getpid();

	child = fork();
	if (child < 0)
		die("fork", strerror(errno));
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		for (volatile unsigned long n = 0;; n++)
			;
	}
	if (clock_getcpuclockid(child, &competitor))
		die("clock_getcpuclockid", strerror(errno));
}

static void barrier(void)
{
	if (equant_barrier(eq))
		die("barrier", "failed");
}

static int64_t steps_of_levels(void)
{
	int64_t sum = 0;

	for (long i = 0; i < SIZE * SIZE; i++)
		sum += levels[i];
	memset(levels, 0, SIZE * SIZE * sizeof(*levels));
	return sum;
}

/* The first rank without a competitor computes; all get how long that took. */
static double sequential(int64_t *steps)
{
	const int64_t first[2] = { 0, 0 }, extents[2] = { SIZE, SIZE };
	int mine = child ? 1 << 30 : rank, who;
	double elapsed = 0;

	MPI_Allreduce(&mine, &who, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (child)
		kill(child, SIGSTOP);
	barrier();
	if (rank == who) {
		elapsed = -seconds(CLOCK_MONOTONIC);
		set_compute(levels, SIZE, LIMIT, first, extents);
		elapsed += seconds(CLOCK_MONOTONIC);
	}
	barrier();
	if (child)
		kill(child, SIGCONT);
	*steps = steps_of_levels();
	MPI_Bcast(&elapsed, 1, MPI_DOUBLE, who, MPI_COMM_WORLD);
	MPI_Bcast(steps, 1, MPI_INT64_T, who, MPI_COMM_WORLD);
	return elapsed;
}

static struct equant_self *loop_new(const char *words)
{
	char name[32];
	struct equant_chunks_options loop = {
		.sz = sizeof(loop),
		.scheme = name,
		.dimensions = strstr(words, "-2d") ? 2 : 1,
		.extents = { SIZE, SIZE },
		.chunk = 1,
		.minimum = strchr(words, '/') ? atol(strchr(words, '/') + 1) : 0,
	};
	const struct equant_self_options options = { .sz = sizeof(options), .loop = &loop };
	struct equant_self *self;

	snprintf(name, sizeof(name), "%s", words);
	name[strcspn(name, "/")] = 0;
	if (loop.dimensions == 2)
		*strstr(name, "-2d") = 0;
	self = equant_self_new(eq, &options);
	if (!self)
		die(words, strerror(errno));
	return self;
}

static void compute(struct equant_self *self, const struct equant_self_chunk *chunk, int columns)
{
	int64_t first[2] = { chunk->first, 0 }, extents[2] = { chunk->count, SIZE };

	if (columns) {
		set_compute(levels, SIZE, LIMIT, first, extents);
		return;
	}
	for (int64_t i = 0; i < chunk->count; i++) {
		equant_self_box(self, chunk->first + i, first, extents);
		set_compute(levels, SIZE, LIMIT, first, extents);
	}
}

static struct times run(const char *words, int64_t steps)
{
	struct equant_self *self = loop_new(words);
	struct equant_self_chunk chunk = { 0 };
	int columns = !strstr(words, "-2d");
	struct times times;
	int64_t done;

	barrier();
	times.competitor = child ? -seconds(competitor) : 0;
	times.elapsed = -seconds(CLOCK_MONOTONIC);
	while (equant_self_next(self, &chunk) == 1)
		compute(self, &chunk, columns);
	if (equant_self_free(self))
		die(words, "failed");
	times.elapsed += seconds(CLOCK_MONOTONIC);
	times.competitor += child ? seconds(competitor) : 0;
	done = steps_of_levels();
	MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (done != steps)
		die(words, "other points than the sequential program's");
	MPI_Allreduce(MPI_IN_PLACE, &times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return times;
}

static void measure(char **schemes, int n)
{
	struct times *times = calloc((size_t)n + 1, sizeof(*times));
	int64_t steps;
	double alone = sequential(&steps);

	for (int i = 0; i < n; i++)
		times[i] = run(schemes[i], steps);
	alone = (alone + sequential(&steps)) / 2;
	for (int i = 0; i < n && !rank; i++) {
		double ideal = alone / (CPUS - times[i].competitor / times[i].elapsed);

		printf("%s %.6f %.6f %.6f %.4f\n", schemes[i], times[i].elapsed,
		       times[i].competitor, alone, times[i].elapsed / ideal);
	}
	free(times);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: mandelbrot busy|free SCHEME...\n");
		return 2;
	}
	if (!strcmp(argv[1], "busy"))
		compete();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	levels = calloc(SIZE * SIZE, sizeof(*levels));
	if (!levels || equant_open(&eq, MPI_COMM_WORLD, NULL))
		die("start", "failed");
	memset(levels, 1, SIZE * SIZE * sizeof(*levels));
	steps_of_levels();
	measure(argv + 2, argc - 2);
	free(levels);
	equant_close(eq);
	MPI_Finalize();
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return 0;
}
