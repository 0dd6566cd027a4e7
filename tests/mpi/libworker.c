// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libworker.h"

int rank, ranks;

void worker_fail_text(const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dprintf(STDERR_FILENO, "FAILED on rank %d, %s:%d: %s\n", rank, file, line, text);
	MPI_Abort(MPI_COMM_WORLD, 1);
	_exit(1);
}

void worker_fail(const char *file, int line, const char *text, long expected, long seen)
{
	worker_fail_text(file, line, "%s is %ld, not %ld", text, seen, expected);
}

static void start_mpi(int *argc, char ***argv, int threads)
{
	int provided;

	MPI_Init_thread(argc, argv, threads, &provided);
	if (provided < threads) {
		dprintf(STDERR_FILENO, "MPI gives thread level %d, not %d\n", provided, threads);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static const struct worker_case *find(const struct worker_case *cases, int count, const char *name)
{
	for (int i = 0; name && i < count; i++)
		if (!strcmp(cases[i].name, name))
			return &cases[i];
	fprintf(stderr, "no case %s\n", name ? name : "named");
	exit(2);
}

/* One write, so that the lines of two ranks do not mix. */
static int run(const struct worker_case *c)
{
	char marker[128];
	int length;

	c->run();
	length = snprintf(marker, sizeof(marker), "passed %s on rank %d\n", c->name, rank);
	return write(STDOUT_FILENO, marker, (size_t)length) != length;
}

/* Each begins on the CPUs, and at the time, that it would have a job of its own on. */
static int run_all(const struct worker_case *cases, int count)
{
	cpu_set_t cpus;
	int error = 0;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int i = 0; i < count && !error; i++) {
		if (cases[i].alone || ranks < cases[i].least)
			continue;
		MPI_Barrier(MPI_COMM_WORLD);
		error = run(&cases[i]);
		sched_setaffinity(0, sizeof(cpus), &cpus);
	}
	return error;
}

int worker_main(int argc, char **argv, const struct worker_case *cases, int count)
{
	const struct worker_case *c = NULL;
	int error;

	if (!argv[1] || strcmp(argv[1], "all"))
		c = find(cases, count, argv[1]);
	if (!c || !c->bare)
		start_mpi(&argc, &argv, c ? c->threads : 0);
	error = c ? run(c) : run_all(cases, count);
	if (!c || !c->bare)
		MPI_Finalize();
	return error;
}

struct equant_options eager_options(void)
{
	struct equant_options o;

	equant_options_init(&o);
	o.probe = "clock";
	o.period = 0.01;
	o.profit = 0;
	o.filter = 0;
	return o;
}

void compute(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

void demand_same(long value)
{
	long mine[2] = { value, -value }, all[2];

	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	if (all[0] != -all[1])
		worker_fail_text(__FILE__, __LINE__, "ranks differ: %ld to %ld", -all[1], all[0]);
}

struct random common_random(void)
{
	struct random random = { 0 };

	if (!rank)
		random = random_seeded();
	MPI_Bcast(&random.state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	return random;
}

uint64_t hash_of_owners(const struct equant_loop *loop, uint64_t hash)
{
	for (long u = 0; u < equant_loop_units(loop); u++)
		hash = (hash ^ (uint64_t)(equant_loop_owner(loop, u) + 1)) * 0x100000001b3ull;
	return hash;
}

struct equant *must_open(MPI_Comm comm, const struct equant_options *options)
{
	struct equant *eq;

	demand_equal(0, equant_open(&eq, comm, options));
	return eq;
}

struct equant_loop *must_loop(struct equant *eq, const char *name, long units)
{
	struct equant_loop *loop = equant_loop_new(eq, name, units);

	demand(loop);
	return loop;
}

void must_free(struct equant_loop *loop)
{
	demand_equal(0, equant_loop_free(loop));
}

void must_close(struct equant *eq)
{
	demand_equal(0, equant_close(eq));
}

void share_a_cpu(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	demand_equal(0, sched_setaffinity(0, sizeof(one), &one));
}
