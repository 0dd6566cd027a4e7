// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a program can do wrong on all ranks alike; each is refused and nothing hangs. */
#include <equant/equant.h>
#include <equant/self.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libworker.h"

static void must_not_open(MPI_Comm comm, const struct equant_options *options)
{
	struct equant *eq = (struct equant *)&eq;

	demand_equal(-EINVAL, equant_open(&eq, comm, options));
	demand(!eq);
}

static void find_rank(void)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static void open_without_mpi(void)
{
	must_not_open(MPI_COMM_WORLD, NULL);
	MPI_Init(NULL, NULL);
	find_rank();
	MPI_Finalize();
	must_not_open(MPI_COMM_WORLD, NULL);
}

static void open_bad_communicator(void)
{
	MPI_Comm half, inter;

	must_not_open(MPI_COMM_NULL, NULL);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
	must_not_open(inter, NULL);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

static void open_bad_options(void)
{
	struct {
		struct equant_options known;
		long unknown;
	} o = { .unknown = 0 };

	equant_options_init(&o.known);
	o.known.depth = 1025;
	must_not_open(MPI_COMM_WORLD, &o.known);
	o.known.depth = -1;
	must_not_open(MPI_COMM_WORLD, &o.known);
	o.known.sz = 0;
	must_not_open(MPI_COMM_WORLD, &o.known);
	equant_options_init(&o.known);
	o.known.sz = sizeof(o);
	o.unknown = 1;
	must_not_open(MPI_COMM_WORLD, &o.known);
	setenv("EQUANT_CONTROL", "ring", 1);
	must_not_open(MPI_COMM_WORLD, NULL);
	unsetenv("EQUANT_CONTROL");
	setenv("EQUANT_THRESHOLD", "a lot", 1);
	must_not_open(MPI_COMM_WORLD, NULL);
	unsetenv("EQUANT_THRESHOLD");
	setenv("EQUANT_CHECK", "yes", 1);
	must_not_open(MPI_COMM_WORLD, NULL);
	unsetenv("EQUANT_CHECK");
	setenv("EQUANT_PROBE", "oracle", 1);
	must_not_open(MPI_COMM_WORLD, NULL);
	unsetenv("EQUANT_PROBE");
}

/* All hear of it, whoever's it is. */
static void open_long_directory(void)
{
	struct equant *eq = (struct equant *)&eq;
	struct equant_options o;
	char name[5000];

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	equant_options_init(&o);
	o.trace = rank ? NULL : name;
	demand_equal(rank ? -ECANCELED : -ENAMETOOLONG, equant_open(&eq, MPI_COMM_WORLD, &o));
	demand(!eq);
	o.trace = name;
	demand_equal(-ENAMETOOLONG, equant_open(&eq, MPI_COMM_WORLD, &o));
	equant_options_init(&o);
	o.probe = rank ? NULL : name;
	demand_equal(rank ? -ECANCELED : -ENAMETOOLONG, equant_open(&eq, MPI_COMM_WORLD, &o));
}

/* They are looked at when a loop begins, not when it has ended. */
static void directories_that_are_not_there(void)
{
	struct equant_options o;
	struct equant *eq;

	equant_options_init(&o);
	for (int i = 0; i < 3; i++) {
		o.report = i == 0 ? "/nonexistent/reports" : i == 1 ? "/proc/self/exe" : NULL;
		o.trace = i == 2 ? "/nonexistent/traces" : NULL;
		eq = must_open(MPI_COMM_WORLD, &o);
		errno = 0;
		demand(!equant_loop_new(eq, "lost", 10));
		/* Traces are every rank's, reports are rank 0's. */
		demand_equal(rank && i < 2 ? ECANCELED : i == 1 ? ENOTDIR : ENOENT, errno);
		must_close(eq);
	}
}

static void must_not_loop(struct equant *eq, const char *name, long units)
{
	errno = 0;
	demand(!equant_loop_new(eq, name, units));
	demand_equal(EINVAL, errno);
}

/* What neighbours have been fetched would be those of another distribution. */
static void copies_that_would_be_stale(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *first = must_loop(eq, "first", 8), *near = must_loop(eq, "near", 8);
	long values[2][8] = { 0 };

	demand_equal(0, equant_loop_array(first, values[0], sizeof(long)));
	demand_equal(0, equant_loop_array(near, values[1], sizeof(long)));
	demand_equal(0, equant_loop_ghosts_start(near, 1, 1));
	demand_equal(-EBUSY, equant_loop_distribute(near, EQUANT_CYCLIC));
	demand_equal(-EBUSY, equant_loop_share(near, first));
	demand_equal(0, equant_loop_ghosts_finish(near));
	demand_equal(0, equant_loop_neighbours(near, 1, 1));
	demand_equal(-EBUSY, equant_loop_distribute(near, EQUANT_CYCLIC));
	demand_equal(-EBUSY, equant_loop_share(near, first));
	demand_equal(0, equant_loop_neighbours(near, 0, 0));
	demand_equal(0, equant_loop_distribute(first, EQUANT_CYCLIC));
	demand_equal(0, equant_loop_share(near, first));
	must_free(near);
	must_free(first);
	must_close(eq);
}

static void loop_bad_arguments(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	char name[41];

	must_not_loop(eq, "negative", -1);
	must_not_loop(eq, "", 10);
	must_not_loop(eq, NULL, 10);
	must_not_loop(NULL, "orphan", 10);
	memset(name, 'x', 40);
	name[40] = '\0';
	must_not_loop(eq, name, 10);
	name[39] = '\0';
	must_free(must_loop(eq, name, 10));
	demand_equal(0, equant_loop_free(NULL));
	demand_equal(0, equant_close(NULL));
	must_close(eq);
}

static size_t no_size(void *ctx, long unit)
{
	(void)ctx;
	(void)unit;
	return 0;
}

static void no_pack(void *ctx, long unit, void *buffer)
{
	(void)ctx;
	(void)unit;
	(void)buffer;
}

static int no_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	(void)ctx;
	(void)unit;
	(void)buffer;
	return size ? -EBADMSG : 0;
}

