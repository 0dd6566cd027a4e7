// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Contexts side by side, again and again, and what a program may do around them. */
#include <dirent.h>
#include <equant/equant.h>
#include <equant/watch.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libledger.h"
#include "libworker.h"

#define STEPS 40

/* A loop with its audited work. */
struct work {
	struct equant_loop *loop;
	struct ledger ledger;
	MPI_Comm comm;
	int index; /* each slows down other ranks */
};

static void work_start(struct work *work, struct equant *eq, MPI_Comm comm, int index, long units)
{
	char name[16];

	snprintf(name, sizeof(name), "loop%d", index);
	work->comm = comm;
	work->index = index;
	work->loop = must_loop(eq, name, units);
	ledger_init(&work->ledger, work->loop, units);
}

static void work_step(struct work *work, long step)
{
	double slow = (rank + work->index + step / 10) % 2 ? 4 : 1;

	equant_begin(work->loop);
	ledger_step(&work->ledger);
	compute(1e-3 * slow * (double)equant_loop_count(work->loop) / (double)work->ledger.units);
	equant_end(work->loop);
	demand_equal(0, equant_hook(work->loop));
}

static void work_stop(struct work *work, long steps)
{
	ledger_audit(&work->ledger, work->comm, steps);
	must_free(work->loop);
	ledger_free(&work->ledger);
}

static struct equant_options checked(void)
{
	struct equant_options o = eager_options();

	o.check = 1;
	o.period = 0.005;
	return o;
}

static void communicator_freed(void)
{
	struct equant_options o = checked();
	struct work work;
	struct equant *eq;
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	eq = must_open(comm, &o);
	MPI_Comm_free(&comm);
	work_start(&work, eq, MPI_COMM_WORLD, 0, 100);
	for (long step = 0; step < STEPS; step++)
		work_step(&work, step);
	work_stop(&work, STEPS);
	must_close(eq);
}

static void two_contexts_three_loops(void)
{
	struct equant_options o = checked();
	struct equant *world, *half;
	struct work work[3];
	MPI_Comm comm;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
	world = must_open(MPI_COMM_WORLD, &o);
	o.depth = 0;
	half = must_open(comm, &o);
	work_start(&work[0], world, MPI_COMM_WORLD, 0, 200);
	work_start(&work[1], world, MPI_COMM_WORLD, 1, 31);
	work_start(&work[2], half, comm, 2, 100);
	for (long step = 0; step < STEPS; step++) {
		work_step(&work[0], step);
		work_step(&work[2], step);
		if (step % 2)
			work_step(&work[1], step);
	}
	work_stop(&work[1], STEPS / 2);
	work_stop(&work[2], STEPS);
	must_close(half);
	work_stop(&work[0], STEPS);
	must_close(world);
	MPI_Comm_free(&comm);
}

/* Loops that are still open are closed with their context. */
static void close_with_open_loops(void)
{
	struct equant_options o = checked();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct work work[2];

	for (int i = 0; i < 2; i++)
		work_start(&work[i], eq, MPI_COMM_WORLD, i, 100);
	for (long step = 0; step < 10; step++)
		work_step(&work[step % 2], step);
	must_close(eq);
	for (int i = 0; i < 2; i++)
		ledger_free(&work[i].ledger);
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	demand(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void cycle(const struct equant_options *options)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, options);
	struct equant_loop *loop = must_loop(eq, "cycle", 20);
	long array[20];

	demand_equal(0, equant_loop_array(loop, array, sizeof(array[0])));
	for (int i = 0; i < 5; i++) {
		equant_begin(loop);
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
	must_free(loop);
	must_close(eq);
}

/* The probe is the environment's choice, or the best there is. */
static void cycles_leave_nothing(void)
{
	struct equant_options o = eager_options();
	struct mallinfo2 before, after;
	size_t least = SIZE_MAX;
	int fds;

	o.probe = "auto";
	o.period = 1e-6;
	for (int i = 0; i < 200; i++)
		cycle(&o);
	fds = descriptors();
	before = mallinfo2();
	/*
	 * Open MPI's free lists grow now and then by some KiB; a context, a loop, its balancer or
	 * its exchange forgotten in each cycle is there in every part.  memory_test finds the rest.
	 */
	for (int part = 0; part < 8; part++) {
		struct mallinfo2 at_start = mallinfo2();
		size_t more;

		for (int i = 0; i < 50; i++)
			cycle(&o);
		after = mallinfo2();
		more = after.uordblks > at_start.uordblks ? after.uordblks - at_start.uordblks : 0;
		if (more < least)
			least = more;
	}
	printf("rank %d: %zu bytes more after the best 50 cycles\n", rank, least);
	demand_equal(fds, descriptors());
	demand(least < 50 * 32);
	demand(after.hblkhd <= before.hblkhd);
}

static void run_child(int exec)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid && exec)
		execl("/bin/true", "true", (char *)NULL);
	if (!pid)
		_exit(exec ? 127 : 0);
	demand(pid > 0);
	demand(waitpid(pid, &status, 0) == pid);
	demand_equal(0, status);
}

static void fork_and_exec(void)
{
	struct equant_options o = checked();
	struct equant *eq;
	struct work work;

	o.probe = "auto";
	eq = must_open(MPI_COMM_WORLD, &o);
	work_start(&work, eq, MPI_COMM_WORLD, 0, 100);
	for (long step = 0; step < STEPS; step++) {
		if (step % 10 == 5)
			run_child(step % 20 == 5);
		work_step(&work, step);
	}
	work_stop(&work, STEPS);
	must_close(eq);
}

/* Without balancing there is none; afterwards the one that the loop itself knows. */
static void speed_is_told(void)
{
	struct equant_options o = eager_options();
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_loop *loop;
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	double speed = 0;

	loop = must_loop(eq, "told", 4 * ranks);
	demand_equal(-ENODATA, equant_watch_speed(getpid(), (uint32_t)gettid(), &speed));
	for (long step = 0; step < 5 * STEPS; step++) {
		equant_begin(loop);
		equant_for_each_unit(loop, unit)
			compute(1e-5);
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
		demand_equal(0, equant_loop_stats(loop, &stats));
		equant_watch_speed(getpid(), (uint32_t)gettid(), &speed);
		if (speed > 0)
			demand(speed == stats.speed);
		demand_equal(-ENODATA, equant_watch_speed(getpid(), 1u << 31, &speed));
	}
	demand(speed > 0);
	must_free(loop);
	must_close(eq);
	demand_equal(-ENODATA, equant_watch_speed(getpid(), (uint32_t)gettid(), &speed));
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(communicator_freed),    CASE(two_contexts_three_loops),
		CASE(close_with_open_loops), CASE(cycles_leave_nothing),
		CASE(fork_and_exec),	     CASE(speed_is_told),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
