// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks of several threads: each with a context of its own, or all computing for one rank. */
#include <equant/equant.h>
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libledger.h"
#include "libworker.h"

#define STEPS 40
#define MOST_THREADS 4

static int number(const char *name, int otherwise)
{
	const char *given = getenv(name);

	return given ? atoi(given) : otherwise;
}

/* ---- a context per thread --------------------------------------------------- */

struct thread {
	pthread_t id;
	MPI_Comm comm; /* from which the thread makes its own */
	int index;
	uint64_t owners; /* who had which unit, after all steps */
};

/* Where a run is to be repeated under other loads they are random. */
static double slowness(struct random *random, int index, long step)
{
	if (getenv("LOADS"))
		return 1 + 4 * random_unit(random);
	return (rank + index + step / 10) % 2 ? 4 : 1;
}

/* The slow rank is another one for each thread, and another one every few steps. */
static uint64_t work(struct equant *eq, MPI_Comm comm, int index)
{
	struct random random = random_from((uint64_t)number("LOADS", 0) * 16 +
					   (uint64_t)(MOST_THREADS * rank + index));
	long units = 100 + 10 * index;
	struct equant_loop *loop;
	struct ledger ledger;
	uint64_t owners = 0;
	char name[16];

	snprintf(name, sizeof(name), getenv("LOADS") ? "thread%d" : "same", index);
	loop = must_loop(eq, name, units);
	ledger_init(&ledger, loop, units);
	for (long step = 0; step < STEPS; step++) {
		double slow = slowness(&random, index, step);

		equant_begin(loop);
		ledger_step(&ledger);
		compute(1e-3 * slow * (double)equant_loop_count(loop) / (double)units);
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
		owners = hash_of_owners(loop, owners);
		if (step % 10 == 9)
			demand_equal(0, equant_barrier(eq));
	}
	ledger_audit(&ledger, comm, STEPS);
	must_free(loop);
	ledger_free(&ledger);
	return owners;
}

static void *run_thread(void *arg)
{
	struct equant_options o = eager_options();
	struct thread *thread = arg;
	struct equant *eq;
	MPI_Comm comm;

	o.check = thread->index % 2;
	o.depth = thread->index / 2;
	o.period = 0.005;
	MPI_Comm_dup(thread->comm, &comm);
	eq = must_open(comm, &o);
	thread->owners = work(eq, comm, thread->index);
	must_close(eq);
	MPI_Comm_free(&comm);
	return NULL;
}

static void contexts_at_once(void)
{
	struct thread threads[MOST_THREADS];
	int n = number("THREADS", 2), i;

	for (i = 0; i < n; i++) {
		threads[i].index = i;
		MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
	}
	for (i = 0; i < n; i++)
		demand_equal(0, pthread_create(&threads[i].id, NULL, run_thread, &threads[i]));
	for (i = 0; i < n; i++) {
		demand_equal(0, pthread_join(threads[i].id, NULL));
		MPI_Comm_free(&threads[i].comm);
		if (!rank)
			printf("owners of thread%d %llx\n", i,
			       (unsigned long long)threads[i].owners);
	}
}

/* ---- a team ------------------------------------------------------------------ */

static void join_all(struct equant *eq)
{
#pragma omp parallel num_threads(2)
	demand_equal(0, equant_team_join(eq));
}

static void leave_all(struct equant *eq)
{
#pragma omp parallel num_threads(2)
	demand_equal(0, equant_team_leave(eq));
}

static struct equant_stats account(const struct equant_loop *loop)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	demand_equal(0, equant_loop_stats(loop, &stats));
	/* Of each section's wall time every nanosecond is either. */
	demand(fabs(stats.run + stats.wait - stats.wall) < 1e-6 * (double)stats.hooks);
	return stats;
}

/* Threads' probes are read one after the other, and the reader may lose its CPU in between. */
static void demand_share(const struct equant_loop *loop, const char *variable)
{
	struct equant_stats stats = account(loop);
	double expected = atof(getenv(variable));
	double share = stats.run / stats.wall;

	if (fabs(share - expected) > 0.15)
		worker_fail_text(__FILE__, __LINE__, "share %g, not %g", share, expected);
}

/* What the threads' probes say is recorded: their shares together are known. */
static void team_of_records(void)
{
	struct equant_options o = eager_options();
	char variable[16];
	struct equant_loop *loop;
	struct equant *eq;

	o.period = 1000;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "team", 10);
	join_all(eq);
	for (int step = 0; step < 10; step++) {
		equant_begin(loop);
		compute(0.02);
		equant_end(loop);
		if (step < 2)
			demand_equal(0, equant_hook(loop));
	}
	snprintf(variable, sizeof(variable), "SHARE%d", rank);
	demand_share(loop, variable);
	leave_all(eq);
	must_free(loop);
	must_close(eq);
}

