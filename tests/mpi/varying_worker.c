// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops whose bounds vary: units are deactivated and activated while work moves. */
#include <equant/equant.h>
#include <equant/table.h>
#include <errno.h>
#include <stdlib.h>

#include "libworker.h"
#include "loop/loop_internal.h"

#define UNITS 240

struct setting {
	struct equant *eq;
	struct equant_loop *loop;
	long *visits; /* of a unit, by whoever had it; moves with it */
	long expected[UNITS];
	char active[UNITS];
};

static void set_up(struct setting *s, enum equant_distribution distribution)
{
	struct equant_options o = eager_options();

	o.check = 1;
	s->eq = must_open(MPI_COMM_WORLD, &o);
	s->loop = must_loop(s->eq, "rows", UNITS);
	demand_equal(0, equant_loop_distribute(s->loop, distribution));
	s->visits = calloc(UNITS, sizeof(*s->visits));
	demand(s->visits);
	demand_equal(0, equant_loop_array(s->loop, s->visits, sizeof(*s->visits)));
	for (long u = 0; u < UNITS; u++)
		s->active[u] = 1;
}

static void turn(struct setting *s, long first, long count, int active)
{
	demand_equal(0, active ? equant_loop_activate(s->loop, first, count) :
				 equant_loop_deactivate(s->loop, first, count));
	for (long u = first; u < first + count; u++)
		s->active[u] = (char)active;
}