static size_t counted_size(void *ctx, long unit)
{
	(void)unit;
	++*(int *)ctx;
	return 0;
}

/* What callbacks use may be gone when a loop that never came to a hook is freed. */
static void freed_before_it_began(void)
{
	const struct equant_data_ops ops = { sizeof(ops), counted_size, no_pack, no_unpack };
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "unused", 10);
	int calls = 0;

	demand_equal(0, equant_loop_data(loop, &ops, &calls));
	must_free(loop);
	demand_equal(0, calls);
	must_close(eq);
}

static void registration(void)
{
	const struct equant_data_ops good = { sizeof(good), no_size, no_pack, no_unpack };
	struct equant_data_ops bad = { sizeof(bad), no_size, NULL, no_unpack };
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "registration", 10);
	char array[10];

	demand_equal(-EINVAL, equant_loop_array(loop, NULL, 1));
	demand_equal(-EINVAL, equant_loop_array(loop, array, 0));
	demand_equal(-EOVERFLOW, equant_loop_array(loop, array, (size_t)-1 / 4));
	demand_equal(-EINVAL, equant_loop_data(loop, NULL, NULL));
	demand_equal(-EINVAL, equant_loop_data(loop, &bad, NULL));
	demand_equal(0, equant_loop_data(loop, &good, NULL));
	demand_equal(0, equant_loop_array(loop, array, 1));
	demand_equal(-EEXIST, equant_loop_array(loop, array, 1));
	demand_equal(0, equant_hook(loop));
	demand_equal(-EBUSY, equant_loop_array(loop, array, 1));
	demand_equal(-EBUSY, equant_loop_data(loop, &good, NULL));
	must_free(loop);
	must_close(eq);
}

/* What is wrong with the sections before the hook. */
enum wrong { BEGIN_TWICE, END_WITHOUT_BEGIN, HOOK_INSIDE, NEGATIVE_UNITS };