static void burn(double seconds)
{
	struct timespec t;
	double start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	start = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec - start < seconds);
}

/* Both threads of a rank compute; a thread comes and goes in between. */
static void team_conserves(void)
{
	struct random random = random_from((uint64_t)number("LOADS", 0) * 16 + (uint64_t)rank);
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct ledger ledger;
	uint64_t owners = 0;
	struct equant *eq;

	o.probe = "auto";
	o.check = 1;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "team", 200);
	ledger_init(&ledger, loop, 200);
	for (int step = 0; step < 60; step++) {
		double slow = getenv("LOADS") ? slowness(&random, 0, step) : 1 + rank;

		if (step % 20 == 0)
			join_all(eq);
		equant_begin(loop);
#pragma omp parallel num_threads(2)
		{
			if (omp_get_thread_num() == 0)
				ledger_step(&ledger);
			burn(5e-6 * slow * (double)equant_loop_count(loop));
		}
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
		owners = hash_of_owners(loop, owners);
		if (step % 20 == 14)
			leave_all(eq);
	}
	ledger_audit(&ledger, MPI_COMM_WORLD, 60);
	demand(account(loop).moves > 0 || !number("MUST_MOVE", 0));
	if (!rank)
		printf("owners of team %llx\n", (unsigned long long)owners);
	must_free(loop);
	must_close(eq);
	ledger_free(&ledger);
}

/*
 * The context's thread sleeps while the other one computes: that is the rank's computing.
 * Who is not in the team is not seen.
 */
static double run_of_the_other(int join)
{
	struct equant_options o = eager_options();
	struct equant *eq;
	struct equant_loop *loop;
	double run;

	o.probe = "schedstat";
	o.period = 1000;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "other", 10);
	if (join)
		join_all(eq);
	for (int step = 0; step < 5; step++) {
		equant_begin(loop);
#pragma omp parallel num_threads(2)
		if (omp_get_thread_num() == 1)
			burn(0.01);
		equant_end(loop);
	}
	demand_equal(0, equant_hook(loop));
	if (join) {
		struct equant_stats stats = account(loop);

		/* Burnt is burnt, however long the thread had to wait for its CPU. */
		demand(stats.run > 0 && stats.share > 0);
		leave_all(eq);
		run = stats.run;
	} else {
		struct equant_stats stats = { .sz = sizeof(stats) };

		demand_equal(0, equant_loop_stats(loop, &stats));
		run = stats.run;
	}
	must_free(loop);
	must_close(eq);
	return run;
}

/* OMP_WAIT_POLICY=passive, or the first thread would burn as much. */
static void work_of_members_counts(void)
{
	double with = run_of_the_other(1), without = run_of_the_other(0);

	if (with < 2 * without)
		worker_fail_text(__FILE__, __LINE__, "%g s in a team, %g s alone", with, without);
}

static void misuse(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);

	demand_equal(-EINVAL, equant_team_join(NULL));
	demand_equal(-EINVAL, equant_team_leave(NULL));
	demand_equal(0, equant_team_join(eq));
	demand_equal(0, equant_team_join(eq));
	demand_equal(0, equant_team_leave(eq));
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
		demand_equal(-EINVAL, equant_team_leave(eq));
		demand_equal(0, equant_team_join(eq));
		demand_equal(-EALREADY, equant_team_join(eq));
		demand_equal(0, equant_team_leave(eq));
		demand_equal(-EINVAL, equant_team_leave(eq));
		/* And one that the context forgets. */
		demand_equal(0, equant_team_join(eq));
	}
	must_close(eq);
}

/* A thread may not have a probe that its context's has. */
static void no_record_for_a_member(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);

#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		demand_equal(-ENOENT, equant_team_join(eq));
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(contexts_at_once, .threads = MPI_THREAD_MULTIPLE),
		CASE(team_of_records, .threads = MPI_THREAD_FUNNELED),
		CASE(team_conserves, .threads = MPI_THREAD_FUNNELED),
		CASE(work_of_members_counts, .threads = MPI_THREAD_FUNNELED),
		CASE(misuse, .threads = MPI_THREAD_FUNNELED),
		CASE(no_record_for_a_member, .threads = MPI_THREAD_FUNNELED),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
