// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One rank is different: it asks for something else, stops, fails or dies. */
#include <equant/self.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libworker.h"

#define UNITS 400

/* The rank that is different; EQUANT_ODD_RANK would be an option of the library. */
static int odd_rank(void)
{
	const char *given = getenv("ODD_RANK");

	return given ? atoi(given) : 1;
}

static int is_odd(void)
{
	return rank == odd_rank();
}

/* ---- disagreement ---------------------------------------------------------- */

static void loops_differ(const char *name, long units, int at_odd, int elsewhere)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);

	errno = 0;
	demand(!equant_loop_new(eq, name, units));
	demand_equal(is_odd() ? at_odd : elsewhere, errno);
	/* The context is as good as new. */
	must_free(must_loop(eq, "next", 10));
	must_close(eq);
}

static void units_differ(void)
{
	loops_differ("loop", is_odd() ? 11 : 10, EINVAL, EINVAL);
}

static void names_differ(void)
{
	loops_differ(is_odd() ? "rows" : "columns", 10, EINVAL, EINVAL);
}

static void arrays_differ(void)
{
	struct equant_options o = eager_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	struct equant_loop *loop = must_loop(eq, "loop", 10);
	static double data[20];

	demand_equal(0, equant_loop_array(loop, data, (is_odd() ? 2 : 1) * sizeof(*data)));
	demand_equal(-EINVAL, equant_hook(loop));
	demand_equal(-EINVAL, equant_loop_free(loop));
	must_close(eq);
}

/* The first exchange of boundaries comes before the first hook, which would have compared arrays. */
static void boundaries_differ(void)
{
	struct equant_options o = eager_options();
	struct equant *eq;
	struct equant_loop *loop;
	static double data[20];

	o.check = !getenv("UNCHECKED");
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "loop", 9);
	demand_equal(0, equant_loop_array(loop, data, (is_odd() ? 2 : 1) * sizeof(*data)));
	demand_equal(-EINVAL, equant_loop_ghosts_start(loop, 1, 1));
	demand_equal(-EINVAL, equant_loop_free(loop));
	must_close(eq);
}

/* A rank without slices must compare them all the same. */
static void one_registers_nothing(void)
{
	struct equant_options o = eager_options();
	struct equant *eq;
	struct equant_loop *loop;
	static double data[9];

	o.check = 0;
	o.balance = !getenv("UNBALANCED");
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "loop", 9);
	if (!is_odd())
		demand_equal(0, equant_loop_array(loop, data, sizeof(*data)));
	demand_equal(-EINVAL, equant_loop_ghosts_start(loop, 1, 1));
	demand_equal(-EINVAL, equant_loop_free(loop));
	must_close(eq);
}

/* Of arrays that came since the last comparison, neighbours of units that wake come first. */
static void neighbours_differ(void)
{
	struct equant_options o = eager_options();
	struct equant *eq;
	struct equant_loop *loop;
	static double data[9], others[20];

	o.check = 0;
	o.balance = 0;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "loop", 9);
	demand_equal(0, equant_loop_array(loop, data, sizeof(*data)));
	demand_equal(0, equant_loop_neighbours(loop, 1, 1));
	demand_equal(0, equant_loop_array(loop, others, (is_odd() ? 2 : 1) * sizeof(*others)));
	demand_equal(0, equant_loop_deactivate(loop, 3, 1));
	demand_equal(-EPROTO, equant_loop_activate(loop, 3, 1));
	equant_loop_free(loop);
	must_close(eq);
}

/* All hear of it, and may go on. */
static void one_width_is_negative(void)
{
	struct equant_options o = eager_options();
	struct equant *eq;
	struct equant_loop *loop;
	static double data[9];

	o.check = 0;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "loop", 9);
	demand_equal(0, equant_loop_array(loop, data, sizeof(*data)));
	demand_equal(is_odd() ? -EINVAL : -ECANCELED,
		     equant_loop_ghosts_start(loop, is_odd() ? -1 : 1, 1));
	demand_equal(0, equant_loop_ghosts_start(loop, 1, 1));
	demand_equal(0, equant_loop_ghosts_finish(loop));
	must_free(loop);
	must_close(eq);
}