static void do_wrong(struct equant_loop *loop, enum wrong wrong)
{
	if (wrong != END_WITHOUT_BEGIN)
		equant_begin(loop);
	if (wrong == BEGIN_TWICE)
		equant_begin(loop);
	if (wrong != HOOK_INSIDE)
		equant_end_units(loop, wrong == NEGATIVE_UNITS ? -1 : 1);
}

/* With so short a period that cannot be many hooks. */
static int hook_until_due(struct equant_loop *loop)
{
	int error = 0;

	for (int i = 0; i < 1000 && !error; i++)
		error = equant_hook(loop);
	return error;
}

static void wrong_section(enum wrong wrong, int depth)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.depth = depth;
	o.period = 1e-6;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "sections", 10);
	equant_begin(loop);
	equant_end(loop);
	demand_equal(0, equant_hook(loop));
	do_wrong(loop, wrong);
	demand_equal(-EINVAL, hook_until_due(loop));
	demand_equal(0, equant_loop_stats(loop, &stats));
	demand(stats.computed >= 0);
	/* The loop has ended: nothing else comes of it. */
	demand_equal(-EINVAL, equant_hook(loop));
	demand_equal(-EINVAL, equant_loop_free(loop));
	must_close(eq);
}

/* Rank 0 is slow: units leave it.  @ask: for the units, after each hook. */
static int compute_until_moved(struct equant_loop *loop, bool ask)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	int error = 0, after = 0;

	for (int i = 0; i < 2000 && after < 500 && !error; i++) {
		equant_begin(loop);
		compute(rank ? 0.0005 : 0.002);
		equant_end_units(loop, ask ? equant_loop_count(loop) : 1);
		error = equant_hook(loop);
		if (ask)
			demand_equal(0, equant_loop_stats(loop, &stats));
		after += stats.sent + stats.received > 0;
	}
	demand(after > 0 || !ask);
	return error;
}

static void units_not_asked_for(void)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.check = 1;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "asked", 40);
	demand_equal(0, compute_until_moved(loop, true));
	must_free(loop);
	loop = must_loop(eq, "not asked", 40);
	demand_equal(-EINVAL, compute_until_moved(loop, false));
	demand_equal(-EINVAL, equant_loop_free(loop));
	must_close(eq);
}

static void balance_a_while(struct equant_loop *loop, int hooks)
{
	for (int i = 0; i < hooks; i++) {
		/* What is needed for all units, before it is asked which they are. */
		equant_begin(loop);
		equant_end(loop);
		equant_begin(loop);
		compute(rank ? 0.0005 : 0.002);
		equant_end_units(loop, equant_loop_count(loop));
		demand_equal(0, equant_hook(loop));
	}
}

/* Units move when they become active, behind what was computed before. */
static void units_moved_by_activation(void)
{
	struct equant_stats before = { .sz = sizeof(before) }, after = { .sz = sizeof(after) };
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.check = 1;
	o.period = 1e-6;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "activated", 40);
	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_deactivate(loop, 10, 10));
	balance_a_while(loop, 500);
	equant_begin(loop);
	compute(0.001);
	equant_end_units(loop, equant_loop_count(loop));
	demand_equal(0, equant_loop_stats(loop, &before));
	demand_equal(0, equant_loop_activate(loop, 10, 10));
	demand_equal(0, hook_until_due(loop));
	demand_equal(0, equant_loop_stats(loop, &after));
	demand(after.sent + after.received > before.sent + before.received);
	must_free(loop);
	must_close(eq);
}

static void sections(void)
{
	for (int depth = 0; depth < 2; depth++) {
		wrong_section(BEGIN_TWICE, depth);
		wrong_section(END_WITHOUT_BEGIN, depth);
		wrong_section(HOOK_INSIDE, depth);
		wrong_section(NEGATIVE_UNITS, depth);
	}
}

