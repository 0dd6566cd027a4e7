// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One rank misuses a loop before the first phase, pass or sweep, where nothing has been agreed on yet.
 * CHECK, ODD_RANK and MISTAKE say how; each rank returns an error, and none waits for ever.
 */
#include <equant/equant.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libworker.h"

#define UNITS 60

static double mesh[UNITS + 2][UNITS + 2];

static int is_odd(void)
{
	const char *given = getenv("ODD_RANK");

	return rank == (given ? atoi(given) : 1);
}

/* ---- how a loop begins -------------------------------------------------------------- */

static int begin_pass(struct equant_loop *loop)
{
	int error = equant_pass_begin(loop);

	if (error)
		return error;
	equant_pass_join(loop);
	equant_for_each_next(loop, u)
		mesh[u + 1][0]++;
	return equant_pass_end(loop);
}

static int begin_hooks(struct equant_loop *loop)
{
	return equant_hook(loop);
}

static void relax(void *ctx, long first, long units, long from, long to)
{
	(void)ctx;
	for (long u = first; u < first + units; u++)
		for (long i = from + 1; i <= to; i++)
			mesh[u + 1][i] = (mesh[u][i] + mesh[u + 2][i]) / 2;
}

static int begin_sweep(struct equant_loop *loop)
{
	return equant_loop_sweep(loop, UNITS, relax, NULL);
}

/* ---- what the odd rank does instead, or before --------------------------------------- */

static int times_a_section(struct equant_loop *loop)
{
	equant_begin(loop);
	equant_end(loop);
	return begin_pass(loop);
}

static int leaves_a_section_open(struct equant_loop *loop)
{
	equant_begin(loop);
	return begin_hooks(loop);
}

static int joins_no_pass(struct equant_loop *loop)
{
	equant_pass_join(loop);
	return begin_pass(loop);
}

static int ends_no_pass(struct equant_loop *loop)
{
	equant_pass_end(loop);
	return begin_pass(loop);
}

static int keeps_order(struct equant_loop *loop)
{
	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	return begin_pass(loop);
}

static int distributes_badly(struct equant_loop *loop)
{
	demand_equal(-EINVAL, equant_loop_distribute(loop, (enum equant_distribution)17));
	return begin_hooks(loop);
}

static int rests_other_units(struct equant_loop *loop)
{
	demand_equal(-EINVAL, equant_loop_deactivate(loop, UNITS - 1, 2));
	return begin_hooks(loop);
}

static int goes_at_once(struct equant_loop *loop)
{
	(void)loop;
	return 0;
}

static int rest_a_unit_then_hook(struct equant_loop *loop)
{
	demand_equal(0, equant_loop_deactivate(loop, UNITS - 1, 1));
	return begin_hooks(loop);
}

static int distribute_then_hook(struct equant_loop *loop)
{
	demand_equal(0, equant_loop_distribute(loop, EQUANT_CYCLIC));
	return begin_hooks(loop);
}

static int has_no_body(struct equant_loop *loop)
{
	return equant_loop_sweep(loop, UNITS, NULL, NULL);
}

static int has_negative_neighbours(struct equant_loop *loop)
{
	return equant_loop_neighbours(loop, -1, 1);
}

static int neighbours(struct equant_loop *loop)
{
	return equant_loop_neighbours(loop, 1, 1);
}

static int has_no_plan(struct equant_loop *loop)
{
	return equant_loop_distribute_plan(loop, NULL);
}

/**
 * struct mistake - of the odd rank
 * @odd: what it does
 * @others: what the others do
 * @at_odd: what it gets
 * @elsewhere: what they get
 */
static const struct mistake {
	const char *name;
	int (*odd)(struct equant_loop *loop);
	int (*others)(struct equant_loop *loop);
	int at_odd, elsewhere;
} mistakes[] = {
	{ "section_before_pass", times_a_section, begin_pass, -EINVAL, -ECANCELED },
	{ "join_before_pass", joins_no_pass, begin_pass, -EINVAL, -ECANCELED },
	{ "end_before_pass", ends_no_pass, begin_pass, -EINVAL, -ECANCELED },
	{ "order_in_pass", keeps_order, begin_pass, -EINVAL, -ECANCELED },
	{ "hook_for_pass", begin_hooks, begin_pass, -EPROTO, -EPROTO },
	{ "pass_for_hook", begin_pass, begin_hooks, -EPROTO, -EPROTO },
	{ "sweep_for_hook", begin_sweep, begin_hooks, -EPROTO, -EPROTO },
	{ "hook_for_sweep", begin_hooks, begin_sweep, -EPROTO, -EPROTO },
	{ "pass_for_sweep", begin_pass, begin_sweep, -EINVAL, -ECANCELED },
	{ "open_section_at_hook", leaves_a_section_open, begin_hooks, -EINVAL, -ECANCELED },
	{ "free_for_pass", goes_at_once, begin_pass, 0, -EPROTO },
	{ "free_for_hook", goes_at_once, begin_hooks, 0, -EPROTO },
	{ "free_for_sweep", goes_at_once, begin_sweep, 0, -EPROTO },
	{ "no_body", has_no_body, begin_sweep, -EINVAL, -ECANCELED },
	{ "other_owners", distributes_badly, distribute_then_hook, -EBADMSG, -EBADMSG },
	{ "other_active_units", rests_other_units, rest_a_unit_then_hook, -EBADMSG, -EBADMSG },
	{ "negative_neighbours", has_negative_neighbours, neighbours, -EINVAL, -ECANCELED },
	{ "no_plan", has_no_plan, begin_hooks, -EINVAL, -EPROTO },
};

static struct equant_loop *make(struct equant *eq, const struct mistake *m)
{
	int sweeps = m->others == begin_sweep || m->odd == begin_sweep;
	struct equant_loop *loop = must_loop(eq, m->name, UNITS);

	if (sweeps)
		demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_array(loop, mesh[1], sizeof(mesh[1])));
	if (sweeps)
		demand_equal(0,
			     equant_loop_pipelined(loop, mesh[1], sizeof(double), sizeof(double)));
	return loop;
}

static void make_mistake(const struct mistake *m)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;

	o.check = getenv("CHECK") != NULL;
	o.timeout = 100;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = make(eq, m);
	if (is_odd())
		demand_equal(m->at_odd, m->odd(loop));
	else
		demand_equal(m->elsewhere, m->others(loop));
	equant_loop_free(loop);
	must_close(eq);
}

/* Nothing is left of one when the next one is made. */
static void mistakes_before_the_first_phase(void)
{
	const char *only = getenv("MISTAKE");

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		if (!only || !strcmp(only, mistakes[i].name))
			make_mistake(&mistakes[i]);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(mistakes_before_the_first_phase),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