static void one_is_negative(void)
{
	loops_differ("loop", is_odd() ? -1 : 10, EINVAL, ECANCELED);
}

static void one_has_no_name(void)
{
	loops_differ(is_odd() ? "" : "loop", 10, EINVAL, ECANCELED);
}

static void one_cannot_trace(void)
{
	struct equant_options o = eager_options();
	struct equant *eq;

	if (is_odd())
		o.trace = "/nonexistent/folder";
	eq = must_open(MPI_COMM_WORLD, &o);
	demand(!equant_loop_new(eq, "loop", 10));
	must_close(eq);
}

static void opens_differ(int at_odd, int elsewhere)
{
	struct equant_options o = eager_options();
	struct equant *eq;

	demand_equal(is_odd() ? at_odd : elsewhere, equant_open(&eq, MPI_COMM_WORLD, &o));
	demand(!eq);
	unsetenv("EQUANT_PERIOD");
	unsetenv("EQUANT_DEPTH");
	unsetenv("EQUANT_PROBE");
	must_close(must_open(MPI_COMM_WORLD, &o));
}

static void options_differ(void)
{
	if (is_odd())
		setenv("EQUANT_PERIOD", "0.5", 1);
	opens_differ(-EINVAL, -EINVAL);
}

static void one_option_is_bad(void)
{
	if (is_odd())
		setenv("EQUANT_DEPTH", "deep", 1);
	opens_differ(-EINVAL, -ECANCELED);
}

static void one_probe_is_missing(void)
{
	if (is_odd())
		setenv("EQUANT_PROBE", "replay:/nonexistent", 1);
	opens_differ(-ENOENT, -ECANCELED);
}

/* Bytes of a unit for which there is no memory; of all units together they are a number yet. */
#define HUGE ((size_t)1 << 54)

/* ---- a loop in which work moves all the time ----------------------------------- */

struct restless {
	struct equant *eq;
	struct equant_loop *loop;
	long array[UNITS];
	size_t bytes; /* per unit, packed */
	int huge; /* more than there is memory for */
	int error; /* what unpacking answers */
	long step;
};

static size_t size_of(const struct restless *r, long unit)
{
	return unit % 5 ? r->bytes : 0;
}

static size_t data_size(void *ctx, long unit)
{
	struct restless *r = ctx;

	return r->huge ? HUGE : size_of(r, unit);
}

static void data_pack(void *ctx, long unit, void *buffer)
{
	memset(buffer, 1, size_of(ctx, unit));
}

static int data_unpack(void *ctx, long unit, const void *buffer, size_t size)
{
	struct restless *r = ctx;

	(void)buffer;
	return size == size_of(r, unit) ? r->error : -EBADMSG;
}

static void restless_start(struct restless *r, const struct equant_options *options)
{
	static const struct equant_data_ops ops = { sizeof(ops), data_size, data_pack,
						    data_unpack };

	memset(r, 0, sizeof(*r));
	r->bytes = 3;
	r->eq = must_open(MPI_COMM_WORLD, options);
	r->loop = must_loop(r->eq, "restless", UNITS);
	demand_equal(0, equant_loop_array(r->loop, r->array, sizeof(r->array[0])));
	demand_equal(0, equant_loop_data(r->loop, &ops, r));
}

/* The slow rank is another one every few steps. */
static int restless_step(struct restless *r)
{
	double slow = (r->step++ / 6 + rank) % 2 ? 4 : 1;

	equant_begin(r->loop);
	compute(1e-3 * slow * ranks * (double)equant_loop_count(r->loop) / UNITS);
	equant_end(r->loop);
	return equant_hook(r->loop);
}

static void restless_stop(struct restless *r, int error)
{
	demand_equal(error, equant_loop_free(r->loop));
	must_close(r->eq);
}

/* Until a hook returns an error, or for too long. */
static int restless_run(struct restless *r, int most)
{
	int error = 0;

	while (!error && most--)
		error = restless_step(r);
	return error;
}

static struct equant_options checked_options(void)
{
	struct equant_options o = eager_options();
	const char *depth = getenv("DEPTH");

	o.check = 1;
	o.depth = depth ? atoi(depth) : 1;
	return o;
}

