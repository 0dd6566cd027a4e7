// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What interactions cost in messages: on the first 2, 3, 4... ranks of the job, counted
 * by the library and, at MPI's profiling interface, by us.
 */
#include <equant/equant.h>
#include <errno.h>

#include "loop/tags.h"
#include "libworker.h"

#define STEPS 12
#define LATE_STEPS 300

static long sent;

__attribute__((visibility("default"))) int MPI_Isend(const void *b, int n, MPI_Datatype type,
						     int to, int tag, MPI_Comm comm, MPI_Request *r)
{
	sent += tag >= EQUANT_TAG_CONTROL;
	return PMPI_Isend(b, n, type, to, tag, comm, r);
}

struct expected {
	int chain;
	long messages; /* of all ranks */
};

static int log2_up(int n)
{
	int bits = 0;

	while (1 << bits < n)
		bits++;
	return bits;
}

static struct expected expected_of(int control, int size)
{
	switch (control) {
	case EQUANT_CONTROL_EXCHANGE:
		return (struct expected){ log2_up(size), (long)size * log2_up(size) };
	case EQUANT_CONTROL_TREE:
		return (struct expected){ 2 * log2_up(size), 2 * (size - 1) };
	default:
		return (struct expected){ 2 * (size - 1), 2 * (size - 1) };
	}
}

static struct equant_stats run(struct equant *eq)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_loop *loop = must_loop(eq, "chain", 64);

	sent = 0;
	for (int step = 0; step < STEPS; step++) {
		equant_begin(loop);
		compute(1e-5 * (double)equant_loop_count(loop));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
	demand_equal(0, equant_loop_stats(loop, &stats));
	demand_equal(sent, stats.messages);
	must_free(loop);
	return stats;
}

/* Synchronous, so that every interaction is complete at the end of its phase. */
static void count_in(MPI_Comm comm, int control, int size)
{
	struct expected expected = expected_of(control, size);
	struct equant_options o = eager_options();
	struct equant_stats stats;
	struct equant *eq;
	long mine[2], sum, most;

	o.period = 1e-6;
	o.depth = 0;
	o.control = control;
	eq = must_open(comm, &o);
	stats = run(eq);
	must_close(eq);
	mine[0] = stats.messages;
	mine[1] = stats.chain;
	MPI_Allreduce(&mine[0], &sum, 1, MPI_LONG, MPI_SUM, comm);
	MPI_Allreduce(&mine[1], &most, 1, MPI_LONG, MPI_MAX, comm);
	demand_equal(STEPS, stats.phases);
	demand_equal(STEPS * expected.messages, sum);
	demand_equal(expected.chain, most);
}

static void count(int control)
{
	static const int sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int size = sizes[i];
		MPI_Comm comm;

		MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm);
		if (comm == MPI_COMM_NULL)
			continue;
		count_in(comm, control, size);
		MPI_Comm_free(&comm);
	}
}

static void exchange(void)
{
	count(EQUANT_CONTROL_EXCHANGE);
}

static void tree(void)
{
	count(EQUANT_CONTROL_TREE);
}

static void central(void)
{
	count(EQUANT_CONTROL_CENTRAL);
}

/* A loop that asks for nothing keeps its blocks in order, and one that cannot says so. */
static void movement(void)
{
	struct equant_options o = eager_options();
	struct equant_stats stats = { .sz = sizeof(stats) };
	const struct equant_range *range;
	struct equant_loop *loop;
	struct equant *eq;
	long moves = 0;
	int n;

	o.check = 1;
	o.movement = EQUANT_MOVE_IN_ORDER;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "refuses", 100);
	demand_equal(-EINVAL, equant_loop_distribute(loop, EQUANT_CYCLIC));
	demand_equal(-EINVAL, equant_loop_rename(loop, 0, 1));
	must_free(loop);
	loop = must_loop(eq, "passes", 100);
	demand_equal(-EINVAL, equant_pass_begin(loop));
	demand_equal(-EINVAL, equant_loop_free(loop));
	loop = must_loop(eq, "order", 1000);
	for (int step = 0; step < 40; step++) {
		equant_begin(loop);
		compute(2e-6 * (1 + (rank + step / 10) % 3) * (double)equant_loop_count(loop));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
		range = equant_loop_ranges(loop, &n);
		demand(n <= 1);
		demand(!n || rank + 1 == ranks ||
		       equant_loop_owner(loop, range->first + range->count) > rank);
		demand(!n || !rank || equant_loop_owner(loop, range->first - 1) < rank);
	}
	demand_equal(0, equant_loop_stats(loop, &stats));
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(moves > 0);
	must_free(loop);
	must_close(eq);
}

/*
 * Each rank has one unit, of as many milliseconds as ranks before it: nothing can move, and all wait for
 * the last.  Phases, wanted each 10 ms, are no less often for that.
 */
static void lateness(void)
{
	struct equant_options o = eager_options();
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_loop *loop;
	struct equant *eq;

	o.period = 0;
	o.quantum = 0.01;
	o.quanta = 1;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "late", ranks);
	for (int step = 0; step < LATE_STEPS; step++) {
		equant_begin(loop);
		compute(0.001 * (1 + rank));
		equant_end(loop);
		demand_equal(0, equant_hook(loop));
	}
	demand_equal(0, equant_loop_stats(loop, &stats));
	demand(stats.phases >= LATE_STEPS / 10);
	must_free(loop);
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = { CASE(exchange), CASE(tree), CASE(central),
						    CASE(movement), CASE(lateness) };

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
