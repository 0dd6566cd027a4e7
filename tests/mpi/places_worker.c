// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ranks that are at different places of the program, in checked mode. */
#include <equant/equant.h>
#include <errno.h>
#include <stdlib.h>

#include "libworker.h"

#define UNITS 20
#define ODD 1

static struct {
	struct equant *eq;
	struct equant_loop *a, *b;
	double data[2][UNITS];
} here;

static void start(void)
{
	struct equant_options o = eager_options();

	o.check = 1;
	o.timeout = 10;
	o.period = 1e-9;
	here.eq = must_open(MPI_COMM_WORLD, &o);
	here.a = must_loop(here.eq, "a", UNITS);
	here.b = must_loop(here.eq, "b", UNITS);
	demand_equal(0, equant_loop_array(here.a, here.data[0], sizeof(double)));
	demand_equal(0, equant_loop_array(here.b, here.data[1], sizeof(double)));
	for (int i = 0; i < 5; i++) {
		demand_equal(0, equant_hook(here.a));
		demand_equal(0, equant_hook(here.b));
	}
}

/* Whatever is called next says what is wrong; no loop of the context goes on. */
static void stop(void)
{
	demand_equal(-EPROTO, equant_hook(here.a));
	demand_equal(-EPROTO, equant_hook(here.b));
	demand_equal(-EPROTO, equant_loop_broadcast(here.b, 0));
	demand_equal(-EPROTO, equant_loop_free(here.a));
	demand_equal(-EPROTO, equant_loop_free(here.b));
	must_close(here.eq);
}

static void hooks_in_different_order(void)
{
	start();
	demand_equal(-EPROTO, equant_hook(rank == ODD ? here.b : here.a));
	stop();
}

static void hook_and_broadcast(void)
{
	start();
	demand_equal(-EPROTO, rank == ODD ? equant_loop_broadcast(here.a, 3) : equant_hook(here.a));
	stop();
}

static void hook_and_ghosts(void)
{
	start();
	demand_equal(-EPROTO,
		     rank == ODD ? equant_loop_ghosts_start(here.a, 1, 1) : equant_hook(here.a));
	stop();
}

static void hook_and_reduction(void)
{
	double sum;

	start();
	demand_equal(-EPROTO, rank == ODD ? equant_allreduce_units(here.a, here.data[0], EQUANT_SUM,
								   &sum, NULL) :
					    equant_hook(here.a));
	stop();
}

static void compute_nothing(void *ctx, long first, long units, long from, long to)
{
	(void)ctx;
	(void)(first + units + from + to);
}

static void hook_and_sweep(void)
{
	start();
	demand_equal(-EPROTO, rank == ODD ? equant_loop_sweep(here.a, 3, compute_nothing, NULL) :
					    equant_hook(here.a));
	stop();
}

static void hook_and_pass(void)
{
	struct equant_loop *c;

	start();
	c = must_loop(here.eq, "c", UNITS);
	demand_equal(-EPROTO, rank == ODD ? equant_pass_begin(c) : equant_hook(here.a));
	demand_equal(-EPROTO, equant_loop_free(c));
	stop();
}

static void hook_and_barrier(void)
{
	start();
	demand_equal(0, equant_barrier(here.eq));
	demand_equal(-EPROTO, rank == ODD ? equant_barrier(here.eq) : equant_hook(here.a));
	demand_equal(-EPROTO, equant_barrier(here.eq));
	stop();
}

/* Nobody tells those who wait that this rank stays away. */
static void one_in_no_barrier(void)
{
	struct equant_options o = eager_options();
	struct equant *eq;

	o.check = 1;
	o.timeout = 0.5;
	eq = must_open(MPI_COMM_WORLD, &o);
	if (rank != ODD)
		demand_equal(-ETIMEDOUT, equant_barrier(eq));
	MPI_Barrier(MPI_COMM_WORLD);
	must_close(eq);
}

static void broadcasts_of_different_units(void)
{
	start();
	demand_equal(-EPROTO, equant_loop_broadcast(here.a, rank == ODD ? 3 : 2));
	stop();
}

static void ghosts_of_different_widths(void)
{
	start();
	demand_equal(-EPROTO, equant_loop_ghosts_start(here.a, 1, rank == ODD ? 2 : 1));
	stop();
}

static void hook_and_free(void)
{
	start();
	if (rank == ODD) {
		demand_equal(-EPROTO, equant_loop_free(here.b));
		demand_equal(-EPROTO, equant_loop_free(here.a));
		must_close(here.eq);
	} else {
		demand_equal(-EPROTO, equant_hook(here.a));
		stop();
	}
}

/* A bad argument on one rank does not keep the others waiting; the loop goes on. */
static void one_broadcasts_nothing(void)
{
	start();
	demand_equal(rank == ODD ? -EINVAL : -ECANCELED,
		     equant_loop_broadcast(here.a, rank == ODD ? UNITS : 2));
	demand_equal(rank == ODD ? -EINVAL : -ECANCELED,
		     equant_loop_ghosts_start(here.a, rank == ODD ? -1 : 1, 1));
	demand_equal(0, equant_loop_broadcast(here.a, 2));
	demand_equal(0, equant_hook(here.a));
	must_free(here.a);
	must_free(here.b);
	must_close(here.eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(hooks_in_different_order),
		CASE(hook_and_broadcast),
		CASE(hook_and_ghosts),
		CASE(hook_and_reduction),
		CASE(hook_and_sweep),
		CASE(hook_and_pass),
		CASE(hook_and_barrier),
		CASE(one_in_no_barrier),
		CASE(broadcasts_of_different_units),
		CASE(ghosts_of_different_widths),
		CASE(hook_and_free),
		CASE(one_broadcasts_nothing),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
