// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Audited work on a machine that stops ranks, moves them about and has others compete. */
#include <equant/equant.h>
#include <equant/table.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../random.h"
#include "libledger.h"
#include "libworker.h"
#include "loop/move.h"
#include "loop/tags.h"

#define UNITS 300
#define ODD 1

/* ---- work -------------------------------------------------------------------- */

struct work {
	struct equant *eq;
	struct equant_loop *loop;
	struct ledger ledger;
	long steps;
};

static void work_start(struct work *w, const struct equant_options *options)
{
	memset(w, 0, sizeof(*w));
	w->eq = must_open(MPI_COMM_WORLD, options);
	w->loop = must_loop(w->eq, "work", UNITS);
	ledger_init(&w->ledger, w->loop, UNITS);
}

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void burn(double seconds)
{
	double end = cpu_time() + seconds;

	while (cpu_time() < end)
		;
}

static int work_step(struct work *w)
{
	double slow = (w->steps / 8 + rank) % 2 ? 3 : 1;

	equant_begin(w->loop);
	ledger_step(&w->ledger);
	burn(1e-3 * slow * ranks * (double)equant_loop_count(w->loop) / UNITS);
	equant_end(w->loop);
	w->steps++;
	return equant_hook(w->loop);
}

static long sum_of(long mine)
{
	long all;

	MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

/* Trouble that meets no move troubles nobody. */
static void work_stop(struct work *w)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	demand_equal(0, equant_loop_stats(w->loop, &stats));
	demand(sum_of(stats.moves) > 0);
	ledger_audit(&w->ledger, MPI_COMM_WORLD, w->steps);
	must_free(w->loop);
	must_close(w->eq);
	ledger_free(&w->ledger);
}

static struct equant_options options(void)
{
	struct equant_options o = eager_options();

	o.probe = "auto";
	return o;
}

/* ---- a stopped rank -------------------------------------------------------------- */

/* A child stops its parent and lets it go on @seconds later. */
static pid_t stop_me(double seconds)
{
	pid_t parent = getpid(), child = fork();

	demand(child >= 0);
	if (child)
		return child;
	compute(0.1);
	kill(parent, SIGSTOP);
	compute(seconds);
	kill(parent, SIGCONT);
	_exit(0);
}

/* Steps until the odd rank has been stopped and let go on, and then some more. */
static void stopped(void)
{
	struct equant_options o = options();
	struct work w;
	pid_t child = 0;
	int over = 0;

	if (getenv("CHECK")) {
		o.check = 1;
		o.timeout = 20;
	}
	work_start(&w, &o);
	if (rank == ODD)
		child = stop_me(2);
	while (!over) {
		for (int i = 0; i < 20; i++)
			demand_equal(0, work_step(&w));
		if (child && waitpid(child, NULL, WNOHANG) == child)
			child = 0;
		over = rank != ODD || !child;
		demand_equal(0, equant_allreduce(w.eq, MPI_IN_PLACE, &over, 1, MPI_INT, MPI_MIN));
	}
	for (int i = 0; i < 40; i++)
		demand_equal(0, work_step(&w));
	work_stop(&w);
}

/* A stop longer than the timeout is an error of checked mode. */
static void stopped_for_too_long(void)
{
	struct equant_options o = options();
	struct work w;
	int error = 0;

	o.check = 1;
	o.timeout = 0.5;
	work_start(&w, &o);
	if (rank == ODD)
		stop_me(1.5);
	for (int i = 0; i < 100000 && !error; i++)
		error = work_step(&w);
	demand(error == -ETIMEDOUT || (rank == ODD && (error == -EPROTO || error == -ECANCELED)));
	demand_equal(error, equant_loop_free(w.loop));
	must_close(w.eq);
	ledger_free(&w.ledger);
}

/*
 * A rank that is stopped just before it receives, until the sender has given up on it.  What MPI then
 * takes out of the sender's memory is what was sent.
 */
static struct {
	int stops;
	long received;
} late;

#define BULK 300000 /* bytes of a unit: long messages are fetched by their receiver */
#define SLICES 20000