/* @expected: of the hook, which is due or not; the exchange is over either way. */
static void hook_amid_ghosts(int depth, double period, int expected)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;
	char slices[10];

	o.depth = depth;
	o.period = period;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "ghosts", 10);
	demand_equal(0, equant_loop_array(loop, slices, 1));
	demand_equal(-EINVAL, equant_loop_ghosts_finish(loop));
	equant_begin(loop);
	compute(0.001);
	equant_end(loop);
	demand_equal(0, equant_hook(loop));
	demand_equal(0, equant_loop_ghosts_start(loop, 1, 1));
	demand_equal(expected, expected ? hook_until_due(loop) : equant_hook(loop));
	demand_equal(-EINVAL, equant_loop_ghosts_finish(loop));
	demand_equal(expected, equant_hook(loop));
	demand_equal(0, expected ? 0 : equant_loop_ghosts_start(loop, 1, 1));
	demand_equal(expected, equant_loop_free(loop));
	must_close(eq);
}

static void ghosts(void)
{
	for (int depth = 0; depth < 2; depth++) {
		hook_amid_ghosts(depth, 1e-6, -EINVAL);
		hook_amid_ghosts(depth, 1000, 0);
	}
}

static void statistics(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "statistics", 10);
	struct equant_stats stats = { .sz = sizeof(stats) - 1 };

	demand_equal(-EINVAL, equant_loop_stats(loop, &stats));
	demand_equal(-EINVAL, equant_loop_stats(loop, NULL));
	stats.sz = sizeof(stats);
	demand_equal(0, equant_loop_stats(loop, &stats));
	demand_equal(rank, stats.rank);
	demand_equal(ranks, stats.ranks);
	demand_equal(0, stats.hooks);
	demand_equal(equant_loop_count(loop), stats.units);
	demand_equal(0, strcmp("clock", stats.probe));
	must_free(loop);
	must_close(eq);
}

static void open_loop(struct equant **eq, struct equant_loop **loop)
{
	struct equant_options o = eager_options();

	MPI_Init(NULL, NULL);
	find_rank();
	*eq = must_open(MPI_COMM_WORLD, &o);
	*loop = must_loop(*eq, "late", 100);
	for (int i = 0; i < 5; i++) {
		equant_begin(*loop);
		equant_end(*loop);
		demand_equal(0, equant_hook(*loop));
	}
}

static void close_after_finalize(void)
{
	struct equant_loop *loop;
	struct equant *eq;

	open_loop(&eq, &loop);
	MPI_Finalize();
	demand_equal(-EPIPE, equant_close(eq));
}

static void close_before_all_is_freed(void)
{
	struct equant_chunks_options ten = {
		.sz = sizeof(ten), .scheme = "gss", .dimensions = 1, .extents = { 10 }
	};
	struct equant_self_options options = { .sz = sizeof(options), .loop = &ten };
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_self *self = equant_self_new(eq, &options);
	struct equant_self_chunk chunk = { 0 };

	demand(self);
	demand_equal(-EBUSY, equant_close(eq));
	while (equant_self_next(self, &chunk) > 0)
		;
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

static void free_after_finalize(void)
{
	struct equant_loop *loop;
	struct equant *eq;

	open_loop(&eq, &loop);
	MPI_Finalize();
	demand_equal(-EPIPE, equant_loop_free(loop));
	demand_equal(-EPIPE, equant_close(eq));
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(open_without_mpi, .bare = 1),
		CASE(open_bad_communicator),
		CASE(open_bad_options),
		CASE(open_long_directory),
		CASE(directories_that_are_not_there),
		CASE(copies_that_would_be_stale),
		CASE(loop_bad_arguments),
		CASE(registration),
		CASE(freed_before_it_began),
		CASE(sections),
		CASE(units_not_asked_for),
		CASE(units_moved_by_activation),
		CASE(ghosts),
		CASE(statistics),
		CASE(close_before_all_is_freed),
		CASE(close_after_finalize, .bare = 1),
		CASE(free_after_finalize, .bare = 1),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
