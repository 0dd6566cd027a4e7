// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <signal.h>
#include <unistd.h>

#include "libpasses.h"
#include "libworker.h"

/* In memory that all ranks share: a count that no message has brought. */
static void count_together(struct run *run)
{
	MPI_Aint size;
	int unit;

	MPI_Win_allocate_shared(rank ? 0 : sizeof(*run->everyone), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
				&run->everyone, &run->window);
	MPI_Win_shared_query(run->window, 0, &size, &unit, &run->everyone);
	if (!rank)
		*run->everyone = 0;
	MPI_Barrier(MPI_COMM_WORLD);
}

void run_start(struct run *run, const struct equant_options *options, const struct shape *shape,
	       double changes)
{
	*run = (struct run){ .shape = shape, .changes = changes };
	count_together(run);
	run->eq = must_open(MPI_COMM_WORLD, options);
	run->loop = must_loop(run->eq, shape->name, shape->units);
	ledger_init(&run->ledger, run->loop, shape->units);
}

static double slowness(const struct run *run)
{
	long per_rank = run->shape->units / ranks + 1;
	long changes = (long)((double)run->handed * run->changes / (double)per_rank);

	return 1 + (double)((rank * 2 + changes) % 5);
}

void run_unit(struct run *run, long unit)
{
	const struct shape *s = run->shape;
	double cost = s->section * ranks / (double)s->units;

	cost *= 1 + (double)(unit * 7919 % s->spread);
	run->debt += cost * slowness(run);
	if (run->debt > 0.0005) {
		compute(run->debt);
		run->debt = 0;
	}
	ledger_unit(&run->ledger, unit);
	run->handed++;
	__atomic_add_fetch(run->everyone, 1, __ATOMIC_SEQ_CST);
}

void run_demand_met(const struct run *run, long passes)
{
	long all;

	/* Before this rank waits for the others by itself. */
	demand(__atomic_load_n(run->everyone, __ATOMIC_SEQ_CST) >= passes * run->shape->units);
	MPI_Allreduce(&run->handed, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(passes * run->shape->units, all);
}

void run_close(struct run *run)
{
	must_free(run->loop);
	must_close(run->eq);
	ledger_free(&run->ledger);
	MPI_Win_free(&run->window);
}

pid_t start_stopping(struct random *random, double seconds)
{
	pid_t victim = getpid(), pid = fork();

	if (pid)
		return pid;
	for (double t = 0; t < seconds;) {
		double run = 0.02 * random_unit(random), stop = 0.1 * random_unit(random);

		compute(run);
		kill(victim, SIGSTOP);
		compute(stop);
		kill(victim, SIGCONT);
		t += run + stop;
	}
	_exit(0);
}