/* ---- hooks on some ranks only ---------------------------------------------------- */

/* Away after a number of hooks at which the others may be about to move work here. */
static void one_frees_early(void)
{
	struct equant_options o = checked_options();

	for (int steps = 0; steps <= 33; steps += 11) {
		struct restless r;

		restless_start(&r, &o);
		if (is_odd())
			demand_equal(0, restless_run(&r, steps));
		else
			demand_equal(-EPROTO, restless_run(&r, 2000));
		restless_stop(&r, -EPROTO);
	}
}

/* When all others have given up: they tell by messages of their own. */
static void await_others(void)
{
	for (int i = 1; i < ranks; i++)
		MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void call_odd_rank(void)
{
	MPI_Send(NULL, 0, MPI_BYTE, odd_rank(), 0, MPI_COMM_WORLD);
}

/* @timeout: longer than any rank is late that is not meant to be. */
static void one_is_silent_after(int steps, double timeout)
{
	struct equant_options o = checked_options();
	struct restless r;
	int error;

	o.timeout = timeout;
	restless_start(&r, &o);
	if (is_odd()) {
		demand_equal(0, restless_run(&r, steps));
		await_others();
		error = restless_run(&r, 2000);
		demand(error == -ETIMEDOUT || error == -EPROTO || error == -ECANCELED);
	} else {
		error = restless_run(&r, 2000);
		demand_equal(-ETIMEDOUT, error);
		call_odd_rank();
	}
	restless_stop(&r, error);
}

static void one_falls_silent(void)
{
	one_is_silent_after(15, 2);
}

static void one_never_hooks(void)
{
	one_is_silent_after(0, 0.5);
}

static void one_comes_too_late(void)
{
	struct equant_options o = checked_options();
	struct restless r;

	o.timeout = 0.5;
	restless_start(&r, &o);
	if (is_odd())
		await_others();
	demand_equal(-ETIMEDOUT, restless_step(&r));
	if (!is_odd())
		call_odd_rank();
	restless_stop(&r, -ETIMEDOUT);
}

static void one_comes_too_late_to_a_barrier(void)
{
	struct equant_options o = checked_options();
	struct equant *eq;

	o.timeout = 0.5;
	eq = must_open(MPI_COMM_WORLD, &o);
	if (is_odd())
		await_others();
	demand_equal(-ETIMEDOUT, equant_barrier(eq));
	if (!is_odd())
		call_odd_rank();
	must_close(eq);
}

/* ... and frees a loop that nobody balances, which the others wait for no less than it waits for them. */
static void one_frees_what_is_not_balanced(void)
{
	struct equant_options o = checked_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.timeout = 0.5;
	o.balance = 0;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "measured", UNITS);
	if (!is_odd())
		demand_equal(-ETIMEDOUT, equant_barrier(eq));
	demand(equant_loop_free(loop) < 0 || !is_odd());
	must_close(eq);
}

/* Short ones go through the memory of the node, long ones and those of pairs in messages. */
static int reduce(struct equant *eq, const char *what)
{
	static double values[10000];
	struct {
		double value;
		int place;
	} pair = { 0 };

	if (!strcmp(what, "pair"))
		return equant_allreduce(eq, MPI_IN_PLACE, &pair, 1, MPI_DOUBLE_INT, MPI_MAXLOC);
	return equant_allreduce(eq, MPI_IN_PLACE, values, atoi(what), MPI_DOUBLE, MPI_SUM);
}

static void one_comes_too_late_to_a_reduction(void)
{
	struct equant_options o = checked_options();
	struct equant *eq;

	o.timeout = 2;
	eq = must_open(MPI_COMM_WORLD, &o);
	for (int i = 0; i < 3; i++)
		demand_equal(0, reduce(eq, getenv("REDUCED")));
	if (is_odd())
		await_others();
	/* Nor does it find later what is left of the others. */
	for (int i = 0; i < 2; i++)
		demand_equal(-ETIMEDOUT, reduce(eq, getenv("REDUCED")));
	if (!is_odd())
		call_odd_rank();
	must_close(eq);
}