static void step(struct setting *s, long number)
{
	double slowness = 1 + (double)((rank * 2 + number / 10 * 3) % 5);
	long here = 0, all = 0, expected = 0;

	equant_begin(s->loop);
	equant_for_each_unit(s->loop, u) {
		demand(s->active[u]);
		s->visits[u]++;
		here++;
	}
	compute(20e-6 * slowness * (double)here);
	equant_end(s->loop);
	demand_equal(here, equant_loop_count(s->loop));
	MPI_Allreduce(&here, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (long u = 0; u < UNITS; u++) {
		s->expected[u] += s->active[u];
		expected += s->active[u];
	}
	demand_equal(expected, all);
	demand_equal(0, equant_hook(s->loop));
}

/* Every unit is with its owner, and was visited once in each step in which it was active. */
static void audit(struct setting *s)
{
	long owned = 0, all;

	for (long u = 0; u < UNITS; u++) {
		if (equant_loop_owner(s->loop, u) != rank)
			continue;
		demand_equal(s->expected[u], s->visits[u]);
		owned++;
	}
	MPI_Allreduce(&owned, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand_equal(UNITS, all);
}

static void tear_down(struct setting *s)
{
	struct equant_stats stats = { .sz = sizeof(stats) };
	long moves;

	audit(s);
	demand_equal(0, equant_loop_stats(s->loop, &stats));
	MPI_Allreduce(&stats.moves, &moves, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	demand(ranks == 1 || moves > 0);
	must_free(s->loop);
	must_close(s->eq);
	free(s->visits);
}

static void shrink(enum equant_distribution distribution)
{
	struct setting s = { 0 };

	set_up(&s, distribution);
	for (long n = 0; n < 60; n++) {
		step(&s, n);
		turn(&s, n * 4, 4, 0);
	}
	demand_equal(0, equant_loop_count(s.loop));
	step(&s, 60);
	tear_down(&s);
}

static void shrinking_blocks(void)
{
	shrink(EQUANT_BLOCK);
}

static void shrinking_cyclic(void)
{
	shrink(EQUANT_CYCLIC);
}

static void moving_window(void)
{
	struct setting s = { 0 };

	set_up(&s, EQUANT_BLOCK);
	turn(&s, 60, UNITS - 60, 0);
	for (long n = 0; n < 60; n++) {
		step(&s, n);
		turn(&s, n * 3, 3, 0);
		turn(&s, 60 + n * 3, 3, 1);
	}
	tear_down(&s);
}

/* ---- blocks that stay in order ------------------------------------------------ */

/* Each rank has one range, above those of the ranks below it. */
static void demand_block_order(const struct equant_loop *loop)
{
	const struct equant_range *range;
	int count;

	for (long u = 1; u < UNITS; u++)
		demand(equant_loop_owner(loop, u - 1) <= equant_loop_owner(loop, u));
	range = equant_loop_ranges(loop, &count);
	demand(count <= 1);
	demand_equal(equant_loop_count(loop), count ? range->count : 0);
}

/* What the neighbours' units hold in step @number is what is read here. */
static void demand_ghosts(struct setting *s, long below, long above)
{
	int count;
	const struct equant_range *r = equant_loop_ranges(s->loop, &count);

	demand_equal(0, equant_loop_ghosts_start(s->loop, below, above));
	demand_equal(0, equant_loop_ghosts_finish(s->loop));
	for (long u = 0; u < UNITS && count; u++)
		if (u >= r->first - below && u < r->first + r->count + above)
			demand_equal(s->expected[u] * UNITS + u, s->visits[u] * UNITS + u);
}

static void in_order(void)
{
	struct setting s = { 0 };

	set_up(&s, EQUANT_BLOCK_ORDER);
	for (long n = 0; n < 80; n++) {
		step(&s, n);
		demand_block_order(s.loop);
		demand_ghosts(&s, n % 3, (n / 3) % 30);
	}
	demand_equal(-EINVAL, equant_loop_ghosts_start(s.loop, -1, 0));
	demand_equal(0, equant_loop_ghosts_start(s.loop, 1, 1));
	demand_equal(-EINVAL, equant_loop_ghosts_start(s.loop, 1, 1));
	demand_equal(0, equant_loop_ghosts_finish(s.loop));
	tear_down(&s);
}

/* ---- units that wake out of order ----------------------------------------------- */

/**
 * struct sleepers - two loops that share units, which move only as the test says
 * @second: the follower
 * @other: by unit, what moves with it in the follower
 * @table: ... and in a table of the leader
 */
struct sleepers {
	struct setting s;
	struct equant_loop *second;
	long other[UNITS];
	struct equant_table *table;
	struct random random;
};

static void sleepers_start(struct sleepers *p)
{
	void *slice;

	set_up(&p->s, EQUANT_BLOCK_ORDER);
	p->random = random_from(7);
	p->second = must_loop(p->s.eq, "second", UNITS);
	demand_equal(0, equant_loop_share(p->second, p->s.loop));
	demand_equal(0, equant_loop_array(p->second, p->other, sizeof(p->other[0])));
	p->table = equant_loop_table(p->s.loop, sizeof(long), EQUANT_TABLE_AUTO);
	demand(p->table);
	equant_for_each_slice(p->table, u, slice)
		*(long *)slice = 1000 + u;
	equant_for_each_unit(p->s.loop, u)
		p->other[u] = 2000 + u;
}

/* A block grows at the expense of the one next to it. */
static void shift(struct sleepers *p)
{
	struct equant_loop *l = p->s.loop;
	int from = (int)random_below(&p->random, ranks);
	int to = from + (random_below(&p->random, 2) ? 1 : -1);
	long units = (long)random_below(&p->random, 60);
	struct equant_instruction move = { .from = from, .to = to };

	move.units = units < l->units.counts[from] ? units : l->units.counts[from];
	if (to < 0 || to == ranks || !move.units)
		return;
	demand_equal(0, equant_mover_run(&l->mover, &l->units, &move, 1, NULL, 0));
	demand_equal(0, equant_share_move(l, &move, 1, NULL));
}

/* The units in a range that are all of one state, if any are, change it. */
static long turn_some(struct sleepers *p, int active)
{
	long first = (long)random_below(&p->random, UNITS), end, moved = 0;
	int before[UNITS];

	while (first < UNITS && p->s.active[first] == active)
		first++;
	for (end = first; end < UNITS && end < first + 50 && p->s.active[end] != active;)
		end++;
	for (long u = 0; u < UNITS; u++)
		before[u] = equant_loop_owner(p->s.loop, u);
	if (first < end)
		turn(&p->s, first, end - first, active);
	for (long u = 0; u < UNITS; u++) {
		moved += before[u] != equant_loop_owner(p->s.loop, u);
		demand(before[u] == equant_loop_owner(p->s.loop, u) || (u >= first && u < end));
	}
	return moved;
}

static void demand_order(struct sleepers *p)
{
	int last = 0;

	for (long u = 0; u < UNITS; u++) {
		int owner = equant_loop_owner(p->s.loop, u);

		demand_equal(owner, equant_loop_owner(p->second, u));
		if (owner == rank) {
			demand_equal(1000 + u, *(long *)equant_table_slice(p->table, u));
			demand_equal(2000 + u, p->other[u]);
		}
		if (!p->s.active[u])
			continue;
		demand(owner >= last);
		last = owner;
	}
}

static void waking_in_order(void)
{
	struct sleepers p = { .second = NULL };
	long returned = 0;

	sleepers_start(&p);
	for (int n = 0; n < 200; n++) {
		shift(&p);
		demand_equal(0, turn_some(&p, 0));
		shift(&p);
		returned += turn_some(&p, 1);
		demand_order(&p);
	}
	demand(ranks == 1 || returned > 0);
	audit(&p.s);
	must_free(p.second);
	must_free(p.s.loop);
	must_close(p.s.eq);
	free(p.s.visits);
}

/* All the work is at first where no work should be. */
static void through_ranks(void)
{
	struct setting s = { 0 };

	set_up(&s, EQUANT_BLOCK_ORDER);
	for (long n = 0; n < 60; n++) {
		step(&s, n);
		if (n == 10)
			turn(&s, 0, UNITS / 2, 0);
		if (n == 25) {
			turn(&s, 0, UNITS / 2, 1);
			turn(&s, UNITS / 2, UNITS / 2, 0);
		}
		if (n == 40)
			turn(&s, UNITS / 2, UNITS / 2, 1);
	}
	tear_down(&s);
}

static void misuse(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_loop *loop = must_loop(eq, "rows", UNITS);

	demand_equal(-EINVAL, equant_loop_distribute(loop, (enum equant_distribution)7));
	demand_equal(-EALREADY, equant_loop_activate(loop, 3, 1));
	demand_equal(0, equant_loop_deactivate(loop, 3, 2));
	demand_equal(-EALREADY, equant_loop_deactivate(loop, 4, 1));
	demand_equal(-EALREADY, equant_loop_deactivate(loop, 0, 10));
	demand_equal(-EINVAL, equant_loop_deactivate(loop, UNITS - 1, 2));
	demand_equal(-EINVAL, equant_loop_deactivate(loop, -1, 1));
	/* They would all be active again. */
	demand_equal(-EBUSY, equant_loop_distribute(loop, EQUANT_CYCLIC));
	equant_begin(loop);
	equant_end(loop);
	demand_equal(0, equant_hook(loop));
	demand_equal(-EBUSY, equant_loop_distribute(loop, EQUANT_CYCLIC));
	must_free(loop);
	must_close(eq);
}

/* One rank believes that a unit is done with; in checked mode all are told. */
static void disagreement(void)
{
	struct equant_options o = eager_options();
	struct equant_loop *loop;
	struct equant *eq;
	int error = 0;

	o.check = 1;
	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "rows", UNITS);
	if (rank == ranks - 1)
		demand_equal(0, equant_loop_deactivate(loop, 7, 1));
	for (int n = 0; n < 50 && !error; n++) {
		equant_begin(loop);
		compute(0.001);
		equant_end(loop);
		error = equant_hook(loop);
	}
	demand_equal(ranks > 1 ? -EBADMSG : 0, error);
	equant_loop_free(loop);
	equant_close(eq);
}

static long phases_of(const struct setting *s)
{
	struct equant_stats stats = { .sz = sizeof(stats) };

	demand_equal(0, equant_loop_stats(s->loop, &stats));
	return stats.phases;
}

static void short_step(struct setting *s)
{
	equant_begin(s->loop);
	compute(20e-6 * (double)equant_loop_count(s->loop));
	equant_end(s->loop);
	demand_equal(0, equant_hook(s->loop));
}

/* Hundreds of hooks with one unit take as long as a few with all of them. */
static void grown(void)
{
	struct setting s = { 0 };
	struct equant_options o = eager_options();
	long phases, hooks;

	s.eq = must_open(MPI_COMM_WORLD, &o);
	s.loop = must_loop(s.eq, "rows", UNITS);
	for (int time = 0; time < 3; time++) {
		demand_equal(0, equant_loop_deactivate(s.loop, 1, UNITS - 1));
		for (int i = 0; i < 2000; i++)
			short_step(&s);
		demand_equal(0, equant_loop_activate(s.loop, 1, UNITS - 1));
		phases = phases_of(&s);
		for (hooks = 0; phases_of(&s) < phases + 4; hooks++)
			short_step(&s);
		demand(hooks < 100);
	}
	must_free(s.loop);
	must_close(s.eq);
}

/* Units that wake at the edge of a block need the slices beyond it, which nobody needed while they rested. */
static void waking_beside_neighbours(void)
{
	struct equant_options o = eager_options();
	long cells[UNITS] = { 0 }, first = UNITS, end = 0, last;
	struct equant_loop *loop;
	struct equant *eq;

	eq = must_open(MPI_COMM_WORLD, &o);
	loop = must_loop(eq, "cells", UNITS);
	demand_equal(0, equant_loop_distribute(loop, EQUANT_BLOCK_ORDER));
	demand_equal(0, equant_loop_array(loop, cells, sizeof(cells[0])));
	for (last = UNITS; last > 0 && equant_loop_owner(loop, last - 1) == ranks - 1;)
		last--;
	demand_equal(0, equant_loop_deactivate(loop, last, 3));
	equant_for_each_unit(loop, u)
		cells[u] = 1000 + u;
	for (long u = last; u < last + 3 && rank == ranks - 1; u++)
		cells[u] = 1000 + u;
	demand_equal(0, equant_loop_neighbours(loop, 1, 1));
	demand_equal(0, equant_loop_activate(loop, last, 3));
	equant_for_each_unit(loop, u) {
		first = u < first ? u : first;
		end = u + 1;
	}
	demand(first == 0 || cells[first - 1] == 1000 + first - 1);
	demand(end == UNITS || cells[end] == 1000 + end);
	must_free(loop);
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(shrinking_blocks), CASE(shrinking_cyclic),
		CASE(moving_window),	CASE(misuse, .alone = 1),
		CASE(disagreement),	CASE(in_order),
		CASE(through_ranks),	CASE(grown),
		CASE(waking_in_order),	CASE(waking_beside_neighbours),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