static void hear(int from)
{
	PMPI_Recv(NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tell(int to)
{
	PMPI_Send(NULL, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

/* The library calls this one; a move begins with a header. */
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	if (late.stops && tag == EQUANT_TAG_MOVE && count == sizeof(struct equant_header)) {
		late.stops = 0;
		hear(source);
	}
	return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

static size_t bulk_size(void *ctx, long unit)
{
	(void)ctx;
	(void)unit;
	return BULK;
}

static void bulk_pack(void *ctx, long unit, void *buffer)
{
	(void)ctx;
	memset(buffer, (int)unit, BULK);
}

static int bulk_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	const unsigned char *bytes = buffer;

	(void)ctx;
	demand_equal(BULK, size);
	for (long i = 0; i < BULK; i++)
		demand_equal((unsigned char)unit, bytes[i]);
	late.received++;
	return 0;
}

/* What the library has freed is given out again. */
static void use_memory(void)
{
	static char *volatile memory;

	for (size_t size = 64; size < 64u << 20; size *= 2)
		for (int i = 0; i < (size < 1 << 20 ? 64 : 1); i++) {
			memory = malloc(size);
			demand(memory);
			memset(memory, 0xee, size);
		}
}

static void stopped_before_it_receives(void)
{
	static const struct equant_data_ops ops = { sizeof(ops), bulk_size, bulk_pack,
						    bulk_unpack };
	struct equant_options o = eager_options();
	struct equant_table *table;
	struct equant_loop *loop;
	struct equant *eq;
	char *slice;
	int error = 0;

	o.check = 1;
	o.timeout = 2;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "bulk", 60);
	table = equant_loop_table(loop, SLICES, EQUANT_TABLE_AUTO);
	demand(table);
	equant_for_each_slice(table, u, slice)
		memset(slice, (int)u, SLICES);
	demand_equal(0, equant_loop_data(loop, &ops, NULL));
	late.stops = rank == 1;
	while (!error && !late.received) {
		equant_begin(loop);
		compute(1e-4 * (rank ? 1 : 4) * (double)equant_loop_count(loop));
		equant_end(loop);
		error = equant_hook(loop);
	}
	if (rank) {
		demand_equal(0, error);
		tell(0);
		demand(equant_loop_free(loop) < 0);
	} else {
		demand_equal(-ETIMEDOUT, error);
		demand_equal(-ETIMEDOUT, equant_loop_free(loop));
		use_memory();
		tell(1);
		hear(1);
	}
	must_close(eq);
}

/* ---- competitors and CPUs ---------------------------------------------------------- */

static struct {
	struct random random;
	pid_t competitor;
	long packed; /* toggles in the midst of a move, on the sender, */
	long unpacked; /* and on the receiver */
} trouble;

static void bind_to(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	demand_equal(0, sched_setaffinity(pid, sizeof(set), &set));
}

/* One that wants the rank's present CPU all the time. */
static void start_competitor(void)
{
	pid_t parent = getpid();
	int cpu = sched_getcpu();

	trouble.competitor = fork();
	demand(trouble.competitor >= 0);
	if (trouble.competitor)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	bind_to(0, cpu);
	for (;;)
		;
}

static void end_competitor(void)
{
	if (trouble.competitor <= 0)
		return;
	kill(trouble.competitor, SIGKILL);
	demand(waitpid(trouble.competitor, NULL, 0) == trouble.competitor);
	trouble.competitor = 0;
}

static void toggle(void)
{
	if (trouble.competitor)
		end_competitor();
	else
		start_competitor();
}

static size_t one_byte(void *ctx, long unit)
{
	(void)ctx;
	(void)unit;
	return 1;
}

/* In the midst of a move, on the sender ... */
static void toggle_and_pack(void *ctx, long unit, void *buffer)
{
	(void)ctx;
	*(unsigned char *)buffer = (unsigned char)unit;
	if (random_below(&trouble.random, 64))
		return;
	toggle();
	trouble.packed++;
}

/* ... and on the receiver. */
static int toggle_and_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	(void)ctx;
	if (!random_below(&trouble.random, 64)) {
		toggle();
		trouble.unpacked++;
	}
	return size == 1 && *(const unsigned char *)buffer == (unsigned char)unit ? 0 : -EBADMSG;
}

static void seed_trouble(void)
{
	trouble.random = random_from(strtoull(getenv("SEED"), NULL, 0) * 16 + (uint64_t)rank);
}

/* They come and go in the middle of moves, and are killed at any time. */
static void competitors(void)
{
	static const struct equant_data_ops ops = { sizeof(ops), one_byte, toggle_and_pack,
						    toggle_and_unpack };
	struct equant_options o = options();
	struct work w;

	seed_trouble();
	o.check = 1;
	o.crowds = 0; /* with more ranks than CPUs, all for all of them, there is nothing to gain */
	work_start(&w, &o);
	demand_equal(0, equant_loop_data(w.loop, &ops, NULL));
	for (int i = 0; i < 120; i++) {
		demand_equal(0, work_step(&w));
		if (!random_below(&trouble.random, 20))
			toggle();
	}
	end_competitor();
	demand(sum_of(trouble.packed) > 0);
	demand(sum_of(trouble.unpacked) > 0);
	work_stop(&w);
}

/* Ranks are sent to other CPUs, alone or all to one, and back to all of them. */
static void cpus_change(void)
{
	struct equant_options o = options();
	cpu_set_t all;
	struct work w;

	seed_trouble();
	demand_equal(0, sched_getaffinity(0, sizeof(all), &all));
	o.check = 1;
	work_start(&w, &o);
	for (int i = 0; i < 120; i++) {
		int cpu = (int)random_below(&trouble.random, CPU_COUNT(&all) * 8L);

		demand_equal(0, work_step(&w));
		if (CPU_ISSET(cpu, &all))
			bind_to(0, cpu);
		else if (!random_below(&trouble.random, 4))
			demand_equal(0, sched_setaffinity(0, sizeof(all), &all));
	}
	work_stop(&w);
}

/* ---- ten thousand phases --------------------------------------------------------------- */

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long size = 0, pages = 0;

	demand(f);
	demand_equal(2, fscanf(f, "%ld %ld", &size, &pages));
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

#define AUDIT 50 /* steps between two looks at who has which unit */

/* Speeds are made up: the loop is told of any number of units.  Return: the least bytes allocated at a look. */
static long phases(struct work *w, long from, long to, struct random *random)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long bytes, floor = LONG_MAX;

	do {
		equant_begin(w->loop);
		ledger_step(&w->ledger);
		equant_end_units(w->loop, 1 + random_below(random, 10000));
		w->steps++;
		demand_equal(0, equant_hook(w->loop));
		if (w->steps % AUDIT == 0) {
			ledger_audit(&w->ledger, MPI_COMM_WORLD, w->steps);
			bytes = (long)mallinfo2().uordblks;
			floor = bytes < floor ? bytes : floor;
		}
		demand_equal(0, equant_loop_stats(w->loop, &stats));
	} while (stats.phases < to);
	demand(stats.phases >= from);
	return floor;
}