static struct equant_self *must_self(struct equant *eq, const char *engine)
{
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop),
		.scheme = strcmp(engine, "tree") ? "af" : "trees",
		.dimensions = 1,
		.extents = { 1000 },
	};
	const struct equant_self_options options = { .sz = sizeof(options),
						     .loop = &loop,
						     .engine = engine };
	struct equant_self *self = equant_self_new(eq, &options);

	demand(self != NULL);
	return self;
}

/*
 * The others have freed a loop whose iterations this rank still takes, from their common memory or its own
 * part of a tree.  A master answers no more.
 */
static void one_comes_too_late_to_free_iterations(void)
{
	struct equant_options o = checked_options();
	const char *engine = getenv("ENGINE");
	struct equant_self_chunk chunk = { 0 };
	struct equant_self *self;
	struct equant *eq;

	o.timeout = 2;
	eq = must_open(MPI_COMM_WORLD, &o);
	self = must_self(eq, engine);
	if (is_odd()) {
		await_others();
		demand_equal(strcmp(engine, "master") ? 1 : -ETIMEDOUT,
			     equant_self_next(self, &chunk));
	}
	demand_equal(-ETIMEDOUT, equant_self_free(self));
	if (!is_odd())
		call_odd_rank();
	must_close(eq);
}

static void reductions_differ(void)
{
	struct equant_options o = checked_options();
	struct equant *eq = must_open(MPI_COMM_WORLD, &o);
	double values[2] = { 1, 1 };

	demand_equal(is_odd() ? -EINVAL : -ECANCELED,
		     equant_allreduce(eq, MPI_IN_PLACE, values, is_odd() ? -1 : 1, MPI_DOUBLE,
				      MPI_SUM));
	demand_equal(-EPROTO, equant_allreduce(eq, MPI_IN_PLACE, values, is_odd() ? 0 : 1,
					       MPI_DOUBLE, MPI_SUM));
	must_close(eq);
}

#define WIDE 10000 /* longs: longer than what goes through the memory of the node */

/* Two ranks.  One that is late must not take what the other one, which has given up, keeps. */
static void one_comes_too_late_to_a_slice(void)
{
	static long wide[2 * WIDE], narrow[2];
	struct equant_options o = checked_options();
	int copied = !strcmp(getenv("SLICE"), "copied"), long_one = getenv("WIDE") != NULL;
	long *slices = long_one ? wide : narrow, length = long_one ? WIDE : 1;
	struct equant_loop *loop;
	struct equant *eq;

	o.timeout = 0.5;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "late", 2);
	demand_equal(0, equant_loop_array(loop, slices, (size_t)length * sizeof(long)));
	slices[rank * length] = rank + 1;
	if (is_odd())
		await_others();
	/* Who is late hears of it. */
	demand_equal(is_odd() ? -ECANCELED : -ETIMEDOUT,
		     copied ? equant_loop_copy(loop, 1, 0) : equant_loop_exchange(loop, 0, 1));
	demand_equal(rank + 1, slices[rank * length]);
	if (!is_odd())
		call_odd_rank();
	equant_loop_free(loop);
	must_close(eq);
}

/* All are to make another loop but for one, which waits for a slice.  A loop is made without a limit. */
static void one_waits_for_a_slice(void)
{
	struct equant_options o = checked_options();
	struct equant_loop *loop;
	struct equant *eq;
	long slices[3] = { 0 };

	o.timeout = 0.5;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "first", 3);
	demand_equal(0, equant_loop_array(loop, slices, sizeof(slices[0])));
	if (is_odd()) {
		demand_equal(-ETIMEDOUT, equant_loop_exchange(loop, 0, 1));
	} else {
		demand(!equant_loop_new(eq, "second", 3));
		demand_equal(ECANCELED, errno);
	}
	equant_loop_free(loop);
	must_close(eq);
}

static void one_makes_a_loop_too_late(void)
{
	struct equant_options o = checked_options();
	struct restless r;

	o.timeout = 2;
	restless_start(&r, &o);
	if (is_odd()) {
		demand_equal(0, restless_run(&r, 15));
		await_others();
		demand(!equant_loop_new(r.eq, "second", 3));
		demand_equal(ETIMEDOUT, errno);
	} else {
		demand_equal(-ETIMEDOUT, restless_run(&r, 2000));
		call_odd_rank();
	}
	restless_stop(&r, -ETIMEDOUT);
}