#define WINDOWS 10

static void many_phases(void)
{
	struct equant_options o = eager_options();
	long n = atol(getenv("PHASES")), window = n / WINDOWS, least = LONG_MAX, grown;
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct random random;
	struct work w;
	long pages, bytes, before;

	o.check = 1;
	o.period = 1e-9;
	o.wait = EQUANT_WAIT_BLOCK;
	random = random_from(strtoull(getenv("SEED"), NULL, 0) * 16 + (uint64_t)rank);
	work_start(&w, &o);
	if (getenv("IN_ORDER"))
		demand_equal(0, equant_loop_distribute(w.loop, EQUANT_BLOCK_ORDER));
	/* By then nearly every free list of MPI has its size. */
	before = phases(&w, 0, window, &random);
	pages = resident();
	for (int k = 1; k < WINDOWS; k++) {
		bytes = phases(&w, k * window, (k + 1) * window, &random);
		least = bytes - before < least ? bytes - before : least;
		before = bytes;
	}
	grown = resident() - pages;
	demand_equal(0, equant_loop_stats(w.loop, &stats));
	if (!rank)
		printf("%ld phases, %ld moves, at least %ld bytes more in each %ld, %ld KiB more resident\n",
		       stats.phases, stats.moves, least, window, grown / 1024);
	demand(stats.moves > n / 4);
	/* MPI's free lists grow when ranks are far apart, and stay so; what is lost is lost in every window. */
	demand(least < 4 * window);
	demand(grown < 1 << 20);
	work_stop(&w);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(stopped),	   CASE(stopped_for_too_long), CASE(stopped_before_it_receives),
		CASE(competitors), CASE(cpus_change),	       CASE(many_phases),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