/* The extra hook is not due, so only the end can show it. */
static void one_hooks_once_more(void)
{
	struct equant_options o = checked_options();
	struct restless r;

	o.period = 1000;
	restless_start(&r, &o);
	demand_equal(0, restless_run(&r, 20));
	if (is_odd())
		demand_equal(0, equant_hook(r.loop));
	restless_stop(&r, -EPROTO);
}

static void one_begins_twice(void)
{
	struct equant_options o = checked_options();
	int expected = is_odd() ? -EINVAL : -ECANCELED;
	struct restless r;

	if (getenv("UNCHECKED"))
		o.check = 0;
	restless_start(&r, &o);
	demand_equal(0, restless_run(&r, 10));
	if (is_odd())
		equant_begin(r.loop);
	demand_equal(expected, restless_run(&r, 2000));
	restless_stop(&r, expected);
}

/* ---- failures --------------------------------------------------------------------- */

static void restless_patient(struct restless *r)
{
	struct equant_options o = checked_options();

	if (getenv("UNCHECKED"))
		o.check = 0;
	o.timeout = 10;
	restless_start(r, &o);
}

/* ... which fails with @at_odd on the odd rank, and ends on all. */
static void restless_fail(struct restless *r, int at_odd)
{
	int error = restless_run(r, 2000);

	demand_equal(is_odd() ? at_odd : -ECANCELED, error);
	restless_stop(r, error);
}

/* All transfers but the first are too long to be sent without the receiver. */
static void one_cannot_unpack(void)
{
	struct restless r;

	restless_patient(&r);
	r.bytes = 5000;
	if (is_odd())
		r.error = -ENOSPC;
	restless_fail(&r, -ENOSPC);
}

/* The neighbours follow units that have moved, and wait for who will not come. */
static void one_cannot_pack(void)
{
	struct restless r;

	restless_patient(&r);
	demand_equal(0, equant_loop_neighbours(r.loop, 1, 1));
	demand_equal(0, restless_run(&r, 10));
	r.huge = is_odd();
	restless_fail(&r, -ENOMEM);
}

/* The others may be on their way to moves that it would have had a part in. */
static void one_fails_between_phases(void)
{
	struct equant_options o = eager_options();
	struct restless r;
	int error;

	o.depth = atoi(getenv("DEPTH"));
	restless_start(&r, &o);
	error = restless_run(&r, is_odd() ? 40 : 2000);
	if (is_odd()) {
		demand_equal(0, error);
		error = equant_pass_end(r.loop);
	}
	demand_equal(is_odd() ? -EINVAL : -ECANCELED, error);
	restless_stop(&r, error);
}

static void one_is_killed(void)
{
	struct equant_options o = eager_options();
	struct restless r;

	restless_start(&r, &o);
	demand_equal(0, restless_run(&r, 10));
	if (is_odd())
		raise(SIGKILL);
	restless_run(&r, 100000);
	restless_stop(&r, 0);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(units_differ),
		CASE(arrays_differ),
		CASE(names_differ),
		CASE(boundaries_differ),
		CASE(one_registers_nothing),
		CASE(neighbours_differ),
		CASE(one_width_is_negative),
		CASE(one_is_negative),
		CASE(one_has_no_name),
		CASE(one_cannot_trace),
		CASE(options_differ),
		CASE(one_option_is_bad),
		CASE(one_probe_is_missing),
		CASE(one_frees_early),
		CASE(one_falls_silent),
		CASE(one_never_hooks),
		CASE(one_hooks_once_more),
		CASE(one_begins_twice),
		CASE(one_cannot_unpack),
		CASE(one_cannot_pack),
		CASE(one_fails_between_phases),
		CASE(one_is_killed),
		CASE(one_comes_too_late),
		CASE(one_comes_too_late_to_a_barrier),
		CASE(one_frees_what_is_not_balanced),
		CASE(one_comes_too_late_to_a_reduction),
		CASE(one_comes_too_late_to_a_slice),
		CASE(one_waits_for_a_slice),
		CASE(one_makes_a_loop_too_late),
		CASE(one_comes_too_late_to_free_iterations),
		CASE(reductions_differ),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
